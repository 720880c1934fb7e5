//===- Statements.cpp - loops, branches and stores of a random program ----------===//
#include "Generator.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::random_programs {

void Generator::body(int level) {
  statements(level, dice.from(1, 3), /*loops=*/true);
  if (!looped)
    loop(level);
  for (Source &source : sources)
    if (source.role != Role::Read && (!source.stored || dice.chance(30)))
      store(source);
}

void Generator::statements(int level, int64_t count, bool loops) {
  for (int64_t i = 0; i < count; ++i)
    switch (dice.weighted({6, 6, loops && level < 3 && loopsLeft > 0 ? 10 : 0, level < 3 && loopsLeft > 0 ? 3 : 0,
                           loops && level < 3 && loopsLeft > 0 ? 2 : 0, 2})) {
    case 0: make(someShape(), F32, 3); break;
    case 1: store(dice.pick(writable())); break;
    case 2: loop(level); break;
    case 3: branch(level); break;
    case 4: loopWhile(level); break;
    case 5: readNumber(); break;
    }
}

std::vector<size_t> Generator::writable() const {
  std::vector<size_t> all;
  for (size_t i = 0; i < sources.size(); ++i)
    if (sources[i].role != Role::Read)
      all.push_back(i);
  return all;
}

void Generator::store(Source &source) {
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
bool Generator::ownTile(const Source &source, Shape &shape, std::vector<Operand> &at, std::vector<int64_t> &tileDims) {
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

/// A coordinate along `axis`: mostly a corner of a block of it.
Operand Generator::place(const std::string &axis) {
  if (auto known = places.find(axis); known != places.end() && dice.chance(80))
    return dice.pick(known->second);
  if (!numbers.empty() && dice.chance(30))
    return dice.pick(numbers);
  return dice.chance(70) ? 0 : dice.from(1, 9) * 8;
}

/// begin, end, step of a loop, and the axis that it walks along, if any.
std::string Generator::bounds(Operand &begin, Operand &end, Operand &step) {
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

void Generator::loop(int level) {
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

/// A scalar of memory: a coordinate, an end of a loop, or part of a condition from here on.
void Generator::readNumber() {
  std::vector<size_t> able;
  for (size_t i = 0; i < sources.size(); ++i)
    if (sources[i].role == Role::Read && isInteger(sources[i].element))
      able.push_back(i);
  if (able.empty())
    return;
  const Source &source = sources[dice.pick(able)];
  std::vector<Operand> at;
  for (const std::string &axis : source.axes)
    at.push_back(dice.chance(50) ? place(axis) : Operand(dice.from(0, 5)));
  Expr number(source.view.element(at));
  if (dice.chance(30)) { // the same by way of a tile
    Expr tile = source.view.load(at, {8}) + 1;
    Expr place = k.constant(static_cast<double>(dice.below(8)), Element::Index);
    number = Expr(&k, mlir::tensor::ExtractOp::create(k.ir(), k.loc(), tile.value(), place.value()));
  }
  numbers.push_back(cast(number, Element::Index));
}

Expr Generator::condition() {
  if (dice.chance(40))
    readNumber();
  Expr number = numbers.empty() ? sizeOf(measured.begin()->first) : dice.pick(numbers);
  Operand limit = dice.chance(50) ? Operand(dice.from(0, 4) * dice.pick<int64_t>({1, 1, rows})) : Operand(sizeOf("M"));
  return dice.chance(50) ? number < limit : number >= limit;
}

/// Statements of their own scope, and the values that they end with.
std::vector<Expr> Generator::scope(int level, bool mustStore, llvm::function_ref<std::vector<Expr>()> values) {
  size_t poolMark = pool.size(), numberMark = numbers.size();
  auto outerPlaces = places;
  std::vector<Source> outerSources = sources; // what is stored here may not be
  statements(level + 1, dice.from(mustStore ? 1 : 0, 2), /*loops=*/true);
  if (mustStore)
    store(dice.pick(writable()));
  std::vector<Expr> given = values();
  pool.resize(poolMark);
  numbers.resize(numberMark, k.constant(0, Element::Index));
  places = outerPlaces;
  sources = outerSources;
  return given;
}

void Generator::branch(int level) {
  --loopsLeft;
  Expr holds = condition();
  std::vector<Tile> given;
  for (int64_t i = 0, count = dice.weighted({40, 40, 20}); i < count; ++i)
    given.push_back(constant(someShape(), dice.chance(85) ? F32 : half, 0));
  auto arm = [&] {
    return scope(level, given.empty(), [&] {
      std::vector<Expr> values;
      for (Tile &tile : given) {
        Tile value = tame(make(tile.shape, tile.element, 2), 8);
        tile.magnitude = std::max(tile.magnitude, value.magnitude);
        tile.exact &= value.exact;
        values.push_back(value.expr);
      }
      return values;
    });
  };
  std::vector<Expr> results = k.branch(holds, arm, arm);
  for (auto [tile, result] : llvm::zip(given, results)) {
    tile.expr = result;
    keep(tile);
  }
}

void Generator::loopWhile(int level) {
  looped = true;
  --loopsLeft;
  Operand begin(0), end(0), step(1);
  std::string axis = bounds(begin, end, step);
  std::vector<Tile> carried;
  std::vector<Expr> inits = {Expr(&k, k.materialize(begin, k.ir().getIndexType()))};
  for (int64_t i = 0, count = dice.weighted({30, 50, 20}); i < count; ++i) {
    carried.push_back(initial());
    inits.push_back(carried.back().expr);
  }
  auto more = [&](const std::vector<Expr> &now) { return now[0] < end; };
  auto body = [&](const std::vector<Expr> &now) {
    size_t poolMark = pool.size(), numberMark = numbers.size();
    auto outerPlaces = places;
    numbers.push_back(now[0]);
    if (!axis.empty())
      places[axis] = {now[0]};
    for (auto [tile, value] : llvm::zip(carried, llvm::drop_begin(now))) {
      tile.expr = value;
      tile.magnitude += 4 * mostTrips;
      tile.exact = false;
      pool.push_back(tile);
    }
    std::vector<Expr> next = scope(level, carried.empty(), [&] {
      std::vector<Expr> values = {now[0] + step};
      for (const Tile &tile : carried)
        values.push_back(update(tile, carried).expr);
      return values;
    });
    pool.resize(poolMark);
    numbers.resize(numberMark, now[0]);
    places = outerPlaces;
    return next;
  };
  std::vector<Expr> results = k.loopWhile(inits, more, body);
  for (auto [tile, result] : llvm::zip(carried, llvm::drop_begin(results))) {
    tile.expr = result;
    keep(tile);
  }
}

/// What a loop carries, before it.
Tile Generator::initial() {
  Shape shape = someShape();
  Element element = F32;
  if (dice.chance(12)) {
    shape = {rows, depth};
    element = half;
  } else if (dice.chance(6) || (operand == Element::I8 && dice.chance(60))) {
    element = I32;
  } else if (!widths.empty() && dice.chance(15)) {
    element = dice.pick(widths);
  }
  if (dice.chance(60))
    return constant(shape, element, 0);
  return make(shape, element, 1);
}

/// What a loop carries, after an iteration.
Tile Generator::update(const Tile &tile, const std::vector<Tile> &all) {
  bool canDot = canDotInto(tile.shape, tile.element) && (tile.element != half || dice.chance(20));
  // Eight bits have no arithmetic of their own.
  bool counts = !isEightBits(tile.element);
  switch (dice.weighted(
      {canDot ? 90 : 0, counts ? 30 : 0, counts ? 12 : 0, counts && !isInteger(tile.element) ? 12 : 0, 4, 6, 8})) {
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

} // namespace heddle::random_programs
