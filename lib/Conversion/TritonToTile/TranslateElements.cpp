//===- TranslateElements.cpp - accesses element by element ------------------===//
//
// What:    accesses that are no box of a view (AccessKind::Elements) -> a tile of rank 1 that is gathered or stored by
//          the positions that the kernel computes, and is reshaped. Positions are distances from the beginning of the
//          argument: exact in 32 bits where what it points to has fewer elements, which the launch has to know.
// Masks:   are the kernel's own truth values, whatever they are: an element that they exclude is nowhere.
//
//===----------------------------------------------------------------------===//
#include "Translator.h"

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
    auto type = cast<ShapedType>(places.getType());
    Value nowhere = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, APInt(32, -1, true)));
    places = arith::SelectOp::create(builder, loc, (*in)[0], places, nowhere);
  }
  return reshaped(places, {ShapedType::getNumElements(shape)}, loc);
}

LogicalResult Translator::loadElements(LoadOp load, const Access &access) {
  Location loc = load.getLoc();
  auto type = cast<RankedTensorType>(load.getType());
  FailureOr<Value> places = elementPositions(access, type.getShape(), load.getMask());
  if (failed(places))
    return failure();
  auto flat = RankedTensorType::get({type.getNumElements()}, conversion.views[access.view].element);
  Value value = tile::GatherOp::create(builder, loc, flat, kernel.getBody().getArgument(access.view),
                                       ValueRange{index(0, loc)}, *places, nullptr);
  value = reshaped(value, shapeOf(type), loc);
  if (load.getMask() && load.getOther() && !isZero(load.getOther())) {
    FailureOr<SmallVector<Value>> in = translated(load, {load.getMask(), load.getOther()});
    if (failed(in))
      return failure();
    value = arith::SelectOp::create(builder, loc, (*in)[0], value, (*in)[1]);
  }
  map[load] = value;
  return success();
}

LogicalResult Translator::storeElements(Operation *op, const Access &access) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getOperand(1).getType());
  auto store = dyn_cast<StoreOp>(op);
  Value mask = store ? store.getMask() : cast<AtomicRMWOp>(op).getMask();
  FailureOr<SmallVector<Value>> in = translated(op, {op->getOperand(1)});
  FailureOr<Value> places = failed(in) ? FailureOr<Value>() : elementPositions(access, type.getShape(), mask);
  if (failed(places))
    return failure();
  Value value = reshaped((*in)[0], {type.getNumElements()}, loc);
  tile::StoreOp::create(builder, loc, value, kernel.getBody().getArgument(access.view), ValueRange{index(0, loc)},
                        ValueRange(), *places, nullptr, builder.getStringAttr(store ? "set" : "add"), nullptr);
  return success();
}

} // namespace heddle::triton
