//===- Leaf.h - a leaf for the sizes that it is launched with --------------===//
//
// What:   a leaf is written for one size of each dimension that its task's signature names; here it gets others.
// Where:  the interpreter of task programs, and the instantiation of a mapping.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TASK_LEAF_H
#define HEDDLE_DIALECT_TASK_LEAF_H

#include "heddle/Dialect/Task/Task.h"

namespace heddle::task {

using Shapes = llvm::ArrayRef<llvm::SmallVector<int64_t>>;

/// Are these shapes, one for each parameter (scalars: empty), what the signature of `task` says: one size for each
/// name? Errors are emitted on `at`, where the task is launched.
mlir::LogicalResult verifyShapes(mlir::Operation *at, TaskOp task, Shapes shapes);
/// Makes `leaf` (a clone: it changes in place, and need not be in a program) one of task `task` for tensors of these
/// shapes, which are as the signature says. Errors, on an operation of the leaf: a size that it states itself and that
/// would change.
mlir::LogicalResult resizeLeaf(VariantOp leaf, TaskOp task, Shapes shapes);

} // namespace heddle::task

#endif // HEDDLE_DIALECT_TASK_LEAF_H
