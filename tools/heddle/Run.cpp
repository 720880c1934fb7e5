//===- Run.cpp - heddle run ------------------------------------------------===//
#include "Options.h"

#include "heddle/Simulator/Functional/TileInterpreter.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"
#include "llvm/Support/Format.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace heddle {

static cl::opt<std::string> device("device", cl::desc("sim (default without a GPU) or gpu"), cl::init("sim"), cl::sub(runCommand));
static cl::opt<std::string> dims("dims", cl::desc("sizes by name: M=256,N=256,K=192 (default: the kernel's tile.default_dims)"), cl::sub(runCommand));
static cl::opt<uint64_t> inputSeed("seed", cl::desc("seed of the random inputs"), cl::init(1), cl::sub(runCommand));
static cl::opt<std::string> timelineFile("timeline", cl::desc("draw the simulated timeline to this SVG file"), cl::sub(runCommand));
static cl::opt<bool> mutants("mutants", cl::desc("also run every mutant of the warp program and report which are caught"), cl::sub(runCommand));

/// Largest relative error over the outputs, beyond which a result is wrong: the tile program rounds as often as the warp program, but in
/// another order.
static constexpr double simTolerance = 1e-3;

static double worst(const std::vector<double> &errors) {
  double w = 0;
  for (double e : errors)
    w = e > w || e != e ? e : w;
  return w;
}

static int simulate(Input &input, Compilation &c, const Machine &machine) {
  sim::BindingRequest request;
  Result<std::map<std::string, int64_t>> sizes = parseDims(dims);
  if (!sizes)
    return fail(sizes.error());
  request.dims = *sizes;
  request.seed = inputSeed;
  Result<sim::Bindings> bound = sim::bindKernel(cast<FunctionOpInterface>(input.kernel.getOperation()), request);
  if (!bound)
    return fail(bound.error());
  sim::Bindings reference = *bound, exact = bound->widened(), got = *bound;
  sim::EvaluateOptions wide;
  wide.wide = true;
  if (failed(sim::runTileKernel(input.kernel, reference)) || failed(sim::runTileKernel(input.kernel, exact, wide)))
    return diagnosed(input);
  warp::KernelOp kernel = *c.warp->getOps<warp::KernelOp>().begin();
  sim::SimResult result = sim::simulateWarpKernel(kernel, got, machine);
  if (!result.ok())
    return diagnosed(input);
  double toReference = worst(sim::compareOutputs(got, reference)), toExact = worst(sim::compareOutputs(got.widened(), exact));
  int64_t bound0 = 0;
  for (auto &[unit, busy] : result.unitBusy)
    bound0 = std::max(bound0, busy);
  llvm::outs() << describeSchedules(c) << "\n";
  llvm::outs() << "simulated " << result.ctaCycles.size() << " CTAs: " << result.maxCycles << " cycles each at most, bound " << bound0
               << " cycles (busiest unit)\n";
  llvm::outs() << "relative error " << llvm::format("%.3g", toReference) << " to the sequential meaning, " << llvm::format("%.3g", toExact)
               << " to float64\n";
  if (!timelineFile.empty())
    if (Status status = writeFile(timelineFile, sim::drawTimeline(result, kernel.getSymName().str())); !status)
      return fail(status.error());
  if (!(toReference <= simTolerance)) {
    llvm::errs() << "error: wrong result: expected a relative error of at most " << simTolerance << ", got "
                 << llvm::format("%.3g", toReference) << "\n";
    return ExitWrong;
  }
  llvm::outs() << "verified\n";
  return ExitOk;
}

int runMain() {
  if (device != "sim" && device != "gpu")
    return fail("--device: expected sim or gpu, got '" + device + "'");
  Result<Machine> machine = chosenMachine();
  if (!machine)
    return fail(machine.error());
  int code = ExitOk;
  std::unique_ptr<Input> input = loadProgram(code);
  if (!input)
    return code;
  if (device == "gpu")
    return fail("--device=gpu: no usable GPU here");
  Compilation c;
  if (failed(compileKernel(input->kernel, *machine, chosenOptions(), Level::Warp, c)))
    return diagnosed(*input);
  return simulate(*input, c, *machine);
}

} // namespace heddle
