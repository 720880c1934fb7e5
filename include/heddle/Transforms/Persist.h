//===- Persist.h - programs that take tile after tile ----------------------===//
#ifndef HEDDLE_TRANSFORMS_PERSIST_H
#define HEDDLE_TRANSFORMS_PERSIST_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Launches at most one program for each multiprocessor; each does the work of several programs of the grid as written,
/// in a loop (marked programLoopAttr). The order of the grid, with its raster, stays. The kernel means the same. Fails
/// with a located error where the program counts its programs itself (tile.num_programs, tile.multiprocessors).
mlir::LogicalResult makePersistent(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_PERSIST_H
