//===- TranslateElements.cpp - accesses element by element ------------------===//
//
// What:    accesses that are no box of a view (AccessKind::Elements) -> a tile of rank 1 that is gathered or stored by
//          the positions that the kernel computes, and is reshaped. Positions are distances from the beginning of the
//          argument: exact in 32 bits where what it points to has fewer elements, which the launch has to know.
// Masks:   are the kernel's own truth values, whatever they are: an element that they exclude is nowhere.
//
//===----------------------------------------------------------------------===//
#include "Translator.h"

#include "heddle/Dialect/Tile/Constants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle::address;

namespace heddle::triton {

FailureOr<Value> Translator::elementPositions(const Access &access, ArrayRef<int64_t> shape, Value mask) {
  Operation *op = access.op;
  Location loc = op->getLoc();
  Value places = tileOf(access.box.rows, shape, loc);
  if (!places)
    return op->emitError("the address uses a value that has no translation: '")
           << values.algebra.text(access.box.rows) << "'";
  if (mask) {
    FailureOr<SmallVector<Value>> in = translated(op, {mask});
    if (failed(in))
      return failure();
    Value holds = (*in)[0];
    auto type = cast<RankedTensorType>(places.getType());
    if (!isa<RankedTensorType>(mask.getType()))
      holds = splat(asTile(holds, loc), type.clone(builder.getI1Type()), loc);
    Value nowhere = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, APInt(32, -1, true)));
    places = arith::SelectOp::create(builder, loc, holds, places, nowhere);
  }
  return reshaped(places, {ShapedType::getNumElements(shape)}, loc);
}

/// One element has one dimension.
static RankedTensorType tileTypeOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile : RankedTensorType::get({1}, type);
}

LogicalResult Translator::loadElements(LoadOp load, const Access &access) {
  Location loc = load.getLoc();
  RankedTensorType type = tileTypeOf(load.getType());
  FailureOr<Value> places = elementPositions(access, type.getShape(), load.getMask());
  if (failed(places))
    return failure();
  auto flat = RankedTensorType::get({type.getNumElements()}, conversion.views[access.view].element);
  Value value = tile::GatherOp::create(builder, loc, flat, kernel.getBody().getArgument(access.view),
                                       ValueRange{index(0, loc)}, *places, nullptr);
  value = isa<RankedTensorType>(load.getType()) ? reshaped(value, shapeOf(type), loc) : onlyOf(value, loc);
  return define(load, value, load.getOther() && !tile::isZero(load.getOther()));
}

LogicalResult Translator::storeElements(Operation *op, const Access &access) {
  Location loc = op->getLoc();
  RankedTensorType type = tileTypeOf(op->getOperand(1).getType());
  auto store = dyn_cast<StoreOp>(op);
  Value mask = store ? store.getMask() : cast<AtomicRMWOp>(op).getMask();
  FailureOr<SmallVector<Value>> in = translated(op, {op->getOperand(1)});
  FailureOr<Value> places = failed(in) ? FailureOr<Value>() : elementPositions(access, type.getShape(), mask);
  if (failed(places))
    return failure();
  Value value = (*in)[0];
  value = asWritten(value, type.getElementType(), loc);
  if (!isa<RankedTensorType>(value.getType()))
    value = tensor::SplatOp::create(builder, loc, value, RankedTensorType::get({1}, value.getType()));
  else if (cast<RankedTensorType>(value.getType()).getRank() == 0)
    value =
        tile::BroadcastOp::create(builder, loc, RankedTensorType::get({1}, type.getElementType()), value, uint64_t(0));
  value = reshaped(value, {type.getNumElements()}, loc);
  tile::StoreOp::create(builder, loc, value, kernel.getBody().getArgument(access.view), ValueRange{index(0, loc)},
                        ValueRange(), *places, nullptr, builder.getStringAttr(store ? "set" : "add"), nullptr);
  return success();
}

} // namespace heddle::triton
