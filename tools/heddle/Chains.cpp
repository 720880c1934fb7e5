//===- Chains.cpp - heddle run and heddle verify of several kernels as one --===//
#include "Chains.h"
#include "Emulate.h"
#include "Gpu.h"
#include "Inputs.h"

#include "heddle/Analysis/ProtocolDryRun.h"
#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Simulator/Functional/ChainInterpreter.h"
#include "heddle/Simulator/Timing/WarpMutants.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"
#include "heddle/Target/CUDA/EmitCUDA.h"

using namespace mlir;

namespace heddle {

/// The options for what runs behind the contraction of a program that was divided: its decisions are the former's.
static CompileOptions withoutDecisions(CompileOptions options) {
  options.parameters.clear();
  options.groups = options.tilesInFlight = 0;
  options.persistent = Persistence::WhereItGains;
  options.tileSource.reset();
  options.specialize.reset();
  options.cluster.clear();
  options.planText.clear();
  options.planFile.clear();
  options.scheduleFiles.clear();
  options.warp = TileToWarpOptions();
  return options;
}

CompileOptions optionsOf(const Input &input, tile::KernelOp kernel) {
  CompileOptions options = chosenOptions(input.whole || !input.chain ? StringRef() : kernel.getSymName());
  if (input.whole && kernel != kernelsOf(input).front())
    options = withoutDecisions(options);
  if (input.conversion) // a program that asks for a Triton kernel waits for NVRTC, which reads one instance, not two
    options.shortText = true;
  options.file = inputFile;
  return options;
}

LogicalResult compileKernels(const Input &input, const Machine &machine, Level upTo, CompiledKernels &out) {
  for (tile::KernelOp kernel : kernelsOf(input))
    if (failed(compileKernel(kernel, machine, optionsOf(input, kernel), upTo, out[kernel.getSymName().str()])))
      return failure();
  return success();
}

std::string describeKernel(tile::KernelOp kernel, const Compilation &c) {
  return kernel.getSymName().str() + ": " + describeSchedules(c);
}

static warp::KernelOp warpKernelOf(const Compilation &c) { return *c.warp.get().getOps<warp::KernelOp>().begin(); }

namespace {
/// One way to run a chain.
struct ChainRun {
  Input &input;
  const Machine &machine;
  ChainRunOptions options;
  sim::Bindings bound;
  CompiledKernels compiled;
  std::optional<sim::Meaning> meaning;

  int prepare();
  int simulate();
  int emulate();
  int launch(runtime::Driver &driver, const std::string &nvcc);
  /// Runs every launch by `run`, which gives an exit code and says itself what is wrong.
  using RunOne = llvm::function_ref<int(tile::KernelOp, const Compilation &, sim::Bindings &)>;
  int runLaunches(sim::Bindings &got, RunOne run);
};
} // namespace

int ChainRun::prepare() {
  limitSimulation();
  FailureOr<sim::Meaning> result = during("the sequential meaning", [&] { return meaningOf(input, bound); });
  if (failed(result))
    return diagnosed(input);
  meaning = std::move(*result);
  return ExitOk;
}

int ChainRun::runLaunches(sim::Bindings &got, RunOne run) {
  int code = ExitOk;
  auto one = [&](tile::LaunchOp, tile::KernelOp kernel, sim::Bindings &bindings) {
    code = run(kernel, compiled[kernel.getSymName().str()], bindings);
    return success(code == ExitOk);
  };
  LogicalResult result = sim::runChain(input.chain, got, one);
  return code ? code : failed(result) ? diagnosed(input) : static_cast<int>(ExitOk);
}

int ChainRun::simulate() {
  if (int code = prepare())
    return code;
  limitSimulation();
  sim::Bindings got = bound;
  int code = runLaunches(got, [&](tile::KernelOp kernel, const Compilation &c, sim::Bindings &bindings) {
    std::string name = kernel.getSymName().str();
    sim::SimResult result =
        during("simulating " + name, [&] { return sim::simulateWarpKernel(warpKernelOf(c), bindings, machine); });
    if (!result.ok())
      return faultCode(result, /*compiled=*/true);
    llvm::outs() << name << ": simulated " << result.ctaCycles.size() << " CTAs: " << result.maxCycles
                 << " cycles each at most\n";
    return static_cast<int>(ExitOk);
  });
  if (code)
    return code;
  if (Status status = saveOutputs(got); !status)
    return fail(status.error());
  return reportComparison(got, *meaning);
}

int ChainRun::emulate() {
  std::map<std::string, std::unique_ptr<EmulatedKernel>> kernels;
  for (auto &[name, c] : compiled) {
    auto kernel = during("compiling the CUDA text of " + name + " for the CPU",
                         [&] { return EmulatedKernel::build(c.cuda, c.manifest, name); });
    if (!kernel)
      return fail(kernel.error());
    kernels[name] = std::move(*kernel);
  }
  if (int code = prepare())
    return code;
  for (unsigned order = 0; order < options.interleavings; ++order) {
    sim::Bindings got = bound;
    int code = runLaunches(got, [&](tile::KernelOp kernel, const Compilation &, sim::Bindings &bindings) {
      std::string name = kernel.getSymName().str();
      Result<std::string> ran = during("emulating " + name + ", interleaving " + std::to_string(order),
                                       [&] { return kernels[name]->run(bindings, order, options.emulationLimit); });
      if (!ran)
        return fail(ran.error());
      llvm::outs() << name << ": emulated, interleaving " << order << ": " << *ran << "\n";
      return static_cast<int>(ExitOk);
    });
    if (code)
      return code;
    if (order == 0)
      if (Status status = saveOutputs(got); !status)
        return fail(status.error());
    if (int wrong = reportComparison(got, *meaning))
      return wrong;
  }
  return ExitOk;
}

int ChainRun::launch(runtime::Driver &driver, const std::string &nvcc) {
  FailureOr<std::string> manifest = emitChainManifest(input.chain);
  if (failed(manifest))
    return diagnosed(input);
  std::map<std::string, KernelTexts> texts;
  for (auto &[name, c] : compiled)
    texts[name] = {c.cuda, c.manifest};
  sim::Bindings got = bound;
  Result<std::vector<float>> times =
      during("nvcc and the GPU", [&] { return runChainOnGpu(driver, nvcc, *manifest, texts, got, options.repeats); });
  if (!times)
    return fail(times.error());
  auto launches = input.chain.getBody().getOps<tile::LaunchOp>();
  llvm::outs() << "ran " << std::distance(launches.begin(), launches.end()) << " launches" << describeTimes(*times)
               << "\n";
  if (Status status = saveOutputs(got); !status)
    return fail(status.error());
  if (options.noCheck) {
    llvm::outs() << "not verified (--no-check)\n";
    return ExitOk;
  }
  if (int failed = prepare())
    return failed;
  return reportComparison(got, *meaning);
}

int runChain(Input &input, const Machine &machine, const ChainRunOptions &options) {
  int code = ExitOk;
  std::optional<sim::Bindings> bound = bindInputs(input, code);
  if (!bound)
    return code;
  ChainRun run{input, machine, options, std::move(*bound), {}, {}};
  bool emulated = options.device == "emulate", simulated = options.device == "sim";
  Result<runtime::Driver *> driver =
      emulated || simulated ? Result<runtime::Driver *>(userError("")) : openGpu(options.cudaDriver);
  Result<std::string> nvcc = driver ? findNvcc("a run on the GPU") : Result<std::string>(driver.error());
  if (options.device == "gpu" && !nvcc)
    return fail(nvcc.error());
  if (failed(compileKernels(input, machine, nvcc || emulated ? Level::Cuda : Level::HW, run.compiled)))
    return diagnosed(input);
  std::string because = nvcc || nvcc.error().message().empty() ? "" : " (" + nvcc.error().message() + ")";
  llvm::outs() << "device: " << (nvcc ? (*driver)->deviceName() : (emulated ? "emulator" : "simulator") + because)
               << "\n";
  for (tile::KernelOp kernel : kernelsOf(input))
    llvm::outs() << describeKernel(kernel, run.compiled[kernel.getSymName().str()]) << "\n";
  return nvcc ? run.launch(**driver, *nvcc) : emulated ? run.emulate() : run.simulate();
}

int verifyChain(Input &input, const Machine &machine, bool mutants) {
  int code = ExitOk;
  std::optional<sim::Bindings> bound = bindInputs(input, code);
  if (!bound)
    return code;
  ChainRun run{input, machine, {}, std::move(*bound), {}, {}};
  if (failed(compileKernels(input, machine, Level::HW, run.compiled)))
    return diagnosed(input);
  if (int failed = run.prepare())
    return failed;
  limitSimulation();
  sim::Bindings got = run.bound;
  code = run.runLaunches(got, [&](tile::KernelOp kernel, const Compilation &c, sim::Bindings &bindings) {
    warp::KernelOp compiled = warpKernelOf(c);
    if (failed(verifyWarpProtocol(compiled)) || failed(dryRunProtocol(compiled)))
      return static_cast<int>(ExitInternal);
    sim::Bindings before = bindings;
    sim::SimResult result = during("simulating " + kernel.getSymName().str(),
                                   [&] { return sim::simulateWarpKernel(compiled, bindings, machine); });
    if (!result.ok())
      return faultCode(result, /*compiled=*/true);
    llvm::outs() << kernel.getSymName() << ": protocol holds; " << result.ctaCycles.size()
                 << " CTAs ran to their end with these inputs, " << result.orderedPairs
                 << " conflicting accesses in shared and global memory, all ordered\n";
    if (mutants)
      llvm::outs() << during("simulating mutants", [&] {
                        return sim::runMutationTest(compiled, before, machine);
                      }).str();
    return static_cast<int>(ExitOk);
  });
  return code ? code : reportComparison(got, *run.meaning);
}

} // namespace heddle
