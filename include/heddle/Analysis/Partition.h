//===- Partition.h - which dimension of each tile the warp groups divide ---===//
#ifndef HEDDLE_ANALYSIS_PARTITION_H
#define HEDDLE_ANALYSIS_PARTITION_H

#include "heddle/Dialect/Tile/Tile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// For every tile value of a kernel the dimension that the compute warp groups divide among themselves, so that no
/// group needs another's part; absent: every group holds the whole tile. Seeds are the rows of the dots (each
/// group has whole instructions); the rest follows by propagation through the operations, forward and backward. A dot
/// that contracts a divided dimension is allowed where every group may add its own partial sum to memory: its result
/// goes to stores of kind "add" only, at most converted or scaled.
class Partition {
public:
  /// Fails with a located error where two uses of a value disagree, or a divided dimension is contracted or reduced.
  static mlir::FailureOr<Partition> compute(tile::KernelOp kernel);

  /// The divided dimension of `value`, or -1.
  int64_t axis(mlir::Value value) const {
    auto it = axes.find(value);
    return it == axes.end() ? -1 : it->second;
  }
  /// True for a tile of which every group holds a partial sum of the whole (it reaches nothing but add-stores).
  bool isPartialSum(mlir::Value value) const { return summed.contains(value); }
  /// Largest group count (1 to `limit`) that gives every dot the rows of whole instructions in each group; 1 without
  /// dots, and where the program cannot be divided but one group holds its sums.
  static int64_t defaultGroups(tile::KernelOp kernel, int64_t limit);

private:
  llvm::DenseMap<mlir::Value, int64_t> axes;
  llvm::DenseSet<mlir::Value> summed;
};

/// Ops whose result any group can recompute for free: constants, splats, iotas.
bool isRematerialisable(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_PARTITION_H
