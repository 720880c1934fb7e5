//===- Options.cpp - what the subcommands of `heddle` share ----------------===//
#include "Options.h"

#include "heddle/Pipelines/Tune.h"

#include "heddle/Dialect/Task/Program.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "heddle/Dialect/Triton/Triton.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Certify.h"
#include "heddle/Target/TargetInterface.h"
#include "heddle/Transforms/SplitContraction.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ToolOutputFile.h"
#include <csignal>
#include <unistd.h>

using namespace mlir;
namespace cl = llvm::cl;

namespace heddle {

cl::SubCommand compileCommand("compile", "compile a tile program to CUDA (kernel.cu, kernel.json, schedule.svg)");
cl::SubCommand
    runCommand("run", "run a tile program in the simulator or on the GPU and compare it with its sequential meaning");
cl::SubCommand scheduleCommand("schedule", "solve, explain and draw the schedule of a tile program or a .sched file");
cl::SubCommand explainCommand("explain", "say why the schedule is what it is, and what would have to change");
cl::SubCommand verifyCommand("verify", "check the synchronisation of a warp program, or of the one compiled from a "
                                       "tile program, statically and in the simulator");
cl::SubCommand tuneCommand("tune",
                           "rank tiles, groups and orders of a tile program for given sizes, time the best on a "
                           "GPU where there is one, and keep the best plan");
cl::SubCommand checkCommand(
    "check", "check a schedule or a certificate against its .sched problem (runs heddle-check, which links no solver)");

#define COMMANDS                                                                                                       \
  cl::sub(compileCommand), cl::sub(runCommand), cl::sub(scheduleCommand), cl::sub(explainCommand),                     \
      cl::sub(verifyCommand), cl::sub(tuneCommand)

cl::opt<std::string> inputFile(cl::Positional, cl::Required, cl::desc("<program.mlir or kernel.ttir>"),
                               cl::sub(compileCommand), cl::sub(runCommand), cl::sub(scheduleCommand),
                               cl::sub(explainCommand), cl::sub(verifyCommand));
static cl::opt<std::string>
    kernelName("kernel", cl::desc("kernel, or chain of kernels, to use when the file has several"), COMMANDS);
static cl::opt<std::string> target("target", cl::desc("GPU architecture: sm_90a"), cl::init("sm_90a"), COMMANDS);
static cl::opt<std::string>
    machineName("machine", cl::desc("machine file, or its name in machines/ (default: by target, h100)"), COMMANDS);
static cl::opt<int64_t> groups("groups", cl::desc("compute warp groups (1 to 3; 0: as many as the rows allow)"),
                               cl::init(0), COMMANDS);
static cl::opt<std::string> schedulerName("scheduler", cl::desc("exact, heuristic or random"), cl::init("exact"),
                                          COMMANDS);
static cl::opt<uint64_t> seed("schedule-seed", cl::desc("seed of the random scheduler"), cl::init(0), COMMANDS);
static cl::opt<int64_t> resolution("resolution",
                                   cl::desc("cost resolution: units in the resource bound (0: real cycles)"),
                                   cl::init(defaultResolution), COMMANDS);
static cl::opt<double> timeLimit("time-limit",
                                 cl::desc("seconds for scheduling: all loops, resolutions and explanations together"),
                                 cl::init(300), COMMANDS);
static cl::opt<Effort>
    effort(cl::desc("how much is tried for a schedule:"),
           cl::values(clEnumValN(Effort::Order, "O0", "the program's order, one iteration after the other"),
                      clEnumValN(Effort::Heuristic, "O1", "heuristics only"),
                      clEnumValN(Effort::Budget, "O2", "search and proof within a number of steps (default)"),
                      clEnumValN(Effort::Proof, "O3", "until the interval is proved least, or --time-limit")),
           cl::init(Effort::Budget), COMMANDS);
static cl::opt<bool> noCache("no-cache",
                             cl::desc("neither read nor write the cache of solved problems ($HEDDLE_CACHE, else "
                                      "heddle in $XDG_CACHE_HOME or ~/.cache; HEDDLE_CACHE= without a value: none)"),
                             COMMANDS);
static cl::opt<std::string> mode(
    "mode",
    cl::desc("full (all constraints), paper (Twill, Algorithm 1), modulo (dependences and units only) or sequential "
             "(no iteration begins before the last one's computation ends); a replay needs the mode it was made in"),
    cl::init("full"), COMMANDS);
static cl::opt<bool> jointProblem(
    "free-groups",
    cl::desc("search every warp assignment from the start, not sub-tiles on groups first (by random: draw it)"),
    COMMANDS);
static cl::opt<bool>
    noChains("no-chains",
             cl::desc("every operation is a node of the problem, also element-wise ones that can run as one"),
             COMMANDS);
static cl::opt<bool> fixedGroups("fixed-groups", cl::desc("warp assignment is no decision: a sub-tile is a warp group"),
                                 COMMANDS);
static cl::opt<Persistence> persistent(
    "persistent", cl::desc("launch at most one program a multiprocessor, which takes tile after tile of the grid:"),
    cl::values(clEnumValN(Persistence::WhereItGains, "auto",
                          "where programs do equal work in loops that the copy engine feeds (default)"),
               clEnumValN(Persistence::Always, "on", "always"), clEnumValN(Persistence::Never, "off", "never")),
    cl::init(Persistence::WhereItGains), COMMANDS);
static cl::opt<TileSource> tileSource(
    "tile-source", cl::desc("which programs a block of a persistent kernel takes:"),
    cl::values(clEnumValN(TileSource::Stride, "stride", "every so many-th, from its own number on (default)"),
               clEnumValN(TileSource::Counter, "counter", "the next that is left, by a counter in device memory")),
    cl::init(TileSource::Stride), COMMANDS);
static cl::list<int64_t>
    cluster("cluster",
            cl::desc("neighbouring programs that run as a cluster and load in common what they share: their number "
                     "along each dimension of the grid, or one number, for the dimension that shares most"),
            cl::value_desc("N[,N...]"), cl::CommaSeparated, COMMANDS);
static cl::opt<int64_t>
    splitK("split-k",
           cl::desc("programs that share the contraction of a program: each sums a part of the loop, and a second "
                    "kernel adds the sums and does the rest (0: as the plan says, else 1)"),
           cl::value_desc("N"), cl::init(0), COMMANDS);
static cl::opt<PartialSums> splitSums(
    "split-sums", cl::desc("with --split-k, the sums of the parts are added up:"),
    cl::values(clEnumValN(PartialSums::Ordered, "ordered", "in their order: equal results every time (default)"),
               clEnumValN(PartialSums::InMemory, "memory", "in memory, in whatever order they come")),
    cl::init(PartialSums::Ordered), COMMANDS);
enum class InFlight { Chosen, One, Two, Three };
static cl::opt<InFlight> tilesInFlight(
    "tiles-in-flight", cl::desc("tiles that the compute groups of a persistent kernel work on at a time:"),
    cl::values(clEnumValN(InFlight::Chosen, "auto", "two where that takes less time by the model (default)"),
               clEnumValN(InFlight::One, "1", "all groups share it"),
               clEnumValN(InFlight::Two, "2", "each on groups of its own, main loops take turns"),
               clEnumValN(InFlight::Three, "3", "the same")),
    cl::init(InFlight::Chosen), COMMANDS);
static cl::opt<int64_t> extraGroups("extra-groups", cl::desc("with --free-groups: more compute groups than sub-tiles"),
                                    cl::init(0), COMMANDS);
static cl::opt<int64_t>
    overhead("overhead", cl::desc("with --free-groups: registers a thread beside the values (default: as extracted)"),
             cl::init(-1), COMMANDS);
static cl::opt<bool> noRegisterFile("no-register-file",
                                    cl::desc("with --free-groups: a limit per group, no shared register file"),
                                    COMMANDS);
static cl::opt<bool> noTransfers("no-transfers", cl::desc("with --free-groups: register values stay in their group"),
                                 COMMANDS);
static cl::list<std::string> scheduleFiles("schedule", cl::desc("replay this solution file (one per loop, in order)"),
                                           COMMANDS);
static cl::opt<std::string>
    planFile("plan",
             cl::desc("decisions by label, as --emit=plan prints them: what the file lacks is decided here; for a "
                      "chain one file for each of its kernels that has one: KERNEL=FILE,..."),
             cl::value_desc("file"), COMMANDS);
static cl::opt<std::string>
    parameters("param", cl::desc("values of the program's parameters by name: BM=192,BN=128 (default: as written)"),
               cl::value_desc("NAME=VALUE,..."), COMMANDS);
static cl::opt<int64_t> depth("depth", cl::desc("most slots of a ring (0: what fits, at most 8)"), cl::init(0),
                              COMMANDS);

static cl::opt<std::string> certificateDir("certificate",
                                           cl::desc("write the proof of an optimal schedule to this directory, for "
                                                    "heddle-check (several loops: loop0, loop1, ... in it)"),
                                           cl::value_desc("dir"), cl::sub(compileCommand), cl::sub(scheduleCommand));
static cl::opt<unsigned>
    simulationLimit("simulation-limit",
                    cl::desc("seconds for what the simulator executes, the sequential meaning included, and for "
                             "making its inputs (0: no limit)"),
                    cl::init(0), cl::sub(runCommand), cl::sub(verifyCommand));

void limitSimulation() {
  // The process ends where it is: nothing that a simulation makes is written before its end.
  std::signal(SIGALRM, [](int) {
    static const char text[] = "limit reached: inputs or simulation take longer than --simulation-limit\n";
    (void)!::write(STDERR_FILENO, text, sizeof text - 1);
    ::_exit(ExitLimit);
  });
  ::alarm(simulationLimit);
}

static ExitCode exitCodeOf(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::User: return ExitUser;
  case ErrorKind::Infeasible: return ExitInfeasible;
  case ErrorKind::Limit: return ExitLimit;
  case ErrorKind::Internal: return ExitInternal;
  }
  return ExitInternal;
}

int fail(const Error &error) {
  llvm::errs() << error.str() << "\n";
  return exitCodeOf(error.kind());
}

int fail(const llvm::Twine &text, ExitCode code) {
  llvm::errs() << "error: " << text << "\n";
  return code;
}

Result<Machine> chosenMachine() {
  if (target != defaultTarget().name())
    return userError("--target: expected " + defaultTarget().name().str() + ", got '" + target + "'");
  return Machine::find(machineName.empty() ? "h100" : machineName.getValue());
}

Progress &progress() {
  static Progress line("heddle");
  return line;
}

/// Where solved problems are kept; empty: nowhere.
static std::string cacheDirectory() {
  if (noCache)
    return "";
  if (const char *given = std::getenv("HEDDLE_CACHE"))
    return given;
  if (const char *base = std::getenv("XDG_CACHE_HOME"); base && base[0] == '/')
    return std::string(base) + "/heddle";
  const char *home = std::getenv("HOME");
  return home && home[0] == '/' ? std::string(home) + "/.cache/heddle" : "";
}

std::string planDirectory() {
  std::string cache = cacheDirectory();
  return cache.empty() ? "" : cache + "/plans";
}

/// What the file of --plan says, and what --param does.
static std::string planText;
static ParameterValues parameterValues;
static std::map<std::string, std::pair<std::string, std::string>> kernelPlans; ///< of a chain: file and text by kernel
static std::string tunedPlanFile; ///< of a plan that heddle tune keeps, whose text is in planText

void useTunedPlan(tile::KernelOp kernel, const Machine &machine, const std::map<std::string, int64_t> &sizes) {
  bool decided = !planFile.empty() || !parameters.empty() || groups || depth || jointProblem ||
                 persistent.getNumOccurrences() || tileSource.getNumOccurrences() || !cluster.empty() ||
                 !scheduleFiles.empty();
  PlanCache cache(planDirectory());
  PlanKey key = planKeyOf(kernel, machine, sizes);
  std::string text = decided ? "" : cache.find(key);
  if (text.empty())
    return;
  planText = text;
  tunedPlanFile = cache.pathOf(key);
  llvm::errs() << "with the tuned plan " << tunedPlanFile << "\n";
}

/// Does --plan name files of kernels of a chain, not one file?
static bool plansAreOfKernels() { return StringRef(planFile).contains('=') && !llvm::sys::fs::exists(planFile); }

/// Reads the plans of the kernels of `chain`.
static Status readKernelPlans(tile::ChainOp chain) {
  SmallVector<tile::KernelOp> kernels = tile::kernelsOf(chain);
  SmallVector<StringRef> parts;
  StringRef(planFile).split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [kernel, file] = part.split('=');
    if (file.empty() || llvm::none_of(kernels, [&](tile::KernelOp own) { return own.getSymName() == kernel; }))
      return userError("--plan: expected KERNEL=FILE with a kernel of tile.chain '" + chain.getSymName().str() +
                       "', got '" + part.str() + "'");
    Result<std::string> text = readFile(file.str());
    if (!text)
      return text.error();
    kernelPlans[kernel.str()] = {file.str(), *text};
  }
  return Status::success();
}

CompileOptions chosenOptions(StringRef kernel) {
  CompileOptions options;
  options.progress = options.solve.step = [](const std::string &what) { progress().now(what); };
  options.parameters = parameterValues;
  options.groups = groups;
  options.extract.resolution = resolution;
  options.seed = seed;
  options.scheduler = findScheduler(schedulerName.getValue()).value_or(SchedulerKind::Exact); // parseInput checks it
  options.grouping = jointProblem ? Grouping::Free : fixedGroups ? Grouping::Fixed : Grouping::SubtilesFirst;
  options.persistent = persistent;
  if (tileSource.getNumOccurrences())
    options.tileSource = tileSource;
  options.cluster.assign(cluster.begin(), cluster.end());
  options.tilesInFlight = static_cast<int64_t>(tilesInFlight.getValue());
  options.chains = !noChains;
  options.extract.free.extraGroups = extraGroups;
  options.extract.free.overhead = overhead;
  options.extract.free.transfers = !noTransfers;
  options.extract.free.registerFile = !noRegisterFile;
  static const Deadline deadline = Deadline::in(timeLimit); // one for the whole call
  options.solve.timeLimit = timeLimit;
  options.solve.deadline = deadline;
  options.solve.mode = mode == "paper" ? SolveMode::Paper : mode == "modulo" ? SolveMode::Modulo : SolveMode::Full;
  options.effort = effort;
  options.cache = cacheDirectory();
  options.overlap = mode != "sequential" && effort != Effort::Order;
  options.scheduleFiles.assign(scheduleFiles.begin(), scheduleFiles.end());
  options.planText = planText;
  options.planFile = tunedPlanFile.empty() ? planFile.getValue() : tunedPlanFile;
  if (plansAreOfKernels()) {
    auto own = kernelPlans.find(kernel.str());
    options.planFile = own == kernelPlans.end() ? "" : own->second.first;
    options.planText = own == kernelPlans.end() ? "" : own->second.second;
  }
  if (depth)
    options.warp.maxDepth = depth;
  return options;
}

Result<std::map<std::string, int64_t>> parseSizes(llvm::StringRef option, llvm::StringRef text) {
  std::map<std::string, int64_t> sizes;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    auto [name, value] = part.split('=');
    int64_t size;
    if (name.empty() || value.getAsInteger(10, size))
      return userError((option + ": expected NAME=SIZE, got '" + part + "'").str());
    sizes[name.trim().str()] = size;
  }
  return sizes;
}

/// Numbers on the command line that no program allows.
static Status checkNumbers() {
  struct Range {
    const char *option;
    int64_t value, least, most;
  };
  for (auto [option, value, least, most] :
       {Range{"--groups", groups, 0, tile::mostGroups}, Range{"--resolution", resolution, 0, 1 << 20},
        Range{"--extra-groups", extraGroups, 0, 64}, Range{"--overhead", overhead, -1, 1 << 16},
        Range{"--depth", depth, 0, mostSlots}, Range{"--split-k", splitK, 0, mostSplits}})
    if (value < least || value > most)
      return userError(llvm::formatv("{0}: expected {1} to {2}, got {3}", option, least, most, value).str());
  for (int64_t size : cluster)
    if (size < 1 || size > tile::mostClusterBlocks)
      return userError(llvm::formatv("--cluster: expected 1 to {0}, got {1}", tile::mostClusterBlocks, size).str());
  if (jointProblem && fixedGroups)
    return userError("--free-groups and --fixed-groups: expected one of them, got both");
  if (!jointProblem && (extraGroups || overhead >= 0 || noTransfers || noRegisterFile))
    return userError(
        "--extra-groups, --overhead, --no-transfers and --no-register-file: expected --free-groups with them");
  if (!(timeLimit > 0 && timeLimit <= 1e9))
    return userError("--time-limit: expected more than 0 and at most 1e9 seconds, got " +
                     llvm::formatv("{0}", double(timeLimit)).str());
  return Status::success();
}

/// Brackets nest no deeper than this: every level of MLIR and of the compiler recurses into them.
constexpr int maxNesting = 100;

/// Where brackets outside of strings and comments nest too deep; null: nowhere.
static const char *tooDeep(llvm::StringRef text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (llvm::StringRef("([{<").contains(text[i])) {
      if (++depth > maxNesting)
        return text.data() + i;
    } else if (llvm::StringRef(")]}").contains(text[i]) || (text[i] == '>' && (i == 0 || text[i - 1] != '-'))) {
      depth -= depth > 0;
    }
  }
  return nullptr;
}

std::unique_ptr<Input> parseText(int &code, const std::string &file) {
  auto input = std::make_unique<Input>();
  if (Status numbers = checkNumbers(); !numbers) {
    code = fail(numbers.error());
    return nullptr;
  }
  if (mode != "full" && mode != "paper" && mode != "modulo" && mode != "sequential") {
    code = fail("--mode: expected full, paper, modulo or sequential, got '" + mode + "'");
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer) {
    code = fail("cannot read '" + file + "': " + buffer.getError().message());
    return nullptr;
  }
  if (!findScheduler(schedulerName.getValue())) {
    code = fail("--scheduler: expected exact, heuristic or random, got '" + schedulerName + "'");
    return nullptr;
  }
  Result<ParameterValues> chosen = parseSizes("--param", parameters);
  if (!chosen) {
    code = fail(chosen.error());
    return nullptr;
  }
  parameterValues = *chosen;
  if (!planFile.empty() && !plansAreOfKernels()) {
    Result<std::string> plan = readFile(planFile);
    if (!plan) {
      code = fail(plan.error());
      return nullptr;
    }
    planText = *plan;
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  input->sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  if (const char *at = tooDeep(text)) {
    input->sources.PrintMessage(llvm::errs(), llvm::SMLoc::getFromPointer(at), llvm::SourceMgr::DK_Error,
                                "expected brackets nested at most " + llvm::Twine(maxNesting) + " deep, got more");
    code = ExitUser;
    return nullptr;
  }
  DialectRegistry registry;
  registerHeddleDialects(registry);
  triton::registerTritonDialects(registry);
  registry.insert<task::TaskDialect>();
  input->context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  input->context->printOpOnDiagnostic(false);
  Input *in = input.get();
  input->printer = std::make_unique<SourceMgrDiagnosticHandler>(input->sources, input->context.get(), llvm::errs());
  input->context->getDiagEngine().registerHandler([in](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Error)
      in->worst = std::max(in->worst, exitCodeOf(errorKindOf(diag)));
    return failure(); // the printing handler goes on
  });
  input->module = tile::parseWithNames(input->sources, input->context.get());
  if (!input->module) {
    code = ExitUser;
    return nullptr;
  }
  return input;
}

std::unique_ptr<Input> parseInput(int &code, const std::string &file) {
  std::unique_ptr<Input> input = parseText(code, file);
  return input && convertTriton(*input, code) && convertTaskProgram(*input, code) ? std::move(input) : nullptr;
}

/// Picks the chain of the file, or that of `--kernel`. False: there is none, or an exit code was set in `code`.
static bool pickChain(Input &input, int &code) {
  SmallVector<tile::ChainOp> chains;
  for (auto chain : input.module->getOps<tile::ChainOp>())
    if (kernelName.empty() || chain.getSymName() == kernelName)
      chains.push_back(chain);
  if (chains.size() > 1)
    code = fail("expected one tile.chain in '" + inputFile + "' (or --kernel), got " + llvm::Twine(chains.size()));
  if (chains.size() != 1) {
    if (plansAreOfKernels() && !code)
      code = fail("--plan: expected a tile.chain with KERNEL=FILE, got none in '" + inputFile + "'");
    return false;
  }
  const cl::Option *ofOneKernel[] = {std::addressof(scheduleFiles), &parameters};
  for (const cl::Option *option : ofOneKernel)
    if (option->getNumOccurrences()) {
      code = fail("--" + option->ArgStr + ": expected one kernel with it (--kernel=NAME), got tile.chain '" +
                  chains[0].getSymName() + "'");
      return false;
    }
  if (!planFile.empty() && !plansAreOfKernels())
    code = fail("--plan: expected KERNEL=FILE with a kernel of tile.chain '" + chains[0].getSymName() + "', got '" +
                planFile + "'");
  else if (Status status = readKernelPlans(chains[0]); !status)
    code = fail(status.error());
  input.chain = chains[0];
  return !code;
}

bool pickKernel(Input &input, int &code) {
  if (lacksMapping(input, code))
    return false;
  if (pickChain(input, code) || code)
    return !code;
  SmallVector<tile::KernelOp> kernels(input.module->getOps<tile::KernelOp>());
  for (tile::KernelOp kernel : kernels)
    if (kernelName.empty() ? kernels.size() == 1 : kernel.getSymName() == kernelName)
      input.kernel = kernel;
  if (!input.kernel)
    code = fail(kernelName.empty() ? "expected one tile.kernel in '" + inputFile + "' (or --kernel), got " +
                                         std::to_string(kernels.size())
                                   : "no tile.kernel '" + kernelName + "' in '" + inputFile + "'");
  return static_cast<bool>(input.kernel);
}

/// Divides the contraction of the kernel of `input` over programs, where --split-k or the plan says so: a chain takes
/// its place. False: an exit code was set in `code`.
static bool splitKernel(Input &input, int &code) {
  if (!input.kernel)
    return true;
  CompileOptions options = chosenOptions();
  FailureOr<Plan> plan = Plan::read(input.kernel, options.planText, options.planFile);
  if (failed(plan))
    return code = diagnosed(input), false;
  int64_t splits = splitK;
  if (const PlanValue *planned = plan->ofKernel("split_k")) {
    int64_t own = planNumbers(planned->value).front();
    if (splits && splits != own) {
      emitError(planned->loc) << "plan: expected split_k = " << splits << " as asked for, got " << own;
      return code = diagnosed(input), false;
    }
    splits = own;
  }
  if (splits < 2)
    return true;
  ParameterValues values = parameterValues;
  if (const PlanValue *planned = plan->ofKernel("parameters"))
    for (NamedAttribute value : cast<DictionaryAttr>(planned->value))
      values.try_emplace(value.getName().str(), cast<IntegerAttr>(value.getValue()).getInt());
  auto whole = ModuleOp::create(input.kernel.getLoc());
  OwningOpRef<ModuleOp> sized(whole);
  auto kernel = cast<tile::KernelOp>(input.kernel->clone());
  whole.push_back(kernel);
  input.split = ModuleOp::create(input.kernel.getLoc());
  if (failed(setParameters(kernel, values)))
    return code = diagnosed(input), false;
  FailureOr<tile::ChainOp> chain = splitContraction(kernel, splits, splitSums, *input.split);
  if (failed(chain))
    return code = diagnosed(input), false;
  // The first kernel has the program's parameters, with no choice left, so that its plan names them.
  tile::KernelOp parts = tile::kernelsOf(*chain).front();
  OpBuilder b = OpBuilder::atBlockBegin(&parts.getBody().front());
  for (auto &[name, own] : parametersOf(input.kernel)) {
    int64_t value = values.count(name) ? values.at(name) : own;
    tile::ParamOp::create(b, parts.getLoc(), b.getStringAttr(name), b.getI64IntegerAttr(value),
                          b.getDenseI64ArrayAttr(value));
  }
  input.whole = std::exchange(input.kernel, {});
  input.chain = *chain;
  return true;
}

std::unique_ptr<Input> loadProgram(int &code) {
  std::unique_ptr<Input> input = parseInput(code);
  return input && pickKernel(*input, code) && splitKernel(*input, code) ? std::move(input) : nullptr;
}

/// "warp.kernel 'k'".
static std::string describe(FunctionOpInterface kernel) {
  return kernel->getName().getStringRef().str() + " '" + kernel.getName().str() + "'";
}

/// What decides on the way from a tile program to a warp program has no meaning for the latter.
static Status checkLowerOptions(FunctionOpInterface kernel) {
  const cl::Option *files = std::addressof(scheduleFiles); // & gives a list's vector
  const cl::Option *programs = std::addressof(cluster);
  const cl::Option *decisions[] = {files,         programs,        &groups,      &schedulerName,  &seed,
                                   &resolution,   &timeLimit,      &effort,      &noCache,        &mode,
                                   &jointProblem, &noChains,       &fixedGroups, &persistent,     &tilesInFlight,
                                   &extraGroups,  &overhead,       &noTransfers, &noRegisterFile, &planFile,
                                   &depth,        &certificateDir, &parameters,  &tileSource,     &splitK};
  for (const cl::Option *option : decisions)
    if (option->getNumOccurrences())
      return userError((option == &effort ? "-O" : "--" + option->ArgStr.str()) +
                       ": expected a tile program with it, got " + describe(kernel));
  return Status::success();
}

/// Picks the entry of a task program (`--kernel` when there are several).
static bool pickTask(Input &input, int &code) {
  SmallVector<task::TaskOp> entries = task::entriesOf(*input.module);
  for (task::TaskOp entry : entries)
    if (kernelName.empty() ? entries.size() == 1 : entry.getSymName() == kernelName)
      input.task = entry;
  if (!input.task)
    code = fail("expected one task that no other one launches in '" + inputFile +
                "', or the name of one with --kernel, got " + llvm::Twine(entries.size()));
  return static_cast<bool>(input.task);
}

std::unique_ptr<Input> loadAnyProgram(int &code, bool tasks) {
  std::unique_ptr<Input> input = parseInput(code);
  if (!input)
    return nullptr;
  if (tasks && !input->module->getOps<task::TaskOp>().empty())
    return pickTask(*input, code) ? std::move(input) : nullptr;
  if (lacksMapping(*input, code))
    return nullptr;
  if (pickChain(*input, code) || code)
    return code ? nullptr : std::move(input);
  SmallVector<FunctionOpInterface> kernels;
  for (auto kernel : input->module->getOps<FunctionOpInterface>())
    if (isa<tile::KernelOp, warp::KernelOp, hw::KernelOp>(kernel) &&
        (kernelName.empty() || kernel.getName() == kernelName))
      kernels.push_back(kernel);
  if (kernels.size() != 1) {
    code = fail(kernelName.empty() ? "expected one tile.kernel, warp.kernel or hw.kernel in '" + inputFile +
                                         "' (or --kernel), got " + std::to_string(kernels.size())
                                   : "expected one kernel '" + kernelName + "' in '" + inputFile + "', got " +
                                         std::to_string(kernels.size()));
    return nullptr;
  }
  input->kernel = dyn_cast<tile::KernelOp>(kernels[0].getOperation());
  if (input->kernel)
    return splitKernel(*input, code) ? std::move(input) : nullptr;
  input->lower = kernels[0];
  if (Status status = checkLowerOptions(input->lower); !status) {
    code = fail(status.error());
    return nullptr;
  }
  return input;
}

LogicalResult compileInput(const Input &input, const Machine &machine, Level upTo, Compilation &out) {
  CompileOptions options = chosenOptions();
  options.file = inputFile;
  if (input.kernel)
    return compileKernel(input.kernel, machine, options, upTo, out);
  Operation *lower = input.lower;
  if (auto kernel = dyn_cast<warp::KernelOp>(lower))
    return compileKernel(kernel, machine, options, upTo, out);
  return compileKernel(cast<hw::KernelOp>(lower), machine, options, upTo, out);
}

SmallVector<tile::KernelOp> kernelsOf(const Input &input) {
  return input.chain ? tile::kernelsOf(input.chain) : SmallVector<tile::KernelOp>{input.kernel};
}

Status writeCertificates(ArrayRef<ScheduledLoop> loops, const ScheduledPrograms *programs, StringRef kernel) {
  if (certificateDir.empty())
    return Status::success();
  std::string dir = StringRef(certificateDir).rtrim('/').str();
  if (!kernel.empty()) {
    if (std::error_code error = llvm::sys::fs::create_directory(dir))
      return userError("cannot create the directory '" + dir + "': " + error.message());
    dir += "/" + kernel.str();
  }
  if (loops.size() > 1)
    if (std::error_code error = llvm::sys::fs::create_directory(dir))
      return userError("cannot create the directory '" + dir + "': " + error.message());
  auto save = [](CertificateFiles files, const Problem &problem, const std::string &into, const std::string &what) {
    if (files.empty())
      llvm::errs() << what << ": no certificate: the schedule is not known to be optimal\n";
    files["loop.sched"] = writeProblem(problem);
    return saveCertificate(files, into);
  };
  for (auto [index, loop] : llvm::enumerate(loops)) {
    std::string number = std::to_string(index), into = loops.size() > 1 ? dir + "/loop" + number : dir;
    if (Status status = save(loop.certificate, loop.extracted.problem, into, "loop " + number); !status)
      return status;
  }
  return programs ? save(programs->certificate, programs->problem, dir + "/programs", "the loop over programs")
                  : Status::success();
}

int diagnosed(const Input &input) {
  return input.worst == ExitOk ? fail(Error(ErrorKind::Internal, "failed without a diagnostic")) : input.worst;
}

} // namespace heddle
