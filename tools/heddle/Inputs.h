//===- Inputs.h - the tensors of `heddle run` and `heddle verify` ----------===//
#ifndef HEDDLE_TOOLS_HEDDLE_INPUTS_H
#define HEDDLE_TOOLS_HEDDLE_INPUTS_H

#include "heddle/Simulator/Functional/Bindings.h"
#include "heddle_runtime/TensorSource.h"
#include "llvm/Support/CommandLine.h"

namespace heddle {

struct Input;
/// Sizes by name.
extern llvm::cl::opt<std::string> dims;

/// Inputs of a kernel by --input, --dims, --scalars and --seed; outputs poisoned. User errors also for what --output
/// asks: a name that is no view, a file that nobody could read.
Result<sim::Bindings> bindInputs(mlir::FunctionOpInterface kernel);
/// The same for the kernel of `input`; of a Triton kernel by --input, --scalars, --grid and --seed, after it was run
/// itself and its conversion gave the same in float64. Nothing: an exit code was set in `code`.
std::optional<sim::Bindings> bindInputs(Input &input, int &code);

/// What the command line gives a Triton kernel.
struct TritonInputs {
  std::map<std::string, double> scalars;
  std::map<std::string, runtime::TensorSource> sources; ///< what arguments point to
  uint64_t seed = 1;
};
/// Runs the Triton kernel of `input`.
std::optional<sim::Bindings> bindTriton(Input &input, const TritonInputs &given, int &code);
/// Writes the files of --output from the tensors of a run, all of them or none, and says so.
Status saveOutputs(const sim::Bindings &ran);

} // namespace heddle

#endif // HEDDLE_TOOLS_HEDDLE_INPUTS_H
