//===- WarpRoadTests.cpp - Examples through schedules to simulated warps ----===//
//
// Every example, and every program of test/Programs, compiled to a warp program must pass the protocol verifier, run
// without a fault in the asynchronous interpreter and give the sequential program's numbers; with the optimal schedule
// and with random legal ones. HEDDLE_RANDOM_SCHEDULES=N sets how many random schedules each example gets (default 45,
// 315 in all); HEDDLE_SHOW=1 prints a line each.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Pipelines/Compiler.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Simulator/Functional/Meaning.h"
#include "heddle/Simulator/Timing/WarpMutants.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"
#include "heddle/Transforms/SimplifyWaits.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

using namespace heddle;
using namespace heddle::sim;

namespace {
class WarpRoad : public testing::Test {
protected:
  WarpRoad() : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registerHeddleDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    Result<Machine> loaded = Machine::load(std::string(HEDDLE_SOURCE_DIR) + "/machines/h100.json");
    if (loaded)
      machine = *loaded;
  }

  /// The program `name`: an example, or a path below the source directory.
  tile::KernelOp load(const std::string &name) {
    std::string path = name.find('/') == std::string::npos ? "/examples/" + name + ".mlir" : "/" + name;
    module = mlir::parseSourceFile<mlir::ModuleOp>(std::string(HEDDLE_SOURCE_DIR) + path, &context);
    return module ? *module->getOps<tile::KernelOp>().begin() : tile::KernelOp();
  }
  /// Sizes that leave tails, for the dimensions of `kernel` that have these names.
  static std::map<std::string, int64_t> smallDims(tile::KernelOp kernel) {
    std::map<std::string, int64_t> known{{"M", 136}, {"N", 264}, {"K", 328}, {"Z", 2},
                                         {"B", 1},   {"H", 1},   {"S", 300}, {"T", 300}},
        dims;
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      if (auto names = kernel.getArgAttrOfType<mlir::ArrayAttr>(i, "tile.dims"))
        for (auto [name, size] : llvm::zip(names.getAsValueRange<mlir::StringAttr>(),
                                           mlir::cast<tile::ViewType>(kernel.getArgument(i).getType()).getShape()))
          if (mlir::ShapedType::isDynamic(size) && known.count(name.str()))
            dims[name.str()] = known[name.str()];
    if (dims.count("S") && dims.count("T"))
      dims["S"] = 200;
    return dims;
  }

  /// The sizes that the program states itself.
  static std::map<std::string, int64_t> defaultDims(tile::KernelOp kernel) {
    std::map<std::string, int64_t> dims;
    if (auto sizes = kernel->getAttrOfType<mlir::DictionaryAttr>("tile.default_dims"))
      for (mlir::NamedAttribute size : sizes)
        dims[size.getName().str()] = mlir::cast<mlir::IntegerAttr>(size.getValue()).getInt();
    return dims;
  }

  /// Compiles, simulates and compares; the message of what went wrong, or nothing.
  std::string check(const std::string &name, const CompileOptions &options, int64_t *cycles = nullptr,
                    Compilation *keep = nullptr) {
    tile::KernelOp kernel = load(name);
    if (!kernel)
      return "does not parse";
    return check(name, kernel, options, name.find('/') == std::string::npos ? smallDims(kernel) : defaultDims(kernel),
                 cycles, keep);
  }

  std::string check(const std::string &name, tile::KernelOp kernel, const CompileOptions &options,
                    const std::map<std::string, int64_t> &dims, int64_t *cycles, Compilation *keep) {
    Compilation own, &made = keep ? *keep : own;
    if (failed(compileKernel(kernel, machine, options, Level::Warp, made)))
      return "does not compile";
    warp::KernelOp program = *made.warp->getOps<warp::KernelOp>().begin();
    simplifyWaits(program);
    if (failed(verifyWarpProtocol(program)))
      return "breaks the protocol";
    BindingRequest request;
    request.dims = dims;
    Result<Bindings> got = bindKernel(program, request), want = bindKernel(kernel, request);
    if (!got || !want)
      return got ? want.error().str() : got.error().str();
    SimResult run = simulateWarpKernel(program, *got, machine);
    if (!run.ok())
      return run.faults[0].message;
    auto [meaning, isNew] = meanings.try_emplace(name);
    if (isNew) {
      mlir::FailureOr<Meaning> found = meaningOf(kernel, *want);
      if (failed(found))
        return "reference does not run";
      meaning->second = std::move(*found);
    }
    if (cycles)
      *cycles = run.maxCycles;
    return compareWith(meaning->second, *got).str();
  }

  mlir::MLIRContext context;
  Machine machine;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::map<std::string, Meaning> meanings; ///< by program
};
} // namespace

static std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/examples"))
    if (entry.path().extension() == ".mlir")
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// How many percent above their bounds the schedules of these examples are: attention with three groups of 64 queries
/// has 1974 cycles for a bound of 1836, causal 147 units for 144. A defect to remove, not a licence for others.
static const std::map<std::string, int64_t> knownGaps = {{"16_attention_d64", 8}, {"18_attention_causal_d64", 3}};

/// What the written problem, read again, says to the certificate of each loop that is called optimal. A loop that is
/// not has an interval within 2 % of its bound: real times of an order are kept where they are shorter than what is
/// proved in rounded ones.
static void expectCertified(const Compilation &made, const std::string &name) {
  for (const ScheduledLoop &loop : made.loops) {
    if (loop.result.status == SolveStatus::Feasible) {
      constexpr int64_t rule = 2;
      auto known = knownGaps.find(name);
      int64_t above = 100 * (loop.result.schedule.ii - loop.result.bound), bound = loop.result.bound;
      EXPECT_LE(above, (known == knownGaps.end() ? rule : known->second) * bound) << name;
      EXPECT_TRUE(known == knownGaps.end() || above > rule * bound) << name << " needs its entry no longer";
      continue;
    }
    EXPECT_EQ(loop.result.status, SolveStatus::Optimal) << name;
    Result<Problem> problem = parseProblem(writeProblem(loop.extracted.problem), "loop.sched");
    ASSERT_TRUE(bool(problem)) << name;
    Result<CertificateReport> report = checkCertificate(*problem, loop.certificate);
    ASSERT_TRUE(bool(report)) << name << ": " << report.error().str();
    EXPECT_EQ(report->ii, loop.result.schedule.ii) << name;
    Result<Schedule> solution =
        parseSchedule(writeSchedule(loop.extracted.problem, loop.result.schedule), "loop.solution", *problem);
    ASSERT_TRUE(bool(solution)) << name;
    EXPECT_TRUE(solution->constraints.missing().empty() && verifySchedule(*problem, *solution).empty()) << name;
  }
}

TEST_F(WarpRoad, OptimalSchedules) {
  for (const std::string &name : examples()) {
    int64_t cycles = 0;
    Compilation made;
    EXPECT_EQ(check(name, {}, &cycles, &made), "") << name;
    expectCertified(made, name);
    if (getenv("HEDDLE_SHOW"))
      printf("%s: %lld cycles\n", name.c_str(), (long long)cycles);
  }
}

/// Programs with loops, loads and stores in places where the examples have none, at their own sizes.
static std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/test/Programs"))
    if (entry.path().extension() == ".mlir")
      names.push_back("test/Programs/" + entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The best schedule, and two random ones of four by turns, one with any warp groups (HEDDLE_ALL_SCHEDULES: all four).
TEST_F(WarpRoad, Programs) {
  for (const auto &[number, name] : llvm::enumerate(programs()))
    for (int64_t groups : {0, 1})
      for (int64_t seed = 0; seed <= 4; ++seed) {
        if (seed && seed % 2 != static_cast<int64_t>(number + groups) % 2 && !getenv("HEDDLE_ALL_SCHEDULES"))
          continue;
        CompileOptions options;
        options.groups = groups;
        options.scheduler = seed ? SchedulerKind::Random : SchedulerKind::Exact;
        options.grouping = seed > 2 ? Grouping::Free : Grouping::SubtilesFirst;
        options.seed = seed;
        std::string wrong = check(name, options);
        // accesses to memory that are kept in order allow no free groups
        if (options.grouping != Grouping::Free || wrong != "does not compile") {
          EXPECT_EQ(wrong, "") << name << ", groups " << groups << ", seed " << seed;
        }
      }
}

TEST_F(WarpRoad, RandomSchedules) {
  const char *count = getenv("HEDDLE_RANDOM_SCHEDULES");
  int64_t seeds = count ? atoll(count) : 45, checked = 0;
  for (const char *name : {"01_gemm", "02_attention", "04_gemm_scaled_a", "05_two_dots_shared_a", "06_rowsum",
                           "16_attention_d64", "18_attention_causal_d64"})
    for (int64_t seed = 1; seed <= seeds; ++seed, ++checked) {
      CompileOptions options;
      options.scheduler = SchedulerKind::Random;
      options.seed = seed;
      int64_t cycles = 0;
      EXPECT_EQ(check(name, options, &cycles), "") << name << " seed " << seed;
      if (getenv("HEDDLE_SHOW"))
        printf("%s seed %lld: %lld cycles\n", name, (long long)seed, (long long)cycles);
    }
  EXPECT_EQ(checked, 7 * seeds);
}

/// Random legal schedules of the loops inside, with one to three programs of a persistent kernel in flight, taken by a
/// stride or from a counter.
/// HEDDLE_RANDOM_TURNS=N sets how many (default 20).
TEST_F(WarpRoad, RandomSchedulesOfTilesInFlight) {
  const char *count = getenv("HEDDLE_RANDOM_TURNS");
  const char *programs[] = {"09_gemm_batched", "13_gemm_64x128x64", "14_gemm_128x128x128", "06_rowsum",
                            "test/Programs/gemm_column_maxima.mlir"};
  for (int64_t seed = 1, seeds = count ? atoll(count) : 20; seed <= seeds; ++seed) {
    CompileOptions options;
    options.scheduler = SchedulerKind::Random;
    options.seed = seed;
    options.persistent = Persistence::Always;
    const char *name = programs[seed % 5];
    int64_t fit = seed % 5 == 1 ? 3 : 2; // in the registers
    options.tilesInFlight = 1 + seed / 5 % fit;
    if (seed % 3 == 0)
      options.tileSource = TileSource::Counter;
    EXPECT_EQ(check(name, options), "") << name << " seed " << seed;
  }
}

/// Random legal schedules and plans of clusters: two to eight blocks, persistent or not, one or two programs in flight,
/// with random groups now and then. HEDDLE_RANDOM_CLUSTERS=N sets how many (default 20).
TEST_F(WarpRoad, RandomPlansOfClusters) {
  const char *count = getenv("HEDDLE_RANDOM_CLUSTERS");
  const char *programs[] = {"01_gemm",
                            "09_gemm_batched",
                            "02_attention",
                            "13_gemm_64x128x64",
                            "06_rowsum",
                            "22_gemm_gated",
                            "26_gemm_split_k",
                            "test/Programs/gemm_column_maxima.mlir",
                            "test/Programs/nest_loads_everywhere.mlir"};
  for (int64_t seed = 1, seeds = count ? atoll(count) : 20; seed <= seeds; ++seed) {
    CompileOptions options;
    options.scheduler = SchedulerKind::Random;
    options.seed = seed;
    const char *name = programs[seed % 9];
    options.cluster = {int64_t(2) << seed % 3};
    if (seed % 9 == 0 && seed % 2) // not the dimension that shares most
      options.cluster = {1, options.cluster.front()};
    if (seed % 4 == 1 && seed % 9 != 8) // 8: a view is loaded and stored in order
      options.grouping = Grouping::Free;
    options.persistent = seed % 2 ? Persistence::WhereItGains : Persistence::Never;
    options.tilesInFlight = seed % 9 == 3 && seed % 2 ? 2 : 1;
    EXPECT_EQ(check(name, options), "") << name << " seed " << seed << ", " << options.cluster.front() << " blocks";
  }
}

/// Programs at the limit of the registers: the exact scheduler needs a minute, and not every random start leads to a
/// schedule.
TEST_F(WarpRoad, BackwardRandomSchedules) {
  const char *count = getenv("HEDDLE_RANDOM_SCHEDULES");
  const char *programs[] = {"19_attention_backward", "20_attention_backward_d64", "21_attention_backward_causal_d64"};
  int64_t seeds = count ? atoll(count) / 5 : 9, found = 0;
  for (int64_t seed = 1; seed <= seeds; ++seed) {
    CompileOptions options;
    options.scheduler = SchedulerKind::Random;
    options.seed = seed;
    std::string wrong = check(programs[seed % 3], options);
    found += wrong.empty();
    EXPECT_TRUE(wrong.empty() || wrong == "does not compile") << "seed " << seed << ": " << wrong;
  }
  EXPECT_GE(found, seeds / 2);
}

/// Random legal schedules with random groups: values cross between warp groups through shared memory, at least in so
/// many percent of the schedules as stand beside each program. (A product alone has none to hand over; three groups of
/// attention leave no registers for most assignments.) HEDDLE_RANDOM_GROUPS=N sets how many schedules each program gets
/// (default 25).
TEST_F(WarpRoad, RandomGroups) {
  const char *count = getenv("HEDDLE_RANDOM_GROUPS");
  int64_t seeds = count ? atoll(count) : 25;
  const std::pair<const char *, int64_t> programs[] = {
      {"01_gemm", 0},    {"02_attention", 25},    {"04_gemm_scaled_a", 60},  {"05_two_dots_shared_a", 60},
      {"06_rowsum", 80}, {"16_attention_d64", 0}, {"17_gemm_192x128x64", 0}, {"18_attention_causal_d64", 80}};
  for (auto [name, least] : programs) {
    int64_t crossing = 0;
    for (int64_t seed = 1; seed <= seeds; ++seed) {
      CompileOptions options;
      options.scheduler = SchedulerKind::Random;
      options.grouping = Grouping::Free;
      options.seed = seed;
      Compilation made;
      EXPECT_EQ(check(name, options, nullptr, &made), "") << name << " seed " << seed;
      if (made.warp)
        crossing += made.warp->walk([](warp::PutOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
    }
    EXPECT_GE(100 * crossing, least * seeds) << name; // enough of them test what they are for
    if (getenv("HEDDLE_SHOW"))
      printf("%s: values cross in %lld of %lld\n", name, (long long)crossing, (long long)seeds);
  }
}

/// The rings by which groups hand over tiles of which `region` takes uses, in the order of their first gets.
static std::vector<mlir::Value> taken(mlir::Region &region) {
  std::vector<mlir::Value> out;
  region.walk([&](warp::GetOp get) {
    bool handsOver = llvm::any_of(get.getAref().getUsers(), [](mlir::Operation *op) { return isa<warp::PutOp>(op); });
    if (handsOver && std::find(out.begin(), out.end(), get.getAref()) == out.end())
      out.push_back(get.getAref());
  });
  return out;
}

/// A loop of few iterations, which stands beside the pipelined one, takes what groups hand to each other in the order
/// of the schedule too, stage by stage, as the prologue does.
TEST_F(WarpRoad, ShortLoopsTakeHandOversInOrder) {
  int64_t several = 0;
  for (const char *name : {"02_attention", "04_gemm_scaled_a", "05_two_dots_shared_a", "18_attention_causal_d64"})
    for (int64_t seed = 1; seed <= 40; ++seed) {
      CompileOptions options;
      options.scheduler = SchedulerKind::Random;
      options.grouping = Grouping::Free;
      options.seed = seed;
      Compilation made;
      tile::KernelOp kernel = load(name);
      if (failed(compileKernel(kernel, machine, options, Level::Warp, made)))
        continue;
      if (!made.warp->walk([](warp::PutOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted())
        continue;
      made.warp->walk([&](mlir::scf::IfOp branch) {
        if (branch.getElseRegion().empty() || branch.getElseRegion().getOps<mlir::scf::ForOp>().empty() ||
            branch.getThenRegion().getOps<mlir::scf::ForOp>().empty())
          return;
        std::vector<mlir::Value> pipelined = taken(branch.getThenRegion()), inTurn = taken(branch.getElseRegion());
        EXPECT_EQ(pipelined.size(), inTurn.size()) << name << " seed " << seed;
        EXPECT_TRUE(pipelined == inTurn) << name << " seed " << seed;
        several += pipelined.size() > 1;
      });
    }
  EXPECT_GT(several, 3);
}

/// Deleted or moved synchronisation of a hand-over is noticed like any other.
TEST_F(WarpRoad, HandOverMutants) {
  tile::KernelOp kernel = load("04_gemm_scaled_a");
  CompileOptions options;
  options.scheduler = SchedulerKind::Random;
  options.grouping = Grouping::Free;
  options.seed = 2;
  Compilation made;
  ASSERT_TRUE(succeeded(compileKernel(kernel, machine, options, Level::Warp, made)));
  warp::KernelOp program = *made.warp->getOps<warp::KernelOp>().begin();
  BindingRequest request;
  request.dims = smallDims(kernel);
  Result<Bindings> bindings = bindKernel(program, request);
  ASSERT_TRUE(bool(bindings));
  MutationReport report = runMutationTest(program, *bindings, machine);
  EXPECT_EQ(report.rate(), 1.0) << report.str();
}

/// All mutants of compiled GEMM and attention are reported.
TEST_F(WarpRoad, Mutants) {
  for (const char *name : {"01_gemm", "02_attention"}) {
    tile::KernelOp kernel = load(name);
    Compilation made;
    ASSERT_TRUE(succeeded(compileKernel(kernel, machine, {}, Level::Warp, made)));
    warp::KernelOp program = *made.warp->getOps<warp::KernelOp>().begin();
    simplifyWaits(program);
    BindingRequest request;
    request.dims = smallDims(kernel);
    Result<Bindings> bindings = bindKernel(program, request);
    ASSERT_TRUE(bool(bindings));
    MutationReport report = runMutationTest(program, *bindings, machine);
    EXPECT_GE(report.outcomes.size(), 100u);
    EXPECT_EQ(report.rate(), 1.0) << name << "\n" << report.str();
  }
}
