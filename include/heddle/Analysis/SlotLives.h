//===- SlotLives.h - which tiles in shared memory may lie in one slot ------------===//
//
// A tile that the copy engine loads, or that a group stages for its own dots, takes a slot from its load (its staging)
// to its last reader; one of a scheduled loop, while the loop runs. All groups execute the program in its order but for
// what a scheduled loop reorders inside itself. So where one tile's last reader stands before another tile's load, each
// group is done with the first before it needs anything that is loaded with or behind the second: the second may take
// the first one's slot, and waiting for it cannot deadlock.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_SLOTLIVES_H
#define HEDDLE_ANALYSIS_SLOTLIVES_H

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

/// The compute group operations that use `value`, seen through free operations, in program order.
llvm::SmallVector<mlir::Operation *> usersThroughFree(mlir::Value value);

/// Whether two loads by the copy engine are copied to one slot: those of one block whose users are the same operations.
/// Rows, and parts of tiles, have slots of their own.
bool shareRing(tile::LoadOp load, tile::LoadOp other);

/// Where a slot is taken, as operations of the program's text.
struct SlotLife {
  mlir::Operation *begin, *end;
  bool endsBefore(const SlotLife &other) const;
  bool meets(const SlotLife &other) const { return !endsBefore(other) && !other.endsBefore(*this); }
};

/// The life of the slot of a tile.load by the copy engine or of a warp.stage, in a kernel after selectInstructions.
SlotLife lifeOfSlot(mlir::Operation *op);
/// While `loop` runs.
inline SlotLife lifeOf(mlir::scf::ForOp loop) { return {loop, loop}; }

/// Lives with the bytes that each takes: the most that are taken at once.
int64_t mostBytes(llvm::ArrayRef<std::pair<SlotLife, int64_t>> lives);

/// On a tile kernel: tiles whose lives do not meet share slots. Otherwise each has its own, so that loads run ahead of
/// what is computed across loops as well.
inline constexpr llvm::StringLiteral shareSlotsAttr = "heddle.share_slots";

/// On a tile kernel: tiles of scheduled loops do, since most programs run only one of these loops, or since the loops
/// load tiles of the same kind one after the other, so that one loop's slots are as good for the next one's.
inline constexpr llvm::StringLiteral shareLoopSlotsAttr = "heddle.share_loop_slots";

/// Whether the slot of `op` of `kernel`, a load by the copy engine or a warp.stage, is shared where lives allow.
bool mayShareSlot(tile::KernelOp kernel, mlir::Operation *op);

/// Lets `kernel` share slots where `bytes` of shared memory are too few for what stores need and a slot of each tile,
/// or of those of one loop as many as `slots` says.
void shareSlotsWhereNeeded(tile::KernelOp kernel, int64_t bytes, llvm::function_ref<int64_t(mlir::Operation *)> slots);

/// Lets the scheduled loops of `kernel` share slots where one stands behind another and loads tiles of one type from
/// one view, as the two loops of a causal attention do, without a mask and with one, or goes on where the other one
/// ends.
void shareSlotsOfLikeLoops(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_SLOTLIVES_H
