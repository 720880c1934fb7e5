//===- Persist.h - programs that take tile after tile ----------------------===//
#ifndef HEDDLE_TRANSFORMS_PERSIST_H
#define HEDDLE_TRANSFORMS_PERSIST_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Launches at most one program for each multiprocessor; each does the work of several programs of the grid as written,
/// in a loop (marked programLoopAttr). The order of the grid, with its raster, stays. The kernel means the same. Fails
/// with a located error where the program counts its programs itself (tile.num_programs, tile.multiprocessors).
mlir::LogicalResult makePersistent(tile::KernelOp kernel);

/// An operation by which `kernel` counts its programs or the multiprocessors that run them; null: it has none.
mlir::Operation *countOfPrograms(tile::KernelOp kernel);

/// True where persistence is known to help: the programs do equal work (no control depends on their coordinates), their
/// time is in innermost loops that the copy engine feeds, and all its loads are in these (a tile loaded outside of them
/// is needed until such a loop ends). Then the loads of the next program run under the stores of the last.
bool gainsFromPersistence(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_PERSIST_H
