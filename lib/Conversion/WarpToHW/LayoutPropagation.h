//===- LayoutPropagation.h - layouts flow from tile to tile (private) ------------===//
//
// What:      layouts of some tiles of a group -> those of all tiles that operations join with them.
// Where:     AssignLayouts.cpp, which chooses the tiles that layouts flow from.
// Algorithm: breadth first, through element-wise operations, loops, conditionals, waits and transposes in both
//            directions, through reductions forward and through broadcasts and gathers backward (all are slices). The
//            first layout to reach a value stays.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_WARPTOHW_LAYOUTPROPAGATION_H
#define HEDDLE_LIB_CONVERSION_WARPTOHW_LAYOUTPROPAGATION_H

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Layout/LinearLayout.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>

namespace heddle {

class LayoutPropagation {
public:
  /// `value` has `layout`, unless it has another one already.
  void assign(mlir::Value value, const LinearLayout &layout);
  /// Until nothing that has a layout is joined with something that has none.
  void propagate();

  bool isKnown(mlir::Value value) const { return layouts.contains(value); }
  const LinearLayout &layoutOf(mlir::Value value) const { return layouts.find(value)->second; }

  /// Operations that make left operands of wider elements: these keep their layout, the result is converted at once.
  llvm::DenseSet<mlir::Operation *> turning;
  bool crossesTransposes = true; ///< whether layouts propagate through tile.transpose

private:
  void visitUse(mlir::OpOperand &use, const LinearLayout &layout);
  void visitDefinition(mlir::Value value, const LinearLayout &layout);
  void join(VariableRef variable, const LinearLayout &layout);

  llvm::DenseMap<mlir::Value, LinearLayout> layouts;
  std::deque<mlir::Value> pending;
};

/// The layout of what a part is put into, where `layout` is wanted of it: converted to that afterwards where threads do
/// not hold such parts.
LinearLayout layoutAround(mlir::tensor::InsertSliceOp insert, const LinearLayout &layout);

/// The layout of a part of a tile held in `layout`, converted before where threads do not hold such parts.
LinearLayout windowLayout(mlir::tensor::ExtractSliceOp slice, const LinearLayout &layout);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_WARPTOHW_LAYOUTPROPAGATION_H
