//===- SharedMemory.h - what a scheduled loop cannot have of shared memory ------===//
//
// The problem of a loop and its lowering count alike: how a tile lies in a slot, in which chunks it is stored, and what
// the rest of the kernel takes. (What warps exchange is known only when register tiles have layouts: rings become
// deeper in what is left after it.)
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_SHAREDMEMORY_H
#define HEDDLE_ANALYSIS_SHAREDMEMORY_H

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// Bytes of a ring's slot that holds `tile`.
int64_t slotBytes(mlir::Type tile);

/// On a tile kernel: its stores have one buffer of each shape and group.
inline constexpr llvm::StringLiteral oneStoreBufferAttr = "heddle.one_store_buffer";

/// On a load of a part of a tile: number and slots of its ring. Loads of one number are parts of one shape, in the
/// order in which they are read; they fill that ring's slots one behind the other, so many ahead of the reads, issued
/// by a group that reads them. Who splits tiles: Transforms/SplitEpilogues.h.
inline constexpr llvm::StringLiteral partRingAttr = "heddle.part_ring";

/// On a load of a row behind a loop: it is copied ahead to shared memory, not loaded by the threads that read it.
inline constexpr llvm::StringLiteral copiedRowAttr = "heddle.copied_row";

/// On a store: it stores a part of a tile, behind the loads of such parts.
inline constexpr llvm::StringLiteral partStoreAttr = "heddle.part_store";

/// How a store by the copy engine goes through shared memory: in chunks, by buffers that alternate.
struct StoreChunks {
  int64_t rows = 0, columns = 0; ///< of a chunk
  int64_t number = 0;            ///< of chunks of the tile
  int64_t buffers = 0;           ///< of chunks of one shape in a group
};
/// Chunks are columns of 128 bytes (a swizzle atom's width), whole rows where that does not divide them and the tile is
/// small, else columns of the next narrower atom. A transposed accumulator is cut into as many parts of whole rows: its
/// columns lie across the warps, so that threads would have to exchange elements before a cut. Two buffers, so that a
/// chunk is written while the previous one drains, or one where the lowering says that rings need the memory
/// (oneStoreBufferAttr). Where programs take turns their stores run beside another program's loops, and rings have more
/// use for the memory: one buffer, of the rows of one instruction.
StoreChunks chunksOf(tile::StoreOp store);

/// Bytes of the tiles that the copy engine loads elsewhere in the kernel, one slot each; where tiles share slots, of
/// those that are in shared memory while the loop runs.
int64_t bytesLoadedElsewhere(mlir::scf::ForOp loop);

/// Bytes beside those that no ring of `loop` can have: barriers, tiles that are staged elsewhere, one buffer of each
/// store.
int64_t bytesBesideRings(mlir::scf::ForOp loop);

/// Further bytes that no ring of `loop` should have where groups are chosen freely: second buffers of stores, and
/// register tiles from before the loop, which other groups may read. (A tile that leaves the loop in another group than
/// its sub-tile's largest is not counted: the lowering may refuse it.)
int64_t bytesOfFreeGroups(mlir::scf::ForOp loop);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_SHAREDMEMORY_H
