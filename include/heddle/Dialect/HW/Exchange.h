//===- Exchange.h - shared memory that register tiles pass through --------------===//
//
// Reductions over warps and conversions between layouts exchange elements through shared memory of their group. How
// much they take follows from the layouts alone: the plan of shared memory reserves it, the printer addresses it.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_HW_EXCHANGE_H
#define HEDDLE_DIALECT_HW_EXCHANGE_H

#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Layout/LinearLayout.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <vector>

namespace heddle::hw {

/// The tile as rows of its last dimension, in the same registers; nothing where their numbers are no sums of bits.
std::optional<mlir::RankedTensorType> inRows(mlir::RankedTensorType type);

/// A tile on its way from one layout to another: row-major; a truth value takes 4 bytes. Rows are padded so that
/// writing and reading pass over the banks least often: by 16 bytes for the widest accesses, by fewer where threads
/// hold columns on one side.
struct ExchangeTile {
  int64_t rows = 0, cols = 0, elemBytes = 0, pitchBytes = 0;
  int64_t bytes() const { return rows * pitchBytes; }
};
ExchangeTile exchangeTile(mlir::RankedTensorType from, mlir::RankedTensorType to);

/// How many elements share a word of a thread's array: 16 bits or 8 each, but truth values.
int64_t elementsPerWord(mlir::Type element);

/// Whether lanes exchange such elements by words of 32 bits.
bool isExchanged(mlir::Type element);

/// How a conversion of a register tile is made.
Conversion planOf(mlir::RankedTensorType from, mlir::RankedTensorType to);

/// How partial results of a reduction pass between the warps of a group.
struct WarpFold {
  bool divided =
      false;         ///< lanes and threads divide what they fold (hd::foldWarps); else each thread folds all it needs
  int64_t rows = 0;  ///< of a warp: lanes that hold different results
  int64_t pitch = 0; ///< elements from row to row
  int64_t bytes = 0;
};
/// Nothing: no warps hold parts of one result, or the layout mixes dimensions.
std::optional<WarpFold> warpFoldOf(tile::ReduceOp op);

/// How warps join what each of them has scanned (hd::scanWarps): where bits of their numbers tell positions apart, one
/// after the other, and lanes and registers the lower bits of positions, so that a warp holds folds of whole blocks.
struct WarpScan {
  int64_t firstBit = 0;           ///< of positions (a power of two) that a warp's number has
  int64_t endBit = 0;             ///< the first one behind that it has not
  int warpMask = 0, laneMask = 0; ///< bits of numbers: of warps that tell blocks apart, of lanes that hold one block
  std::vector<int64_t> blocks;    ///< the registers that stand for their blocks, as indices of the thread's array
  std::vector<int64_t> blockOf;   ///< for each register, which of these stands for its block
  int64_t pitch = 0;              ///< elements from the blocks of one lane to those of the next
  int64_t bytes = 0;
};
/// In the order of positions; none where no warps share them.
std::vector<WarpScan> warpScansOf(mlir::RankedTensorType type, int64_t axis);

/// Bytes that `op`, whose tiles have layouts, exchanges between the warps of its group.
int64_t exchangeBytes(mlir::Operation *op);

} // namespace heddle::hw

#endif // HEDDLE_DIALECT_HW_EXCHANGE_H
