//===- Run.cpp - heddle run ------------------------------------------------===//
//
// What:  a program on the GPU (or in the simulator, or its CUDA text in the emulator) and as its sequential meaning, on
//        the same inputs (random, or as the user says) and poisoned outputs; says how far the two are apart, and how
//        far from float64. Warp and hw programs have no sequential meaning of their own: they are compared with that
//        of the tile program of --reference, or with nothing, and then nothing is called verified.
//
//===----------------------------------------------------------------------===//
#include "Chains.h"
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
static cl::opt<std::string>
    reference("reference",
              cl::desc("with a warp or an hw program: the tile program whose sequential meaning its result must have"),
              cl::value_desc("program.mlir"), cl::sub(runCommand));
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
  if (result.near)
    llvm::outs() << "note: the rounding errors of " << result.near << " elements may exceed the numbers themselves, as "
                 << "of recurrences; these are within a 64th of the sequential meaning\n";
  for (const std::string &name : result.zeros)
    llvm::outs() << "note: with these inputs all that is written to '" << name << "' is zero (--input gives others)\n";
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

namespace {
/// What is run: the program that was compiled, and the tile program whose meaning its result must have.
struct Subject {
  Input &program;
  Input *meant; ///< null: there is none
  Compilation c;
  sim::Bindings bound;

  bool compiledHere() const { return program.kernel != nullptr; }
  std::string name() const {
    return (program.kernel ? program.kernel.getSymName() : const_cast<FunctionOpInterface &>(program.lower).getName())
        .str();
  }
};

/// The result that a run should have, where one is known.
class Check {
public:
  /// Interprets the tile program. An exit code, or ExitOk.
  int prepare(Subject &subject) {
    if (!subject.meant)
      return ExitOk;
    limitSimulation();
    FailureOr<sim::Meaning> result =
        during("the sequential meaning", [&] { return meaningOf(*subject.meant, subject.bound); });
    if (failed(result))
      return diagnosed(*subject.meant);
    meaning = std::move(*result);
    return ExitOk;
  }
  int operator()(const sim::Bindings &got) const {
    if (meaning)
      return reportComparison(got, *meaning);
    llvm::outs() << "not verified: no values were compared (--reference=K.mlir gives a tile program to compare with)\n";
    return ExitOk;
  }

private:
  std::optional<sim::Meaning> meaning;
};
} // namespace

static int simulate(Subject &subject, const Machine &machine) {
  Check check;
  if (int code = check.prepare(subject))
    return code;
  limitSimulation();
  sim::Bindings got = subject.bound;
  warp::KernelOp kernel = *subject.c.warp->getOps<warp::KernelOp>().begin();
  sim::SimResult result = during("simulating", [&] { return sim::simulateWarpKernel(kernel, got, machine); });
  if (!result.ok())
    return faultCode(result, subject.compiledHere());
  llvm::outs() << "simulated " << result.ctaCycles.size() << " CTAs: " << result.maxCycles << " cycles each at most";
  auto busiest = std::max_element(result.unitBusy.begin(), result.unitBusy.end(),
                                  [](const auto &a, const auto &b) { return a.second < b.second; });
  if (busiest != result.unitBusy.end()) // it may hold its last operation when all groups have ended
    llvm::outs() << "; in the first, unit " << busiest->first << " works for " << busiest->second << " cycles";
  llvm::outs() << "\n";
  if (!timelineFile.empty())
    if (Status status = writeFile(timelineFile, sim::drawTimeline(result, kernel.getSymName().str())); !status)
      return fail(status.error());
  if (Status status = saveOutputs(got); !status)
    return fail(status.error());
  if (!subject.meant)
    llvm::outs() << "checked: the protocol of its rings; in this run no deadlock, no race, no read of what was not "
                    "written\n";
  if (int code = check(got))
    return code;
  if (mutants)
    llvm::outs() << during("simulating mutants", [&] {
                      return sim::runMutationTest(kernel, subject.bound, machine);
                    }).str();
  return ExitOk;
}

static int launch(Subject &subject, runtime::Driver &driver, const std::string &nvcc) {
  sim::Bindings got = subject.bound;
  Result<GpuRun> run = during("nvcc and the GPU",
                              [&] { return runOnGpu(driver, nvcc, subject.c.cuda, subject.c.manifest, got, repeats); });
  if (!run)
    return fail(run.error());
  llvm::outs() << "ran " << run->grid[0] * run->grid[1] * run->grid[2] << " CTAs" << describeTimes(run->milliseconds)
               << "\n";
  if (Status status = saveOutputs(got); !status)
    return fail(status.error());
  if (noCheck) {
    llvm::outs() << "not verified (--no-check)\n";
    return ExitOk;
  }
  Check check;
  if (int code = check.prepare(subject))
    return code;
  return check(got);
}

static int emulate(Subject &subject) {
  Compilation &c = subject.c;
  if (!cudaText.empty()) {
    Result<std::string> text = readFile(cudaText);
    if (!text)
      return fail(text.error());
    c.cuda = *text;
  }
  auto kernel = during("compiling the CUDA text for the CPU",
                       [&] { return EmulatedKernel::build(c.cuda, c.manifest, subject.name()); });
  if (!kernel)
    return fail(kernel.error());
  Check check;
  if (int code = check.prepare(subject))
    return code;
  for (unsigned order = 0; order < interleavings; ++order) {
    sim::Bindings got = subject.bound;
    Result<std::string> ran = during("emulating, interleaving " + std::to_string(order),
                                     [&] { return (*kernel)->run(got, order, emulationLimit); });
    if (!ran) // a fault in what somebody else wrote is not ours
      return fail(ran.error().kind() == ErrorKind::Internal && !subject.compiledHere()
                      ? userError(ran.error().message())
                      : ran.error());
    llvm::outs() << "emulated, interleaving " << order << ": " << *ran << "\n";
    if (order == 0)
      if (Status status = saveOutputs(got); !status)
        return fail(status.error());
    if (!subject.meant)
      llvm::outs() << "checked: in this interleaving no deadlock, no access out of bounds or to what was not written\n";
    if (int code = check(got))
      return code;
  }
  return ExitOk;
}

/// "(A: !tile.view<?x?xf16>, s: f32)".
static std::string describeArguments(FunctionOpInterface kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto name = kernel.getArgAttrOfType<StringAttr>(i, "tile.name");
    os << (i ? ", " : "(") << (name ? name.getValue() : "-") << ": " << type;
  }
  return text + ")";
}

/// The tile program of --reference, which has the arguments of `lower`. Null: an exit code was set in `code`.
static std::unique_ptr<Input> loadReference(FunctionOpInterface lower, int &code) {
  std::unique_ptr<Input> input = parseInput(code, reference);
  if (!input)
    return nullptr;
  SmallVector<tile::KernelOp> kernels(input->module->getOps<tile::KernelOp>());
  for (tile::KernelOp kernel : kernels)
    if (kernels.size() == 1 || kernel.getSymName() == lower.getName())
      input->kernel = kernel;
  if (!input->kernel) {
    code = fail("--reference: expected one tile.kernel, or one named '" + lower.getName() + "', in '" + reference +
                "', got " + llvm::Twine(kernels.size()));
    return nullptr;
  }
  std::string own = describeArguments(lower), other = describeArguments(input->kernel);
  if (own != other) {
    code = fail("--reference: expected the arguments " + own + " as in '" + inputFile + "', got " + other);
    return nullptr;
  }
  return input;
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
  std::unique_ptr<Input> input = loadAnyProgram(code, /*tasks=*/true), meant;
  if (!input)
    return code;
  if (input->chain && (simulatorOnly || !cudaText.empty() || !reference.empty()))
    return fail("--timeline, --mutants, --cuda and --reference: expected one kernel with them (--kernel=NAME), got "
                "tile.chain '" +
                input->chain.getSymName() + "'");
  if (input->chain)
    return runChain(*input, *machine, {device, cudaDriver, interleavings, emulationLimit, repeats, noCheck});
  if (input->task && !input->kernel && (device == "gpu" || device == "emulate" || simulatorOnly || !reference.empty()))
    return fail("--device, --timeline, --mutants and --reference: expected a program that is mapped to a kernel, got "
                "the tasks of '" +
                inputFile + "'");
  if (input->task && !input->kernel) {
    Status options = checkTaskOptions();
    return options ? runTaskProgram(*input) : fail(options.error());
  }
  if (!reference.empty() && input->kernel)
    return fail("--reference: expected a warp or an hw program with it, got tile.kernel '" +
                input->kernel.getSymName() + "', which has a meaning of its own");
  if (!reference.empty() && !(meant = loadReference(input->lower, code)))
    return code;
  bool isHW = input->lower && isa<hw::KernelOp>(input->lower.getOperation());
  if (isHW && (device == "sim" || simulatorOnly))
    return fail("the simulator: expected a tile or a warp program, got hw.kernel '" + input->lower.getName() +
                "' (--device=emulate or gpu runs it)");
  Input *meaning = input->kernel ? input.get() : meant.get();
  std::optional<sim::Bindings> bound = bindInputs(meaning ? *meaning : *input, code);
  if (!bound)
    return code;
  if (input->kernel)
    useTunedPlan(input->kernel, *machine, bound->dims);
  Subject subject{*input, meaning, {}, std::move(*bound)};
  auto compile = [&](Level level) { return compileInput(*input, *machine, level, subject.c); };
  auto describe = [&](const std::string &where) {
    llvm::outs() << "device: " << where << "\n";
    if (subject.compiledHere())
      llvm::outs() << describeSchedules(subject.c) << "\n";
  };

  if (device == "emulate") {
    if (failed(compile(Level::Cuda)))
      return diagnosed(*input);
    describe("emulator");
    return emulate(subject);
  }
  // Where: the GPU needs its driver, a device, and nvcc. An error without text: the simulator was asked for.
  Result<runtime::Driver *> driver =
      device == "sim" || simulatorOnly ? Result<runtime::Driver *>(userError("")) : openGpu(cudaDriver);
  Result<std::string> nvcc = driver ? findNvcc("a run on the GPU") : Result<std::string>(driver.error());
  if (device == "gpu" && !nvcc)
    return fail(nvcc.error());
  // As far as a kernel is compiled, so that what is simulated is what would run. A warp kernel stays as it is given.
  Level simulated = input->kernel ? Level::HW : Level::Warp;
  if (failed(compile(nvcc || isHW ? Level::Cuda : simulated)))
    return diagnosed(*input);
  std::string because = nvcc || nvcc.error().message().empty() ? "" : " (" + nvcc.error().message() + ")";
  describe(nvcc ? (*driver)->deviceName() : (isHW ? "emulator" : "simulator") + because);
  return nvcc ? launch(subject, **driver, *nvcc) : isHW ? emulate(subject) : simulate(subject, *machine);
}

} // namespace heddle
