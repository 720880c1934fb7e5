//===- Chains.h - heddle run and heddle verify of several kernels as one ----===//
//
// What:  the chain of an input: its kernels are compiled one by one, its launches run in order, on the GPU, in the
//        simulator or in the emulator, and what is left in its arguments is compared with the chain's sequential
//        meaning, as a kernel's outputs are with its own.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_CHAINS_H
#define HEDDLE_TOOLS_HEDDLE_CHAINS_H

#include "Options.h"

namespace heddle {

/// The kernels of a chain, compiled, by name.
using CompiledKernels = std::map<std::string, Compilation>;
/// What is asked for of one kernel of `input`.
CompileOptions optionsOf(const Input &input, tile::KernelOp kernel);
/// Compiles each kernel of the chain of `input`. Failure: diagnosed.
mlir::LogicalResult compileKernels(const Input &input, const Machine &machine, Level upTo, CompiledKernels &out);

/// "row_sums: no loop to schedule", or the loops' intervals behind the kernel's name.
std::string describeKernel(tile::KernelOp kernel, const Compilation &c);

/// What `heddle run` was asked for.
struct ChainRunOptions {
  std::string device, cudaDriver;
  unsigned interleavings, emulationLimit;
  int repeats;
  bool noCheck;
};
int runChain(Input &input, const Machine &machine, const ChainRunOptions &options);

/// Verifies each kernel's synchronisation as it is launched; with `mutants` also that its loss would be noticed.
int verifyChain(Input &input, const Machine &machine, bool mutants);

} // namespace heddle

#endif // HEDDLE_TOOLS_HEDDLE_CHAINS_H
