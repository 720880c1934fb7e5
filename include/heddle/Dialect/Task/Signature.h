//===- Signature.h - a task's parameters as a kernel's arguments -----------===//
//
// What:   the types and attributes that a tile.kernel has for the parameters of a task that is an entry: views with
//         their names and those of their sizes, scalars with their defaults.
// Where:  whatever binds sizes and tensors to an entry, and the kernels that are made of one: both have the same
//         arguments.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TASK_SIGNATURE_H
#define HEDDLE_DIALECT_TASK_SIGNATURE_H

#include "heddle/Dialect/Task/Task.h"
#include "heddle/Dialect/Tile/Tile.h"

namespace heddle::task {

/// A view for each tensor, the scalars' own types.
llvm::SmallVector<mlir::Type> argumentTypes(TaskOp task);
/// tile.name, tile.dims and tile.default of each argument.
llvm::SmallVector<mlir::Attribute> argumentAttributes(TaskOp task);
/// A kernel with these arguments that reads and writes them as the privileges say, and does nothing else; with the
/// task's `tile.default_dims`. In a module of its own.
mlir::OwningOpRef<mlir::ModuleOp> signatureKernel(TaskOp task);

} // namespace heddle::task

#endif // HEDDLE_DIALECT_TASK_SIGNATURE_H
