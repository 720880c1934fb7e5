//===- Options.cpp - what the subcommands of `heddle` share ----------------===//
#include "Options.h"

#include "heddle/Pipelines/Tune.h"

#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Certify.h"
#include "heddle/Target/TargetInterface.h"
#include "llvm/ADT/StringExtras.h"
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
cl::opt<std::string> kernelName("kernel", cl::desc("kernel, or chain of kernels, to use when the file has several"),
                                COMMANDS);
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
// The commands come first: values without a name in front belong to those that are known when they are read, and those
// of no command are hidden.
static cl::opt<Effort>
    effort(COMMANDS, cl::desc("how much is tried for a schedule:"),
           cl::values(clEnumValN(Effort::Order, "O0", "the program's order, one iteration after the other"),
                      clEnumValN(Effort::Heuristic, "O1", "heuristics only"),
                      clEnumValN(Effort::Budget, "O2", "search and proof within a number of steps (default)"),
                      clEnumValN(Effort::Proof, "O3", "until the interval is proved least, or --time-limit")),
           cl::init(Effort::Budget));
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
static cl::opt<bool>
    specialize("warp-specialize",
               cl::desc("copies are issued by a warp of their own (default); =false: by the groups that compute"),
               cl::init(true), COMMANDS);
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
static cl::list<std::string>
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

ExitCode exitCodeOf(ErrorKind kind) {
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
                 persistent.getNumOccurrences() || tileSource.getNumOccurrences() || specialize.getNumOccurrences() ||
                 !cluster.empty() || !scheduleFiles.empty();
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
  if (specialize.getNumOccurrences())
    options.specialize = specialize;
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
    auto [known, isNew] = sizes.try_emplace(name.trim().str(), size);
    if (!isNew && known->second != size)
      return userError((option + ": expected one value of " + known->first + ", got " + llvm::Twine(known->second) +
                        " and " + llvm::Twine(size))
                           .str());
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

Status readOptions() {
  if (Status numbers = checkNumbers(); !numbers)
    return numbers;
  if (mode != "full" && mode != "paper" && mode != "modulo" && mode != "sequential")
    return userError("--mode: expected full, paper, modulo or sequential, got '" + mode + "'");
  if (!findScheduler(schedulerName.getValue()))
    return userError("--scheduler: expected exact, heuristic or random, got '" + schedulerName + "'");
  if (seed.getNumOccurrences() && schedulerName != "random")
    return userError("--schedule-seed: expected --scheduler=random with it, got " + schedulerName);
  Result<ParameterValues> chosen = parseSizes("--param", llvm::join(parameters, ","));
  if (!chosen)
    return chosen.error();
  parameterValues = *chosen;
  if (planFile.empty() || plansAreOfKernels())
    return Status::success();
  Result<std::string> plan = readFile(planFile);
  if (!plan)
    return plan.error();
  planText = *plan;
  return Status::success();
}

Status readChainOptions(tile::ChainOp chain) {
  if (!chain)
    return plansAreOfKernels()
               ? Status(userError("--plan: expected a tile.chain with KERNEL=FILE, got none in '" + inputFile + "'"))
               : Status::success();
  std::string name = "tile.chain '" + chain.getSymName().str() + "'";
  const cl::Option *ofOneKernel[] = {std::addressof(scheduleFiles), std::addressof(parameters), &splitK, &splitSums};
  for (const cl::Option *option : ofOneKernel)
    if (option->getNumOccurrences())
      return userError("--" + option->ArgStr.str() + ": expected one kernel with it (--kernel=NAME), got " + name);
  if (!planFile.empty() && !plansAreOfKernels())
    return userError("--plan: expected KERNEL=FILE with a kernel of " + name + ", got '" + planFile + "'");
  return readKernelPlans(chain);
}

SplitChoice chosenSplit() {
  return {splitK, splitSums.getNumOccurrences() ? std::optional<PartialSums>(splitSums) : std::nullopt};
}

/// "warp.kernel 'k'".
static std::string describe(FunctionOpInterface kernel) {
  return kernel->getName().getStringRef().str() + " '" + kernel.getName().str() + "'";
}

/// What decides on the way from a tile program to a warp program, but for `used`, has no meaning for `what`.
static Status checkDecisions(const std::string &what, ArrayRef<const cl::Option *> used = {}) {
  const cl::Option *files = std::addressof(scheduleFiles); // & gives a list's vector
  const cl::Option *programs = std::addressof(cluster);
  const cl::Option *decisions[] = {files,           programs,      &groups,
                                   &schedulerName,  &seed,         &resolution,
                                   &timeLimit,      &effort,       &noCache,
                                   &mode,           &jointProblem, &noChains,
                                   &fixedGroups,    &persistent,   &tilesInFlight,
                                   &extraGroups,    &overhead,     &noTransfers,
                                   &noRegisterFile, &planFile,     &depth,
                                   &certificateDir, &tileSource,   &splitK,
                                   &splitSums,      &specialize,   std::addressof(parameters)};
  for (const cl::Option *option : decisions)
    if (option->getNumOccurrences() && !llvm::is_contained(used, option))
      return userError((option == &effort ? "-O" : "--" + option->ArgStr.str()) +
                       ": expected a tile program with it, got " + what);
  return Status::success();
}

Status checkLowerOptions(FunctionOpInterface kernel) { return checkDecisions(describe(kernel)); }

Status checkTaskOptions() { return checkDecisions("the tasks of '" + inputFile + "'"); }

Status checkProblemOptions() {
  std::string what = "the problem '" + inputFile + "'";
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{&kernelName, &target, &machineName})
    if (option->getNumOccurrences())
      return userError("--" + option->ArgStr.str() + ": expected a program with it, got " + what);
  if (Status decisions = checkDecisions(what, {&timeLimit, &mode, &certificateDir}); !decisions)
    return decisions;
  if (mode == "sequential")
    return userError("--mode: expected full, paper or modulo for " + what + ", got 'sequential'");
  return readOptions();
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

} // namespace heddle
