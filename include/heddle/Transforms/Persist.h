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

/// True where programs taken from a counter are known to help: some leave at once, by their coordinates, and
/// persistence gains (Muon's X X^T ran at 1.09 to 1.30 of its speed,
/// bench/results/2026-11-28-h100-blocks-of-latency.json); or those of a stride do not: the work of programs grows with
/// their first coordinate, so that the longest begin first and whoever is done early takes more; or it is equal, and
/// tiles that a program loads before its loop come while the one before it ends (blocks that keep a stride drift
/// apart, and no longer find in L2 what another has just read). Its one loop holds products, loads by the copy engine
/// only and stores nothing; and the tiles before it are no larger than those of an iteration: room for the next
/// program's is taken from the loop's rings (gradients of queries, with twice as much before it, ran at 0.84 of their
/// speed so).
bool gainsFromCounter(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_PERSIST_H
