//===- FormClusters.h - neighbouring programs as clusters -------------------===//
#ifndef HEDDLE_TRANSFORMS_FORMCLUSTERS_H
#define HEDDLE_TRANSFORMS_FORMCLUSTERS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Programs in a cluster along each dimension of the grid, one of them more than one; empty: no clusters.
using ClusterShape = llvm::SmallVector<int64_t, 3>;

/// The shape that is asked for: `asked` has a number for each dimension of the grid, or one number, for the dimension
/// on which most of the bytes that are loaded do not depend. An error at `loc` where that cannot be, and at the program
/// where it counts its programs itself, or has clusters already.
mlir::FailureOr<ClusterShape> chooseCluster(tile::KernelOp kernel, llvm::ArrayRef<int64_t> asked, mlir::Location loc);

/// Neighbouring programs of `kernel` become the blocks of clusters of `shape`, which chooseCluster gave.
void formClusters(tile::KernelOp kernel, const ClusterShape &shape);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_FORMCLUSTERS_H
