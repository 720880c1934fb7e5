//===- Subtiler.h - operations once for each compute warp group (private) ---===//
//
// What:   the walk that clones the operations of a kernel for its groups, with a map (value, group) -> value.
// Where:  Subtile.cpp, which decides how many groups there are.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TRANSFORMS_SUBTILER_H
#define HEDDLE_LIB_TRANSFORMS_SUBTILER_H

#include "heddle/Analysis/Partition.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {

class Subtiler {
public:
  Subtiler(tile::KernelOp kernel, Partition partition, int64_t groups)
      : kernel(kernel), partition(std::move(partition)), groups(groups), maps(groups) {}

  mlir::LogicalResult run();

private:
  // Subtile.cpp: operations.
  mlir::LogicalResult clone(mlir::OpBuilder &b, mlir::Operation *op);
  mlir::LogicalResult cloneLoad(mlir::OpBuilder &b, tile::LoadOp load);
  /// Every group gathers its rows, or its columns of all rows.
  mlir::LogicalResult cloneGather(mlir::OpBuilder &b, tile::GatherOp gather);
  /// Axis along which operand `v` of `user` is divided there (equals the user's result axis for rematerialisable
  /// values).
  int64_t useAxis(mlir::Operation *user, mlir::OpOperand &use);
  mlir::LogicalResult cloneForGroup(mlir::OpBuilder &b, mlir::Operation *op, int64_t g);

  // SubtileParts.cpp: parts of tiles.
  /// The part of a tile of `type` divided along `axis` that one group holds.
  mlir::FailureOr<mlir::RankedTensorType> part(mlir::Operation *op, mlir::RankedTensorType type, int64_t axis);
  /// The type of one of the parts of `type` along `axis` (-1: all of it).
  mlir::RankedTensorType divided(mlir::RankedTensorType type, int64_t axis) const;
  /// What `v` is for group `g`, at a use that is divided along `useAxis`.
  mlir::Value lookup(mlir::OpBuilder &b, mlir::Value v, int64_t g, int64_t useAxis);
  /// A constant, splat or iota as group `g` needs it at a use divided along `axis`.
  mlir::Value rematerialise(mlir::OpBuilder &b, mlir::Operation *def, int64_t g, int64_t axis);
  /// Part `number` of `whole` along `axis`, for group `g`.
  mlir::Value slice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value whole, int64_t axis, int64_t number, int64_t g);
  /// Part `number` along `axis` of `tile`, which group `g` has whole or as a view.
  mlir::Value partOf(mlir::OpBuilder &b, mlir::Value tile, int64_t axis, int64_t number, int64_t g);
  /// The part of shared view `view` along `axis` (-1: all of it) for group `g`; `number` says which part, by default
  /// the group's own.
  mlir::Value partOfView(mlir::OpBuilder &b, mlir::Value view, int64_t g, int64_t axis,
                         std::optional<int64_t> number = std::nullopt);
  /// Every group's part of `view`, as most of its uses want it.
  void cloneView(mlir::OpBuilder &b, mlir::Value view);
  /// What of `extent` lies in part `g`, of `size` elements along `axis`.
  static mlir::DenseI64ArrayAttr partOfExtent(mlir::OpBuilder &b, std::optional<llvm::ArrayRef<int64_t>> extent,
                                              int64_t axis, int64_t g, int64_t size);
  /// Adds a constant to one index operand of a per-group access. (The first group adds 0: all stay alike.)
  void offsetIndex(mlir::Operation *op, mlir::OpOperand &index, int64_t offset);
  /// Group `g`'s rows of `dot`, or all where no group has its own, one product for each part of the contraction. The
  /// parts of a divided operand are those of the other groups; SelectInstructions lets them go through shared memory.
  void exchange(mlir::OpBuilder &b, tile::DotOp dot, int64_t g);
  /// Group `g`'s rows of `dot`, whose right operand the groups divide along its columns: one product for each group's
  /// columns, put side by side.
  void exchangeColumns(mlir::OpBuilder &b, tile::DotOp dot, int64_t g);

  // SubtileControlFlow.cpp: loops and branches.
  /// What `values` are for the groups, a tile once for each group, where they become `variables`.
  llvm::SmallVector<mlir::Value> expand(mlir::OpBuilder &b, mlir::ValueRange values, mlir::ValueRange variables);
  mlir::FailureOr<llvm::SmallVector<mlir::Type>> expandTypes(mlir::Operation *op, mlir::ValueRange variables);
  void mapExpanded(mlir::ValueRange from, mlir::ValueRange to);
  /// Says which group owns each variable of `copy`, made of `op`.
  void setOwners(mlir::Operation *op, mlir::Operation *copy);
  mlir::LogicalResult cloneBody(mlir::OpBuilder &b, mlir::Block &body);
  mlir::LogicalResult cloneFor(mlir::OpBuilder &b, mlir::scf::ForOp loop);
  mlir::LogicalResult cloneIf(mlir::OpBuilder &b, mlir::scf::IfOp branch);
  mlir::LogicalResult cloneWhile(mlir::OpBuilder &b, mlir::scf::WhileOp loop);

  static bool isTile(mlir::Value v) { return mlir::isa<mlir::RankedTensorType>(v.getType()); }
  void mapAll(mlir::Value from, mlir::Value to) {
    for (mlir::IRMapping &map : maps)
      map.map(from, to);
  }

  tile::KernelOp kernel;
  Partition partition;
  int64_t groups;
  llvm::SmallVector<mlir::IRMapping> maps;
  int64_t namedStores = 0;                         ///< divided stores of rows that a tile names
  llvm::DenseMap<mlir::Value, mlir::Value> wholes; ///< loads by the copy engine
};

} // namespace heddle

#endif // HEDDLE_LIB_TRANSFORMS_SUBTILER_H
