//===- Instructions.h - what the passes between tile and warp agree on -----===//
#ifndef HEDDLE_ANALYSIS_INSTRUCTIONS_H
#define HEDDLE_ANALYSIS_INSTRUCTIONS_H

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

namespace warp {
class StageOp;
}

/// Discardable attributes that carry decisions between passes.
inline constexpr llvm::StringLiteral groupAttr = "heddle.group"; ///< i64: compute group that runs the op

/// On a kernel, a loop or an operation of a tile program: decisions of its author (see Plan.h).
inline constexpr llvm::StringLiteral planAttr = "plan";

inline constexpr llvm::StringLiteral argGroupsAttr =
    "heddle.arg_groups"; ///< on loops and branches: owner of each variable (ControlFlow.h), -1: every group

/// On a loop whose iterations are programs of the grid, independent by definition (see Transforms/Persist.h).
inline constexpr llvm::StringLiteral programLoopAttr = "heddle.programs";
/// On such a loop: blocks take its iterations from a counter in global memory, whoever comes first; else each takes
/// those that its own number and the number of blocks say.
inline constexpr llvm::StringLiteral countedAttr = "heddle.counted";

/// On a load: the group that uses the tile loads it itself, in its own order (see Transforms/OrderMemory.h).
inline constexpr llvm::StringLiteral inOrderAttr = "heddle.in_order";
/// On a load or store: by ordinary instructions of the group that uses the tile, not by the copy engine (see
/// Transforms/StreamTiles.h).
inline constexpr llvm::StringLiteral directAttr = "heddle.direct";
/// On a tile.load with an `extent` that leaves out whole rows of the tile's first dimension, multiples of 8: nobody
/// keeps what they make, so that anything may be there, and the copy engine brings the others alone.
inline constexpr llvm::StringLiteral anyBeyondAttr = "heddle.any_beyond";
/// On an index: at least 0 by the way it was made.
inline constexpr llvm::StringLiteral nonNegativeAttr = "heddle.non_negative";
/// On a kernel without dots: i64, warps of its compute group (4 where it is absent).
inline constexpr llvm::StringLiteral groupWarpsAttr = "heddle.group_warps";
/// On a load or store: what its group must have waited for when it begins, an array of the names below.
inline constexpr llvm::StringLiteral waitMemoryAttr = "heddle.wait_memory";
inline constexpr llvm::StringLiteral waitForCopies = "copies";   ///< copies to memory are complete
inline constexpr llvm::StringLiteral waitForFence = "fence";     ///< ordinary stores are visible to the copy engine
inline constexpr llvm::StringLiteral waitForThreads = "threads"; ///< all threads have come so far
/// On an operation outside of scheduled loops before which all compute groups meet, so that accesses to global memory
/// behind it follow those before it, whichever groups make them: those of the waits above that each group does before.
inline constexpr llvm::StringLiteral meetGroupsAttr = "heddle.meet_groups";
/// On cheap operations that every reader computes again (see Chains.h).
inline constexpr llvm::StringLiteral recomputedAttr = "heddle.recomputed";

/// On a load or gather: threads of its group copy it to where the stage of it, its only reader, puts it (cp.async).
inline constexpr llvm::StringLiteral copiedByThreadsAttr = "heddle.copied_by_threads";

/// The compute group that runs `op` (or its sub-tile, before groups are chosen); 0 where nothing is said.
int64_t groupOf(mlir::Operation *op);
void setGroup(mlir::Operation *op, int64_t group);

/// The variables of the loop or branch `op` that compute group `g` owns (every scalar one, and its tiles); g = -1:
/// scalars only.
llvm::SmallVector<unsigned> ownedVariables(mlir::Operation *op, int64_t g);

/// True when the copy engine delivers this load into shared memory. It can where the tile has rank 2, the view's
/// innermost dimension is the tile's, rows are a multiple of 16 bytes (PTX ISA, cp.async.bulk.tensor) and start at one,
/// and does unless the load keeps a group's order or is direct; rows of their own (rank 1) in loops with products.
bool isTmaLoad(tile::LoadOp load);
bool isTmaStore(tile::StoreOp store);
/// True when only this keeps the load or store `op` from the copy engine: its first column is not known to be a
/// multiple of 16 bytes.
bool isKeptFromTmaByAlignment(mlir::Operation *op);

/// The load or gather that `stage` copies without registers; null: it writes what registers hold.
mlir::Operation *copiedSource(warp::StageOp stage);

/// Warps of a compute group of `kernel`: 4, a warp group of the tensor core, unless Transforms/StreamTiles.h chose
/// more.
int64_t groupWarps(tile::KernelOp kernel);
/// Some tile operation of `kernel` is a matrix product.
bool hasDots(tile::KernelOp kernel);

/// Operations that run nothing of their own (views, broadcasts, constants, what is marked): each user recomputes them.
bool isFree(mlir::Operation *op);
/// The operation whose result `value` is, seen through free operations; null for block arguments and outside values.
mlir::Operation *producerThroughFree(mlir::Value value);
/// True when an operand or result is a tile, in registers or shared memory.
bool touchesTiles(mlir::Operation *op);
/// True for an operation that one compute group runs: on tiles, neither free, nor control flow, nor a copy engine's
/// load.
bool isComputed(mlir::Operation *op);

/// Whether `tile`, in registers or shared memory, is made in an iteration of `loop` of what the iteration loads: of no
/// product, and of nothing that the iteration before has left.
bool isMadeOfLoads(mlir::Value tile, mlir::scf::ForOp loop);
/// Whether threads make the left operand of every product of `loop`, and there are some: none is read as it was loaded.
bool threadsMakeLeftOperands(mlir::scf::ForOp loop);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_INSTRUCTIONS_H
