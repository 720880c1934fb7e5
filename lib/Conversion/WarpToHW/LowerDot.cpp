//===- LowerDot.cpp - dots as wgmma groups ---===//
// See Lowering.h.
#include "Lowering.h"
#include "heddle/Dialect/HW/Limits.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Target/Hopper/PtxasRules.h"

using namespace mlir;
using namespace heddle;

LogicalResult Lowering::lowerDot(warp::DotOp op, OpBuilder &builder) {
  Value a = op->getOperand(0), b = op->getOperand(1), acc = op.getAcc();
  auto bType = cast<hw::TileType>(b.getType());
  Type element = bType.getElementType();
  int64_t unit = element.isInteger() ? hw::integerDotColumns : hw::dotColumns;
  // Columns of B begin a chunk where they are contiguous; else any eight rows of it may be the first of an instruction.
  bool byChunks = !bType.getTransposed();
  int64_t ofLeft = isa<RankedTensorType>(a.getType()) ? hw::dotBytes * hw::dotRows / (4 * threadsPerGroup) : 0;
  int64_t n = bType.getShape()[1], most = std::min(hw::mostDotColumns, ptxas::mostColumns(launchRegisters, ofLeft)),
          width = std::min(n, most) / unit * unit;
  while (width > unit && (n % width || (byChunks && width < n && width % bType.getChunkCols())))
    width -= unit;
  if (width < unit || n % width)
    return op.emitOpError("expected a width that is a multiple of ") << unit << ", got " << n;

  // Descriptors: whole 8-row groups, at most one chunk wide or starting at a chunk.
  for (Value operand : {a, b}) {
    auto tile = dyn_cast<hw::TileType>(operand.getType());
    if (!tile)
      continue;
    if (!tile.getSwizzle())
      return op.emitOpError("expected operand rows of a multiple of ") << hw::dotBytes << " bytes, got " << tile;
    int64_t columns = tile.getShape()[tile.getTransposed() ? 0 : 1],
            inChunk = tile.getColOffset() % tile.getChunkCols();
    if (tile.getRowOffset() % hw::swizzleRows || (inChunk && inChunk + columns > tile.getChunkCols()) ||
        inChunk * tile.getElementBytes() % hw::dotBytes)
      return op.emitOpError("expected a slice of whole 8-row groups that starts at a chunk of columns, got ") << tile;
    bool kMajor = (operand == b) == tile.getTransposed();
    if (!kMajor && element.getIntOrFloatBitWidth() != 16)
      return op.emitOpError("expected 8-bit and 32-bit operands to be contiguous along the contraction, got ") << tile;
    if (!kMajor && operand == a && tile.getSwizzle() < hw::swizzles[0])
      return op.emitOpError("expected transposed A storage with rows of a multiple of ")
             << hw::swizzles[0] << " bytes, got " << tile;
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
