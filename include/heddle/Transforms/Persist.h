//===- Persist.h - programs that take tile after tile ----------------------===//
#ifndef HEDDLE_TRANSFORMS_PERSIST_H
#define HEDDLE_TRANSFORMS_PERSIST_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Which block of a persistent kernel does the work of which programs.
enum class TileSource {
  Stride, ///< the block of number b that of b, b + blocks, b + 2 * blocks, ...
  Counter ///< b, then the next that no block has taken: blocks that are done early take more
};

/// Launches at most one program for each multiprocessor; each does the work of several programs of the grid as written,
/// in a loop (marked programLoopAttr). The order of the grid, with its raster, stays. The kernel means the same. Fails
/// with a located error where the program counts its programs itself (tile.num_programs, tile.multiprocessors), and
/// with a counter where it has clusters, whose blocks take their programs together.
mlir::LogicalResult makePersistent(tile::KernelOp kernel, TileSource source = TileSource::Stride);

/// An operation by which `kernel` counts its programs or the multiprocessors that run them; null: it has none.
mlir::Operation *countOfPrograms(tile::KernelOp kernel);

/// True where persistence is known to help: the programs do equal work (no control depends on their coordinates), their
/// time is in innermost loops that the copy engine feeds, and all its loads are in these or behind them (a tile loaded
/// before them is needed until such a loop ends). Then the loads of the next program run under the stores of the last.
bool gainsFromPersistence(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_PERSIST_H
