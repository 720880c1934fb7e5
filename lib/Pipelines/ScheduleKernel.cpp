//===- ScheduleKernel.cpp - from a program to the schedules of its loops ---===//
//
// What:      a program, persistent or not -> split over compute groups, with instructions of warp groups, and a
//            schedule for each innermost loop of tiles and for the loop over programs.
// Where:     the first half of compileKernel. It can be run for several numbers of programs in flight, which are then
//            compared by the time that the loop over programs takes for one.
// Verifies:  the split program by its operations' verifiers, the selected one also by the rules of its level
//            (Analysis/VerifyInstructions.h); schedules are ScheduleChains' and ScheduleLoop's.
//
//===----------------------------------------------------------------------===//
#include "ScheduleKernel.h"
#include "BlockSizes.h"
#include "Gains.h"
#include "PrepareKernel.h"
#include "ScheduleChains.h"
#include "ScheduleLoop.h"
#include "Warnings.h"

#include "heddle/Analysis/Chains.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/OuterProblem.h"
#include "heddle/Analysis/Partition.h"
#include "heddle/Analysis/SharedMemory.h"
#include "heddle/Analysis/SlotLives.h"
#include "heddle/Analysis/VerifyInstructions.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Target/TargetInterface.h"
#include "heddle/Transforms/DeferReductions.h"
#include "heddle/Transforms/OrderMemory.h"
#include "heddle/Transforms/SelectInstructions.h"
#include "heddle/Transforms/SplitEpilogues.h"
#include "heddle/Transforms/TakeTurns.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace heddle {

OwningOpRef<ModuleOp> moduleWith(Operation *kernel) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(kernel->getLoc()));
  module->getBody()->push_back(kernel->clone());
  return module;
}

LogicalResult attemptQuietly(MLIRContext *context, std::vector<Diagnostic> &held,
                             llvm::function_ref<LogicalResult()> attempt) {
  ScopedDiagnosticHandler keep(context, [&](Diagnostic &diag) {
    held.push_back(std::move(diag));
    return success();
  });
  return attempt();
}

bool loadsBehindLoops(const Compilation &made, int64_t columns, bool tiles) {
  OwningOpRef<ModuleOp> copy = moduleWith(*made.tile.get().getOps<tile::KernelOp>().begin());
  if (!splitLoadedEpilogues(only<tile::KernelOp>(copy), columns, /*slots=*/2))
    return false;
  auto isPart = [](tile::LoadOp load) {
    return load->hasAttr(partRingAttr) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return !tiles || copy->walk(isPart).wasInterrupted();
}

bool isUnscheduled(Diagnostic &diagnostic) {
  ErrorKind kind = errorKindOf(diagnostic);
  return kind == ErrorKind::Limit || kind == ErrorKind::Infeasible;
}

/// Splits what stands behind products of `prepared` where the groups that `subtiled` has, `turns` times, lack registers
/// for it. True where anything was split.
static bool splitEpilogues(tile::KernelOp prepared, tile::KernelOp subtiled, int64_t turns, const Machine &machine) {
  int64_t groups = subtiled->getAttrOfType<IntegerAttr>("groups").getInt();
  RegisterBudgets budgets = Occupancy(machine.warps()).equalBudgets(turns * groups);
  return splitEpilogues(prepared, groups, budgets.compute - registersBesideTiles);
}

/// True where a branch, or a loop other than scf.for, gives tiles to what follows it.
static bool branchesPassTiles(tile::KernelOp kernel) {
  auto passes = [](Operation *op) {
    bool tiles = isa<scf::IfOp, scf::WhileOp>(op) && llvm::any_of(passedVariables(op), [](const PassedVariable &v) {
                   return isa<RankedTensorType>(v.names.front().getType());
                 });
    return tiles ? WalkResult::interrupt() : WalkResult::advance();
  };
  return kernel.walk(passes).wasInterrupted();
}

/// The options for one loop: the constraints that its schedule may leave out.
static FailureOr<FormOptions> optionsOf(scf::ForOp loop, const FormOptions &options) {
  FormOptions own = options;
  const PlanValue *without = options.plan->find(loop, "without");
  if (!without)
    return own;
  for (Attribute name : cast<ArrayAttr>(without->value)) {
    std::optional<Constraint> constraint = findConstraint(cast<StringAttr>(name).str());
    if (!constraint) {
      SmallVector<StringRef> known;
      for (Constraint each : ConstraintSet::none().missing())
        known.push_back(constraintName(each));
      return emitError(without->loc) << "plan: expected the name of a constraint (" << llvm::join(known, ", ")
                                     << "), got " << name,
             failure();
    }
    own.solve.constraints = own.solve.constraints.without(*constraint);
  }
  return own;
}

int64_t cyclesOf(const Compilation &compilation) {
  int64_t cycles = 0;
  for (const ScheduledLoop &loop : compilation.loops)
    if (!takesRest(compilation, loop))
      cycles += loop.result.schedule.ii * loop.extracted.problem.scale;
  return cycles;
}

/// Whether loops defer reductions over threads: as the plan says, else where it gains; none: they have none to defer.
static FailureOr<std::optional<bool>> chooseDeferral(tile::KernelOp prepared, int64_t most, const Machine &machine,
                                                     const Plan &plan, const FormOptions &options) {
  const PlanValue *planned = plan.ofKernel("defer");
  bool asked = planned && cast<BoolAttr>(planned->value).getValue();
  if (!hasDots(prepared) || !canDeferReductions(prepared)) {
    if (asked)
      return emitError(planned->loc) << "plan: expected a loop of a program with dots that carries a statistic of rows "
                                        "and reads it nowhere else (defer = true), got none",
             failure();
    return std::optional<bool>();
  }
  if (!planned && options.defers)
    return options.defers;
  return std::optional(planned ? asked : gainsFromDeferral(prepared, most, machine, plan, options));
}

/// Epilogues that load run in parts where the plan says so: of so many columns, the tiles with two slots or as many as
/// it says. Else as the options say, where another program's loop runs beside the epilogue with one slot: the rings
/// have more then (residuals of 128 x 128: 200 and 219 us with one and two, alone 226 and 232;
/// bench/results/2026-11-29-h200-epilogue-parts.json). Sets `chosen` where the parts are the compiler's.
static LogicalResult splitAsPlanned(tile::KernelOp prepared, int64_t turns, const Plan &plan,
                                    const FormOptions &options, SmallVector<int64_t, 2> &chosen) {
  const PlanValue *planned = plan.ofKernel("parts");
  if (!planned) {
    int64_t slots = turns > 1 ? 1 : 2;
    if (options.partsForRoom && splitLoadedEpilogues(prepared, options.partsForRoom, slots))
      chosen = {options.partsForRoom, slots};
    return success();
  }
  SmallVector<int64_t> parts = planNumbers(planned->value);
  if (parts.size() > 2)
    return emitError(planned->loc) << "plan: expected parts to be columns, or columns and slots, got " << parts.size()
                                   << " numbers";
  if (parts == ArrayRef<int64_t>{0}) // whole
    return success();
  if (llvm::is_contained(parts, 0))
    return emitError(planned->loc) << "plan: expected parts = 0 alone, where epilogues run whole, got it in a list";
  if (splitLoadedEpilogues(prepared, parts.front(), parts.size() > 1 ? parts.back() : 2))
    return success();
  return emitError(planned->loc)
         << "plan: expected rows or tiles that are loaded for what is stored behind products, of more columns than "
            "parts = "
         << parts.front() << " and a multiple of them, got none";
}

/// Most compute groups of the programs that share a multiprocessor, beside a warp that loads for them where they do not
/// themselves.
static int64_t mostGroups(const WarpLimits &limits, const FormOptions &options) {
  int64_t loads = options.warp.specialize;
  int64_t fit = std::min((limits.maxWarps - loads) / warpsPerGroup, limits.maxGroups - loads);
  return std::clamp<int64_t>(fit, 1, tile::mostGroups);
}

LogicalResult scheduleKernel(tile::KernelOp kernel, tile::KernelOp whole, int64_t turns, const Machine &machine,
                             Level upTo, Plan &plan, FormOptions &options, Compilation &out) {
  Doing doing(options);
  int64_t most = mostGroups(machine.warps(), options) / turns;
  if (most < 1)
    return emitErrorOf(ErrorKind::Infeasible, kernel)
           << "expected at most " << mostGroups(machine.warps(), options)
           << " programs in flight, a compute group each, on '" << machine.name() << "', got " << turns;
  OwningOpRef<ModuleOp> preparedModule;
  out.startSums = options.startSums;
  out.transposeProducts = options.transposeProducts;
  if (failed(prepareToSplit(whole, out.startSums, out.transposeProducts, preparedModule)))
    return failure();
  out.mayLeaveProducts = out.transposeProducts.value_or(false) && !plan.ofKernel("transpose_products");
  auto prepared = only<tile::KernelOp>(preparedModule);
  FailureOr<std::optional<bool>> deferral = chooseDeferral(prepared, most, machine, plan, options);
  if (failed(deferral))
    return failure();
  if (const PlanValue *planned = plan.ofKernel("reread"))
    options.rows = cast<BoolAttr>(planned->value).getValue() ? Rows::Reread : Rows::Held, options.rowsGiven = true;
  options.rowsGiven |= options.rows == Rows::Reread;
  out.rows = options.rows;
  out.rowsGiven = options.rowsGiven;
  out.defers = *deferral;
  out.mayDefer = out.defers && !plan.ofKernel("defer") && plan.decidesLoops();
  bool defers = out.defers.value_or(false);
  out.parts.clear();
  if (failed(splitAsPlanned(prepared, turns, plan, options, out.parts)))
    return failure();
  bool open = options.groups == 0 && !kernel->hasAttr("groups");
  std::optional<Location> orderedBy;
  int64_t groups = open ? options.groupsForRoom : options.groups;
  if (open && Partition::defaultGroups(prepared, tile::mostGroups) > most)
    out.roomForGroups = most;
  if (failed(split(prepared, groups, most, defers, out.subtiled)))
    return failure();
  if (OwningOpRef<ModuleOp> parts, inParts; hasDots(prepared)) {
    parts = moduleWith(prepared);
    if (splitEpilogues(only<tile::KernelOp>(parts), only<tile::KernelOp>(out.subtiled), turns, machine)) {
      // Groups that divide columns have parts of them as they are.
      ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
      if (succeeded(split(only<tile::KernelOp>(parts), groups, most, defers, inParts))) {
        preparedModule = std::move(parts);
        prepared = only<tile::KernelOp>(preparedModule);
        out.subtiled = std::move(inParts);
      }
    }
  }
  if (open) {
    std::optional<Location> meets; // an access that has to stay behind another one
    auto where = [&](Diagnostic &diag) { return meets = diag.getLocation(), success(); };
    ScopedDiagnosticHandler quiet(kernel.getContext(), where);
    if (failed(placeMemoryWaits(only<tile::KernelOp>(out.subtiled))) &&
        failed(split(prepared, 1, most, defers, out.subtiled)))
      return failure();
    if (meets && hasDots(prepared))
      orderedBy = meets;
  }
  if (orderedBy)
    emitWarning(*orderedBy) << "one warp group computes all products: it keeps the order of accesses of one view that "
                               "may meet in a loop whose iterations overlap";
  auto subtiled = only<tile::KernelOp>(out.subtiled);
  if (failed(placeMemoryWaits(subtiled)))
    return failure();
  if (turns > 1 && groupsMeet(subtiled))
    return kernel.emitOpError("cannot have ")
           << turns
           << " tiles in flight where several warp groups of each keep accesses of one view in order: this is "
              "not supported yet";
  bool asksForFree = options.grouping == Grouping::Free;
  if (hasDots(subtiled)) {
    warnOfAlignment(only<tile::KernelOp>(out.tile));
    warnOfPadding(whole, prepared);
    warnOfFilledBlocks(prepared);
  } else
    options.grouping =
        Grouping::Fixed; // what moves and maps tiles is bound by memory: one group, of as many warps as it takes
  bool ordered = hasMemoryWaits(subtiled);
  if (ordered || branchesPassTiles(subtiled)) {
    if (asksForFree)
      return kernel.emitOpError("cannot choose warp groups freely where ")
             << (ordered ? "a view is loaded and stored in order" : "scf.if or scf.while passes tiles on")
             << ": this is not supported yet";
    options.grouping = Grouping::Fixed;
  }

  // Instructions of warp groups: where tiles live, which operation the tensor core runs.
  out.instructions = moduleWith(only<tile::KernelOp>(out.subtiled));
  auto selected = only<tile::KernelOp>(out.instructions);
  auto verifySelected = [&] {
    return failure(failed(verify(*out.instructions)) || failed(verifyInstructions(selected)));
  };
  const PlanValue *stageOuter = plan.ofKernel("stage_outer");
  bool stages = stageOuter ? cast<BoolAttr>(stageOuter->value).getValue() : options.stageOuter;
  const PlanValue *threadCopies = plan.ofKernel("thread_copies");
  bool copies = threadCopies ? cast<BoolAttr>(threadCopies->value).getValue() : options.threadCopies;
  FailureOr<SelectionChoices> choices = selectInstructions(selected, stages, copies);
  if (failed(choices))
    return failure();
  if (choices->outerOperands)
    out.stageOuter = stages;
  if (choices->threadCopies)
    out.threadCopies = copies;
  out.mayKeepOuter = choices->outerOperands && stages && !stageOuter;
  out.mayHoldLoads = choices->threadCopies && copies && !threadCopies;
  if (failed(checkOwn(selected, verifySelected)) || (turns > 1 && failed(takeTurns(selected, turns))))
    return failure();
  if (options.chains)
    formChains(selected, options.rows);
  if (failed(plan.bind(selected)))
    return failure();
  options.plan = &plan;
  if (targetOf(machine).emitsKernels() && turns == 1)
    shareSlotsOfLikeLoops(selected);
  if (targetOf(machine).emitsKernels() && turns == 1)
    shareSlotsWhereNeeded(selected, machine.memoryCapacity("smem"),
                          [&](Operation *op) { return plan.number(op, "ring", 1); });

  warnOfOrder(selected);
  // One scheduling problem per innermost loop.
  SmallVector<scf::ForOp> loops;
  selected.walk([&](scf::ForOp loop) {
    if (isScheduledLoop(loop))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    dissolveWherePlanned(loop, plan);
    FailureOr<LoopProblem> problem = extractLoop(loop, machine, options.extract, options);
    if (failed(problem))
      return failure();
    out.loops.emplace_back();
    out.loops.back().extracted = std::move(*problem);
  }
  if (upTo == Level::Problem)
    return success();
  for (auto [index, loop] : llvm::enumerate(out.loops)) {
    FailureOr<FormOptions> own = optionsOf(loop.extracted.loop, options);
    if (failed(own))
      return failure();
    own->solve.step = [&doing, name = "scheduling loop " + std::to_string(index) + ": "](const std::string &what) {
      doing(name + what);
    };
    if (failed(scheduleChains(loop, machine, *own, index)))
      return failure();
  }
  if (options.scheduleAround && failed(schedulePrograms(selected, machine, options, out)))
    return failure();
  return success();
}

bool leavesTilesInFlight(tile::KernelOp kernel, const FormOptions &asked) {
  return asked.tilesInFlight == 0 && !kernel->hasAttr("groups") && asked.solve.mode == SolveMode::Full &&
         asked.overlap && asked.grouping != Grouping::Free;
}

} // namespace heddle
