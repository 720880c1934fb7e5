//===- Values.cpp - tiles of a random program -----------------------------------===//
#include "Generator.h"

namespace heddle::random_programs {

Shape Generator::someShape() {
  switch (dice.weighted({60, 15, 10, 15})) {
  case 0: return {rows, columns};
  case 1: return {rows};
  case 2: return {columns};
  }
  return {rows, depth};
}

Tile Generator::constant(const Shape &shape, Element element, double value) {
  return {k.constant(value, element, shape), element, shape, std::fabs(value), true};
}

Tile Generator::keep(Tile tile) {
  pool.push_back(tile);
  return tile;
}

/// Scaled so that its elements stay below about `most`.
Tile Generator::tame(Tile tile, double most) {
  if (tile.magnitude <= most)
    return tile;
  if (isInteger(tile.element))
    return {minimum(maximum(tile.expr, -100), 100), tile.element, tile.shape, most, tile.exact};
  if (isEightBits(tile.element))
    return convert(tame(convert(tile, F32), most), tile.element);
  double factor = std::exp2(-std::ceil(std::log2(tile.magnitude / most)));
  return {tile.expr * factor, tile.element, tile.shape, most, tile.exact};
}

Tile Generator::convert(Tile tile, Element element) {
  if (tile.element == element)
    return tile;
  if (isInteger(tile.element) && isInteger(element)) {
    tile = tame(tile, 100); // so that it stays what it was in eight bits
    return {cast(tile.expr, element), element, tile.shape, tile.magnitude, tile.exact};
  }
  if (isInteger(element)) {
    if (!tile.exact) // another order of its sums would give another integer
      tile = constant(tile.shape, F32, 3);
    tile = tame(tile, 25);
    return {cast(convert(tile, F32).expr * 4.0, element), element, tile.shape, 100, true};
  }
  if (isInteger(tile.element)) {
    tile = {cast(tile.expr, F32), F32, tile.shape, tile.magnitude, tile.exact};
    return convert(tame(tile, 16), element);
  }
  if (tile.element != F32)
    tile = {cast(tile.expr, F32), F32, tile.shape, tile.magnitude, tile.exact};
  if (element == F32)
    return tile;
  if (element != Element::F64)
    tile = tame(tile, 64);
  return {cast(tile.expr, element), element, tile.shape, tile.magnitude, tile.exact};
}

/// A tile of this shape and type, from what there is, from memory or computed.
Tile Generator::make(const Shape &shape, Element element, int deep) {
  if (--fuel < 0)
    deep = 0;
  std::vector<Tile> same;
  for (const Tile &tile : pool)
    if (tile.shape == shape)
      same.push_back(tile);
  bool matrix = shape.size() == 2,
       canDot = canDotInto(shape, operand == Element::I8 ? I32 : F32) && (operand == Element::I8) == isInteger(element);
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
  case 3:
    return keep(convert(binary(shape, isInteger(element) ? element : dice.chance(15) ? half : F32, deep), element));
  case 4: {
    Expr condition = mask(shape);
    Element of = isInteger(element) || element == Element::F64 ? element : F32;
    Tile a = make(shape, of, deep - 1), b = make(shape, of, deep - 1);
    return keep(
        convert({select(condition, a.expr, b.expr), of, shape, std::max(a.magnitude, b.magnitude), a.exact && b.exact},
                element));
  }
  case 5: {
    int64_t axis = dice.below(2);
    Tile line = make({shape[1 - axis]}, dice.chance(85) ? F32 : half, deep - 1);
    return keep(
        convert({broadcast(line.expr, axis, shape[axis]), line.element, shape, line.magnitude, line.exact}, element));
  }
  case 6: {
    Element sum = operand == Element::I8 ? I32 : operand == half && dice.chance(8) ? half : F32;
    Tile into = dice.chance(70) ? constant(shape, sum, 0) : tame(make(shape, sum, deep - 1), 64);
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

Tile Generator::load(const Shape &shape) {
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
  if (source.role == Role::Read && dice.chance(10)) {
    Expr value = source.view.gather(at, rowNumbers(shape[0]), shape, tileDims);
    return keep({value, source.element, shape, isInteger(source.element) ? 16.0 : 3.0, true});
  }
  Expr value = source.view.load(at, shape, tileDims);
  return keep({value, source.element, shape, isInteger(source.element) ? 16.0 : 3.0, source.role == Role::Read});
}

/// Numbers that no rounding changes: from memory, or every one or two rows.
Expr Generator::rowNumbers(int64_t count) {
  for (const Source &source : sources)
    if (source.role == Role::Read && source.element == I32 && dice.chance(70)) {
      std::vector<Operand> at;
      for (const std::string &axis : source.axes)
        at.push_back(place(axis));
      return source.view.load(at, {count});
    }
  Expr numbers = k.iota(count, dice.from(0, 3));
  return dice.chance(50) ? numbers : numbers * 2;
}

Tile Generator::unary(Tile x) {
  if (isInteger(x.element))
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

Tile Generator::binary(const Shape &shape, Element element, int deep) {
  Tile a = make(shape, element, deep - 1), b = make(shape, element, deep - 1);
  auto made = [&](Expr value, double magnitude, bool exact) { return Tile{value, element, shape, magnitude, exact}; };
  bool exact = a.exact && b.exact, integer = isInteger(element);
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
Tile Generator::folded(const Shape &shape, int deep) {
  bool ofRows = shape[0] == rows && (shape[0] != columns || dice.chance(70));
  if (!ofRows && shape[0] != columns)
    return load(shape);
  int64_t axis = ofRows ? 1 : 0;
  Shape from = {rows, columns};
  if (ofRows && dice.chance(30))
    from[1] = depth;
  std::string fold = dice.pick<std::string>({"add", "add", "max", "min"});
  Element element = dice.chance(85) ? F32 : dice.chance(50) || widths.empty() ? I32 : Element::F64;
  Tile whole = tame(make(from, element, deep - 1), 64);
  bool sum = fold == "add";
  return {reduce(fold, whole.expr, axis), element, shape, sum ? whole.magnitude * from[axis] / 2 : whole.magnitude,
          whole.exact && (!sum || isInteger(element))};
}

Tile Generator::turned(const Shape &shape, int deep) {
  Tile flat = make({shape[1], shape[0]}, half, 0);
  return {transpose(flat.expr), half, shape, flat.magnitude, flat.exact};
}

bool Generator::canDotInto(const Shape &shape, Element element) const {
  return dots && dotsLeft > 0 && shape.size() == 2 &&
         (operand == Element::I8 ? element == I32 : element == F32 || (element == half && operand == half));
}

/// into + a b.
Tile Generator::dotInto(const Tile &into) {
  --dotsLeft;
  int64_t contracted = dice.chance(85) ? depth : columns;
  Tile a = factor({into.shape[0], contracted}, /*isRight=*/false),
       b = factor({contracted, into.shape[1]}, /*isRight=*/true);
  return {dot(a.expr, b.expr, into.expr), into.element, into.shape,
          into.magnitude + a.magnitude * b.magnitude * std::sqrt(contracted) / 2, isInteger(into.element)};
}

/// An operand of a dot: loaded, loaded and transposed, or computed.
Tile Generator::factor(const Shape &shape, bool isRight) {
  Shape other = {shape[1], shape[0]};
  auto loaded = [&](const Shape &of) {
    for (int attempt = 0; attempt < 6; ++attempt) {
      for (size_t i = 0; i < sources.size(); ++i)
        if (sources[i].element == operand && sources[i].axes.size() >= 2 && sources[i].role == Role::Read &&
            dice.chance(50)) {
          lastLoaded = i;
          std::vector<Operand> at;
          for (const std::string &axis : sources[i].axes)
            at.push_back(place(axis));
          return keep({sources[i].view.load(at, of), operand, of, isInteger(operand) ? 16.0 : 3.0, true});
        }
    }
    return convert(load(of), operand);
  };
  int way = dice.weighted({45, 35, 20});
  if (operand == F32 && !dice.chance(10)) // as the tensor core reads tf32: contiguous along the contraction
    way = isRight ? 1 : 0;
  switch (way) {
  case 0: return loaded(shape);
  case 1: {
    Tile flat = loaded(other);
    return {transpose(flat.expr), flat.element, shape, flat.magnitude, flat.exact};
  }
  }
  return tame(make(shape, operand, 1), 8);
}

/// Which elements: by position, or by a sign that is the same in every order of summation.
Expr Generator::mask(const Shape &shape) {
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

} // namespace heddle::random_programs
