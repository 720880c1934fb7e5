//===- MappingsTest.cpp - task programs under their mappings ----------------===//
//
// Every mapping of examples/tasks must give a kernel that computes what the program means, in the simulator. A mapping
// with random changes (tunables, memories, levels, depths, variants, calls) must do so, too, or be refused at a place;
// its graphs of events order all conflicting accesses.
// HEDDLE_RANDOM_MAPPINGS=N sets how many are tried (default 30), HEDDLE_MAPPINGS_FROM=N the first; HEDDLE_SHOW=1 prints
// a line each.
//
//===----------------------------------------------------------------------===//
#include "TaskTest.h"

#include "heddle/Conversion/TaskToTile/Events.h"
#include "heddle/Conversion/TaskToTile/TaskToTile.h"
#include "heddle/Dialect/Task/Program.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Pipelines/Compiler.h"
#include "heddle/Simulator/Task/TaskInterpreter.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"
#include "heddle/Support/Files.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>

using namespace heddle;
using namespace heddle::sim;

using test::root;

namespace {
struct Example {
  std::string program, mapping; ///< paths
};

/// The mappings of examples/tasks, each with the program whose name its own begins with.
std::vector<Example> examples() {
  std::vector<Example> found;
  std::vector<std::string> programs, mappings;
  for (const auto &entry : std::filesystem::directory_iterator(root + "/examples/tasks"))
    (entry.path().extension() == ".map" ? mappings : programs).push_back(entry.path().string());
  std::sort(programs.begin(), programs.end());
  std::sort(mappings.begin(), mappings.end());
  for (const std::string &mapping : mappings) {
    std::string best;
    for (const std::string &program : programs) {
      std::string stem = program.substr(0, program.rfind('.'));
      if (mapping.compare(0, stem.size() + 1, stem + "_") == 0 && stem.size() > best.size())
        best = program;
    }
    EXPECT_FALSE(best.empty()) << mapping;
    found.push_back({best, mapping});
  }
  return found;
}

class Mappings : public test::TaskTest {
protected:
  /// What is wrong with a mapping's kernel; empty: right, or refused with a located error, which is then in `refused`.
  std::string check(mlir::ModuleOp program, const std::string &text, std::string &refused) {
    std::string first;
    bool located = true, internal = false;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diag) {
      if (diag.getSeverity() != mlir::DiagnosticSeverity::Error)
        return mlir::success();
      located &= static_cast<bool>(diag.getLocation()->findInstanceOf<mlir::FileLineColLoc>());
      internal |= errorKindOf(diag) == ErrorKind::Internal;
      if (first.empty())
        first = diag.str();
      return mlir::success();
    });
    auto refuse = [&](const char *where) -> std::string {
      refused = first;
      if (first.empty() || !located || internal)
        return std::string("refused by ") + where + " without a place of its own: '" + first + "'";
      return "";
    };
    mlir::FailureOr<Mapping> mapping = Mapping::read(text, "m.map", machine, &context);
    if (failed(mapping))
      return refuse("the reader");
    auto module = convertTasks(program, *mapping, machine);
    if (failed(module))
      return refuse("the conversion");
    for (EventStage stage : {EventStage::Dependences, EventStage::Vectorised, EventStage::Copies, EventStage::Memory}) {
      mlir::FailureOr<EventGraph> events = eventsOf(program, *mapping, machine, stage);
      if (failed(events))
        return "no events: " + first;
      if (std::string race = events->race(); !race.empty())
        return "events, stage " + std::to_string(static_cast<int>(stage)) + ": " + race;
    }
    tile::KernelOp kernel = *(*module)->getOps<tile::KernelOp>().begin();
    auto variant = mlir::cast<task::VariantOp>(mlir::SymbolTable::lookupSymbolIn(program, mapping->entry().variant));
    auto [known, isNew] = meanings.try_emplace(variant.getTask().str());
    if (isNew) {
      Result<Bindings> bound = bindTask(task::taskOf(variant), {});
      mlir::FailureOr<Meaning> meaning =
          bound ? meaningOf(task::taskOf(variant), *bound) : mlir::FailureOr<Meaning>(mlir::failure());
      if (failed(meaning))
        return "the program means nothing: " + first;
      known->second = {std::move(*bound), std::move(*meaning)};
    }
    auto &[bound, meaning] = known->second;
    CompileOptions options;
    options.scheduler = SchedulerKind::Heuristic;
    Compilation c;
    if (failed(compileKernel(kernel, machine, options, Level::Warp, c)))
      return refuse("the compiler");
    Bindings got = bound;
    SimResult run = simulateWarpKernel(*c.warp->getOps<warp::KernelOp>().begin(), got, machine);
    if (!run.ok())
      return "fault: " + run.faults.front().message;
    return compareWith(meaning, got).str();
  }

  mlir::OwningOpRef<mlir::ModuleOp> load(const std::string &path) {
    return mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  }

  std::map<std::string, std::pair<Bindings, Meaning>> meanings; ///< by entry
};

/// The kernel up to the order of its arguments and constants and to which of equal sizes it asks for, without its plan.
std::string normalForm(mlir::ModuleOp module) {
  tile::KernelOp kernel = *module.getOps<tile::KernelOp>().begin();
  std::map<std::string, unsigned> order; // by name
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    order[kernel.getArgAttrOfType<mlir::StringAttr>(i, "tile.name").str()] = i;
  std::map<std::string, std::pair<unsigned, int64_t>> sizes; // the first that has the name
  for (auto &[name, i] : order)
    for (auto [d, dim] : llvm::enumerate(kernel.getArgAttrOfType<mlir::ArrayAttr>(i, "tile.dims")))
      sizes.insert({mlir::cast<mlir::StringAttr>(dim).str(), {i, d}});
  mlir::Block &body = kernel.getBody().front();
  mlir::OpBuilder b = mlir::OpBuilder::atBlockBegin(&body);
  std::map<std::string, mlir::Value> made;
  for (auto &[name, at] : sizes)
    made[name] = tile::DimOp::create(b, kernel.getLoc(), kernel.getArgument(at.first), at.second);
  for (tile::DimOp dim : llvm::make_early_inc_range(body.getOps<tile::DimOp>())) {
    unsigned i = mlir::cast<mlir::BlockArgument>(dim.getView()).getArgNumber();
    auto names = kernel.getArgAttrOfType<mlir::ArrayAttr>(i, "tile.dims");
    mlir::Value same = made[mlir::cast<mlir::StringAttr>(names[dim.getDim()]).str()];
    if (same != dim.getResult())
      dim.replaceAllUsesWith(same);
  }
  kernel->removeAttr("plan");
  kernel->walk([](mlir::Operation *op) { op->removeAttr("plan"); });
  kernel.setSymName("k");
  unsigned count = kernel.getNumArguments();
  mlir::SmallVector<mlir::Type> types;
  mlir::SmallVector<mlir::Attribute> attributes;
  for (auto &[name, i] : order) {
    mlir::Value argument = kernel.getArgument(i);
    argument.replaceAllUsesWith(body.addArgument(argument.getType(), argument.getLoc()));
    types.push_back(argument.getType());
    attributes.push_back(kernel.getArgAttrDict(i));
  }
  body.eraseArguments(0, count);
  kernel.setFunctionTypeAttr(mlir::TypeAttr::get(mlir::FunctionType::get(kernel.getContext(), types, {})));
  kernel.setArgAttrsAttr(mlir::ArrayAttr::get(kernel.getContext(), attributes));
  mlir::PassManager passes(kernel.getContext());
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  passes.addPass(mlir::createCanonicalizerPass());
  EXPECT_TRUE(succeeded(passes.run(module)));
  std::vector<mlir::arith::ConstantOp> constants(body.getOps<mlir::arith::ConstantOp>().begin(),
                                                 body.getOps<mlir::arith::ConstantOp>().end());
  auto valueOf = [](mlir::arith::ConstantOp constant) {
    std::string text;
    llvm::raw_string_ostream(text) << constant.getValue();
    return text;
  };
  llvm::sort(constants, [&](auto a, auto b) { return valueOf(a) < valueOf(b); });
  for (mlir::arith::ConstantOp constant : llvm::reverse(constants))
    constant->moveBefore(&body, body.begin());
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}
} // namespace

TEST_F(Mappings, TheProductIsTheTileProgram) {
  auto program = load(root + "/examples/tasks/gemm.mlir");
  Result<std::string> text = readFile(root + "/examples/tasks/gemm_h100.map");
  ASSERT_TRUE(program && text);
  auto mapping = Mapping::read(*text, "m.map", machine, &context);
  ASSERT_TRUE(succeeded(mapping));
  auto converted = convertTasks(*program, *mapping, machine);
  ASSERT_TRUE(succeeded(converted));
  auto written = load(root + "/examples/01_gemm.mlir");
  ASSERT_TRUE(succeeded(setParameters(*written->getOps<tile::KernelOp>().begin(), {})));
  EXPECT_EQ(normalForm(**converted), normalForm(*written));
}

TEST_F(Mappings, EveryExampleIsRight) {
  for (const Example &example : examples()) {
    auto program = load(example.program);
    Result<std::string> text = readFile(example.mapping);
    ASSERT_TRUE(program && text);
    std::string refused;
    EXPECT_EQ(check(*program, *text, refused), "") << example.mapping;
    EXPECT_EQ(refused, "") << example.mapping;
  }
}

// A tensor that is one block has nothing behind it: zero, not the block again.
TEST_F(Mappings, BehindTheOnlyPieceIsZero) {
  auto program = mlir::parseSourceString<mlir::ModuleOp>(R"(
task.task @next(y: write f32[256, 64], x: read f32[256, 64])
task.variant @block of @next inner (%y, %x) {
  %one = arith.constant 1 : index
  %xs = task.blocks %x [256, full]
  %n = task.count %xs, 0
  task.srange (%i) to (%n) {
    %next = arith.addi %i, %one : index
    %behind = task.piece %xs[%next, 0]
    task.launch @copy(%y, %behind)
  }
}
task.task @copy(y: write f32[M, 64], x: read f32[M, 64])
task.variant @copied of @copy leaf (%y: tensor<64x64xf32>, %x: tensor<64x64xf32>) {
  task.return %x : tensor<64x64xf32>
}
)",
                                                         &context, "p.mlir");
  ASSERT_TRUE(program);
  std::string refused;
  EXPECT_EQ(check(*program,
                  "{block = {variant = \"block\", proc = \"BLOCK\", calls = [\"copy\"], entry}, copy = {variant = "
                  "\"copied\", proc = \"BLOCK\"}}",
                  refused),
            "");
  EXPECT_EQ(refused, "");
}

/// One random change.
static void change(Mapping &mapping, mlir::ModuleOp program, const Machine &machine, std::mt19937 &random) {
  auto pick = [&](auto &from) -> auto & { return from[random() % from.size()]; };
  TaskInstance &instance = pick(mapping.instances());
  auto variant = mlir::dyn_cast_or_null<task::VariantOp>(mlir::SymbolTable::lookupSymbolIn(program, instance.variant));
  std::vector<std::string> memories = {"GLOBAL", "SHARED", "REGISTER", "NONE"};
  switch (random() % 8) {
  case 0:
  case 1: {
    std::vector<task::TunableOp> tunables;
    if (variant)
      variant.walk([&](task::TunableOp tunable) { tunables.push_back(tunable); });
    if (tunables.empty())
      return;
    task::TunableOp tunable = pick(tunables);
    std::vector<int64_t> choices = {16, 32, 48, 64, 96, 128, 192, 256};
    if (std::optional<llvm::ArrayRef<int64_t>> own = tunable.getChoices(); own && random() % 4)
      choices.assign(own->begin(), own->end());
    instance.tunables[tunable.getTunable().str()] = pick(choices);
    return;
  }
  case 2:
    if (!instance.mems.empty())
      pick(instance.mems) = pick(memories);
    return;
  case 3: instance.mems.clear(); return;
  case 4: instance.proc = machine.processors()[random() % machine.processors().size()].name; return;
  case 5: {
    std::vector<TaskInstance *> blocks;
    for (TaskInstance &other : mapping.instances())
      if (other.proc == "BLOCK" || random() % 16 == 0)
        blocks.push_back(&other);
    if (blocks.empty())
      return;
    if (random() % 2)
      pick(blocks)->pipeline = 1 + random() % 6;
    else
      pick(blocks)->smem = 32768 * (1 + random() % 7);
    return;
  }
  case 6: {
    std::vector<task::VariantOp> variants;
    if (variant)
      for (task::VariantOp other : task::variantsOf(task::taskOf(variant)))
        variants.push_back(other);
    if (variants.empty())
      return;
    task::VariantOp other = pick(variants);
    instance.variant = other.getSymName().str();
    instance.tunables.clear();
    // Instances of the tasks that it launches.
    instance.calls.clear();
    for (task::LaunchOp launch : task::launchesOf(other))
      for (const TaskInstance &callee : mapping.instances())
        if (auto called =
                mlir::dyn_cast_or_null<task::VariantOp>(mlir::SymbolTable::lookupSymbolIn(program, callee.variant));
            called && called.getTask() == launch.getTask() && &callee != &instance) {
          instance.calls.push_back(callee.name);
          break;
        }
    return;
  }
  default:
    if (!instance.calls.empty())
      pick(instance.calls) = pick(mapping.instances()).name;
  }
}

TEST_F(Mappings, RandomOnesAreRightOrRefused) {
  auto number = [](const char *name, int64_t otherwise) {
    const char *text = std::getenv(name);
    return text ? std::atoll(text) : otherwise;
  };
  std::vector<Example> all = examples();
  int64_t from = number("HEDDLE_MAPPINGS_FROM", 0), right = 0;
  for (int64_t n = from; n < from + number("HEDDLE_RANDOM_MAPPINGS", 30); ++n) {
    std::mt19937 random(n);
    const Example &example = all[n % all.size()];
    auto program = load(example.program);
    Result<std::string> text = readFile(example.mapping);
    ASSERT_TRUE(program && text);
    auto mapping = Mapping::read(*text, "m.map", machine, &context);
    ASSERT_TRUE(succeeded(mapping));
    for (int changes = 1 + random() % 3; changes > 0; --changes)
      change(*mapping, *program, machine, random);
    std::string refused, wrong = check(*program, mapping->str(), refused);
    EXPECT_EQ(wrong, "") << n << ": " << example.mapping << "\n" << mapping->str();
    right += wrong.empty() && refused.empty();
    if (std::getenv("HEDDLE_SHOW"))
      std::printf("%lld: %s\n", static_cast<long long>(n),
                  !wrong.empty()    ? wrong.c_str()
                  : refused.empty() ? "right"
                                    : refused.c_str());
  }
  EXPECT_GT(right, 0);
}
