//===- Hopper.cpp - see Hopper.h ----------------------------------------------===//
#include "Hopper.h"

#include "heddle/Dialect/HW/Limits.h"

using namespace mlir;
using namespace heddle;

constexpr int64_t lanesOfRow = 4;

std::optional<DotForm> Hopper::dotForm(Type operand) const {
  bool integers = operand.isInteger(8);
  if (!integers && (!isa<FloatType>(operand) || operand.getIntOrFloatBitWidth() > 32))
    return std::nullopt;
  int64_t bits = operand.getIntOrFloatBitWidth();
  DotForm form;
  form.columns = integers ? hw::integerDotColumns : hw::dotColumns;
  form.mostColumns = hw::mostDotColumns;
  form.columnsAcross = 2 * hw::dotColumns;
  form.contraction = 8 * hw::dotBytes / bits;
  form.rowBytes = hw::dotBytes;
  form.leftInRegisters = !integers;
  form.across = bits == 16;
  return form;
}

int64_t Hopper::registersOf(RankedTensorType tile, const TileHolders &holders) const {
  int64_t threads = threadsPerWarp * holders.warps, sharing;
  int64_t bits = tile.getElementType().isIndex() ? 32 : tile.getElementTypeBitWidth();
  bool spread = tile.getRank() > 1 || holders.alone;
  // Warps lie along rows; those that these do not fill, along columns.
  int64_t ofRows = holders.rows ? std::min<int64_t>(holders.warps, llvm::PowerOf2Ceil(holders.rows)) : holders.warps;
  if (holders.coalesced)
    sharing = spread ? threads : holders.alongColumns ? threads / ofRows : holders.warps;
  else
    sharing = spread ? threadsPerGroup : holders.alongColumns ? lanesOfRow : threadsPerGroup / lanesOfRow;
  int64_t elements = std::max<int64_t>(1, tile.getNumElements() / sharing);
  return bits == 1 ? elements : llvm::divideCeil(elements * bits, 32);
}

ColumnSharing Hopper::columnSharing() const { return {hw::dotColumns / lanesOfRow, hw::dotColumns}; }

// As blockedLayout has it (Layout/LinearLayout.h): a thread takes 16 bytes, and lanes lie along the columns.
ColumnSharing Hopper::readSharing(RankedTensorType tile) const {
  constexpr int64_t bytesOfThread = 16;
  int64_t columns = tile.getShape().back(), even = columns & -columns; // the largest power of two that divides them
  int64_t run = std::min(8 * bytesOfThread / std::max<int64_t>(8, tile.getElementTypeBitWidth()), even);
  return {run, run * std::min<int64_t>(threadsPerWarp, even / run)};
}

bool Hopper::hasFragment(ArrayRef<int64_t> shape) const {
  return shape.size() == 2 && shape[0] % dotRows() == 0 && shape[1] % hw::dotColumns == 0;
}

LinearLayout Hopper::accumulator(ArrayRef<int64_t> shape) const { return accumulatorLayout(shape[0], shape[1]); }

LinearLayout Hopper::leftOperand(RankedTensorType tile) const {
  return operandALayout(tile.getDimSize(0), tile.getDimSize(1), tile.getElementTypeBitWidth() / 8);
}

bool Hopper::hasBox(RankedTensorType tile) const {
  int64_t bits = tile.getElementTypeBitWidth();
  if (tile.getRank() != 2 || bits > 32 || bits < 8)
    return false;
  int64_t rowBytes = tile.getDimSize(1) * bits / 8;
  bool places = tile.getDimSize(0) % hw::swizzleRows == 0 || rowBytes <= chunkRowBytes;
  return places && rowBytes % boxAlignment() == 0;
}

bool Hopper::copiesRow(RankedTensorType tile) const {
  Type element = tile.getElementType();
  return tile.getRank() == 1 && (element.isF32() || element.isInteger(32) || element.isF16() || element.isBF16()) &&
         tile.getNumElements() * element.getIntOrFloatBitWidth() / 8 % boxAlignment() == 0;
}

const TargetInterface &heddle::hopperTarget() {
  static const Hopper target;
  return target;
}
