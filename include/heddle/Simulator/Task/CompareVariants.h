//===- CompareVariants.h - Do the variants of a task mean the same? ---------===//
//
// What:   runs every variant of every task beside what the task means, on random inputs, with the values that tunables
//         have and with others. Where all agree, no mapping changes what the program computes: a mapping only chooses
//         among them.
// Sizes:  those of the request for the program's entry; for other tasks `tile.default_dims`, else twice the size that a
//         leaf is written for, else 128.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_TASK_COMPAREVARIANTS_H
#define HEDDLE_SIMULATOR_TASK_COMPAREVARIANTS_H

#include "heddle/Simulator/Task/TaskInterpreter.h"

namespace heddle::sim {

struct VariantComparison {
  task::VariantOp variant;
  std::string choice; ///< "PIECES = 32", or empty: all tunables as written
  Comparison result;
};

/// What is compared for `task`, whose inputs are `bound`. Errors are emitted on operations.
mlir::FailureOr<std::vector<VariantComparison>> compareVariants(task::TaskOp task, const Bindings &bound);
/// Inputs for a task that is no entry.
Result<Bindings> bindForComparison(task::TaskOp task, uint64_t seed);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_TASK_COMPAREVARIANTS_H
