//===- Generate.cpp - random tile programs ---------------------------------===//
#include "Generate.h"

#include "heddle/Builder/TileBuilder.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace heddle::builder;
namespace heddle::random_programs {

namespace {
/// Numbers that are the same with every standard library (splitmix64).
class Dice {
public:
  explicit Dice(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15u + 1) {}
  int64_t below(int64_t count) { return static_cast<int64_t>(next() % static_cast<uint64_t>(count)); }
  int64_t from(int64_t least, int64_t most) { return least + below(most - least + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> T pick(const std::vector<T> &items) { return items[below(items.size())]; }
  /// An index, each with its weight.
  int weighted(const std::vector<int> &weights) {
    int64_t all = 0;
    for (int weight : weights)
      all += weight;
    int64_t at = below(all);
    for (size_t i = 0; i < weights.size(); ++i)
      if ((at -= weights[i]) < 0)
        return static_cast<int>(i);
    return 0;
  }

private:
  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint64_t state;
};

using Shape = std::vector<int64_t>;

/// A tile of the program. `magnitude`: about how large its elements get; `exact`: no sum whose order is free went into
/// it.
struct Tile {
  Expr expr;
  Element element = F32;
  Shape shape;
  double magnitude = 1;
  bool exact = true;
};

enum class Role { Read, Write, Update, Add };

struct Source {
  View view;
  Element element;
  std::vector<std::string> axes;
  Role role;
  bool stored = false;
};

class Generator {
public:
  Generator(mlir::MLIRContext &context, uint64_t seed) : dice(seed), k(context, "random_" + std::to_string(seed)) {}

  std::string run() {
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

private:
  //===--------------------------------------------------------------------===//
  // Arguments and grid
  //===--------------------------------------------------------------------===//

  void chooseSizes() {
    dots = dice.chance(75);
    rows = dots ? dice.pick<int64_t>({64, 64, 64, 128}) : dice.pick<int64_t>({8, 16, 32, 64, 64, 128, 256});
    columns = dice.chance(12) ? dice.pick<int64_t>({24, 40, 48, 72, 96, 112})
                              : dice.pick<int64_t>({8, 16, 32, 64, 64, 64, 128, 256});
    while (rows * columns > 8192)
      columns /= 2;
    depth = dice.chance(8) ? dice.pick<int64_t>({8, 24, 48, 96}) : dice.pick<int64_t>({16, 32, 64, 64, 64, 128});
    half = dice.chance(70) ? F16 : BF16;
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

  void view(const std::string &name, Element element, const std::vector<std::string> &axes, Role role) {
    std::vector<Dim> shape;
    for (const std::string &axis : axes)
      shape.push_back(Dim(axis));
    sources.push_back({k.view(name, element, shape), element, axes, role});
    for (size_t d = 0; d < axes.size(); ++d)
      measured.insert({axes[d], {sources.back().view, static_cast<int64_t>(d)}});
  }

  void declare() {
    std::vector<std::vector<std::string>> shapes = {{"M", "K"}, {"N", "K"},      {"K", "N"}, {"M", "N"},
                                                    {"K", "M"}, {"Z", "M", "K"}, {"N"},      {"M"}};
    int64_t inputs = dice.from(1, 4);
    for (int64_t i = 0; i < inputs; ++i) {
      Element element = dice.pick<Element>({half, half, half, half, F32, I32});
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

  void launch() {
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

  Expr sizeOf(const std::string &axis) {
    auto [from, dimension] = measured.at(axis);
    return from.dim(dimension);
  }

  //===--------------------------------------------------------------------===//
  // Statements
  //===--------------------------------------------------------------------===//

  void body(int level) {
    statements(level, dice.from(1, 3), /*loops=*/true);
    if (!looped)
      loop(level);
    for (Source &source : sources)
      if (source.role != Role::Read && (!source.stored || dice.chance(30)))
        store(source);
  }

  void statements(int level, int64_t count, bool loops) {
    for (int64_t i = 0; i < count; ++i)
      switch (dice.weighted({3, 3, loops && level < 3 && loopsLeft > 0 ? 5 : 0})) {
      case 0: make(someShape(), F32, 3); break;
      case 1: store(dice.pick(writable())); break;
      case 2: loop(level); break;
      }
  }

  std::vector<size_t> writable() const {
    std::vector<size_t> all;
    for (size_t i = 0; i < sources.size(); ++i)
      if (sources[i].role != Role::Read)
        all.push_back(i);
    return all;
  }
  void store(size_t source) { store(sources[source]); }

  void store(Source &source) {
    std::vector<Operand> at;
    std::vector<int64_t> tileDims;
    Shape shape;
    if (!ownTile(source, shape, at, tileDims))
      return;
    Tile value = make(shape, source.element, 3);
    source.view.store(value.expr, at, tileDims, source.role == Role::Add);
    source.stored = true;
  }

  /// A tile of the program's own part of `source`: its shape, place and dimensions.
  bool ownTile(const Source &source, Shape &shape, std::vector<Operand> &at, std::vector<int64_t> &tileDims) {
    for (size_t d = 0; d < source.axes.size(); ++d) {
      const std::string &axis = source.axes[d];
      bool divided = contains(gridAxes, axis);
      if (divided && !own.count(axis))
        return false; // outside the loop that walks over it
      if (axis != "Z") {
        tileDims.push_back(d);
        shape.push_back(block[axis]);
      }
      at.push_back(divided ? Operand(own[axis]) : place(axis));
    }
    if (tileDims.size() == 2 && dice.chance(8)) { // a row or a column alone
      size_t drop = dice.below(2);
      tileDims.erase(tileDims.begin() + drop);
      shape.erase(shape.begin() + drop);
    }
    if (dice.chance(50) && isLast(tileDims, source.axes.size()))
      tileDims.clear();
    return true;
  }

  static bool isLast(const std::vector<int64_t> &tileDims, size_t rank) {
    for (size_t i = 0; i < tileDims.size(); ++i)
      if (tileDims[i] != static_cast<int64_t>(rank - tileDims.size() + i))
        return false;
    return true;
  }

  /// A coordinate along `axis`: mostly a corner of a block of it.
  Operand place(const std::string &axis) {
    if (auto known = places.find(axis); known != places.end() && dice.chance(80))
      return dice.pick(known->second);
    if (!numbers.empty() && dice.chance(30))
      return dice.pick(numbers);
    return dice.chance(70) ? 0 : dice.from(1, 9) * 8;
  }

  /// begin, end, step of a loop, and the axis that it walks along, if any.
  std::string bounds(Operand &begin, Operand &end, Operand &step) {
    std::vector<std::string> axes;
    for (const auto &[axis, size] : dims)
      if (axis != "Z" && axis != "M" && !own.count(axis))
        axes.push_back(axis);
    if (axes.empty() || dice.chance(20)) {
      begin = dice.chance(70) ? 0 : 1;
      end = dice.from(0, 3);
      if (!steps.empty() && dice.chance(40))
        end = dice.pick(steps);
      else if (!numbers.empty() && dice.chance(30))
        end = minimum(dice.pick(numbers), dice.from(1, 3));
      step = dice.chance(80) ? 1 : 2;
      return "";
    }
    std::string axis = dice.pick(axes);
    begin = 0;
    end = sizeOf(axis);
    step = block[axis];
    switch (dice.weighted({70, 10, 10, 10})) {
    case 1: end = dice.from(0, 3) * block[axis]; break;
    case 2:
      if (!numbers.empty())
        end = minimum(sizeOf(axis), dice.pick(numbers) + block[axis]);
      break;
    case 3: begin = block[axis] * dice.from(0, 1); break;
    }
    return axis;
  }

  void loop(int level) {
    looped = true;
    --loopsLeft;
    Operand begin(0), end(0), step(1);
    std::string axis = bounds(begin, end, step);
    std::vector<Tile> carried;
    std::vector<Expr> inits;
    int64_t count = dice.weighted({20, 45, 25, 10});
    for (int64_t i = 0; i < count; ++i) {
      carried.push_back(initial());
      inits.push_back(carried.back().expr);
    }
    std::optional<Expr> counter; // a carried integer
    if (dice.chance(8))
      inits.push_back(k.constant(0, Element::Index));
    std::vector<Expr> results = k.loop(begin, end, step, inits, [&](Expr i, const std::vector<Expr> &arguments) {
      size_t poolMark = pool.size(), numberMark = numbers.size();
      auto outerPlaces = places;
      numbers.push_back(i);
      if (!axis.empty())
        places[axis] = {i};
      if (arguments.size() > carried.size()) {
        counter = arguments.back();
        numbers.push_back(*counter);
      }
      for (size_t c = 0; c < carried.size(); ++c) {
        carried[c].expr = arguments[c];
        carried[c].magnitude += 4 * mostTrips;
        carried[c].exact = false;
        pool.push_back(carried[c]);
      }
      statements(level + 1, dice.from(carried.empty() ? 1 : 0, 2), /*loops=*/true);
      if (carried.empty())
        store(dice.pick(writable()));
      std::vector<Expr> next;
      for (const Tile &tile : carried)
        next.push_back(update(tile, carried).expr);
      if (counter)
        next.push_back(*counter + dice.pick<int64_t>({1, 8, block["K"]}));
      pool.resize(poolMark);
      numbers.resize(numberMark);
      places = outerPlaces;
      return next;
    });
    for (size_t c = 0; c < carried.size(); ++c) {
      carried[c].expr = results[c];
      pool.push_back(carried[c]);
    }
  }

  /// What a loop carries, before it.
  Tile initial() {
    Shape shape = someShape();
    Element element = F32;
    if (dice.chance(12)) {
      shape = {rows, depth};
      element = half;
    } else if (dice.chance(6)) {
      element = I32;
    }
    if (dice.chance(60))
      return constant(shape, element, 0);
    return make(shape, element, 1);
  }

  /// What a loop carries, after an iteration.
  Tile update(const Tile &tile, const std::vector<Tile> &all) {
    bool canDot = dots && dotsLeft > 0 && tile.element == F32 && tile.shape.size() == 2 && tile.shape[0] % 64 == 0;
    switch (dice.weighted({canDot ? 90 : 0, 30, 12, tile.element == I32 ? 0 : 12, 4, 6, 8})) {
    case 0: return dotInto(tile);
    case 1: {
      Tile more = tame(make(tile.shape, tile.element, 2), 2);
      return {tile.expr + more.expr, tile.element, tile.shape, tile.magnitude, false};
    }
    case 2: {
      Tile more = tame(make(tile.shape, tile.element, 2), 2);
      return {maximum(tile.expr, more.expr), tile.element, tile.shape, tile.magnitude, false};
    }
    case 3: {
      Tile more = tame(make(tile.shape, tile.element, 2), 2);
      return {tile.expr * 0.5 + more.expr, tile.element, tile.shape, tile.magnitude, false};
    }
    case 4: return tile;
    case 5:
      for (const Tile &other : all)
        if (other.shape == tile.shape && other.element == tile.element && other.expr.value() != tile.expr.value())
          return other;
      return tile;
    }
    return tame(make(tile.shape, tile.element, 2), 2);
  }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  Shape someShape() {
    switch (dice.weighted({60, 15, 10, 15})) {
    case 0: return {rows, columns};
    case 1: return {rows};
    case 2: return {columns};
    }
    return {rows, depth};
  }

  Tile constant(const Shape &shape, Element element, double value) {
    return {k.constant(value, element, shape), element, shape, std::fabs(value), true};
  }

  Tile keep(Tile tile) {
    pool.push_back(tile);
    return tile;
  }

  /// Scaled so that its elements stay below about `most`.
  Tile tame(Tile tile, double most) {
    if (tile.magnitude <= most)
      return tile;
    if (tile.element == I32)
      return {minimum(maximum(tile.expr, -100), 100), I32, tile.shape, most, tile.exact};
    double factor = std::exp2(-std::ceil(std::log2(tile.magnitude / most)));
    return {tile.expr * factor, tile.element, tile.shape, most, tile.exact};
  }

  Tile convert(Tile tile, Element element) {
    if (tile.element == element)
      return tile;
    if (element == I32) {
      if (!tile.exact) // another order of its sums would give another integer
        tile = constant(tile.shape, F32, 3);
      tile = tame(tile, 100);
      return {cast(convert(tile, F32).expr * 4.0, I32), I32, tile.shape, 400, true};
    }
    if (tile.element == I32) {
      tile = {cast(tile.expr, F32), F32, tile.shape, tile.magnitude, tile.exact};
      return convert(tame(tile, 16), element);
    }
    if (tile.element != F32)
      tile = {cast(tile.expr, F32), F32, tile.shape, tile.magnitude, tile.exact};
    if (element == F32)
      return tile;
    tile = tame(tile, 64);
    return {cast(tile.expr, element), element, tile.shape, tile.magnitude, tile.exact};
  }

  /// A tile of this shape and type, from what there is, from memory or computed.
  Tile make(const Shape &shape, Element element, int deep) {
    if (--fuel < 0)
      deep = 0;
    std::vector<Tile> same;
    for (const Tile &tile : pool)
      if (tile.shape == shape)
        same.push_back(tile);
    bool matrix = shape.size() == 2,
         canDot = dots && dotsLeft > 0 && matrix && shape[0] % 64 == 0 && shape[1] % 8 == 0 && element != I32;
    int inner = deep > 0 ? 1 : 0;
    switch (dice.weighted({same.empty() ? 0
                           : inner      ? 30
                                        : 80,
                           inner ? 25 : 15, 20 * inner, 25 * inner, 8 * inner, matrix ? 8 * inner : 0,
                           canDot ? 20 * inner : 0, matrix ? 2 * inner : 12 * inner, 4 * inner, inner ? 2 : 1})) {
    case 0: // late ones are likelier
      return convert(same[same.size() - 1 - std::min(dice.below(same.size()), dice.below(same.size()))], element);
    case 1: return convert(load(shape), element);
    case 2: return keep(convert(unary(make(shape, dice.chance(15) ? half : F32, deep - 1)), element));
    case 3: return keep(convert(binary(shape, element == I32 ? I32 : dice.chance(15) ? half : F32, deep), element));
    case 4: {
      Expr condition = mask(shape);
      Element of = element == I32 ? I32 : F32;
      Tile a = make(shape, of, deep - 1), b = make(shape, of, deep - 1);
      return keep(convert(
          {select(condition, a.expr, b.expr), of, shape, std::max(a.magnitude, b.magnitude), a.exact && b.exact},
          element));
    }
    case 5: {
      int64_t axis = dice.below(2);
      Tile line = make({shape[1 - axis]}, dice.chance(85) ? F32 : half, deep - 1);
      return keep(
          convert({broadcast(line.expr, axis, shape[axis]), line.element, shape, line.magnitude, line.exact}, element));
    }
    case 6: {
      Tile into = dice.chance(70) ? constant(shape, F32, 0) : make(shape, F32, deep - 1);
      return keep(convert(dotInto(into), element));
    }
    case 7: return keep(convert(matrix ? turned(shape, deep) : folded(shape, deep), element));
    case 8: {
      Expr scalar = !scales.empty() && dice.chance(50) ? dice.pick(scales)
                    : numbers.empty()                  ? k.constant(0.25, F32)
                                                       : cast(cast(dice.pick(numbers), I32), F32) * 0.0078125;
      return keep(convert({splat(scalar, shape), F32, shape, 2, true}, element));
    }
    }
    return convert(constant(shape, F32, dice.pick<double>({0, 1, -0.5, 2})), element);
  }

  Tile load(const Shape &shape) {
    std::vector<size_t> able;
    for (size_t i = 0; i < sources.size(); ++i)
      if (sources[i].axes.size() >= shape.size() && (sources[i].role == Role::Read || sources[i].role == Role::Update))
        able.push_back(i);
    if (able.empty())
      return constant(shape, F32, 0.5);
    Source &source =
        sources[std::count(able.begin(), able.end(), lastLoaded) && dice.chance(40) ? lastLoaded : dice.pick(able)];
    std::vector<Operand> at;
    std::vector<int64_t> tileDims;
    if (source.role == Role::Update) {
      Shape owned;
      if (!ownTile(source, owned, at, tileDims) || owned != shape)
        return constant(shape, F32, 0.5);
    } else {
      for (const std::string &axis : source.axes)
        at.push_back(place(axis));
      if (source.axes.size() == 3 && shape.size() == 2 && dice.chance(20))
        tileDims = {0, 2};
    }
    lastLoaded = &source - sources.data();
    Expr value = source.view.load(at, shape, tileDims);
    return keep({value, source.element, shape, source.element == I32 ? 16.0 : 3.0, source.role == Role::Read});
  }

  Tile unary(Tile x) {
    if (x.element == I32)
      x = convert(x, F32);
    auto made = [&](Expr value, double magnitude, bool exact = false) {
      return Tile{value, x.element, x.shape, magnitude, exact};
    };
    switch (dice.weighted({20, 10, 10, 8, 6, 5, 5, 5, 8})) {
    case 0: return made(x.expr * dice.pick<double>({0.5, -1, 1.5, 2}), x.magnitude * 2);
    case 1: return made(abs(x.expr), x.magnitude, x.exact);
    case 2: return made(x.expr + dice.pick<double>({1, -0.25}), x.magnitude + 1);
    case 3: return made(maximum(x.expr, 0.0), x.magnitude, x.exact);
    case 4: return made(exp2(minimum(tame(x, 4).expr, 4.0)), 16);
    case 5: return made(exp(minimum(tame(x, 2).expr, 2.0)), 8);
    case 6: x = convert(tame(x, 16), F32); return made(rsqrt(x.expr * x.expr + 1.0), 1);
    case 7: x = convert(x, F32); return made(log(abs(x.expr) + 1.0), 4);
    }
    return made(minimum(x.expr, 1.0), x.magnitude, x.exact);
  }

  Tile binary(const Shape &shape, Element element, int deep) {
    Tile a = make(shape, element, deep - 1), b = make(shape, element, deep - 1);
    auto made = [&](Expr value, double magnitude, bool exact) { return Tile{value, element, shape, magnitude, exact}; };
    bool exact = a.exact && b.exact, integer = element == I32;
    switch (dice.weighted({30, 20, 25, 10, 10, integer ? 0 : 6})) {
    case 0: return made(a.expr + b.expr, a.magnitude + b.magnitude, integer && exact);
    case 1: return made(a.expr - b.expr, a.magnitude + b.magnitude, integer && exact);
    case 2:
      a = tame(a, 16);
      b = tame(b, 16);
      return made(a.expr * b.expr, a.magnitude * b.magnitude, integer && exact);
    case 3: return made(maximum(a.expr, b.expr), std::max(a.magnitude, b.magnitude), exact);
    case 4: return made(minimum(a.expr, b.expr), std::max(a.magnitude, b.magnitude), exact);
    }
    return made(a.expr / (abs(b.expr) + 1.0), a.magnitude, false);
  }

  /// A sum, maximum or minimum along one dimension of a matrix.
  Tile folded(const Shape &shape, int deep) {
    bool ofRows = shape[0] == rows && (shape[0] != columns || dice.chance(70));
    if (!ofRows && shape[0] != columns)
      return load(shape);
    int64_t axis = ofRows ? 1 : 0;
    Shape from = {rows, columns};
    if (ofRows && dice.chance(30))
      from[1] = depth;
    std::string fold = dice.pick<std::string>({"add", "add", "max", "min"});
    Tile whole = tame(make(from, F32, deep - 1), 64);
    return {reduce(fold, whole.expr, axis), F32, shape,
            fold == "add" ? whole.magnitude * from[axis] / 2 : whole.magnitude, fold != "add" && whole.exact};
  }

  Tile turned(const Shape &shape, int deep) {
    Tile flat = make({shape[1], shape[0]}, half, 0);
    return {transpose(flat.expr), half, shape, flat.magnitude, flat.exact};
  }

  /// into + a b.
  Tile dotInto(const Tile &into) {
    --dotsLeft;
    int64_t contracted = dice.chance(85) ? depth : columns;
    Tile a = factor({into.shape[0], contracted}), b = factor({contracted, into.shape[1]});
    return {dot(a.expr, b.expr, into.expr), F32, into.shape,
            into.magnitude + a.magnitude * b.magnitude * std::sqrt(contracted) / 2, false};
  }

  /// An operand of a dot: loaded, loaded and transposed, or computed.
  Tile factor(const Shape &shape) {
    Shape other = {shape[1], shape[0]};
    auto loaded = [&](const Shape &of) {
      for (int attempt = 0; attempt < 6; ++attempt) {
        for (size_t i = 0; i < sources.size(); ++i)
          if (sources[i].element == half && sources[i].axes.size() >= 2 && sources[i].role == Role::Read &&
              dice.chance(50)) {
            lastLoaded = i;
            std::vector<Operand> at;
            for (const std::string &axis : sources[i].axes)
              at.push_back(place(axis));
            return keep({sources[i].view.load(at, of), half, of, 3, true});
          }
      }
      return convert(load(of), half);
    };
    switch (dice.weighted({45, 35, 20})) {
    case 0: return loaded(shape);
    case 1: {
      Tile flat = loaded(other);
      return {transpose(flat.expr), half, shape, flat.magnitude, flat.exact};
    }
    }
    return tame(make(shape, half, 1), 8);
  }

  /// Which elements: by position, or by a sign that is the same in every order of summation.
  Expr mask(const Shape &shape) {
    if (dice.chance(25)) {
      Tile of = load(shape);
      if (of.exact)
        return convert(of, F32).expr > k.constant(0.125, F32, shape);
    }
    auto line = [&](int64_t extent) {
      Expr position = k.iota(extent, dice.chance(20) ? dice.from(1, 8) : 0);
      return !numbers.empty() && dice.chance(60) ? position + splat(cast(dice.pick(numbers), I32), {extent}) : position;
    };
    Operand limit = dice.chance(60) || dims.empty() ? Operand(dice.from(1, 2 * shape[0]))
                                                    : Operand(cast(sizeOf(dims.begin()->first), I32));
    if (shape.size() == 1) {
      Expr position = line(shape[0]);
      return position < limit;
    }
    int64_t axis = dice.below(2);
    Expr position = line(shape[1 - axis]);
    if (dice.chance(60))
      return broadcast(position < limit, axis, shape[axis]);
    Expr across = line(shape[axis]);
    return broadcast(position, axis, shape[axis]) <= broadcast(across, 1 - axis, shape[1 - axis]);
  }

  template <typename T> static bool contains(const std::vector<T> &items, const T &item) {
    return std::find(items.begin(), items.end(), item) != items.end();
  }
  static bool contains(const std::vector<std::string> &items, const char *item) {
    return contains(items, std::string(item));
  }

  static constexpr int mostTrips = 6;

  Dice dice;
  KernelBuilder k;
  bool dots = false, walkRows = false, looped = false;
  int64_t rows = 64, columns = 64, depth = 64, programs = 1, fuel = 0, loopsLeft = 5, dotsLeft = 4;
  Element half = F16;
  std::map<std::string, int64_t> block, dims;
  std::vector<std::string> gridAxes;
  std::vector<Source> sources;
  std::map<std::string, std::pair<View, int64_t>> measured; ///< a view and dimension of each axis
  size_t lastLoaded = ~size_t(0);
  std::vector<Expr> scales, steps, numbers; ///< scalars: f32 arguments; loop ends; any in scope
  std::map<std::string, Expr> own;          ///< the corner of the program's part along each dimension of the grid
  std::map<std::string, std::vector<Expr>> places;
  std::vector<Tile> pool;
};
} // namespace

std::string generateProgram(uint64_t seed) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return Generator(context, seed).run();
}

} // namespace heddle::random_programs
