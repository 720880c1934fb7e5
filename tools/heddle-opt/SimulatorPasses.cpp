//===- SimulatorPasses.cpp - heddle-opt's face of the warp simulator --------===//
//
// --heddle-simulate-warp="dims=M=128,N=256": runs every warp kernel on random inputs, prints cycles and unit use;
// faults are errors. --heddle-mutants="dims=...": prints the mutation report of every warp kernel.
// Options: machine (name in machines/ or a path, default h100), seed, svg (a path for the timeline).
//
//===----------------------------------------------------------------------===//
#include "PrintingPasses.h"
#include "heddle/Simulator/Timing/WarpMutants.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

namespace {
template <typename Derived> struct WarpRunPass : PassWrapper<Derived, OperationPass<>> {
  WarpRunPass() = default;
  WarpRunPass(const WarpRunPass &other) : PassWrapper<Derived, OperationPass<>>(other) {}
  Pass::ListOption<std::string> dims{*this, "dims", llvm::cl::desc("sizes by name: M=128,N=256")};
  Pass::Option<std::string> machineName{*this, "machine", llvm::cl::desc("machine file or its name"),
                                        llvm::cl::init("h100")};
  Pass::Option<int64_t> seed{*this, "seed", llvm::cl::desc("seed of the random inputs"), llvm::cl::init(1)};

  virtual LogicalResult runOn(warp::KernelOp kernel, Bindings &bindings, const Machine &machine) = 0;

  void runOnOperation() final {
    this->getOperation()->walk([&](warp::KernelOp kernel) {
      Result<Machine> machine = Machine::find(machineName);
      if (!machine)
        return fail(kernel, machine.error().message());
      BindingRequest request;
      request.seed = seed;
      for (const std::string &dim : dims) {
        auto [name, size] = StringRef(dim).split('=');
        int64_t value = 0;
        if (size.getAsInteger(10, value))
          return fail(kernel, "expected dims like M=128, got " + dim);
        request.dims[name.str()] = value;
      }
      Result<Bindings> bindings = bindKernel(cast<FunctionOpInterface>(kernel.getOperation()), request);
      if (!bindings)
        return fail(kernel, bindings.error().message());
      if (failed(runOn(kernel, *bindings, *machine)))
        this->signalPassFailure();
    });
    this->markAllAnalysesPreserved();
  }
  void fail(warp::KernelOp kernel, const std::string &message) {
    kernel.emitError(message);
    this->signalPassFailure();
  }
};

struct SimulateWarpPass : WarpRunPass<SimulateWarpPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimulateWarpPass)
  SimulateWarpPass() = default;
  SimulateWarpPass(const SimulateWarpPass &other) : WarpRunPass(other) {}
  Pass::Option<std::string> svg{*this, "svg", llvm::cl::desc("where to write the timeline"), llvm::cl::init("")};
  StringRef getArgument() const final { return "heddle-simulate-warp"; }
  StringRef getDescription() const final {
    return "run every warp kernel asynchronously on random inputs; print its time";
  }
  LogicalResult runOn(warp::KernelOp kernel, Bindings &bindings, const Machine &machine) final {
    SimResult result = simulateWarpKernel(kernel, bindings, machine);
    if (!result.ok())
      return failure();
    llvm::errs() << kernel.getSymName() << ": " << result.ctaCycles.size() << " ctas, " << result.maxCycles
                 << " cycles, " << result.orderedPairs << " conflicting accesses ordered\n";
    for (auto &[unit, busy] : result.unitBusy)
      llvm::errs() << "  " << unit << " busy " << busy << "\n";
    for (auto &[group, waits] : result.groupWaits)
      llvm::errs() << "  @" << group << " waits " << waits << "\n";
    if (svg.empty())
      return success();
    Status written =
        writeFile(svg, drawTimeline(result, kernel.getSymName().str() + " on " + machine.name() + ", first cta"));
    return written ? success() : LogicalResult(kernel.emitError(written.error().str()));
  }
};

struct MutantsPass : WarpRunPass<MutantsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MutantsPass)
  MutantsPass() = default;
  MutantsPass(const MutantsPass &other) : WarpRunPass(other) {}
  StringRef getArgument() const final { return "heddle-mutants"; }
  StringRef getDescription() const final {
    return "delete, loosen and move every synchronisation op, one at a time; print what is caught";
  }
  LogicalResult runOn(warp::KernelOp kernel, Bindings &bindings, const Machine &machine) final {
    llvm::errs() << runMutationTest(kernel, bindings, machine).str();
    return success();
  }
};
} // namespace

void heddle::registerSimulatorPasses() {
  PassRegistration<SimulateWarpPass>();
  PassRegistration<MutantsPass>();
}
