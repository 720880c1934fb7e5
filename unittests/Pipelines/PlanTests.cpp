//===- PlanTests.cpp - plans: replays, and parts of plans -------------------===//
//
// Every example's plan must give the same text and manifest again. A random part of the decisions of a solved or a
// random schedule of an example must be completed, be legal and right in the simulator, and have no smaller interval
// than the free schedule at its scale. HEDDLE_PARTIAL_PLANS=N sets how many parts are tried (default 10),
// HEDDLE_PARTIAL_FROM=N the first; HEDDLE_SHOW=1 prints a line each.
//
//===----------------------------------------------------------------------===//
#include "heddle/Pipelines/Compiler.h"
#include "heddle/Simulator/Functional/Meaning.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

using namespace heddle;
using namespace heddle::sim;

static const std::string root = HEDDLE_SOURCE_DIR;

namespace {
class Plans : public testing::Test {
protected:
  Plans() : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registerHeddleDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    if (Result<Machine> loaded = Machine::load(root + "/machines/h100.json"))
      machine = *loaded;
  }

  tile::KernelOp load(const std::string &path) {
    module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
    return module ? *module->getOps<tile::KernelOp>().begin() : tile::KernelOp();
  }

  void completePart(int64_t n);

  mlir::MLIRContext context;
  Machine machine;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

/// The text without its comments, which say who decided.
static std::string decisionsOf(const std::string &plan) {
  std::string out;
  for (size_t i = 0; i < plan.size(); ++i) {
    if (plan.compare(i, 2, "//") == 0)
      i = plan.find('\n', i);
    out += plan[i];
  }
  return out;
}

TEST_F(Plans, EveryExampleReplays) {
  std::vector<std::string> paths;
  for (const char *directory : {"/examples", "/test/Programs"})
    for (const auto &entry : std::filesystem::directory_iterator(root + directory))
      if (entry.path().extension() == ".mlir")
        paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) {
    tile::KernelOp kernel = load(path);
    ASSERT_TRUE(kernel) << path;
    CompileOptions options;
    Compilation first, again;
    if (path.find("backward") != std::string::npos) { // at the limit of the registers: the exact search takes minutes
      options.scheduler = SchedulerKind::Random;
      for (options.seed = 1; options.seed < 30; ++options.seed)
        if (first = {}; succeeded(compileKernel(kernel, machine, options, Level::Cuda, first)))
          break;
    } else {
      ASSERT_TRUE(succeeded(compileKernel(kernel, machine, options, Level::Cuda, first))) << path;
    }
    CompileOptions replay;
    replay.planText = first.plan;
    replay.planFile = "plan";
    ASSERT_TRUE(succeeded(compileKernel(kernel, machine, replay, Level::Cuda, again))) << path << "\n" << first.plan;
    EXPECT_EQ(first.cuda, again.cuda) << path;
    EXPECT_EQ(first.manifest, again.manifest) << path;
    EXPECT_EQ(decisionsOf(first.plan), decisionsOf(again.plan)) << path;
    for (const ScheduledLoop &loop : again.loops)
      EXPECT_TRUE(loop.replayed) << path;
  }
}

/// The decisions of `plan` that `keep` holds for.
static std::string partOf(const std::string &plan, mlir::MLIRContext &context,
                          llvm::function_ref<bool(llvm::StringRef)> keep) {
  size_t read = 0;
  auto whole = mlir::cast<mlir::DictionaryAttr>(mlir::parseAttribute(plan, &context, mlir::Type(), &read));
  llvm::SmallVector<mlir::NamedAttribute> labels;
  for (mlir::NamedAttribute label : whole) {
    llvm::SmallVector<mlir::NamedAttribute> kept;
    for (mlir::NamedAttribute decision : mlir::cast<mlir::DictionaryAttr>(label.getValue()))
      if (keep(decision.getName()))
        kept.push_back(decision);
    if (!kept.empty())
      labels.push_back({label.getName(), mlir::DictionaryAttr::get(&context, kept)});
  }
  std::string text;
  llvm::raw_string_ostream(text) << mlir::DictionaryAttr::get(&context, labels);
  return text;
}

/// Completes the part of a plan of the example that `n` says, and checks it.
void Plans::completePart(int64_t n) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(root + "/examples"))
    if (entry.path().extension() == ".mlir")
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  std::string name = names[static_cast<size_t>(n) % names.size()];
  tile::KernelOp kernel = load(root + "/examples/" + name + ".mlir");
  ASSERT_TRUE(kernel) << name;
  std::mt19937_64 random(n);
  CompileOptions options;
  if (n % 3) {
    options.scheduler = SchedulerKind::Random;
    options.seed = n;
  }
  Compilation source;
  while (failed(compileKernel(kernel, machine, options, Level::Cuda, source))) {
    // at the limit of the registers not every random start leads to a schedule
    ASSERT_TRUE(options.scheduler == SchedulerKind::Random && ++options.seed < uint64_t(n) + 30) << name << " " << n;
    source = {};
  }
  unsigned share = 1 + random() % 9; // of ten; what scales times stays
  CompileOptions pinned, unpinned;
  pinned.planText =
      partOf(source.plan, context, [&](llvm::StringRef key) { return random() % 10 < share || key == "scale"; });
  pinned.planFile = "part";
  if (getenv("HEDDLE_SHOW"))
    printf("%s\n", pinned.planText.c_str());
  Compilation made, free;
  if (failed(compileKernel(kernel, machine, pinned, Level::Cuda, made))) {
    ADD_FAILURE() << name << " " << n << "\n" << pinned.planText;
    return;
  }
  // Not shorter than the free one of the same groups and costs. (A time limit would show as no certificate.)
  unpinned.planText = partOf(made.plan, context, [](llvm::StringRef key) { // once: how many loops there are
    return llvm::is_contained(
        {"scale", "groups", "tiles", "persistent", "defer", "reread", "registers", "smem", "once"}, key);
  });
  unpinned.planFile = "free";
  ASSERT_TRUE(succeeded(compileKernel(kernel, machine, unpinned, Level::Schedule, free))) << name << " " << n;
  ASSERT_EQ(free.loops.size(), made.loops.size()) << name << " " << n;
  std::string intervals;
  for (auto [pinnedLoop, freeLoop] : llvm::zip(made.loops, free.loops)) {
    bool alike = pinnedLoop.extracted.problem.nodes.size() == freeLoop.extracted.problem.nodes.size();
    if (alike && freeLoop.result.status == SolveStatus::Optimal) {
      EXPECT_GE(pinnedLoop.result.schedule.ii, freeLoop.result.schedule.ii) << name << " " << n;
    }
    intervals +=
        " " + std::to_string(pinnedLoop.result.schedule.ii) + " of " + std::to_string(freeLoop.result.schedule.ii);
  }
  BindingRequest request; // the sizes that the program states
  if (auto sizes = kernel->getAttrOfType<mlir::DictionaryAttr>("tile.default_dims"))
    for (mlir::NamedAttribute size : sizes)
      request.dims[size.getName().str()] = mlir::cast<mlir::IntegerAttr>(size.getValue()).getInt();
  warp::KernelOp program = *made.warp->getOps<warp::KernelOp>().begin();
  Result<Bindings> got = bindKernel(program, request), want = bindKernel(kernel, request);
  ASSERT_TRUE(got && want) << name;
  SimResult run = simulateWarpKernel(program, *got, machine);
  ASSERT_TRUE(run.ok()) << name << " " << n << ": " << run.faults[0].message << "\n" << pinned.planText;
  mlir::FailureOr<Meaning> meaning = meaningOf(kernel, *want);
  ASSERT_TRUE(succeeded(meaning));
  EXPECT_EQ(compareWith(*meaning, *got).str(), "") << name << " " << n << "\n" << pinned.planText;
  if (getenv("HEDDLE_SHOW"))
    printf("%s %lld: interval%s\n", name.c_str(), (long long)n, intervals.c_str());
}

TEST_F(Plans, RandomPartsAreCompleted) {
  const char *count = getenv("HEDDLE_PARTIAL_PLANS"), *from = getenv("HEDDLE_PARTIAL_FROM");
  int64_t first = from ? atoll(from) : 0, plans = first + (count ? atoll(count) : 10);
  for (int64_t n = first; n < plans; ++n)
    completePart(n);
}

/// Parts with pinned times for which searches upward from the lower bound found nothing; one of a plan for two tiles in
/// flight without that number; one that tells operations of a chain apart; one whose schedule needed more slots than
/// are pinned; one that only queries over orders complete; one whose tiles change groups; one that names what one
/// program computes for all.
TEST_F(Plans, PartsOnceNotCompleted) {
  for (int64_t n : {15, 18, 30, 7014, 7169, 7170, 7195, 9183})
    completePart(n);
}
