//===- HWOps.cpp - local verifiers of the hw dialect's operations ---------===//
// Rules that one op can check; whole-kernel rules are in lib/Conversion/WarpToHW/VerifyHW.cpp.
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Limits.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle::hw;

#define GET_OP_CLASSES
#include "heddle/Dialect/HW/HWOps.cpp.inc"

LogicalResult TensorMapOp::verify() {
  int64_t rank = getView().getType().getRank() + (getSplit() > 0);
  if (rank > mostMapDims)
    return emitOpError("expected a tensor map of at most ") << mostMapDims << " dimensions, got " << rank;
  if (static_cast<int64_t>(getBox().size()) != rank)
    return emitOpError("expected a box of ") << rank << " extents, got " << getBox().size();
  for (int64_t extent : getBox())
    if (extent < 1 || extent > mostBoxExtent)
      return emitOpError("expected box extents from 1 to ") << mostBoxExtent << ", got " << extent;
  int64_t inner = getBox()[0] * llvm::divideCeil(getView().getType().getElementType().getIntOrFloatBitWidth(), 8);
  if (inner % copyBytes)
    return emitOpError("expected a box row of a multiple of ") << copyBytes << " bytes, got " << inner;
  if (getSwizzle() && inner > static_cast<int64_t>(getSwizzle()))
    return emitOpError("expected a box row of at most ") << getSwizzle() << " bytes (the swizzle), got " << inner;
  return success();
}

LogicalResult MBarriersOp::verify() {
  if (getOffset() % heddle::barrierBytes)
    return emitOpError("expected an offset that is a multiple of ") << heddle::barrierBytes << ", got " << getOffset();
  if (getCount() < 1)
    return emitOpError("expected at least one arrival per phase, got ") << getCount();
  return success();
}

LogicalResult SmemOp::verify() {
  int64_t align = getType().getSwizzle() ? heddle::tileAlignment : heddle::smemAlignment;
  if (getOffset() % align || getStride() % align)
    return emitOpError("expected an offset and a stride that are multiples of ")
           << align << ", got " << getOffset() << " and " << getStride();
  return success();
}

LogicalResult RowLoadOp::verify() {
  int64_t rank = getView().getType().getRank();
  if (static_cast<int64_t>(getIndices().size()) != rank)
    return emitOpError("expected ") << rank << " indices, got " << getIndices().size();
  TileType dest = getDest().getType();
  if (dest.getShape().size() != 1 || dest.getStorageBytes() % copyBytes)
    return emitOpError("expected storage of rank 1 and a multiple of ") << copyBytes << " bytes, got " << dest;
  return success();
}

LogicalResult ThreadCopyOp::verify() {
  int64_t rank = getView().getType().getRank();
  if (static_cast<int64_t>(getIndices().size()) != rank)
    return emitOpError("expected ") << rank << " indices, got " << getIndices().size();
  RankedTensorType tile = getTile();
  TileType dest = getDest().getType();
  if (!tile.getEncoding() || tile.getShape() != dest.getShape() || tile.getElementType() != dest.getElementType())
    return emitOpError("expected a layout of the destination's tile, got ") << tile << " and " << dest;
  return success();
}

LogicalResult ConvertLayoutOp::verify() {
  auto from = getSource().getType(), to = getResult().getType();
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType())
    return emitOpError("expected the same tile in another layout, got ") << from << " and " << to;
  return success();
}

LogicalResult WgmmaOp::verify() {
  auto shapeOf = [](Type t) {
    if (auto s = dyn_cast<TileType>(t))
      return s.getShape();
    return cast<RankedTensorType>(t).getShape();
  };
  ArrayRef<int64_t> a = shapeOf(getA().getType()), b = getB().getType().getShape(),
                    d = getResult().getType().getShape();
  if (a.size() != 2 || b.size() != 2 || d.size() != 2 || a[1] != b[0] || a[0] != d[0] || b[1] != d[1])
    return emitOpError("expected MxK, KxN and MxN, got ")
           << getA().getType() << ", " << getB().getType() << ", " << getResult().getType();
  if (a[0] % dotRows)
    return emitOpError("expected a multiple of ") << dotRows << " rows, got " << a[0];
  int64_t n = getN();
  if (n < dotColumns || n > mostDotColumns || n % dotColumns || b[1] % n)
    return emitOpError("expected an instruction width from ")
           << dotColumns << " to " << mostDotColumns << ", a multiple of " << dotColumns << " that divides " << b[1]
           << ", got " << n;
  int64_t kStep = dotBytes / getB().getType().getElementBytes();
  if (a[1] % kStep)
    return emitOpError("expected a contraction in multiples of ") << kStep << ", got " << a[1];
  if (getAcc() && getAcc().getType() != getResult().getType())
    return emitOpError("expected an accumulator of type ") << getResult().getType() << ", got " << getAcc().getType();
  return success();
}

LogicalResult WgmmaWaitOp::verify() {
  if (getValues().getTypes() != getResults().getTypes())
    return emitOpError("expected results of the operands' types");
  if (static_cast<int64_t>(getPending()) > mostPending)
    return emitOpError("expected at most ") << mostPending << " pending groups, got " << getPending();
  return success();
}
