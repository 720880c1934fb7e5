//===- Generate.cpp - random tile programs: arguments and frame ------------===//
#include "Generate.h"

#include "Generator.h"

namespace heddle::random_programs {

std::string Generator::run() {
  chooseSizes();
  declare();
  launch();
  if (walkRows) {
    statements(0, dice.from(0, 1), /*loops=*/dice.chance(20));
    Expr first = own["M"], all = sizeOf("M");
    own.erase("M");
    places.erase("M");
    k.loop(first, all, programs * rows, {}, [&](Expr i, const std::vector<Expr> &) {
      size_t mark = pool.size();
      own["M"] = i;
      places["M"] = {i};
      numbers.push_back(i);
      body(1);
      numbers.pop_back();
      own.erase("M");
      pool.resize(mark);
      return std::vector<Expr>();
    });
  } else {
    body(0);
  }
  mlir::OwningOpRef<mlir::ModuleOp> module = k.finish();
  if (!module)
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

void Generator::chooseSizes() {
  dots = dice.chance(75);
  if (dice.chance(12)) // of no tile that the machine has
    rows = dice.pick<int64_t>({1, 5, 8, 16, 20, 32, 40, 48, 80, 96, 100});
  else
    rows = dots ? dice.pick<int64_t>({64, 64, 64, 128}) : dice.pick<int64_t>({8, 16, 32, 64, 64, 128, 256});
  columns = dice.chance(16) ? dice.pick<int64_t>({4, 12, 20, 24, 36, 40, 48, 72, 96, 100, 112})
                            : dice.pick<int64_t>({8, 16, 32, 64, 64, 64, 128, 256});
  while (rows * columns > 8192)
    columns /= 2;
  depth =
      dice.chance(12) ? dice.pick<int64_t>({4, 8, 20, 24, 40, 48, 96}) : dice.pick<int64_t>({16, 32, 64, 64, 64, 128});
  half = dice.chance(70) ? F16 : BF16;
  operand = half;
  if (dots && dice.chance(25))
    operand = dice.pick<Element>({Element::F8E4M3, Element::F8E5M2, F32, F32, Element::I8});
  if (dice.chance(30))
    widths = {dice.pick<Element>({Element::I8, Element::I16, Element::I64}),
              dice.pick<Element>({Element::F64, Element::F8E4M3, Element::F8E5M2})};
  block = {{"M", rows}, {"N", columns}, {"K", depth}, {"Z", 1}};
  for (const auto &[name, extent] : block) {
    int64_t size =
        extent * dice.from(name == "M" ? 1 : 0, name == "Z" ? 1 : 2) + (dice.chance(50) ? dice.from(1, extent) : 0);
    dims[name] = std::max<int64_t>(1, size);
  }
  gridAxes = dice.pick<std::vector<std::string>>({{"M"}, {"M"}, {"M", "N"}, {"M", "N"}, {"M", "Z"}, {"M", "N", "Z"}});
  walkRows = dice.chance(15);
  fuel = dice.from(8, 40);
}

void Generator::view(const std::string &name, Element element, const std::vector<std::string> &axes, Role role) {
  std::vector<Dim> shape;
  for (const std::string &axis : axes)
    shape.push_back(Dim(axis));
  sources.push_back({k.view(name, element, shape), element, axes, role});
  for (size_t d = 0; d < axes.size(); ++d)
    measured.insert({axes[d], {sources.back().view, static_cast<int64_t>(d)}});
}

void Generator::declare() {
  std::vector<std::vector<std::string>> shapes = {{"M", "K"}, {"N", "K"},      {"K", "N"}, {"M", "N"},
                                                  {"K", "M"}, {"Z", "M", "K"}, {"N"},      {"M"}};
  int64_t inputs = dice.from(1, 4);
  for (int64_t i = 0; i < inputs; ++i) {
    Element element = dice.pick<Element>({operand, operand, operand, half, F32, I32});
    if (!widths.empty() && dice.chance(35))
      element = dice.pick(widths);
    view(std::string(1, static_cast<char>('A' + i)), element, shapes[i ? dice.below(shapes.size()) : dice.below(4)],
         Role::Read);
  }
  // Each program's part of what it stores must be its own: every dimension of the grid is one of the view.
  int64_t outputs = dice.from(1, 3);
  for (int64_t i = 0; i < outputs; ++i) {
    std::vector<std::string> axes;
    if (contains(gridAxes, "Z"))
      axes.push_back("Z");
    axes.push_back("M");
    if (contains(gridAxes, "N") || dice.chance(75))
      axes.push_back("N");
    Role role = dice.chance(20) ? Role::Update : dice.chance(12) ? Role::Add : Role::Write;
    Element element = role == Role::Add ? F32 : dice.pick<Element>({half, half, F32, F32, I32});
    if (role != Role::Add && !widths.empty() && dice.chance(40))
      element = dice.pick(widths);
    view(std::string(1, static_cast<char>('P' + i)), element, axes, role);
  }
  for (const char *axis : {"M", "N", "K", "Z"}) // sizes of all are known, used or not
    if (!measured.count(axis))
      dims.erase(axis);
  if (dice.chance(40))
    scales.push_back(k.scalar("alpha", F32, dice.pick<double>({0.5, 1.25, -0.75})));
  if (dice.chance(25))
    steps.push_back(k.scalar("steps", Element::Index, dice.from(0, 3)));
  if (dice.chance(20))
    steps.push_back(cast(k.scalar("shift", I32, dice.from(0, 9)), Element::Index));
  k.defaultDims(dims);
  int64_t groups = dice.weighted({60, 30, 10});
  if (groups)
    k.groups(groups);
}

void Generator::launch() {
  std::vector<Operand> sizes;
  programs = dice.from(1, 2);
  for (const std::string &axis : gridAxes)
    sizes.push_back(walkRows && axis == "M" ? Operand(programs) : Operand(ceilDiv(sizeOf(axis), block[axis])));
  k.grid(sizes, sizes.size() > 1 && dice.chance(30) ? dice.from(1, 3) : 0);
  for (size_t i = 0; i < gridAxes.size(); ++i) {
    Expr corner = k.programId(i);
    if (block[gridAxes[i]] > 1)
      corner = corner * block[gridAxes[i]];
    own[gridAxes[i]] = corner;
    places[gridAxes[i]] = {corner};
    numbers.push_back(corner);
  }
  for (Expr step : steps)
    numbers.push_back(step);
}

Expr Generator::sizeOf(const std::string &axis) {
  auto [from, dimension] = measured.at(axis);
  return from.dim(dimension);
}

std::string generateProgram(uint64_t seed) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return Generator(context, seed).run();
}

} // namespace heddle::random_programs
