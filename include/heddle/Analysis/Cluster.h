//===- Cluster.h - what the blocks of a cluster have in common --------------===//
//
// What:   which scalars of a kernel, and which operations, may differ from one thread block of a cluster to another,
//         and which loads therefore may be multicast: all blocks run them equally often and read the same tile.
// Where:  FormClusters compares dimensions of the grid with it, TileToWarp decides which copies are multicast, and the
//         verifier of the warp level checks that nothing differs in what a ring of the whole cluster is used for.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_CLUSTER_H
#define HEDDLE_ANALYSIS_CLUSTER_H

#include "heddle/Dialect/Tile/Tile.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

class Differences {
public:
  /// Of a kernel of the tile or the warp level; `begins` says which operations' results differ by themselves.
  Differences(mlir::Operation *kernel, llvm::function_ref<bool(mlir::Operation *)> begins);

  /// May `value` differ?
  bool differs(mlir::Value value) const { return values.contains(value); }
  /// May `op` be run by some and not by others, or a different number of times?
  bool isRunDifferently(mlir::Operation *op) const;

private:
  llvm::DenseSet<mlir::Value> values;
  llvm::DenseSet<mlir::Operation *> control; ///< branches and loops whose way differs
};

/// The tile loads of `kernel` that may be multicast over `blocks` blocks that differ where `begins` says.
llvm::SmallVector<tile::LoadOp> sharedLoads(tile::KernelOp kernel, int64_t blocks,
                                            llvm::function_ref<bool(mlir::Operation *)> begins);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_CLUSTER_H
