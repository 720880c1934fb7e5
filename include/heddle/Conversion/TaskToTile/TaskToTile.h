//===- TaskToTile.h - a task program and its mapping as a tile program ------===//
//
// What:   the tree of tasks that a mapping picks from a program -> one tile.kernel, sequential again: what a block
//         does. What the mapping decides beyond that is the kernel's plan (docs/Plan.md).
// Where:  in front of the compiler; everything after sees a tile program.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_CONVERSION_TASKTOTILE_TASKTOTILE_H
#define HEDDLE_CONVERSION_TASKTOTILE_TASKTOTILE_H

#include "heddle/Analysis/Mapping.h"
#include "heddle/Dialect/Task/Task.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// The kernel of the task tree that `mapping` picks from `program`, in a module of its own. Errors, located in the
/// program with a note in the mapping or the other way round: a mapping that does not fit the program, a division that
/// the machine's processors do not have, a memory that cannot hold a tensor.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> convertTasks(mlir::ModuleOp program, const Mapping &mapping,
                                                                const Machine &machine);

} // namespace heddle

#endif // HEDDLE_CONVERSION_TASKTOTILE_TASKTOTILE_H
