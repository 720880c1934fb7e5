//===- Tune.cpp - heddle tune ----------------------------------------------===//
//
// What:  ranks candidates for a program and sizes by the model (Pipelines/Tune.h); where there are a GPU and nvcc,
//        times the first of them there and orders these by what was measured; keeps the best plan in the plan cache,
//        which `heddle compile --dims` and `heddle run` use. Says which of both a time is.
//
//===----------------------------------------------------------------------===//
#include "Gpu.h"
#include "Inputs.h"
#include "Options.h"

#include "heddle/Analysis/KernelWork.h"
#include "heddle/Analysis/Plan.h"
#include "heddle/Pipelines/Tune.h"
#include "heddle/Support/Files.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <limits>
#include <set>

using namespace mlir;
namespace cl = llvm::cl;

namespace heddle {

static cl::opt<std::string> program(cl::Positional, cl::desc("<program.mlir>"), cl::sub(tuneCommand));
static cl::opt<bool> listPlans("list", cl::desc("print the plans that are kept, and do nothing else"),
                               cl::sub(tuneCommand));
static cl::opt<std::string> tuneDevice("device",
                                       cl::desc("auto (time on a GPU where there is one), gpu, or none (rank only)"),
                                       cl::init("auto"), cl::sub(tuneCommand));
static cl::opt<std::string> tuneDriver("cuda-driver", cl::desc("CUDA driver library"), cl::init("libcuda.so.1"),
                                       cl::sub(tuneCommand));
static cl::opt<unsigned> timed("timed", cl::desc("candidates that are timed on the GPU"), cl::init(16),
                               cl::sub(tuneCommand));
static cl::opt<unsigned> timedRuns("repeat", cl::desc("timed runs of each on the GPU"), cl::init(20),
                                   cl::sub(tuneCommand));
static cl::opt<unsigned> shown("show", cl::desc("candidates that are printed (0: all that have a kernel)"),
                               cl::init(10), cl::sub(tuneCommand));
static cl::opt<std::string> candidatesFile("candidates",
                                           cl::desc("write every candidate with a kernel to this file, as JSON: its "
                                                    "plan, the predicted time and what that was computed from"),
                                           cl::value_desc("file"), cl::sub(tuneCommand));
static cl::opt<std::string>
    plansFile("plans",
              cl::desc("rank these candidates instead of a search: a file with what a plan says "
                       "of the kernel, {groups = 2, ...}, on each line"),
              cl::value_desc("file"), cl::sub(tuneCommand));

static cl::opt<std::string>
    measuredFile("measured",
                 cl::desc("rank the candidates that were timed on another machine instead of a search, by their times: "
                          "a file of bench/gpu/time_candidates.py with these sizes"),
                 cl::value_desc("file"), cl::sub(tuneCommand));

static int listMain() {
  for (auto &[key, remark] : PlanCache(planDirectory()).list())
    llvm::outs() << key << "\n  " << remark << "\n";
  return ExitOk;
}

namespace {
/// A candidate and what was measured of it.
struct Timed {
  size_t candidate;
  double milliseconds;
};
} // namespace

/// The times of candidates in a file of bench/gpu/time_candidates.py, and the device they were measured on.
struct MeasuredElsewhere {
  std::map<std::string, double> milliseconds; ///< by kernel entry of the plan
  std::string device;
};

static Result<MeasuredElsewhere> readMeasured(const std::string &file, const Sizes &sizes) {
  Result<std::string> text = readFile(file);
  if (!text)
    return text.error();
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(*text);
  if (!parsed)
    return userError("--measured: expected JSON in '" + file + "', got: " + llvm::toString(parsed.takeError()));
  const llvm::json::Object *root = parsed->getAsObject();
  const llvm::json::Array *results = root ? root->getArray("results") : nullptr;
  const llvm::json::Object *environment = root ? root->getObject("environment") : nullptr;
  std::optional<StringRef> device = environment ? environment->getString("device") : std::nullopt;
  if (!results || !device)
    return userError("--measured: expected 'results' and 'environment.device' in '" + file + "'");
  MeasuredElsewhere found{{}, device->str()};
  for (const llvm::json::Value &value : *results) {
    const llvm::json::Object *result = value.getAsObject();
    const llvm::json::Object *dims = result ? result->getObject("dims") : nullptr;
    const llvm::json::Object *times = result ? result->getObject("burst_ms") : nullptr;
    bool same = dims && times && llvm::all_of(*dims, [&](const auto &dim) {
                  auto own = sizes.find(dim.first.str());
                  return own != sizes.end() && dim.second.getAsInteger() == own->second;
                });
    if (same)
      for (const auto &[plan, time] : *times)
        if (std::optional<double> milliseconds = time.getAsNumber(); milliseconds && plan.str().front() == '{')
          found.milliseconds[plan.str()] = *milliseconds;
  }
  if (found.milliseconds.empty())
    return userError("--measured: expected times with " + sizesClass(sizes) + " in '" + file + "', got none");
  return found;
}

/// Times a candidate on the GPU and adds its code to `codes`; nothing where it does not get as far as a cubin, or its
/// code is among them.
static Result<std::optional<double>> timeCandidate(Input &input, const TunedCandidate &candidate,
                                                   runtime::Driver &driver, const std::string &nvcc,
                                                   const Machine &machine, const sim::Bindings &bound,
                                                   std::set<std::string> &codes) {
  CompileOptions options = chosenOptions();
  options.progress = nullptr;
  options.planText = "{kernel = " + candidate.plan + "}";
  options.planFile = "candidate";
  Compilation made;
  {
    ScopedDiagnosticHandler quiet(input.context.get(), [](Diagnostic &) { return success(); });
    if (failed(compileKernel(input.kernel, machine, options, Level::Cuda, made)))
      return std::optional<double>();
  }
  // The text's last line holds a hash of its code.
  if (!codes.insert(StringRef(made.cuda).rtrim().rsplit('\n').second.str()).second)
    return std::optional<double>();
  sim::Bindings run = bound;
  Result<GpuRun> ran = runOnGpu(driver, nvcc, made.cuda, made.manifest, run, static_cast<int>(timedRuns));
  if (!ran)
    return ran.error();
  return std::optional<double>(ran->milliseconds[ran->milliseconds.size() / 2]);
}

/// Times candidates on the GPU, best first: half of them the first ones of their shapes, so that orders of one shape
/// that the model likes too well do not crowd out the others (docs/Tuning.md), then orders of the shape that took the
/// least time, then what comes first; at last as many other schedules, half of them of the best, the others of the best
/// of the next two shapes, which join `result`.
static Result<std::vector<Timed>> timeOnGpu(Input &input, const TuneOptions &options, TuneResult &result,
                                            runtime::Driver &driver, const std::string &nvcc, const Machine &machine,
                                            const sim::Bindings &bound) {
  llvm::ArrayRef<TunedCandidate> usable = result.candidates;
  usable = usable.take_while([](const TunedCandidate &c) { return c.lowered && c.refused.empty(); });
  std::vector<Candidate> shapes;
  for (const TunedCandidate &candidate : usable)
    shapes.push_back(shapeOf(candidate.values, result.axes));
  std::vector<Timed> times;
  std::vector<bool> tried(usable.size());
  std::set<std::string> codes;
  auto byTime = [](const Timed &a, const Timed &b) { return a.milliseconds < b.milliseconds; };
  auto timeThose = [&](size_t most, llvm::function_ref<bool(size_t)> wanted) -> Status {
    for (size_t i = 0; i < usable.size() && times.size() < most; ++i) {
      if (tried[i] || !wanted(i))
        continue;
      tried[i] = true;
      progress().now("timing candidate " + std::to_string(times.size() + 1) + " of " + std::to_string(timed));
      Result<std::optional<double>> ran = timeCandidate(input, usable[i], driver, nvcc, machine, bound, codes);
      if (!ran)
        return ran.error();
      if (*ran)
        times.push_back({i, **ran});
    }
    llvm::stable_sort(times, byTime);
    return Status();
  };
  auto isFirst = [&](size_t i) { return llvm::find(shapes, shapes[i]) - shapes.begin() == static_cast<ptrdiff_t>(i); };
  if (Status status = timeThose((timed + 1) / 2, isFirst); !status)
    return status.error();
  Candidate best = times.empty() ? Candidate() : shapes[times.front().candidate];
  if (Status status = timeThose(timed, [&](size_t i) { return shapes[i] == best; }); !status)
    return status.error();
  if (Status status = timeThose(timed, [](size_t) { return true; }); !status)
    return status.error();
  if (times.empty())
    return times;
  std::vector<size_t> leaders;
  for (const Timed &one : times)
    if (leaders.size() < 3 && llvm::none_of(leaders, [&](size_t i) { return shapes[i] == shapes[one.candidate]; }))
      leaders.push_back(one.candidate);
  size_t left = timed;
  for (auto [place, leader] : llvm::enumerate(leaders)) {
    size_t share = place + 1 == leaders.size() ? left : (left + 1) / 2;
    std::vector<TunedCandidate> schedules = otherSchedules(input.kernel, machine, options, result.candidates[leader]);
    for (size_t i = 0; i < schedules.size() && share; ++i) {
      progress().now("timing other schedules of the best");
      Result<std::optional<double>> time = timeCandidate(input, schedules[i], driver, nvcc, machine, bound, codes);
      if (!time)
        return time.error();
      if (!*time)
        continue;
      --share, --left;
      times.push_back({result.candidates.size(), **time});
      result.candidates.push_back(std::move(schedules[i]));
    }
  }
  llvm::stable_sort(times, byTime);
  progress().now("");
  return times;
}

static void printCandidate(size_t rank, const TunedCandidate &candidate, std::optional<double> measured) {
  const Prediction &p = candidate.prediction;
  double flops = candidate.work.flops * candidate.work.programs;
  double milliseconds = measured.value_or(p.milliseconds);
  llvm::outs() << llvm::format("%4zu  ", rank)
               << (measured ? llvm::formatv("{0,9:f4}", *measured).str() : std::string("        -"))
               << llvm::formatv("  {0,9:f4}  {1,6:f0}  {2,6:f2}  {3,6:f2}  {4,6:f2}  {5,6:f3}  {6,-15}  {7}\n",
                                p.milliseconds, flops / milliseconds * 1e-9, 1e3 * p.issuePerFlop, 1e3 * p.smemPerFlop,
                                1e3 * p.l2PerFlop, 1e3 * p.memoryPerFlop, timePartName(p.part), candidate.plan);
}

/// The candidates with a kernel, and the model's numbers, as JSON.
static std::string describe(const TuneResult &result) {
  llvm::json::Array all;
  for (const TunedCandidate &candidate : result.candidates) {
    if (!candidate.refused.empty())
      continue;
    const KernelWork &work = candidate.work;
    llvm::json::Array loops;
    for (const LoopWork &loop : work.loops)
      loops.push_back(llvm::json::Object{{"trips", loop.trips},
                                         {"interval", loop.interval},
                                         {"load_bytes", loop.loadBytes},
                                         {"load_lines", loop.loadLines},
                                         {"smem_bytes", loop.smemBytes},
                                         {"load_latency", loop.loadLatency},
                                         {"drain", loop.drain},
                                         {"depth", loop.depth}});
    all.push_back(llvm::json::Object{{"plan", candidate.plan},
                                     {"scheduled", candidate.lowered},
                                     {"predicted_ms", candidate.prediction.milliseconds},
                                     {"power", candidate.prediction.power},
                                     {"bound_by", timePartName(candidate.prediction.part)},
                                     {"programs", work.programs},
                                     {"persistent", work.persistent},
                                     {"in_flight", work.inFlight},
                                     {"loops", std::move(loops)},
                                     {"straight_cycles", work.straight},
                                     {"busiest_cycles", work.busiest},
                                     {"flops", work.flops},
                                     {"issue_cycles", work.issue},
                                     {"smem_bytes", work.smemBytes},
                                     {"l2_bytes", work.l2Bytes},
                                     {"memory_bytes", work.memoryBytes}});
  }
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(all))).str();
}

static void print(const TuneResult &result, llvm::ArrayRef<Timed> times) {
  llvm::outs() << "rank    measured  predicted  TFLOPS   issue    smem      L2  memory  bound by         plan of the "
                  "kernel\n                ms         ms           per 1000 operations: cycles, bytes\n";
  llvm::DenseMap<size_t, double> measured;
  size_t rank = 0;
  for (const Timed &time : times) {
    measured[time.candidate] = time.milliseconds;
    printCandidate(++rank, result.candidates[time.candidate], time.milliseconds);
  }
  for (auto [i, candidate] : llvm::enumerate(result.candidates)) {
    if ((shown && rank >= shown) || !candidate.lowered || !candidate.refused.empty())
      break;
    if (!measured.count(i))
      printCandidate(++rank, candidate, std::nullopt);
  }
  size_t lowered = 0, refused = 0;
  for (const TunedCandidate &candidate : result.candidates) {
    lowered += candidate.lowered;
    refused += !candidate.refused.empty();
  }
  llvm::outs() << result.candidates.size() << " candidates: " << lowered << " scheduled, "
               << result.candidates.size() - lowered - refused << " behind them by their bounds, " << refused
               << " without a kernel\n";
}

/// The lines of `text` that are not empty, each what a plan says of `kernel`; what is wrong with one is said at its
/// place in `file`.
static LogicalResult readPlans(tile::KernelOp kernel, StringRef file, StringRef text, std::vector<std::string> &plans) {
  constexpr StringLiteral before = "{kernel = ";
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [i, line] : llvm::enumerate(lines)) {
    if (line.trim().empty())
      continue;
    std::optional<std::pair<Location, std::string>> wrong;
    {
      ScopedDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &diag) {
        auto place = diag.getLocation()->findInstanceOf<FileLineColLoc>();
        unsigned column = place && place.getColumn() > before.size() ? place.getColumn() - before.size() : 1;
        if (!wrong)
          wrong.emplace(FileLineColLoc::get(kernel.getContext(), file, i + 1, column), diag.str());
        return success();
      });
      if (succeeded(Plan::read(kernel, (before + line + "}").str(), file)))
        plans.push_back(line.str());
    }
    if (wrong)
      return emitError(wrong->first) << wrong->second;
  }
  if (plans.empty())
    return emitError(FileLineColLoc::get(kernel.getContext(), file, 1, 1)) << "expected a plan on each line, got none";
  return success();
}

int tuneMain() {
  if (tuneDevice != "auto" && tuneDevice != "gpu" && tuneDevice != "none")
    return fail("--device: expected auto, gpu or none, got '" + tuneDevice + "'");
  if (timed < 1 || timedRuns < 1)
    return fail("--timed and --repeat: expected at least 1, got 0");
  if (listPlans)
    return listMain();
  if (program.empty())
    return fail("expected a program (or --list)");
  inputFile.setValue(program);
  Result<Machine> machine = chosenMachine();
  if (!machine)
    return fail(machine.error());
  int code = ExitOk;
  std::unique_ptr<Input> input = loadProgram(code);
  if (!input)
    return code;
  if (input->chain)
    return fail("heddle tune: expected one kernel (--kernel=NAME), got tile.chain '" + input->chain.getSymName() + "'");
  Result<Sizes> given = parseSizes("--dims", dims);
  if (!given)
    return fail(given.error());
  FailureOr<Sizes> sizes = sizesOf(input->kernel, *given);
  if (failed(sizes))
    return diagnosed(*input);
  for (auto &[name, size] : *sizes)
    if (size < 0 || size > std::numeric_limits<int32_t>::max())
      return fail(userError("--dims: expected '" + name + "' to be from 0 to 2147483647, got " + std::to_string(size)));
  if (!measuredFile.empty() && (!plansFile.empty() || tuneDevice == "gpu"))
    return fail("--measured: expected neither --plans nor --device=gpu with it");
  Result<runtime::Driver *> driver = !measuredFile.empty()  ? Result<runtime::Driver *>(userError("--measured"))
                                     : tuneDevice == "none" ? Result<runtime::Driver *>(userError("--device=none"))
                                                            : openGpu(tuneDriver);
  Result<std::string> nvcc = driver ? findNvcc("timing on the GPU") : Result<std::string>(driver.error());
  if (tuneDevice == "gpu" && !nvcc)
    return fail(nvcc.error());

  TuneOptions options;
  options.sizes = *sizes;
  options.compile = chosenOptions();
  options.progress = options.compile.progress;
  if (!plansFile.empty()) {
    Result<std::string> text = readFile(plansFile);
    if (!text)
      return fail(text.error());
    if (failed(readPlans(input->kernel, plansFile, *text, options.plans)))
      return diagnosed(*input);
  }
  MeasuredElsewhere elsewhere;
  if (!measuredFile.empty()) {
    Result<MeasuredElsewhere> read = readMeasured(measuredFile, *sizes);
    if (!read)
      return fail(read.error());
    elsewhere = std::move(*read);
    for (auto &[plan, milliseconds] : elsewhere.milliseconds)
      options.plans.push_back(plan);
  }
  TuneResult result;
  if (failed(tuneKernel(input->kernel, *machine, options, result)))
    return diagnosed(*input);
  if (result.candidates.empty() || !result.candidates.front().lowered)
    return fail("no candidate has a kernel; of the first: " +
                    (result.candidates.empty() ? std::string("nothing was tried") : result.candidates.front().refused),
                ExitInfeasible);
  if (!candidatesFile.empty()) {
    if (Status status = writeFile(candidatesFile, describe(result)); !status)
      return fail(status.error());
  }
  std::vector<Timed> times;
  if (nvcc) {
    Result<sim::Bindings> bound = bindInputs(cast<FunctionOpInterface>(input->kernel.getOperation()));
    if (!bound)
      return fail(bound.error());
    Result<std::vector<Timed>> ran = timeOnGpu(*input, options, result, **driver, *nvcc, *machine, *bound);
    if (!ran)
      return fail(ran.error());
    times = std::move(*ran);
  }
  if (!measuredFile.empty()) {
    for (auto [i, candidate] : llvm::enumerate(result.candidates))
      if (candidate.refused.empty())
        times.push_back({i, elsewhere.milliseconds.at(candidate.plan)});
    llvm::stable_sort(times, [](const Timed &a, const Timed &b) { return a.milliseconds < b.milliseconds; });
  }
  std::string device = !measuredFile.empty() ? elsewhere.device : nvcc ? (*driver)->deviceName() : "";
  llvm::outs() << "sizes " << sizesClass(*sizes) << ", machine " << machine->name() << ": "
               << (nvcc || !times.empty()
                       ? std::to_string(times.size()) + " timed on " + device
                       : "ranked by the model, nothing was measured (" + nvcc.error().message() + ")")
               << "\n";
  print(result, times);

  const TunedCandidate &best = result.candidates[times.empty() ? 0 : times.front().candidate];
  PlanKey key = planKeyOf(input->kernel, *machine, *sizes);
  PlanCache cache(planDirectory());
  std::string remark = times.empty()
                           ? llvm::formatv("predicted {0:f4} ms, not measured", best.prediction.milliseconds).str()
                           : llvm::formatv("measured {0:f4} ms on {1}, predicted {2:f4} ms", times.front().milliseconds,
                                           device, best.prediction.milliseconds)
                                 .str();
  llvm::outs() << "best: " << best.plan << "\n";
  if (!plansFile.empty()) // of a few candidates, not of the program
    return ExitOk;
  if (Status status = cache.store(key, "{kernel = " + best.plan + "}\n", remark); !status)
    return fail(status.error());
  if (!planDirectory().empty())
    llvm::outs() << "kept in " << cache.pathOf(key) << "\n";
  return ExitOk;
}

} // namespace heddle
