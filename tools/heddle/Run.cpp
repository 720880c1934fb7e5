//===- Run.cpp - heddle run ------------------------------------------------===//
//
// What:  a tile program on the GPU (or in the simulator, or its CUDA text in the emulator) and as its sequential
//        meaning, on the same inputs (random, or as the user says) and poisoned outputs; says how far the two are
//        apart, and how far from float64.
//
//===----------------------------------------------------------------------===//
#include "Emulate.h"
#include "Gpu.h"
#include "Inputs.h"
#include "Options.h"

#include "heddle/Simulator/Functional/Meaning.h"
#include "heddle/Simulator/Timing/WarpMutants.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"
#include "llvm/Support/Format.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace heddle {

static cl::opt<std::string> device("device",
                                   cl::desc("gpu, sim, emulate (the emitted CUDA text on the CPU), or auto: the GPU "
                                            "when there is one (and nvcc), else the simulator"),
                                   cl::init("auto"), cl::sub(runCommand));
static cl::opt<std::string> cudaDriver("cuda-driver", cl::desc("CUDA driver library"), cl::init("libcuda.so.1"),
                                       cl::sub(runCommand));
static cl::opt<int> repeats("repeat", cl::desc("timed runs on the GPU (0: none)"), cl::init(20), cl::sub(runCommand));
static cl::opt<bool>
    noCheck("no-check",
            cl::desc("do not compare on the GPU (large sizes: the sequential meaning is computed on the CPU)"),
            cl::sub(runCommand));
static cl::opt<unsigned>
    interleavings("interleavings",
                  cl::desc("emulated runs, each in another order of threads and of asynchronous operations"),
                  cl::init(2), cl::sub(runCommand));
static cl::opt<unsigned> emulationLimit("emulation-limit", cl::desc("seconds for an emulated run"), cl::init(60),
                                        cl::sub(runCommand));
static cl::opt<std::string>
    cudaText("cuda", cl::desc("emulate this CUDA text instead of the emitted one (with the program's manifest)"),
             cl::value_desc("kernel.cu"), cl::sub(runCommand));
static cl::opt<std::string> timelineFile("timeline", cl::desc("draw the simulated timeline to this SVG file"),
                                         cl::sub(runCommand));
static cl::opt<bool>
    mutants("mutants",
            cl::desc("also run every mutant of the warp program in the simulator and print which are caught"),
            cl::sub(runCommand));

int reportComparison(const sim::Bindings &got, const sim::Meaning &meaning) {
  auto worst = [](const std::vector<double> &errors) {
    double w = 0;
    for (double e : errors)
      w = e > w || e != e ? e : w;
    return w;
  };
  sim::Comparison result = sim::compareWith(meaning, got);
  llvm::outs() << "relative error " << llvm::format("%.3g", worst(sim::compareOutputs(got, meaning.reference)))
               << " to the sequential meaning, "
               << llvm::format("%.3g", worst(sim::compareOutputs(got.widened(), meaning.exact))) << " to float64\n";
  if (std::string text = result.str(); !text.empty()) {
    llvm::outs().flush();
    return fail(text, result.isWrong() ? ExitWrong : ExitNothing);
  }
  llvm::outs() << "verified: " << result.written << " elements, each within its rounding errors (the farthest at "
               << llvm::format("%.0f", 100 * result.used) << " % of them)\n";
  return ExitOk;
}

int faultCode(const sim::SimResult &result, bool compiled) {
  switch (result.faults.front().kind) {
  case sim::FaultKind::Limit: return ExitLimit;
  case sim::FaultKind::Unsupported: return ExitUser;
  default: break;
  }
  if (!compiled)
    return ExitUser;
  return fail(
      Error(ErrorKind::Internal, "the compiled program does not run as it should: " + result.faults.front().message));
}

static int simulate(Input &input, Compilation &c, const Machine &machine, const sim::Bindings &bound) {
  limitSimulation();
  FailureOr<sim::Meaning> meaning =
      during("the sequential meaning", [&] { return sim::meaningOf(input.kernel, bound); });
  if (failed(meaning))
    return diagnosed(input);
  sim::Bindings got = bound;
  warp::KernelOp kernel = *c.warp->getOps<warp::KernelOp>().begin();
  sim::SimResult result = during("simulating", [&] { return sim::simulateWarpKernel(kernel, got, machine); });
  if (!result.ok())
    return faultCode(result, /*compiled=*/true);
  int64_t bound0 = 0;
  for (auto &[unit, busy] : result.unitBusy)
    bound0 = std::max(bound0, busy);
  llvm::outs() << "simulated " << result.ctaCycles.size() << " CTAs: " << result.maxCycles
               << " cycles each at most, bound " << bound0 << " cycles (busiest unit)\n";
  if (!timelineFile.empty())
    if (Status status = writeFile(timelineFile, sim::drawTimeline(result, kernel.getSymName().str())); !status)
      return fail(status.error());
  if (Status status = saveOutputs(got); !status)
    return fail(status.error());
  if (int code = reportComparison(got, *meaning))
    return code;
  if (mutants)
    llvm::outs() << during("simulating mutants", [&] { return sim::runMutationTest(kernel, bound, machine); }).str();
  return ExitOk;
}

static int launch(Input &input, Compilation &c, runtime::Driver &driver, const std::string &nvcc,
                  const sim::Bindings &bound) {
  sim::Bindings got = bound;
  Result<GpuRun> run =
      during("nvcc and the GPU", [&] { return runOnGpu(driver, nvcc, c.cuda, c.manifest, got, repeats); });
  if (!run)
    return fail(run.error());
  llvm::outs() << "ran " << run->grid[0] * run->grid[1] * run->grid[2] << " CTAs";
  if (!run->milliseconds.empty())
    llvm::outs() << ": median " << llvm::format("%.4f", run->milliseconds[run->milliseconds.size() / 2]) << " ms, best "
                 << llvm::format("%.4f", run->milliseconds.front()) << " ms of " << run->milliseconds.size() << " runs";
  llvm::outs() << "\n";
  if (Status status = saveOutputs(got); !status)
    return fail(status.error());
  if (noCheck) {
    llvm::outs() << "not verified (--no-check)\n";
    return ExitOk;
  }
  limitSimulation();
  FailureOr<sim::Meaning> meaning =
      during("the sequential meaning", [&] { return sim::meaningOf(input.kernel, bound); });
  if (failed(meaning))
    return diagnosed(input);
  return reportComparison(got, *meaning);
}

static int emulate(Input &input, Compilation &c, const sim::Bindings &bound) {
  if (!cudaText.empty()) {
    Result<std::string> text = readFile(cudaText);
    if (!text)
      return fail(text.error());
    c.cuda = *text;
  }
  auto kernel = during("compiling the CUDA text for the CPU",
                       [&] { return EmulatedKernel::build(c.cuda, c.manifest, input.kernel.getSymName().str()); });
  if (!kernel)
    return fail(kernel.error());
  limitSimulation();
  FailureOr<sim::Meaning> meaning =
      during("the sequential meaning", [&] { return sim::meaningOf(input.kernel, bound); });
  if (failed(meaning))
    return diagnosed(input);
  for (unsigned order = 0; order < interleavings; ++order) {
    sim::Bindings got = bound;
    Result<std::string> ran = during("emulating, interleaving " + std::to_string(order),
                                     [&] { return (*kernel)->run(got, order, emulationLimit); });
    if (!ran)
      return fail(ran.error());
    llvm::outs() << "emulated, interleaving " << order << ": " << *ran << "\n";
    if (order == 0)
      if (Status status = saveOutputs(got); !status)
        return fail(status.error());
    if (int code = reportComparison(got, *meaning))
      return code;
  }
  return ExitOk;
}

int runMain() {
  if (device != "auto" && device != "sim" && device != "gpu" && device != "emulate")
    return fail("--device: expected auto, sim, gpu or emulate, got '" + device + "'");
  if (interleavings < 1 || emulationLimit < 1)
    return fail("--interleavings and --emulation-limit: expected at least 1, got 0");
  if (!cudaText.empty() && device != "emulate")
    return fail("--cuda: expected --device=emulate with it, got " + device);
  if (repeats < 0 || repeats > 1000000)
    return fail("--repeat: expected 0 to 1000000, got " + llvm::Twine(repeats));
  bool simulatorOnly = mutants || !timelineFile.empty();
  if ((device == "gpu" || device == "emulate") && simulatorOnly)
    return fail("--timeline and --mutants: expected --device=sim, got " + device);
  Result<Machine> machine = chosenMachine();
  if (!machine)
    return fail(machine.error());
  int code = ExitOk;
  std::unique_ptr<Input> input = loadProgram(code);
  if (!input)
    return code;
  Result<sim::Bindings> bound = bindInputs(cast<FunctionOpInterface>(input->kernel.getOperation()));
  if (!bound)
    return fail(bound.error());

  if (device == "emulate") {
    Compilation c;
    if (failed(compileKernel(input->kernel, *machine, chosenOptions(), Level::Cuda, c)))
      return diagnosed(*input);
    llvm::outs() << "device: emulator\n" << describeSchedules(c) << "\n";
    return emulate(*input, c, *bound);
  }
  // Where: the GPU needs its driver, a device, and nvcc. An error without text: the simulator was asked for.
  Result<runtime::Driver *> driver =
      device == "sim" || simulatorOnly ? Result<runtime::Driver *>(userError("")) : openGpu(cudaDriver);
  Result<std::string> nvcc = driver ? findNvcc("a run on the GPU") : Result<std::string>(driver.error());
  if (device == "gpu" && !nvcc)
    return fail(nvcc.error());
  Compilation c;
  if (failed(compileKernel(input->kernel, *machine, chosenOptions(), nvcc ? Level::Cuda : Level::Warp, c)))
    return diagnosed(*input);
  llvm::outs() << "device: "
               << (nvcc                             ? (*driver)->deviceName()
                   : nvcc.error().message().empty() ? "simulator"
                                                    : "simulator (" + nvcc.error().message() + ")")
               << "\n"
               << describeSchedules(c) << "\n";
  return nvcc ? launch(*input, c, **driver, *nvcc, *bound) : simulate(*input, c, *machine, *bound);
}

} // namespace heddle
