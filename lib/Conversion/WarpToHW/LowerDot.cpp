//===- LowerDot.cpp - dots as wgmma groups ---===//
// See Lowering.h.
#include "Lowering.h"

using namespace mlir;
using namespace heddle;

LogicalResult Lowering::lowerDot(warp::DotOp op, OpBuilder &builder) {
  Value a = op->getOperand(0), b = op->getOperand(1), acc = op.getAcc();
  auto bType = cast<hw::TileType>(b.getType());
  Type element = bType.getElementType();
  int64_t n = bType.getShape()[1], width = std::min<int64_t>(n, 256) / 8 * 8;
  while (width > 8 && n % width)
    width -= 8;
  if (width < 8 || n % width)
    return op.emitOpError("expected a width that is a multiple of 8, got ") << n;

  // Descriptors: whole 8-row groups, at most one chunk wide or starting at a chunk.
  for (Value operand : {a, b}) {
    auto tile = dyn_cast<hw::TileType>(operand.getType());
    if (!tile)
      continue;
    if (!tile.getSwizzle())
      return op.emitOpError("expected operand rows of a multiple of 32 bytes, got ") << tile;
    int64_t columns = tile.getShape()[tile.getTransposed() ? 0 : 1],
            inChunk = tile.getColOffset() % tile.getChunkCols();
    if (tile.getRowOffset() % 8 || (inChunk && inChunk + columns > tile.getChunkCols()) ||
        inChunk * tile.getElementBytes() % 32)
      return op.emitOpError("expected a slice of whole 8-row groups that starts at a chunk of columns, got ") << tile;
    bool kMajor = (operand == b) == tile.getTransposed();
    if (!kMajor && element.getIntOrFloatBitWidth() != 16)
      return op.emitOpError("expected 8-bit and 32-bit operands to be contiguous along the contraction, got ") << tile;
    if (!kMajor && operand == a && tile.getChunkCols() < 64)
      return op.emitOpError("expected transposed A storage with rows of a multiple of 128 bytes, got ") << tile;
  }

  SmallVector<Value> pinned;
  if (acc)
    pinned.push_back(acc);
  if (isa<RankedTensorType>(a.getType()))
    pinned.push_back(a);
  hw::WgmmaFenceOp::create(builder, op.getLoc(), pinned);
  auto mma = hw::WgmmaOp::create(builder, op.getLoc(), op.getResult().getType(), a, b, acc, width);
  hw::WgmmaCommitOp::create(builder, op.getLoc());
  op.getResult().replaceAllUsesWith(mma.getResult());
  return success();
}
