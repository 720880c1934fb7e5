//===- Passes.cpp - the steps of the compiler as passes of heddle-opt ------===//
//
// What:   a pass for each function that compileKernel calls on tile kernels, in its order, so that a lit test sees what
//         one step makes of a program; then the passes of warp and hw programs, which their own libraries define.
// Where:  heddle-opt only. compileKernel calls the functions itself, because it keeps every level.
// Passes: `heddle-opt --help` lists them. --heddle-tile-to-warp takes a program as the user wrote it, because its
//         schedules refer to the levels in between.
//
//===----------------------------------------------------------------------===//
#include "heddle/Pipelines/Passes.h"

#include "heddle/Analysis/Chains.h"
#include "heddle/Analysis/Supported.h"
#include "heddle/Analysis/VerifyInstructions.h"
#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Conversion/WarpToHW/AssignLayouts.h"
#include "heddle/Conversion/WarpToHW/WarpToHW.h"
#include "heddle/Dialect/Warp/Waits.h"
#include "heddle/Pipelines/Compiler.h"
#include "heddle/Transforms/ChooseTiles.h"
#include "heddle/Transforms/DeferReductions.h"
#include "heddle/Transforms/FoldBroadcasts.h"
#include "heddle/Transforms/FoldSplats.h"
#include "heddle/Transforms/HighProducts.h"
#include "heddle/Transforms/KeepOnTiles.h"
#include "heddle/Transforms/MarkFactors.h"
#include "heddle/Transforms/MergeEqual.h"
#include "heddle/Transforms/NarrowFolds.h"
#include "heddle/Transforms/NormaliseElements.h"
#include "heddle/Transforms/NormaliseLoops.h"
#include "heddle/Transforms/NormaliseShapes.h"
#include "heddle/Transforms/NormaliseTransposes.h"
#include "heddle/Transforms/OrderFactors.h"
#include "heddle/Transforms/OrderMemory.h"
#include "heddle/Transforms/OrderPrograms.h"
#include "heddle/Transforms/OrderStores.h"
#include "heddle/Transforms/Parameters.h"
#include "heddle/Transforms/Persist.h"
#include "heddle/Transforms/PrepareDots.h"
#include "heddle/Transforms/ReadScalars.h"
#include "heddle/Transforms/RetileLoops.h"
#include "heddle/Transforms/ScaleBehindFolds.h"
#include "heddle/Transforms/SelectInstructions.h"
#include "heddle/Transforms/SeparatePositions.h"
#include "heddle/Transforms/SimplifyWaits.h"
#include "heddle/Transforms/SplitConcatenations.h"
#include "heddle/Transforms/SplitStores.h"
#include "heddle/Transforms/StartSums.h"
#include "heddle/Transforms/StoreOnce.h"
#include "heddle/Transforms/StreamTiles.h"
#include "heddle/Transforms/Subtile.h"
#include "heddle/Transforms/TakeTurns.h"
#include "heddle/Transforms/TransposeProducts.h"
#include "heddle/Transforms/UnpipelineLoops.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
namespace heddle {
namespace {

/// Runs a function without options on every tile kernel.
class KernelPass : public PassWrapper<KernelPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelPass)
  using Step = LogicalResult (*)(tile::KernelOp);

  KernelPass(StringRef name, StringRef description, Step step) : name(name), description(description), step(step) {}
  StringRef getArgument() const final { return name; }
  StringRef getDescription() const final { return description; }
  void getDependentDialects(DialectRegistry &registry) const final { registerHeddleDialects(registry); }
  void runOnOperation() final {
    for (tile::KernelOp kernel : llvm::to_vector(getOperation().getOps<tile::KernelOp>()))
      if (failed(step(kernel)))
        return signalPassFailure();
  }

private:
  StringRef name, description;
  Step step;
};

/// Runs a function with one number as option on every tile kernel.
class NumberPass : public PassWrapper<NumberPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NumberPass)
  using Step = LogicalResult (*)(tile::KernelOp, int64_t);
  struct Text {
    StringRef name, description, option, meaning;
  };

  NumberPass(Text text, int64_t otherwise, Step step)
      : text(text), step(step), number(*this, text.option, llvm::cl::init(otherwise), llvm::cl::desc(text.meaning)) {}
  NumberPass(const NumberPass &other) : NumberPass(other.text, other.number, other.step) {}
  StringRef getArgument() const final { return text.name; }
  StringRef getDescription() const final { return text.description; }
  void getDependentDialects(DialectRegistry &registry) const final { registerHeddleDialects(registry); }
  void runOnOperation() final {
    for (tile::KernelOp kernel : llvm::to_vector(getOperation().getOps<tile::KernelOp>()))
      if (failed(step(kernel, number)))
        return signalPassFailure();
  }

private:
  Text text;
  Step step;
  Option<int64_t> number;
};

struct SetParametersPass : PassWrapper<SetParametersPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetParametersPass)
  SetParametersPass() = default;
  SetParametersPass(const SetParametersPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "heddle-set-parameters"; }
  StringRef getDescription() const final { return "give the parameters of every tile kernel values"; }
  void runOnOperation() final {
    ParameterValues chosen;
    for (const std::string &text : values) {
      auto [name, value] = StringRef(text).split('=');
      if (name.empty() || value.getAsInteger(10, chosen[name.str()])) {
        getOperation().emitError("expected NAME=VALUE, got '") << text << "'";
        return signalPassFailure();
      }
    }
    for (tile::KernelOp kernel : llvm::to_vector(getOperation().getOps<tile::KernelOp>()))
      if (failed(setParameters(kernel, chosen)))
        return signalPassFailure();
  }
  ListOption<std::string> values{*this, "values", llvm::cl::desc("NAME=VALUE,...; others as they are written")};
};

struct TileToWarpPass : PassWrapper<TileToWarpPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileToWarpPass)
  TileToWarpPass() = default;
  TileToWarpPass(const TileToWarpPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "heddle-tile-to-warp"; }
  StringRef getDescription() const final { return "schedule every tile kernel and make a warp program of it"; }
  void getDependentDialects(DialectRegistry &registry) const final { registerHeddleDialects(registry); }
  void runOnOperation() final {
    CompileOptions options;
    options.groups = groups;
    options.seed = seed;
    options.scheduleFiles.assign(schedules.begin(), schedules.end());
    std::optional<SchedulerKind> kind = findScheduler(scheduler);
    if (!kind) {
      getOperation().emitError("expected a scheduler exact, heuristic or random, got '") << scheduler << "'";
      return signalPassFailure();
    }
    options.scheduler = *kind;
    Result<Machine> model = Machine::find(machine);
    if (!model) {
      getOperation().emitError(model.error().message());
      return signalPassFailure();
    }
    for (tile::KernelOp kernel : llvm::to_vector(getOperation().getOps<tile::KernelOp>())) {
      Compilation made;
      if (failed(compileKernel(kernel, *model, options, Level::Warp, made)))
        return signalPassFailure();
      Operation *program = &made.warp->getBody()->front();
      program->moveBefore(kernel);
      kernel.erase();
    }
  }
  Option<std::string> machine{*this, "machine", llvm::cl::init("h100"), llvm::cl::desc("machine file: a name or path")};
  Option<std::string> scheduler{*this, "scheduler", llvm::cl::init("heuristic"),
                                llvm::cl::desc("exact, heuristic or random")};
  Option<uint64_t> seed{*this, "seed", llvm::cl::init(0), llvm::cl::desc("of the random scheduler")};
  Option<int64_t> groups{*this, "groups", llvm::cl::init(0), llvm::cl::desc("compute warp groups")};
  ListOption<std::string> schedules{*this, "schedules", llvm::cl::desc("a solution file for each scheduled loop")};
};

void registerStep(StringRef name, StringRef description, KernelPass::Step step) {
  registerPass([=] { return std::make_unique<KernelPass>(name, description, step); });
}
/// A step that cannot fail.
template <auto step> LogicalResult surely(tile::KernelOp kernel) {
  step(kernel);
  return success();
}
/// `otherwise`: the number where none is given.
void registerStep(NumberPass::Text text, int64_t otherwise, NumberPass::Step step) {
  registerPass([=] { return std::make_unique<NumberPass>(text, otherwise, step); });
}

} // namespace

void registerPasses() {
  PassRegistration<SetParametersPass>();
  registerStep("heddle-verify-supported", "refuse what no lowering takes; changes nothing", verifySupported);
  registerStep({"heddle-form-clusters", "neighbouring programs become the blocks of clusters", "blocks",
                "of a cluster, along the dimension of the grid that shares most"},
               2, [](tile::KernelOp kernel, int64_t blocks) {
                 FailureOr<ClusterShape> shape = chooseCluster(kernel, {blocks}, kernel.getLoc());
                 if (succeeded(shape) && !shape->empty())
                   formClusters(kernel, *shape);
                 return failure(failed(shape));
               });
  registerStep({"heddle-order-descending", "programs with the largest first coordinate begin first", "section",
                "programs along dimension 1 side by side"},
               1, [](tile::KernelOp kernel, int64_t section) { return orderPrograms(kernel, {section}); });
  registerStep("heddle-store-once", "what programs along a dimension of the grid store alike is computed by one",
               surely<storeOnce>);
  registerStep("heddle-make-persistent", "one program a multiprocessor takes tile after tile of the grid",
               [](tile::KernelOp kernel) { return makePersistent(kernel); });
  registerStep("heddle-unpipeline-loops", "what is computed or loaded an iteration ahead moves to its own iteration",
               surely<unpipelineLoops>);
  registerStep({"heddle-retile-loops", "loops over blocks take blocks of the size that runs best", "positions",
                "of a block whose sums are rescaled, at least"},
               bestBlocks.front(), [](tile::KernelOp kernel, int64_t positions) -> LogicalResult {
                 Result<Machine> machine = Machine::find("h100");
                 if (!machine)
                   return kernel.emitError(machine.error().message());
                 retileLoops(kernel, {positions, machine->memoryCapacity("smem")});
                 return success();
               });
  registerStep("heddle-normalise-shapes", "parts and shapes of tiles that layouts have", normaliseShapes);
  registerStep("heddle-keep-on-tiles", "numbers of tiles that only tiles take stay tiles", surely<keepOnTiles>);
  registerStep("heddle-read-scalars", "scalars of tiles become scalars of memory", readScalars);
  registerStep("heddle-choose-tiles", "branches that only compute become choices", surely<chooseTiles>);
  registerStep("heddle-normalise-elements", "one form for what elements may be written as", surely<normaliseElements>);
  registerStep("heddle-normalise-transposes", "folds and products of tiles as they are", surely<normaliseTransposes>);
  registerStep("heddle-order-factors", "factors are multiplied as they come", surely<orderFactors>);
  registerStep("heddle-split-concatenations", "products of concatenations become sums of products of parts",
               surely<splitConcatenations>);
  registerStep("heddle-merge-equal", "equal operations on tiles become one", surely<mergeEqual>);
  registerStep("heddle-fold-splats", "what is alike everywhere is computed once", surely<foldSplats>);
  registerStep("heddle-fold-broadcasts", "what repeats is computed before it is repeated", surely<foldBroadcasts>);
  registerStep("heddle-high-products", "upper halves of products by the device's function", surely<callHighProducts>);
  registerStep("heddle-narrow-folds", "folds of repeated tiles become folds of what is repeated", surely<narrowFolds>);
  registerStep("heddle-normalise-loops", "loops count in index; nothing unused is loaded", surely<normaliseLoops>);
  registerStep("heddle-split-stores", "whole tiles of bounded stores by the copy engine", surely<splitStores>);
  registerStep("heddle-separate-positions", "positions along rows and along columns", surely<separatePositions>);
  registerStep("heddle-start-sums", "sums of products that begin with an addend", surely<startSums>);
  registerStep("heddle-prepare-dots", "types of dots that the tensor core has", surely<prepareDots>);
  registerStep("heddle-transpose-products", "products whose right operand threads make", surely<transposeProducts>);
  registerStep("heddle-transpose-computed-operands", "computed right operands as their tiles lie",
               surely<transposeComputedOperands>);
  registerStep("heddle-pad-tiles", "sizes of tiles that instructions have", surely<padTiles>);
  registerStep("heddle-scale-behind-folds", "scales of scores behind their maximum", surely<scaleBehindFolds>);
  registerStep("heddle-mark-factors", "factors of rows that are often one", surely<markFactors>);
  registerStep("heddle-order-stores", "small stores by threads before those of the copy engine", surely<orderStores>);
  registerStep("heddle-defer-reductions", "reductions over threads behind the loop", surely<deferReductions>);
  registerStep({"heddle-stream-tiles", "warps and accesses of a program without dots", "groups",
                "compute warp groups that are asked for; 0: nothing"},
               0, [](tile::KernelOp kernel, int64_t groups) {
                 if (!hasDots(kernel))
                   streamTiles(kernel, groups);
                 return success();
               });
  registerStep("heddle-load-with-loops", "accesses in front of loops whose threads load, by threads as well",
               surely<loadWithLoops>);
  registerStep("heddle-keep-loads-in-order", "mark loads that must stay in the program's order",
               surely<keepLoadsInOrder>);
  registerStep({"heddle-subtile", "divide the tiles of every tile kernel over compute warp groups", "groups",
                "compute warp groups; 0: the kernel's attribute, else the most that fits"},
               0, [](tile::KernelOp kernel, int64_t groups) { return subtile(kernel, groups); });
  registerStep("heddle-place-memory-waits", "waits between accesses of one view that must keep their order",
               placeMemoryWaits);
  registerStep("heddle-select-instructions", "where tiles live and which operation the tensor core runs",
               [](tile::KernelOp kernel) -> LogicalResult { return selectInstructions(kernel); });
  registerStep("heddle-verify-instructions", "check the rules of the instruction level; changes nothing",
               verifyInstructions);
  registerStep({"heddle-take-turns", "several programs of a persistent kernel in flight", "turns", "programs"}, 2,
               takeTurns);
  registerStep("heddle-form-chains", "which element-wise operations of a scheduled loop run as one",
               [](tile::KernelOp kernel) {
                 formChains(kernel, Rows::Held);
                 return success();
               });
  PassRegistration<TileToWarpPass>();

  registerVerifyWarpPass();
  registerSimplifyWaitsPass();
  warp::registerLowerTokensPass();
  registerLayoutPasses();
  registerWarpToHWPasses();
}

} // namespace heddle
