//===- PartitionSolver.h - the fixpoint behind a partition (private) --------===//
//
// What:   the divided dimension of each tile, while it is found. What each operation says of its tiles is in
//         PartitionRules.cpp, the order in which what is open is decided in PartitionSolver.cpp.
// Where:  Partition.cpp, whose header has the rules in words.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_ANALYSIS_PARTITIONSOLVER_H
#define HEDDLE_LIB_ANALYSIS_PARTITIONSOLVER_H

#include "DefaultGroups.h"

#include "heddle/Dialect/Tile/AlongAxis.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>

namespace heddle {

class PartitionSolver {
public:
  /// `offersLast`: what is loaded offers a dimension only where everything else has settled. `columnsFirst`: no dot
  /// divides its rows.
  PartitionSolver(tile::KernelOp kernel, int64_t groups, bool columns, bool offersLast, bool columnsFirst = false)
      : kernel(kernel), groups(groups), largest(largestSum(kernel)), columns(columns), columnsFirst(columnsFirst),
        offersLast(offersLast) {}

  /// Fails without a word: `report` has it.
  mlir::LogicalResult run(llvm::DenseMap<mlir::Value, int64_t> &result, llvm::DenseSet<mlir::Value> &summed,
                          llvm::DenseSet<mlir::Operation *> &exchanged, llvm::DenseSet<mlir::Value> &whole);

  /// Says why there is no solution, and what to do then.
  mlir::LogicalResult report() const;

private:
  /// Why the program cannot be divided, at an operation.
  struct Refusal {
    mlir::Operation *op;
    std::string why;
  };
  static constexpr int64_t none = -1;

  // PartitionSolver.cpp: what is known, and what is decided next.
  /// One solution with the vectors that are known to be whole; `again` is set where it found another one, or where what
  /// it tried to divide is kept whole next time.
  mlir::LogicalResult attempt();
  mlir::LogicalResult settle();
  /// Nobody takes parts of the columns of dots that have too few rows: the first of them is whole. Then nothing divides
  /// what the dots still open contract: the first right operand of unknown division is whole; then the
  /// first of the dots that could add in memory has its rows divided, like any dot. Then what is loaded offers what
  /// its uses take; at last folds that nothing else decides are divided.
  bool closeOne();
  /// Divides on trial the first fold of a tile of which nothing is known, along the dimension that it leaves.
  bool divideFold();
  /// What is found behind the first refusal may take it back: a vector that is to be whole.
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why);
  /// What followed from the division of a vector that is whole now is found anew.
  mlir::LogicalResult retry();
  /// `value` is known better than before: what defines it and what uses it is looked at again.
  void note(mlir::Value value);
  /// Records the axis of `value`. Rematerialisable values take a different axis at every use and are left out.
  mlir::LogicalResult set(mlir::Operation *at, mlir::Value value, int64_t axis);
  std::optional<int64_t> get(mlir::Value value) const;
  /// All tile values in `values` share one axis.
  mlir::LogicalResult equal(mlir::Operation *at, llvm::ArrayRef<mlir::Value> values);
  /// isSharedView, which looks at a block: asked once for each value, since nothing changes here.
  bool isShared(mlir::Value value) const;
  /// Whether nothing but folds takes `value` and what element-wise operations make of it.
  static bool isOnlyFolded(mlir::Value value);
  /// Whether every group can compute all of `value`: a vector, or a tile that is only folded, that nothing divided goes
  /// into.
  bool canBeWhole(mlir::Value value);
  /// Lets every group compute all of `value`, where that is possible and new.
  bool makeWhole(mlir::Value value);

  // PartitionRules.cpp: what operations say of their tiles.
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitDot(tile::DotOp dot);
  mlir::LogicalResult visitRearrangement(mlir::Operation *op, const Rearrangement &moved);
  mlir::LogicalResult visitReduce(tile::ReduceOp op);
  mlir::LogicalResult visitAlong(mlir::Operation *op, const AlongAxis &along);
  /// `tiles`: the whole and the part, and what becomes of the whole.
  mlir::LogicalResult visitPart(mlir::OffsetSizeAndStrideOpInterface op, mlir::Value whole,
                                llvm::ArrayRef<mlir::Value> tiles);
  mlir::LogicalResult visitReshape(mlir::Operation *op, const Reshape &reshape);
  /// The numbers of rows are divided as the rows are.
  mlir::LogicalResult visitRows(mlir::Operation *op, mlir::Value tile, mlir::Value rows);
  mlir::LogicalResult visitControl(mlir::Operation *op);
  /// Decides an open dot as soon as its contracted dimension is known to be divided.
  void decide(tile::DotOp dot);
  /// No group holds a part of `operand` of `dot`, unless it turns out to be divided along the contraction.
  mlir::LogicalResult setWhole(tile::DotOp dot, mlir::Value operand);
  /// True where the groups divide the columns of a right operand (the transpose of a tile whose rows they divide) and
  /// the rows of the result, whose columns a thread can put together of theirs.
  bool takesColumnsInParts(tile::DotOp dot) const;
  /// Rows are whole instructions in every group.
  bool dividesRows(tile::DotOp dot) const;
  /// Where no dot has rows for all groups, the larger ones may divide their columns.
  bool dividesColumns(tile::DotOp dot) const;
  /// The right operand of a dot whose rows are divided may be computed in parts of the contraction, which are whole
  /// instructions.
  bool dividesRightOperand(tile::DotOp dot);
  /// Whether each group may sum its own part, and add that in memory.
  static bool sumsParts(tile::ReduceOp op);

  /// True where a register tile that `dot` contracts is known to be divided along the contraction.
  bool contractsDivided(tile::DotOp dot) const { return isDivided(dot.getA(), 1) || isDivided(dot.getB(), 0); }
  bool isDivided(mlir::Value operand, int64_t axis) const { return !isShared(operand) && get(operand) == axis; }
  static bool isTile(mlir::Value v) { return mlir::isa<mlir::RankedTensorType>(v.getType()); }

  tile::KernelOp kernel;
  int64_t groups, largest; ///< `largest`: elements of a sum
  bool columns;            ///< may be divided where no dot has rows for all groups
  bool columnsFirst;       ///< no dot divides its rows
  bool offersLast, offers = true;
  llvm::MapVector<mlir::Value, int64_t> axes;
  llvm::SetVector<mlir::Operation *> open,
      sums; ///< dots whose partial sums may be stored: undecided, and those that contract a divided dimension
  llvm::SetVector<mlir::Operation *> folds; ///< reductions of the divided dimension whose partial sums are stored
  llvm::SetVector<mlir::Operation *> few;   ///< dots with too few rows, whose columns may still turn out to be divided
  llvm::SetVector<mlir::Operation *> unknown;       ///< dots whose right operand may still turn out to be divided
  llvm::DenseSet<mlir::Operation *> closed, wide;   ///< those of `unknown` and of `few` that wait for nothing any more
  llvm::DenseSet<mlir::Value> wholes;               ///< vectors that every group computes, whose uses take parts
  llvm::DenseSet<mlir::Operation *> done;           ///< what would add nothing, looked at again
  mutable llvm::DenseMap<mlir::Value, bool> shared; ///< what isShared found
  llvm::DenseMap<mlir::Value, bool> replicable;     ///< what canBeWhole found
  llvm::DenseSet<mlir::Operation *> kept; ///< dots whose right operand, or folds whose tile, something else needs whole
  std::optional<Refusal> refusal;         ///< the first of an attempt
  mlir::Operation *tried = nullptr; ///< the last dot whose right operand, or fold whose tile, was divided on trial
  bool changed = false, again = false;
  bool dividesAnyRows = false, dividesAnyColumns = false; ///< some dot has rows for all groups, or columns
};

/// Collects `value` and what linear operations make of it; false where something else than an add-store takes one of
/// them (`user`).
bool collectSummands(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &summands, mlir::Operation *&user);

/// True where partial sums of `dot` may be added in memory instead of being summed before.
bool isSummand(tile::DotOp dot, llvm::SmallVectorImpl<mlir::Value> &summands, mlir::Operation *&user);

} // namespace heddle

#endif // HEDDLE_LIB_ANALYSIS_PARTITIONSOLVER_H
