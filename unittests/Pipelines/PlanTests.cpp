//===- PlanTests.cpp - plans: replays, and parts of plans -------------------===//
//
// Every example's plan must give the same text and manifest again. A random part of the decisions of a solved or a
// random schedule must be completed, be legal and right in the simulator, and have no smaller interval than the free
// schedule at its scale. HEDDLE_PARTIAL_PLANS=N sets how many parts are tried (default 10), HEDDLE_PARTIAL_FROM=N the
// first; HEDDLE_SHOW=1 prints a line each.
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

/// A random part of the decisions of `plan`: every label's are drawn alone, those on a loop that scales times stay.
static std::string partOf(const std::string &plan, mlir::MLIRContext &context, std::mt19937_64 &random) {
  size_t read = 0;
  auto whole = mlir::cast<mlir::DictionaryAttr>(mlir::parseAttribute(plan, &context, mlir::Type(), &read));
  unsigned share = 1 + random() % 9; // of ten
  llvm::SmallVector<mlir::NamedAttribute> labels;
  for (mlir::NamedAttribute label : whole) {
    llvm::SmallVector<mlir::NamedAttribute> kept;
    for (mlir::NamedAttribute decision : mlir::cast<mlir::DictionaryAttr>(label.getValue()))
      if (random() % 10 < share || decision.getName() == "scale")
        kept.push_back(decision);
    labels.push_back({label.getName(), mlir::DictionaryAttr::get(&context, kept)});
  }
  std::string text;
  llvm::raw_string_ostream(text) << mlir::DictionaryAttr::get(&context, labels);
  return text;
}

TEST_F(Plans, RandomPartsAreCompleted) {
  const char *count = getenv("HEDDLE_PARTIAL_PLANS"), *from = getenv("HEDDLE_PARTIAL_FROM");
  int64_t first = from ? atoll(from) : 0, plans = first + (count ? atoll(count) : 10);
  const char *names[] = {"01_gemm", "04_gemm_scaled_a", "06_rowsum", "07_gemm_f32_out", "16_attention_d64"};
  for (int64_t n = first; n < plans; ++n) {
    std::string name = names[n % 5];
    tile::KernelOp kernel = load(root + "/examples/" + name + ".mlir");
    std::mt19937_64 random(n);
    CompileOptions options;
    if (n % 3) {
      options.scheduler = SchedulerKind::Random;
      options.seed = n;
    }
    Compilation source;
    ASSERT_TRUE(succeeded(compileKernel(kernel, machine, options, Level::Warp, source))) << name << " " << n;
    CompileOptions pinned;
    pinned.planText = partOf(source.plan, context, random);
    pinned.planFile = "part";
    if (getenv("HEDDLE_SHOW"))
      printf("%s\n", pinned.planText.c_str());
    Compilation made;
    if (failed(compileKernel(kernel, machine, pinned, Level::Warp, made))) {
      ADD_FAILURE() << name << " " << n << "\n" << pinned.planText;
      continue;
    }
    // Not shorter than the free one of the same costs. (A time limit would show as no certificate.)
    const Problem &problem = made.loops[0].extracted.problem;
    CompileOptions unpinned;
    unpinned.planText = "{loop = {scale = " + std::to_string(problem.scale) + "}}";
    unpinned.planFile = "free";
    Compilation free;
    ASSERT_TRUE(succeeded(compileKernel(kernel, machine, unpinned, Level::Schedule, free))) << name << " " << n;
    if (free.loops[0].result.status == SolveStatus::Optimal)
      EXPECT_GE(made.loops[0].result.schedule.ii, free.loops[0].result.schedule.ii) << name << " " << n;
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
      printf("%s %lld: interval %lld of %lld\n", name.c_str(), (long long)n,
             (long long)made.loops[0].result.schedule.ii, (long long)free.loops[0].result.schedule.ii);
  }
}
