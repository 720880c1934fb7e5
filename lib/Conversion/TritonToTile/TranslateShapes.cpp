//===- TranslateShapes.cpp - parts and other shapes of tiles ----------------===//
//
// What:   tt.trans, tt.reshape, tt.split and tt.join -> transposes, reshapes and parts of tile programs. Dimensions of
//         extent one are not there, and tiles of many dimensions hold their elements in one (see Translator.h). Which
//         reshapes and parts a kernel can have is for the lowering to say (docs/TileDialect.md, "Parts and shapes").
//
//===----------------------------------------------------------------------===//
#include "Translator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <set>

using namespace mlir;

namespace heddle::triton {

/// A tile of three dimensions whose last two change places: one transpose for each of the first.
Value Translator::lastTwoExchanged(Value tile, Location loc) {
  SmallVector<int64_t> shape(shapeOfTile(tile)), one{1, shape[1], shape[2]}, turned{1, shape[2], shape[1]};
  auto flat = cast<RankedTensorType>(tile.getType()).clone({shape[2], shape[1]});
  SmallVector<Value> parts;
  for (int64_t number = 0; number < shape[0]; ++number) {
    Value matrix = reshaped(part(tile, {number, 0, 0}, one, loc), {shape[1], shape[2]}, loc);
    parts.push_back(reshaped(tile::TransposeOp::create(builder, loc, flat, matrix), turned, loc));
  }
  auto whole = flat.clone({shape[0], shape[2], shape[1]});
  return tensor::ConcatOp::create(builder, loc, whole, int64_t(0), parts);
}

LogicalResult Translator::translateTranspose(TransOp trans) {
  constexpr int64_t mostParts = 64; // of a tile, each turned by itself
  Value value = map.lookup(trans.getSrc());
  if (!value)
    return success();
  SmallVector<int64_t> kept, wide; // numbers among the dimensions of more than one element
  for (auto [d, extent] : llvm::enumerate(shapeOfTile(trans.getSrc())))
    if (extent != 1)
      wide.push_back(d);
  for (int32_t d : trans.getOrder())
    if (auto it = llvm::find(wide, d); it != wide.end())
      kept.push_back(it - wide.begin());
  if (llvm::is_sorted(kept)) {
    map[trans] = value;
    return success();
  }
  Location loc = trans.getLoc();
  auto type = cast<RankedTensorType>(typeOf(trans.getType()));
  SmallVector<int64_t> shape(shapeOfTile(value));
  if (kept.size() > 3 || rows)
    return success(); // refused where it is needed
  // Dimensions from `first` on come to the front: a transpose of two dimensions.
  auto rotated = [&](Value tile, size_t first) -> Value {
    SmallVector<int64_t> from(shapeOfTile(tile)), to(from);
    std::rotate(to.begin(), to.begin() + first, to.end());
    int64_t front = ShapedType::getNumElements(ArrayRef(from).take_front(first)),
            behind = ShapedType::getNumElements(ArrayRef(from).drop_front(first));
    auto flat = type.clone({behind, front});
    return reshaped(tile::TransposeOp::create(builder, loc, flat, reshaped(tile, {front, behind}, loc)), to, loc);
  };
  auto isRotation = [](ArrayRef<int64_t> order) {
    return llvm::all_of(llvm::seq<size_t>(1, order.size()),
                        [&](size_t i) { return order[i] == (order[i - 1] + 1) % static_cast<int64_t>(order.size()); });
  };
  if (isRotation(kept)) {
    map[trans] = rotated(value, kept[0]);
    return success();
  }
  // Three dimensions in the other sense: the first stays when the last two are exchanged.
  if (shape[kept[0]] > mostParts)
    return success();
  if (kept[0] != 0)
    value = rotated(value, kept[0]);
  map[trans] = lastTwoExchanged(value, loc);
  return success();
}

/// How many elements follow one step along each dimension, outermost first; the whole tile's in front.
static void addDistances(ArrayRef<int64_t> shape, std::set<int64_t, std::greater<>> &distances) {
  int64_t distance = 1;
  distances.insert(distance);
  for (int64_t extent : llvm::reverse(shape))
    distances.insert(distance *= extent);
}

/// Which dimensions of `fine` are one of `coarse` together; those of one element behind the others are of the last.
static SmallVector<ReassociationIndices> joined(ArrayRef<int64_t> coarse, ArrayRef<int64_t> fine) {
  SmallVector<ReassociationIndices> groups;
  unsigned next = 0;
  for (int64_t extent : coarse) {
    ReassociationIndices &group = groups.emplace_back();
    for (int64_t product = 1; next < fine.size() && (product < extent || group.empty()); ++next) {
      product *= fine[next];
      group.push_back(next);
    }
  }
  for (; next < fine.size(); ++next)
    groups.back().push_back(next);
  return groups;
}

/// Dimensions of one element left out; one of them where there are no others.
SmallVector<int64_t> Translator::dense(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> kept;
  llvm::copy_if(shape, std::back_inserter(kept), [](int64_t extent) { return extent != 1; });
  if (kept.empty())
    kept.push_back(1);
  return kept;
}

/// Elements keep their order: dimensions are split as both shapes have them, then joined.
Value Translator::reshaped(Value value, ArrayRef<int64_t> shape, Location loc) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  auto expand = [&](ArrayRef<int64_t> to) {
    if (to != shapeOfTile(value))
      value = tensor::ExpandShapeOp::create(builder, loc, RankedTensorType::get(to, element), value,
                                            joined(shapeOfTile(value), to));
  };
  auto collapse = [&](ArrayRef<int64_t> to) {
    if (to != shapeOfTile(value))
      value = tensor::CollapseShapeOp::create(builder, loc, RankedTensorType::get(to, element), value,
                                              joined(to, shapeOfTile(value)));
  };
  if (shape == shapeOfTile(value))
    return value;
  collapse(dense(shapeOfTile(value)));
  SmallVector<int64_t> to = dense(shape), fine;
  std::set<int64_t, std::greater<>> distances;
  addDistances(shapeOfTile(value), distances);
  addDistances(to, distances);
  bool divides = true;
  for (auto it = distances.begin(); std::next(it) != distances.end(); ++it) {
    divides &= *it % *std::next(it) == 0;
    fine.push_back(*it / *std::next(it));
  }
  if (!divides || fine.size() > mostDimensions || fine.empty()) // by way of one dimension
    collapse({ShapedType::getNumElements(to)});
  else
    expand(fine);
  if (to.size() > shapeOfTile(value).size())
    expand(to);
  else
    collapse(to);
  expand(shape);
  return value;
}

/// The part of `sizes` at `corner`. Truth values are numbers on the way.
Value Translator::part(Value source, ArrayRef<int64_t> corner, ArrayRef<int64_t> sizes, Location loc) {
  auto from = cast<RankedTensorType>(source.getType());
  bool truth = from.getElementType().isInteger(1);
  if (truth) {
    from = from.clone(builder.getI32Type());
    source = arith::ExtUIOp::create(builder, loc, from, source);
  }
  SmallVector<OpFoldResult> steps(sizes.size(), builder.getIndexAttr(1));
  Value result = tensor::ExtractSliceOp::create(builder, loc, from.clone(sizes), source,
                                                getAsIndexOpFoldResult(builder.getContext(), corner),
                                                getAsIndexOpFoldResult(builder.getContext(), sizes), steps);
  auto bits = RankedTensorType::get(sizes, builder.getI1Type());
  return truth ? Value(arith::TruncIOp::create(builder, loc, bits, result)) : result;
}

/// Whatever order of elements is allowed, they keep theirs.
LogicalResult Translator::translateReshape(ReshapeOp reshape) {
  Value value = map.lookup(reshape.getSrc());
  auto to = cast<RankedTensorType>(typeOf(reshape.getType()));
  if (value && (value.getType() == to || !rows))
    map[reshape] = reshaped(value, to.getShape(), reshape.getLoc());
  return success();
}

LogicalResult Translator::translateSplit(SplitOp split) {
  Location loc = split.getLoc();
  auto type = cast<RankedTensorType>(typeOf(split->getResult(0).getType()));
  // The halves of columns: split(trans(reshape(x, [.., 2, n]), last two exchanged)).
  auto trans = split.getSrc().getDefiningOp<TransOp>();
  if (auto reshape = trans ? trans.getSrc().getDefiningOp<ReshapeOp>() : ReshapeOp()) {
    ArrayRef<int64_t> from = shapeOfTile(reshape.getSrc()), to = shapeOfTile(reshape);
    bool halves = from.size() == 2 && to.size() == 3 && to[0] == from[0] && to[1] == 2 && to[2] * 2 == from[1] &&
                  llvm::equal(trans.getOrder(), ArrayRef<int32_t>{0, 2, 1});
    Value source = map.lookup(reshape.getSrc());
    if (halves && source && shapeOfTile(source).size() == 2) {
      for (int64_t half : {0, 1})
        map[split->getResult(half)] = part(source, {0, half * to[2]}, {to[0], to[2]}, loc);
      return success();
    }
  }
  // Pairs: one element of each along the last dimension.
  Value source = map.lookup(split.getSrc());
  if (!source || rows || shapeOfTile(source).size() != type.getShape().size() + 1)
    return success(); // refused where its results are needed
  SmallVector<int64_t> corner(shapeOfTile(source).size(), 0), sizes(type.getShape());
  sizes.push_back(1);
  for (int64_t half : {0, 1}) {
    corner.back() = half;
    map[split->getResult(half)] = reshaped(part(source, corner, sizes, loc), type.getShape(), loc);
  }
  return success();
}

LogicalResult Translator::translateJoin(JoinOp join) {
  Value first = map.lookup(join.getLhs()), second = map.lookup(join.getRhs());
  auto to = cast<RankedTensorType>(typeOf(join.getResult().getType()));
  if (!first || !second || rows || shapeOfTile(first).size() + 1 != to.getShape().size())
    return success(); // refused where its result is needed
  Location loc = join.getLoc();
  SmallVector<int64_t> shape(to.getShape());
  shape.back() = 1;
  auto single = RankedTensorType::get(shape, to.getElementType());
  auto column = [&](Value value) -> Value {
    return tensor::ExpandShapeOp::create(builder, loc, single, value, joined(shapeOfTile(value), shape));
  };
  SmallVector<Value> columns{column(first), column(second)};
  map[join] = tensor::ConcatOp::create(builder, loc, to, static_cast<int64_t>(shape.size()) - 1, columns);
  return success();
}

/// Triton leaves the order open: here the elements keep theirs.
LogicalResult Translator::translateCat(CatOp cat) {
  Value first = map.lookup(cat.getLhs()), second = map.lookup(cat.getRhs());
  ArrayRef<int64_t> from = shapeOfTile(cat.getLhs());
  if (!first || !second || from.size() != 1)
    return success(); // refused where its result is needed
  Location loc = cat.getLoc();
  auto to = cast<RankedTensorType>(typeOf(cat.getResult().getType()));
  bool truth = to.getElementType().isInteger(1); // truth values are numbers on the way
  RankedTensorType whole = truth ? to.clone(builder.getI32Type()) : to;
  SmallVector<int64_t> half(to.getShape());
  half.back() /= 2;
  SmallVector<Value> halves;
  for (Value value : {first, second}) {
    if (from[0] == 1)
      value = rows ? splat(value, to.clone(half), loc) : reshaped(value, half, loc);
    if (truth)
      value = arith::ExtUIOp::create(builder, loc, whole.clone(half), value);
    halves.push_back(value);
  }
  Value result = tensor::ConcatOp::create(builder, loc, whole, to.getRank() - 1, halves);
  map[cat] = truth ? Value(arith::TruncIOp::create(builder, loc, to, result)) : result;
  return success();
}

} // namespace heddle::triton
