//===- Verify.cpp - heddle verify, heddle check ----------------------------===//
//
// What:  verify: the synchronisation of a warp program (as written by hand, or as compiled from a tile program): the
//        protocol verifier and its dry run, then one simulated run, which finds deadlock, races and early reuse, and
//        for a compiled program the comparison with its sequential meaning; with --mutants also every program that
//        lacks one synchronisation. check: heddle-check on its two arguments.
//
//===----------------------------------------------------------------------===//
#include "Chains.h"
#include "Inputs.h"
#include "Options.h"

#include "heddle/Analysis/ProtocolDryRun.h"
#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Simulator/Timing/WarpMutants.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace heddle {

static cl::opt<bool>
    everyMutant("mutants",
                cl::desc("also verify and run every program with one synchronisation deleted, loosened or moved"),
                cl::sub(verifyCommand));
static cl::opt<std::string> checkProblem(cl::Positional, cl::Required, cl::desc("<problem.sched>"),
                                         cl::sub(checkCommand));
static cl::opt<bool>
    checkNormalised("normalised", cl::desc("the certificate is about its instance.sched: the problem with other times"),
                    cl::sub(checkCommand));
static cl::opt<std::string> checkSolution(cl::Positional, cl::Required, cl::desc("<solution or certificate directory>"),
                                          cl::sub(checkCommand));

/// One warp program with inputs: protocol, run, mutants. `compiledFrom`: the tile program that it was made from, whose
/// result it must give.
static int verifyKernel(Input &input, warp::KernelOp kernel, tile::KernelOp compiledFrom, const Machine &machine) {
  std::optional<sim::Bindings> bound;
  if (compiledFrom) {
    int code = ExitOk;
    if (!(bound = bindInputs(input, code)))
      return code;
  } else {
    Result<sim::Bindings> given = bindInputs(cast<FunctionOpInterface>(kernel.getOperation()));
    if (!given)
      return fail(given.error());
    bound = std::move(*given);
  }
  if (failed(verifyWarpProtocol(kernel)) || failed(dryRunProtocol(kernel)))
    return compiledFrom ? static_cast<int>(ExitInternal) : diagnosed(input);
  limitSimulation();
  // first: what the program itself does wrong is no fault of what was made of it
  FailureOr<sim::Meaning> meaning = failure();
  if (compiledFrom && failed(meaning = during("the sequential meaning", [&] { return meaningOf(input, *bound); })))
    return diagnosed(input);
  sim::Bindings run = *bound;
  sim::SimResult result = during("simulating", [&] { return sim::simulateWarpKernel(kernel, run, machine); });
  if (!result.ok())
    return faultCode(result, compiledFrom != nullptr);
  llvm::outs() << kernel.getSymName() << ": protocol holds; " << result.ctaCycles.size()
               << " CTAs ran to their end with these inputs, " << result.orderedPairs
               << " conflicting accesses in shared and global memory, all ordered\n";
  if (compiledFrom)
    if (int code = reportComparison(run, *meaning))
      return code;
  if (everyMutant)
    llvm::outs() << during("simulating mutants", [&] { return sim::runMutationTest(kernel, *bound, machine); }).str();
  return ExitOk;
}

int verifyMain() {
  Result<Machine> machine = chosenMachine();
  if (!machine)
    return fail(machine.error());
  int code = ExitOk;
  std::unique_ptr<Input> input = parseInput(code);
  if (!input)
    return code;
  SmallVector<warp::KernelOp> warpKernels(input->module->getOps<warp::KernelOp>());
  for (warp::KernelOp kernel : warpKernels)
    if (int failed = verifyKernel(*input, kernel, {}, *machine))
      return failed;
  if (!warpKernels.empty() && input->module->getOps<tile::KernelOp>().empty())
    return ExitOk;
  if (!pickKernel(*input, code))
    return code;
  if (input->chain)
    return verifyChain(*input, *machine, everyMutant);
  Compilation c;
  if (failed(compileKernel(input->kernel, *machine, chosenOptions(), Level::HW, c)))
    return diagnosed(*input);
  return verifyKernel(*input, *c.warp->getOps<warp::KernelOp>().begin(), input->kernel, *machine);
}

int checkMain(const char *argv0) {
  static int anchor; // any address of this program
  std::string self = llvm::sys::fs::getMainExecutable(argv0, &anchor),
              folder = llvm::sys::path::parent_path(self).str();
  llvm::ErrorOr<std::string> checker = llvm::sys::findProgramByName("heddle-check", {folder});
  if (!checker)
    return fail("expected heddle-check in '" + folder + "', got none");
  llvm::SmallVector<llvm::StringRef> args{*checker};
  if (checkNormalised)
    args.push_back("--normalised");
  args.append({checkProblem, checkSolution});
  int code = llvm::sys::ExecuteAndWait(*checker, args);
  return code < 0 ? ExitInternal : code;
}

} // namespace heddle
