//===- SubtileParts.cpp - parts of tiles for compute warp groups -------------===//
//
// What:      a value and a group -> what the group has of it: its own part, a part of what is in shared memory, all of
//            it, or a constant, splat or iota made anew; and products whose groups exchange the parts of an operand
//            (Partition.cpp says which).
// Where:     Subtile.cpp asks for each operand of what it clones.
// Verifies:  that the group count divides a divided dimension.
//
//===----------------------------------------------------------------------===//
#include "Subtiler.h"

#include "ConstantParts.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/Constants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace heddle {

FailureOr<RankedTensorType> Subtiler::part(Operation *op, RankedTensorType type, int64_t axis) {
  if (axis < 0)
    return type;
  if (int64_t size = type.getDimSize(axis); size % groups)
    return op->emitError("expected a tile size divisible by ") << groups << " warp groups, got " << size;
  return divided(type, axis);
}

RankedTensorType Subtiler::divided(RankedTensorType type, int64_t axis) const {
  SmallVector<int64_t> shape(type.getShape());
  if (axis >= 0)
    shape[axis] /= groups;
  return RankedTensorType::get(shape, type.getElementType());
}

Value Subtiler::lookup(OpBuilder &b, Value v, int64_t g, int64_t useAxis) {
  Operation *def = v.getDefiningOp();
  if (isa<RankedTensorType>(v.getType()) && isRematerialisable(def))
    return rematerialise(b, def, g, useAxis);
  if (isSharedView(v) && useAxis != partition.axis(v))
    return partOfView(b, v, g, useAxis);
  if (partition.isWhole(v) && useAxis >= 0)
    return slice(b, v.getLoc(), maps[g].lookup(v), useAxis, g, g);
  return maps[g].lookupOrDefault(v);
}

Value Subtiler::rematerialise(OpBuilder &b, Operation *def, int64_t g, int64_t axis) {
  auto type = cast<RankedTensorType>(def->getResult(0).getType());
  SmallVector<int64_t> shape(type.getShape());
  if (axis >= 0)
    shape[axis] /= groups;
  auto partType = RankedTensorType::get(shape, type.getElementType());
  Operation *clone = b.clone(*def, maps[g]);
  clone->getResult(0).setType(partType);
  setGroup(clone, g);
  if (auto constant = dyn_cast<arith::ConstantOp>(clone)) {
    constant.setValueAttr(partOfConstant(cast<DenseElementsAttr>(constant.getValue()), partType, g, axis));
  } else if (auto iota = dyn_cast<tile::IotaOp>(clone); iota && axis >= 0) {
    iota.setStart(iota.getStart() + g * shape[axis]);
  }
  return clone->getResult(0);
}

Value Subtiler::slice(OpBuilder &b, Location loc, Value whole, int64_t axis, int64_t number, int64_t g) {
  RankedTensorType type = divided(cast<RankedTensorType>(whole.getType()), axis);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), strides(type.getRank(), b.getIndexAttr(1)),
      sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  offsets[axis] = b.getIndexAttr(number * type.getDimSize(axis));
  OpBuilder::InsertionGuard guard(b); // what a loop does not change threads exchange once, in front of it
  if (Operation *def = whole.getDefiningOp(); def && def->getBlock() != b.getInsertionBlock())
    b.setInsertionPointAfter(def);
  auto op = tensor::ExtractSliceOp::create(b, loc, type, whole, offsets, sizes, strides);
  setGroup(op, g);
  return op.getResult();
}

Value Subtiler::partOf(OpBuilder &b, Value tile, int64_t axis, int64_t number, int64_t g) {
  if (isRematerialisable(tile.getDefiningOp()))
    return rematerialise(b, tile.getDefiningOp(), number, axis);
  if (isSharedView(tile))
    return partOfView(b, tile, g, axis, number);
  return slice(b, tile.getLoc(), maps[g].lookup(tile), axis, number, g);
}

Value Subtiler::partOfView(OpBuilder &b, Value view, int64_t g, int64_t axis, std::optional<int64_t> number) {
  auto type = cast<RankedTensorType>(view.getType());
  int64_t part = number.value_or(g);
  Operation *def = view.getDefiningOp();
  if (isa<tile::LoadOp>(def)) {
    Value whole = wholes.lookup(view);
    return axis < 0 || groups == 1 ? whole : slice(b, view.getLoc(), whole, axis, part, g);
  }
  auto cut = dyn_cast<tensor::ExtractSliceOp>(def);
  bool inner = cut && axis >= 0 && cut.getStaticSizes()[axis] != cut.getSourceType().getDimSize(axis);
  int64_t sourceAxis = inner || axis < 0 ? -1 : cut ? axis : 1 - axis;
  IRMapping map;
  map.map(def->getOperand(0), partOfView(b, def->getOperand(0), g, sourceAxis, part));
  Operation *copy = b.clone(*def, map);
  setGroup(copy, g);
  if (inner)
    return slice(b, view.getLoc(), copy->getResult(0), axis, part, g);
  copy->getResult(0).setType(divided(type, axis));
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(copy))
    slice.setStaticSizes(slice.getType().getShape());
  return copy->getResult(0);
}

void Subtiler::cloneView(OpBuilder &b, Value view) {
  for (int64_t g = 0; g < groups; ++g)
    maps[g].map(view, partOfView(b, view, g, partition.axis(view)));
}

DenseI64ArrayAttr Subtiler::partOfExtent(OpBuilder &b, std::optional<ArrayRef<int64_t>> extent, int64_t axis, int64_t g,
                                         int64_t size) {
  if (!extent)
    return {};
  SmallVector<int64_t> part(*extent);
  part[axis] = std::clamp<int64_t>(part[axis] - g * size, 0, size);
  return b.getDenseI64ArrayAttr(part);
}

void Subtiler::offsetIndex(Operation *op, OpOperand &index, int64_t offset) {
  if (groups == 1)
    return;
  OpBuilder b(op);
  Value c = arith::ConstantIndexOp::create(b, op->getLoc(), offset);
  index.set(arith::AddIOp::create(b, op->getLoc(), index.get(), c));
}

//===----------------------------------------------------------------------===//
// Exchange
//===----------------------------------------------------------------------===//

static Value zeros(OpBuilder &b, Location loc, RankedTensorType type, int64_t g) {
  auto op = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  setGroup(op, g);
  return op;
}

/// `whole` with `part` as its columns number `number`.
static Value insertColumns(OpBuilder &b, Location loc, Value part, Value whole, int64_t number, int64_t g) {
  auto type = cast<RankedTensorType>(part.getType());
  SmallVector<OpFoldResult> offsets{b.getIndexAttr(0), b.getIndexAttr(number * type.getDimSize(1))}, sizes,
      strides(2, b.getIndexAttr(1));
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  auto op = tensor::InsertSliceOp::create(b, loc, part, whole, offsets, sizes, strides);
  setGroup(op, g);
  return op.getResult();
}

void Subtiler::exchange(OpBuilder &b, tile::DotOp dot, int64_t g) {
  Value a = dot.getA(), right = dot.getB();
  auto isParts = [&](Value tile, int64_t axis) {
    return !isSharedView(tile) && !isRematerialisable(tile.getDefiningOp()) && partition.axis(tile) == axis;
  };
  int64_t axis = partition.axis(dot.getResult());
  if (isParts(right, 1) && axis == 0)
    return exchangeColumns(b, dot, g);
  Value rows = isParts(a, 1) ? Value() : lookup(b, a, g, axis), sum = lookup(b, dot.getAcc(), g, axis);
  for (int64_t p = 0; p < groups; ++p) {
    Value left = rows       ? slice(b, a.getLoc(), rows, 1, p, g)
                 : axis < 0 ? maps[p].lookup(a)
                            : slice(b, a.getLoc(), maps[p].lookup(a), 0, g, g);
    Value part = isParts(right, 0) ? maps[p].lookup(right) : partOf(b, right, 0, p, g);
    Operation *copy = b.clone(*dot);
    copy->setOperands({left, part, sum}); // one tile may be both operands
    copy->getResult(0).setType(divided(dot.getResult().getType(), axis));
    setGroup(copy, g);
    if (p > 0)
      copy->removeAttr(planAttr);
    sum = copy->getResult(0);
  }
  maps[g].map(dot.getResult(), sum);
}

void Subtiler::exchangeColumns(OpBuilder &b, tile::DotOp dot, int64_t g) {
  Location loc = dot.getLoc();
  RankedTensorType type = divided(dot.getResult().getType(), 0);
  Value rows = lookup(b, dot.getA(), g, 0), acc = lookup(b, dot.getAcc(), g, 0), result = zeros(b, loc, type, g);
  bool fromZero = tile::isZero(acc);
  for (int64_t p = 0; p < groups; ++p) {
    Value begin = fromZero ? zeros(b, loc, divided(type, 1), g) : slice(b, loc, acc, 1, p, g);
    Operation *copy = b.clone(*dot);
    copy->setOperands({rows, maps[p].lookup(dot.getB()), begin});
    copy->getResult(0).setType(divided(type, 1));
    setGroup(copy, g);
    if (p > 0)
      copy->removeAttr(planAttr);
    result = insertColumns(b, loc, copy->getResult(0), result, p, g);
  }
  maps[g].map(dot.getResult(), result);
}

} // namespace heddle
