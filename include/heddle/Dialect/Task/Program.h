//===- Program.h - what the values and symbols of a task program are -------===//
//
// What:   the tensor behind a value of an inner variant (task programs are written without types), the tasks and
//         variants of a module, and which variant says what a task means.
// Trusts: nothing; also the verifiers ask it, of programs that may be wrong.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TASK_PROGRAM_H
#define HEDDLE_DIALECT_TASK_PROGRAM_H

#include "heddle/Dialect/Task/Task.h"

#include "llvm/ADT/MapVector.h"

namespace heddle::task {

/// The whole tensor of which `tensor` (or a partition) is a part: a block argument of a variant, or the result of a
/// task.make_tensor. Null where the value comes from elsewhere.
mlir::Value rootOf(mlir::Value tensor);
/// The parameter of the task whose argument `root` is in a variant; null: a temporary.
ParameterAttr parameterOf(mlir::Value root);
/// Element type and rank of a tensor (without the dimensions that pieces lack); null and -1 where they are not known.
mlir::Type elementOf(mlir::Value tensor);
int64_t rankOf(mlir::Value tensor);
/// The tensor that a partition divides; null where it is not known.
mlir::Value partitioned(mlir::Value partition);

/// The task of a symbol, of a variant, of a launch; null where there is none.
TaskOp lookupTask(mlir::Operation *from, mlir::FlatSymbolRefAttr name);
inline TaskOp taskOf(VariantOp variant) { return lookupTask(variant, variant.getTaskAttr()); }
inline TaskOp taskOf(LaunchOp launch) { return lookupTask(launch, launch.getTaskAttr()); }
/// The variants of a task, in program order.
llvm::SmallVector<VariantOp> variantsOf(TaskOp task);
/// The launches of a variant, in program order: the order in which a mapping lists them.
llvm::SmallVector<LaunchOp> launchesOf(VariantOp variant);
/// The variant that says what each task means: its first leaf; without one, the first inner variant that launches only
/// tasks whose meaning is known so. A task that is not in it has no meaning.
llvm::MapVector<TaskOp, VariantOp> meaningsOf(mlir::ModuleOp program);
/// The tasks that no variant of another task launches: the program's entries, one in most programs.
llvm::SmallVector<TaskOp> entriesOf(mlir::ModuleOp program);

/// The tasks that variants of `entry` reach by launches, in program order, itself included.
llvm::SmallVector<TaskOp> tasksOf(TaskOp entry);

} // namespace heddle::task

#endif // HEDDLE_DIALECT_TASK_PROGRAM_H
