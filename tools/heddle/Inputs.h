//===- Inputs.h - the tensors of `heddle run` and `heddle verify` ----------===//
#ifndef HEDDLE_TOOLS_HEDDLE_INPUTS_H
#define HEDDLE_TOOLS_HEDDLE_INPUTS_H

#include "heddle/Simulator/Functional/Bindings.h"

namespace heddle {

/// Inputs of a kernel by --input, --dims, --scalars and --seed; outputs poisoned. User errors also for what --output
/// asks: a name that is no view, a file that nobody could read.
Result<sim::Bindings> bindInputs(mlir::FunctionOpInterface kernel);
/// Writes the files of --output from the tensors of a run, all of them or none, and says so.
Status saveOutputs(const sim::Bindings &ran);

} // namespace heddle

#endif // HEDDLE_TOOLS_HEDDLE_INPUTS_H
