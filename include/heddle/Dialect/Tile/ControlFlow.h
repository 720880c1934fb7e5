//===- ControlFlow.h - what scf.for, scf.if and scf.while pass on -----------===//
//
// What:   one view of the three operations that programs of every level branch and repeat with: the *variables* that
//         values are given to (by inits and terminators) and that block arguments and results name.
// Where:  every analysis and lowering that follows a value through control flow asks here. Conditions are uniform: all
//         threads of a block decide alike, since scalars are computed from what all of them see.
// Numbers: variables of scf.for are its iter_args, of scf.if its results; scf.while has first those that enter the
//         condition's block, then those that the condition passes on, which are its results.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_CONTROLFLOW_H
#define HEDDLE_DIALECT_TILE_CONTROLFLOW_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace heddle {

/// On an scf.for: its author says that no iteration reads or writes an element of memory that another writes, as
/// programs of a grid do not; equal values and additions alone are allowed. Relied on where the loop holds loops.
inline constexpr llvm::StringLiteral independentAttr = "tile.independent";

/// One value that an operation of control flow passes on.
struct PassedVariable {
  llvm::SmallVector<mlir::OpOperand *, 2> given; ///< one of these becomes its value; what enters a loop comes first
  llvm::SmallVector<mlir::Value, 2> names;       ///< block arguments and results that stand for it, the result last
};

/// A variable of `op`.
struct VariableRef {
  mlir::Operation *op;
  unsigned number;
};

/// An scf.for, scf.if or scf.while.
bool isBranchOrLoop(mlir::Operation *op);
/// One of these, or the terminator of a block of one.
bool isControlFlow(mlir::Operation *op);
/// The variables of a branch or loop.
llvm::SmallVector<PassedVariable> passedVariables(mlir::Operation *op);
/// The variable that operand `use` gives a value to, if any.
std::optional<VariableRef> variableOf(mlir::OpOperand &use);
/// The variable that `value` names, if any.
std::optional<VariableRef> variableOf(mlir::Value value);

/// Replaces `branch`, whose sides may both run, by them and by a choice for each result. `repeat` gives the condition
/// as a tile of truth values.
void replaceByChoices(mlir::scf::IfOp branch,
                      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::RankedTensorType)> repeat);

} // namespace heddle

#endif // HEDDLE_DIALECT_TILE_CONTROLFLOW_H
