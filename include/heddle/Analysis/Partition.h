//===- Partition.h - which dimension of each tile the warp groups divide ---===//
#ifndef HEDDLE_ANALYSIS_PARTITION_H
#define HEDDLE_ANALYSIS_PARTITION_H

#include "heddle/Dialect/Tile/Tile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// For every tile value of a kernel the dimension that the compute warp groups divide among themselves, so that no
/// group needs another's part; absent: every group holds the whole tile. Seeds are the rows of the dots (each
/// group has whole instructions), or where no dot has rows for all groups, the columns of the larger ones; the rest
/// follows by propagation through the operations, forward and backward.
///
/// A dot may contract a dimension that is divided. Where its own rows can be divided too, the groups *exchange* the
/// divided operand: each writes its part to shared memory, and every group contracts all the parts for its own rows.
/// Where its rows are too few for all groups, beside other dots that are divided, every group adds its partial sum to
/// memory if the result goes to stores of kind "add" alone, at most converted or scaled; else every group computes the
/// whole of it.
///
/// A shared view (see isSharedView) is in shared memory, whole: every use takes the part that it needs of it, and the
/// dimension here is the one that most of its users want. Likewise a vector that every group computes whole (isWhole).
class Partition {
public:
  /// The division among `groups` groups; with `columns` of columns, where no dot has rows for all of them. Fails with a
  /// located error where two uses of a value disagree, or a divided dimension is reduced.
  static mlir::FailureOr<Partition> compute(tile::KernelOp kernel, int64_t groups, bool columns = true);

  /// The divided dimension of `value`, or -1.
  int64_t axis(mlir::Value value) const {
    auto it = axes.find(value);
    return it == axes.end() ? -1 : it->second;
  }
  /// True for a vector that every group computes, and of which each use takes the part that it needs.
  bool isWhole(mlir::Value value) const { return wholes.contains(value); }
  /// True for a tile of which every group holds a partial sum of the whole (it reaches nothing but add-stores).
  bool isPartialSum(mlir::Value value) const { return summed.contains(value); }
  /// True for a dot whose groups exchange the parts of an operand.
  bool isExchange(tile::DotOp dot) const { return exchanges.contains(dot); }
  /// Largest group count (1 to `limit`) that gives every dot the rows of whole instructions in each group, or where one
  /// group has no room for the largest sum, some dot; 1 without dots, and where the program cannot be divided but one
  /// group holds its sums.
  static int64_t defaultGroups(tile::KernelOp kernel, int64_t limit);

private:
  /// Multiplications of the products that every group computes whole.
  int64_t repeatedWork(tile::KernelOp kernel) const;

  llvm::DenseMap<mlir::Value, int64_t> axes;
  llvm::DenseSet<mlir::Value> summed, wholes;
  llvm::DenseSet<mlir::Operation *> exchanges;
};

/// Ends the error of a program that cannot be divided, where one group has room for it.
inline constexpr llvm::StringLiteral adviceForOneGroup = " (ask for `groups = 1`)";

/// Ops whose result any group can recompute for free: constants, splats, iotas.
bool isRematerialisable(mlir::Operation *op);

/// Some dot takes `tile`, or a part or the transpose of it.
bool isReadByDot(mlir::Value tile);

/// A tile that the copy engine loads, and parts and (for dots) transposes of it: ways of reading shared memory.
bool isSharedView(mlir::Value value);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_PARTITION_H
