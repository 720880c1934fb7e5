//===- CompileForm.cpp - a kernel in one form -----------------------------------===//
//
// What:   a tile kernel and options that say its form (rows, reductions, blocks, ...) -> what Compilation holds, down
//         to the level that was asked for.
// Steps:  readProgram sets parameters; preparePrograms, on the sequential program, makes choices of branches, hoists
//         coordinates and rows, undoes pipelining by hand, gives loops other blocks, and decides order, clusters, what
//         one program computes for all, and persistence; schedulePrograms schedules it, with one and with several
//         programs in flight where that is open, and has it lowered; where registers lack, it does both again.
// Where:  below compileKernel (Pipelines.cpp), which chooses among forms.
//
//===----------------------------------------------------------------------===//
#include "CompileForm.h"
#include "Gains.h"

#include "LowerKernel.h"
#include "PlanOptions.h"
#include "Registers.h"
#include "ScheduleKernel.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/Supported.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Target/CUDA/EmitCUDA.h"
#include "heddle/Target/TargetInterface.h"
#include "heddle/Transforms/ChooseTiles.h"
#include "heddle/Transforms/DeferReductions.h"
#include "heddle/Transforms/NormaliseElements.h"
#include "heddle/Transforms/NormaliseLoops.h"
#include "heddle/Transforms/NormaliseTransposes.h"
#include "heddle/Transforms/OrderFactors.h"
#include "heddle/Transforms/OrderPrograms.h"
#include "heddle/Transforms/Persist.h"
#include "heddle/Transforms/RetileLoops.h"
#include "heddle/Transforms/SplitConcatenations.h"
#include "heddle/Transforms/StoreOnce.h"
#include "heddle/Transforms/UnpipelineLoops.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace heddle {

/// What the groups that compute can issue the copies of: one tile in flight, no cluster, no counter. Fixes the first.
static LogicalResult checkUnspecialised(tile::KernelOp kernel, FormOptions &options, TileSource source,
                                        const ClusterShape &cluster) {
  const char *wants = options.tilesInFlight > 1       ? "several tiles in flight"
                      : !cluster.empty()              ? "a cluster"
                      : source == TileSource::Counter ? "programs from a counter"
                                                      : nullptr;
  if (wants)
    return kernel.emitOpError("expected copies on a warp of their own (warp_specialize = true) with ")
           << wants << ", got warp_specialize = false";
  options.tilesInFlight = 1;
  options.warp.specialize = false;
  return success();
}

/// Lets one program compute what several store alike, as the plan says; else where their loops have to reduce it over
/// threads, or where the arithmetic of each does not hide (compileKernel). A product of 128 x 256 tiles with the row
/// sums of A ran at 1.10, 1.04 and 1.03 of its speed with sums by one program at 4096, 6144 and 8192; with two tiles of
/// 128 x 128 in flight, where a group alone reduces over its threads in each iteration, at 0.7
/// (bench/results/2026-11-23-h100-row-sums.json).
static LogicalResult chooseOnce(tile::KernelOp whole, const Plan &plan, const FormOptions &options, Compilation &out) {
  const PlanValue *planned = plan.ofKernel("once");
  bool asked = planned && cast<BoolAttr>(planned->value).getValue();
  if (!repeatsStores(whole)) {
    if (asked)
      return emitError(planned->loc) << "plan: expected a loop with products that also carries what all programs along "
                                        "a dimension of the grid store alike (once = true), got none";
    return success();
  }
  const PlanValue *defers = plan.ofKernel("defer");
  bool hides = canDeferReductions(whole) && !(defers && !cast<BoolAttr>(defers->value).getValue());
  out.once = planned ? asked : options.once.value_or(!hides);
  out.onceOpen = !planned;
  if (*out.once)
    storeOnce(whole);
  return success();
}

/// Refuses blocks of another size for a program without loops that could have such. The blocks of a loop may as well be
/// of the size that is asked for already, so other ones are tried.
static LogicalResult checkRetile(tile::KernelOp whole, const Plan &plan, const Machine &machine) {
  constexpr int64_t tried[] = {64, 128, 256, 512};
  const PlanValue *planned = plan.ofKernel("retile");
  int64_t asked = plan.number("retile", 0);
  if (!asked || llvm::any_of(tried, [&](int64_t positions) {
        OwningOpRef<ModuleOp> copy = moduleWith(whole);
        return retileLoops(only<tile::KernelOp>(copy), {positions, machine.memoryCapacity("smem"), /*narrow=*/true});
      }))
    return success();
  return emitError(planned->loc) << "plan: expected a loop with products whose blocks of positions may have another "
                                    "size (retile = "
                                 << asked << "), got none";
}

/// The order that the plan says; else downward where work grows.
static LogicalResult chooseOrder(tile::KernelOp whole, const Plan &plan, const Machine &machine, Compilation &out) {
  int64_t up = plan.number("ascending", 0);
  const PlanValue *planned = plan.ofKernel("descending");
  if (!up && !planned) {
    out.order = orderWhereWorkGrows(whole, machine.property("l2_bytes", 0));
    return success();
  }
  SmallVector<int64_t> down = planned ? planNumbers(planned->value) : SmallVector<int64_t>{0};
  if (down.size() > 2 || down.front() > down.back() || (down.size() == 2 && down.front() == 0))
    return emitError(planned->loc) << "plan: expected a number of programs side by side, or the least, which is not 0, "
                                      "and the most, as descending, got "
                                   << planned->value;
  if (up && down.back())
    return emitError(plan.ofKernel("ascending")->loc)
           << "plan: expected ascending = 0 beside descending = " << down.back() << ", got " << up;
  out.order = {up ? up : down.back(), up != 0};
  if (down.size() == 2) {
    out.order.least = down.front();
    out.order.bytes = bytesSideBySide(machine.property("l2_bytes", 0));
  }
  return success();
}

/// Another compilation of the program of `one`, from its grid on.
static void beginLike(Compilation &one, Compilation &other) {
  other.tile = moduleWith(only<tile::KernelOp>(one.tile));
  other.parameters = one.parameters;
  other.order = one.order;
  other.retiled = one.retiled;
  other.narrowed = one.narrowed;
  other.once = one.once;
  other.onceOpen = one.onceOpen;
  other.cluster = one.cluster;
}

namespace {

/// One form of a kernel, while it is compiled.
class Form {
public:
  Form(tile::KernelOp kernel, const Machine &chip, const FormOptions &given, Level upTo, Compilation &out)
      : kernel(kernel), machine(chip), given(given), asked(given), upTo(upTo), out(out) {}

  LogicalResult compile(Ahead ahead);

private:
  LogicalResult readProgram();
  LogicalResult preparePrograms(Ahead ahead);
  LogicalResult clusterPrograms();
  LogicalResult persist(bool gains, bool counts);
  LogicalResult schedulePrograms();
  LogicalResult scheduleWith(int64_t turns, Attempt &attempt, Compilation &into);
  bool takeTurns(const Attempt &fresh, bool beatsOne);
  void improve(const Attempt &first, const Attempt &fresh);

  bool plansLoops() const { return !asked.scheduleFiles.empty() || plan.decidesLoops(); }
  /// Whether the search for schedules is free to find whatever is best.
  bool searches() const {
    return asked.scheduler == SchedulerKind::Exact && asked.solve.mode == SolveMode::Full && !plansLoops() &&
           targetOf(machine).emitsKernels();
  }
  int64_t fewestTurns() const { return std::max<int64_t>(1, asked.tilesInFlight); }
  void say(std::vector<Diagnostic> &diags) {
    for (Diagnostic &diag : diags)
      kernel.getContext()->getDiagEngine().emit(std::move(diag));
  }

  tile::KernelOp kernel;
  Machine machine; ///< with what the plan leaves of it
  const FormOptions &given;
  FormOptions asked; ///< with what the plan says
  Level upTo;
  Compilation &out;
  Plan plan;
  OwningOpRef<ModuleOp> programs;
  tile::KernelOp whole; ///< the kernel with parameters set, ordered, persistent
  bool persistent = false;
  bool comparesTurns = false; ///< the number of programs in flight is open, and so is all that it concerns
};

} // namespace

/// tile: the sequential meaning, with a value for each parameter.
LogicalResult Form::readProgram() {
  out.tile = moduleWith(kernel);
  if (failed(verify(*out.tile)))
    return failure();
  FailureOr<Plan> read = Plan::read(kernel, asked.planText, asked.planFile);
  if (failed(read) || failed(applyToKernel(*read, kernel, asked, machine)))
    return failure();
  plan = *read;
  if (failed(setParameters(only<tile::KernelOp>(out.tile), asked.parameters)))
    return failure();
  if (const PlanValue *raster = plan.ofKernel("raster")) {
    tile::GridOp grid = *only<tile::KernelOp>(out.tile).getBody().getOps<tile::GridOp>().begin();
    grid.setRaster(planNumbers(raster->value).front());
    if (failed(verify(grid)))
      return failure();
  }
  out.parameters = asked.parameters;
  out.parameters.merge(parametersOf(kernel)); // those that nobody chose
  return success();
}

LogicalResult Form::clusterPrograms() {
  if (asked.cluster.empty())
    return success();
  const PlanValue *planned = plan.ofKernel("cluster");
  FailureOr<ClusterShape> shape = chooseCluster(whole, asked.cluster, planned ? planned->loc : whole.getLoc());
  if (failed(shape))
    return failure();
  if (!shape->empty())
    formClusters(whole, *shape);
  out.cluster = *shape;
  return success();
}

/// Whether they gain from running one after the other, and from a counter, says the caller.
LogicalResult Form::persist(bool gains, bool counts) {
  persistent = asked.persistent == Persistence::Always ||
               (asked.persistent == Persistence::WhereItGains && asked.blocks == 1 && (gains || counts));
  if (persistent && asked.blocks > 1)
    return kernel.emitOpError("expected persistent = false where blocks share a multiprocessor (blocks = ")
           << asked.blocks << "), got true";
  TileSource source = asked.tileSource.value_or(persistent && counts ? TileSource::Counter : TileSource::Stride);
  if (counts && !asked.tilesInFlight)
    asked.tilesInFlight = 1; // more were not faster: what is loaded before loops stays until they end
  if (!persistent && source == TileSource::Counter)
    return kernel.emitOpError("cannot take programs from a counter: it is not persistent (ask for `--persistent=on`)");
  if (persistent && failed(makePersistent(whole, source)))
    return failure();
  return success(asked.specialize != false || succeeded(checkUnspecialised(kernel, asked, source, out.cluster)));
}

/// One program a multiprocessor, where that was asked for or gains: still sequential, still executable.
LogicalResult Form::preparePrograms(Ahead ahead) {
  if (failed(verifySupported(only<tile::KernelOp>(out.tile))) || failed(verifyHasCUDA(only<tile::KernelOp>(out.tile))))
    return failure();
  programs = moduleWith(only<tile::KernelOp>(out.tile));
  whole = only<tile::KernelOp>(programs);
  if (&targetOf(machine) != &targetOf(whole))
    setTarget(whole, targetOf(machine));
  chooseTiles(whole);
  normaliseElements(whole);
  normaliseTransposes(whole);
  orderFactors(whole);
  splitConcatenations(whole);
  hoistCoordinates(whole);
  hoistRows(whole);
  if (asked.overlap)
    unpipelineLoops(whole);
  const int64_t best = bestBlock(whole), open = plan.decidesLoops() ? 0 : best; // what a plan says of loops has blocks
  const int64_t positions = asked.retile.value_or(open);
  OwningOpRef<ModuleOp> asWritten = positions ? OwningOpRef<ModuleOp>() : moduleWith(whole);
  if (retileLoops(positions ? whole : only<tile::KernelOp>(asWritten),
                  {positions ? positions : best, machine.memoryCapacity("smem"), asked.narrow}))
    out.retiled = positions, out.narrowed = asked.narrow;
  if (!out.retiled && failed(checkRetile(whole, plan, machine)))
    return failure();
  bool isDecided = plan.decidesLoops() || plan.ofKernel("retile");
  if (asked.narrow && !plan.ofKernel("narrow") && (!out.retiled || isDecided))
    return failure(); // compileKernel asks for shorter blocks: there are none, or the plan says how long they are
  if (out.retiled.value_or(0) && !asked.retile)
    asked.givesUpRoom = asked.whyNot = false; // compileKernel tries blocks as written then
  bool openAhead = asked.overlap && searches() && mayShareMultiprocessor(whole);
  if (ahead == Ahead::Never && !openAhead)
    return failure();
  if (openAhead && (ahead == Ahead::Never || loadsEnoughAtOnce(whole, machine)))
    asked.overlap = false;
  bool gains = gainsFromPersistence(whole);
  bool mayCount = asked.cluster.empty() && asked.specialize != false && asked.tileSource != TileSource::Stride;
  bool counts = mayCount && gainsFromCounter(whole);
  if (failed(chooseOrder(whole, plan, machine, out)) || failed(clusterPrograms()) ||
      failed(chooseOnce(whole, plan, asked, out)) || failed(orderPrograms(whole, out.order)))
    return failure();
  return persist(gains, counts);
}

LogicalResult Form::scheduleWith(int64_t turns, Attempt &attempt, Compilation &into) {
  Level most = comparesTurns ? std::max(upTo, Level::Schedule) : upTo;
  return scheduleKernel(kernel, whole, turns, machine, most, attempt.plan, attempt.options, into);
}

/// Makes `out` a kernel with several programs in flight, where there is one; with `beatsOne` it has to take less time
/// than `out`, and its registers have to suffice.
bool Form::takeTurns(const Attempt &fresh, bool beatsOne) {
  constexpr int64_t several = 2;
  Attempt attempt = fresh;
  if (comparesTurns)
    attempt.options.tries = 4; // a guess at what may be better takes a part of what the first one did
  Compilation other;
  beginLike(out, other);
  MLIRContext *context = kernel.getContext();
  std::vector<Diagnostic> dropped, said;
  auto lower = [&]() -> LogicalResult {
    if (failed(lowerKernel(kernel, machine, attempt, beatsOne ? std::max(upTo, Level::HW) : upTo, other)))
      return failure();
    if (!beatsOne)
      return success();
    FailureOr<int64_t> spare = spareRegisters(only<hw::KernelOp>(other.hw));
    return success(succeeded(spare) && *spare >= 0);
  };
  if (failed(attemptQuietly(context, dropped, [&] { return scheduleWith(several, attempt, other); })) ||
      (beatsOne && !gainsFromTurns(other, out)) || failed(attemptQuietly(context, said, lower)))
    return false;
  say(said);
  out = std::move(other);
  return true;
}

/// Where groups do not take turns, the hw form of `out` lacks registers, or a loop is far from its bound: other orders,
/// other forms of rows, and less room.
void Form::improve(const Attempt &first, const Attempt &fresh) {
  std::vector<Diagnostic> dropped;
  Level deep = std::max(upTo, Level::HW); // what is below decides about what is above
  auto rest = [&] {
    return upTo == Level::Schedule ? lowerKernel(kernel, machine, first, deep, out)
                                   : lowerToHW(machine, first.options, out);
  };
  if (upTo < Level::HW && failed(attemptQuietly(kernel.getContext(), dropped, rest)))
    return;
  // With several loops none alone says that the form is dropped.
  auto worthLess = [&](int64_t share) {
    return out.loops.size() == 1 ? cyclesOf(out) - cyclesOf(out) / share : int64_t(0);
  };
  auto again = [&](int64_t room, int64_t worth, Compilation &other) {
    Attempt saving = fresh;
    saving.options.extract.moreRegisters = room;
    saving.options.rows = Rows::Reread;
    saving.options.worth = worth;
    saving.options.givesUpRoom = saving.options.whyNot = false; // room is what is asked for
    beginLike(out, other);
    return attemptQuietly(kernel.getContext(), dropped, [&] {
      return success(succeeded(scheduleWith(fewestTurns(), saving, other)) &&
                     succeeded(lowerKernel(kernel, machine, saving, deep, other)));
    });
  };
  auto withFewer = [&](bool inTurn, int64_t registers, int64_t worth, Compilation &other) {
    Attempt tight = fresh;
    tight.options.worth = worth;
    tight.options.inTurn = inTurn;
    tight.options.extract.spareRegisters = -registers;
    tight.options.givesUpRoom = tight.options.whyNot = false;
    beginLike(out, other);
    return attemptQuietly(kernel.getContext(), dropped, [&] {
      return success(succeeded(scheduleWith(fewestTurns(), tight, other)) &&
                     succeeded(lowerKernel(kernel, machine, tight, deep, other)));
    });
  };
  int64_t ofAddresses = targetOf(machine).addressRegisters();
  if (!asked.extract.spareRegisters)
    orderGroups([&](Compilation &other) { return withFewer(true, ofAddresses / 2 + registersOfChains, 0, other); },
                out);
  rereadRows([&](Compilation &other) { return again(0, worthLess(shareOfReread), other); }, out);
  if (!asked.extract.spareRegisters && asked.nearsBound)
    nearBound(
        [&](Compilation &other) { return withFewer(false, 2 * registersOfChains, worthLess(shareNearBound), other); },
        out);
  saveRegisters([&](int64_t room, Compilation &other) { return again(room, 0, other); }, out);
}

/// Compute groups, instructions, schedules, and what is below them. Schedules and parts of plans that are given belong
/// to the problems of one number of programs in flight, which is then the one for which they hold.
LogicalResult Form::schedulePrograms() {
  bool open = persistent && targetOf(machine).emitsKernels() && leavesTilesInFlight(kernel, asked);
  comparesTurns = open && !plansLoops() && asked.groups == 0 && asked.warp.registers.empty() &&
                  asked.scheduler == SchedulerKind::Exact;
  asked.onlyDecides = !asked.scheduleAround;
  asked.scheduleAround |= comparesTurns;
  const Attempt fresh{plan, asked, given, persistent};
  Attempt first = fresh;
  auto make = [&] {
    return success(succeeded(scheduleWith(fewestTurns(), first, out)) &&
                   succeeded(lowerKernel(kernel, machine, first, upTo, out)));
  };
  if (open && plansLoops()) {
    std::vector<Diagnostic> said;
    LogicalResult one = attemptQuietly(kernel.getContext(), said, make);
    if (failed(one) && takeTurns(fresh, /*beatsOne=*/false))
      return success();
    say(said);
    return one;
  }
  if (failed(scheduleWith(fewestTurns(), first, out)))
    return failure();
  if (comparesTurns && mayGainFromTurns(out) && takeTurns(fresh, /*beatsOne=*/true))
    return success();
  if (failed(lowerKernel(kernel, machine, first, upTo, out)))
    return failure();
  if (upTo >= Level::Schedule && hasDots(whole) && searches())
    improve(first, fresh);
  return success();
}

/// What setmaxnreg takes is fixed (warp.group has the rule), and so is what a multiprocessor has; a machine file may
/// have been written for more.
static LogicalResult checkLimits(tile::KernelOp kernel, const Machine &machine) {
  auto checkMost = [&](const char *what, int64_t most, int64_t got) -> LogicalResult {
    if (got <= most)
      return success();
    return kernel.emitError("expected a machine of at most ")
           << most << " " << what << ", got '" << machine.name() << "' with " << got
           << " (only schedules are made for it)";
  };
  if (failed(checkMost("registers", WarpLimits().registerFile, machine.warps().registerFile)) ||
      failed(checkMost("bytes of shared memory", targetOf(machine).mostSharedMemory(), machine.memoryCapacity("smem"))))
    return failure();
  Occupancy own(machine.warps()), real;
  if (own.granule() % real.granule() == 0 && own.leastBudget() >= real.leastBudget() &&
      own.mostBudget() <= real.largestBudget())
    return success();
  return kernel.emitError("expected a machine whose registers a thread are multiples of ")
         << real.granule() << " from " << real.leastBudget() << " to " << real.largestBudget() << ", got '"
         << machine.name() << "' with multiples of " << own.granule() << " from " << own.leastBudget() << " to "
         << own.mostBudget() << " (only schedules are made for it)";
}

LogicalResult verifyEmitsKernels(tile::KernelOp kernel, const Machine &machine) {
  if (const TargetInterface &target = targetOf(machine); !target.emitsKernels())
    return kernel.emitError("expected a machine that kernels are made for, got '")
           << machine.name() << "' of target '" << target.name() << "' (only schedules are made for it)";
  return checkLimits(kernel, machine);
}

LogicalResult Form::compile(Ahead ahead) {
  Doing doing(asked);
  if (upTo > Level::Schedule && failed(verifyEmitsKernels(kernel, machine)))
    return failure();
  if (failed(readProgram()))
    return failure();
  if (upTo == Level::Tile)
    return success();
  return success(succeeded(preparePrograms(ahead)) && succeeded(schedulePrograms()));
}

LogicalResult compileForm(tile::KernelOp kernel, const Machine &machine, const FormOptions &options, Level upTo,
                          Compilation &out, Ahead ahead) {
  loadDialects(kernel.getContext());
  return Form(kernel, machine, options, upTo, out).compile(ahead);
}

} // namespace heddle
