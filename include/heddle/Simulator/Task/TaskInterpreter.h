//===- TaskInterpreter.h - What a task program means -----------------------===//
//
// What:   executes a task program in program order, on tensors of the host: no mapping is consulted. A launch does what
//         its task means (Dialect/Task/Program.h), or what the caller chooses.
// Rounds: as the leaves say; tensors hold their element type.
// Checks: sizes against signatures, pieces of an instruction that a tensor does not have, reads of what was never
//         written: errors on the operation.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_TASK_TASKINTERPRETER_H
#define HEDDLE_SIMULATOR_TASK_TASKINTERPRETER_H

#include "heddle/Dialect/Task/Task.h"
#include "heddle/Simulator/Functional/Evaluate.h"
#include "heddle/Simulator/Functional/Meaning.h"

#include <functional>

namespace heddle::sim {

/// What a mapping would decide. Empty functions: what the program says.
struct TaskChoices {
  std::function<task::VariantOp(task::LaunchOp)> variant;
  std::function<int64_t(task::TunableOp)> tunable;
};

/// Sizes and tensors for the parameters of `task`, as bindKernel gives them to a kernel's arguments.
Result<Bindings> bindTask(task::TaskOp task, const BindingRequest &request);

/// Runs `variant` on `bindings` (widened for `options.wide`, with startBounds for `options.bounds`), writing what its
/// task writes. Errors are emitted on the operation that cannot be executed; outputs are then unspecified.
mlir::LogicalResult runVariant(task::VariantOp variant, Bindings &bindings, const TaskChoices &choices = {},
                               const EvaluateOptions &options = {});

/// What `task` means on the inputs of `bound`.
mlir::FailureOr<Meaning> meaningOf(task::TaskOp task, const Bindings &bound);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_TASK_TASKINTERPRETER_H
