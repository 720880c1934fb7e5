//===- Pipelines.cpp - the compiler on one page ----------------------------===//
#include "heddle/Pipelines/Compiler.h"

#include "Blocks.h"
#include "PlanOptions.h"
#include "PlanText.h"
#include "Registers.h"
#include "ScheduleKernel.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/ProtocolDryRun.h"
#include "heddle/Analysis/SlotLives.h"
#include "heddle/Analysis/Supported.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Conversion/WarpToHW/AssignLayouts.h"
#include "heddle/Conversion/WarpToHW/WarpToHW.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Scheduling/Problem/Reuse.h"
#include "heddle/Support/Version.h"
#include "heddle/Target/CUDA/EmitCUDA.h"
#include "heddle/Target/TargetInterface.h"
#include "heddle/Transforms/DeferReductions.h"
#include "heddle/Transforms/OrderPrograms.h"
#include "heddle/Transforms/Persist.h"
#include "heddle/Transforms/SimplifyWaits.h"
#include "heddle/Transforms/SplitContraction.h"
#include "heddle/Transforms/StoreOnce.h"
#include "heddle/Transforms/UnpipelineLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace heddle {

void registerHeddleDialects(DialectRegistry &registry) {
  registry.insert<tile::TileDialect, warp::WarpDialect, hw::HWDialect, arith::ArithDialect, math::MathDialect,
                  scf::SCFDialect, tensor::TensorDialect>();
}

/// What the header of a kernel says first: how to make it again.
static std::string describeOrigin(Operation *program, const CompileOptions &options, const Machine &machine,
                                  const std::string &parameters = "") {
  std::string file = options.file;
  if (auto loc = program->getLoc()->findInstanceOf<FileLineColLoc>(); loc && file.empty())
    file = loc.getFilename().str();
  file = file.empty() ? "FILE" : llvm::sys::path::filename(file).str();
  std::string version = StringRef(versionText("heddle")).trim().str();
  std::string plan;
  auto add = [&](const std::string &decision) { plan += (plan.empty() ? "" : ", ") + decision; };
  if (options.extract.spareRegisters)
    add("spare = " + std::to_string(options.extract.spareRegisters));
  for (const TextDecision &decision : textDecisions())
    if (options.*decision.option)
      add((decision.key + " = true").str());
  if (options.turnedStores)
    add(*options.turnedStores ? "turned_stores = true" : "turned_stores = false");
  if (!plan.empty())
    plan = "plan: {kernel = {" + plan + "}}\n";
  return "heddle compile " + file + " --machine=" + machine.name() + parameters + " (" + version + ")\n" + plan + "\n";
}

/// The option that gives a program's parameters the values they have; empty: they have them as it is written.
static std::string describeParameters(tile::KernelOp kernel, const ParameterValues &parameters) {
  std::string chosen;
  for (auto &[name, own] : parametersOf(kernel))
    if (int64_t value = parameters.at(name); value != own)
      chosen += (chosen.empty() ? " --param=" : ",") + name + "=" + std::to_string(value);
  return chosen;
}

/// What the kernel's text says of its schedules: how it runs, not what is known of it, so that a replay has the same.
static std::string describeStreams(const Compilation &compilation) {
  std::string text;
  for (auto [i, loop] : llvm::enumerate(compilation.loops)) {
    const Schedule &schedule = loop.result.schedule;
    text += (i ? "\nloop " : "loop ") + std::to_string(i) + ": initiation interval " +
            std::to_string(schedule.ii * loop.extracted.problem.scale) + " cycles, " +
            std::to_string(schedule.stages(loop.extracted.problem)) + " stages";
  }
  return text;
}

static void loadDialects(MLIRContext *context) {
  DialectRegistry registry;
  registerHeddleDialects(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
}

/// Where a kernel keeps what describeStreams says, from the warp level on.
static constexpr StringLiteral scheduleAttr = "heddle.schedule";

/// Whether programs are taken from a counter: a block then runs many, one after the other, each from the beginning of
/// its code to the end. With one code for all groups attention ran at 0.99 to 1.12 of its speed, the more the shorter
/// its programs (bench/results/2026-11-23-h100-forward-orders.json, third run). Others were not measured.
static bool takesFromCounter(Compilation &out) {
  scf::ForOp programs = programLoop(only<tile::KernelOp>(out.subtiled));
  return programs && programs->hasAttr(countedAttr);
}

/// Shared memory, barriers, layouts, descriptors: the warp program of `out` as an hw program.
static LogicalResult lowerToHW(const Machine &machine, const CompileOptions &options, Compilation &out) {
  out.hw = moduleWith(only<warp::KernelOp>(out.warp));
  WarpToHWOptions lower;
  lower.smemLimit = machine.memoryCapacity("smem");
  lower.warps = machine.warps();
  FailureOr<hw::KernelOp> kernel = lowerWarpToHW(only<warp::KernelOp>(out.hw), lower);
  Builder b(out.hw->getContext());
  for (const TextDecision &decision : textDecisions())
    if (succeeded(kernel) && options.*decision.option && !(*kernel)->hasAttr(decision.attribute))
      (*kernel)->setAttr(decision.attribute,
                         decision.value.empty() ? Attribute(b.getUnitAttr()) : b.getStringAttr(decision.value));
  if (succeeded(kernel) && options.turnedStores)
    (*kernel)->setAttr(hw::turnedStoresAttr,
                       *options.turnedStores ? Attribute(b.getUnitAttr()) : b.getStringAttr("never"));
  return failure(failed(kernel) || failed(verify(*out.hw)) || failed(verifyHW(*kernel)) ||
                 failed(verifyLayouts(*kernel)));
}

/// The hw program of `out` as text; `origin` says how it is made.
static LogicalResult print(StringRef origin, Compilation &out) {
  auto kernel = only<hw::KernelOp>(out.hw);
  auto schedule = kernel->getAttrOfType<StringAttr>(scheduleAttr);
  FailureOr<std::string> cuda = emitCUDA(kernel, (origin + (schedule ? schedule.getValue() : "")).str());
  if (failed(cuda))
    return failure();
  FailureOr<std::string> manifest = emitManifest(kernel, *cuda);
  if (failed(manifest))
    return failure();
  out.cuda = *cuda;
  out.manifest = *manifest;
  return success();
}

LogicalResult compileKernel(warp::KernelOp kernel, const Machine &machine, const CompileOptions &options, Level upTo,
                            Compilation &out) {
  loadDialects(kernel.getContext());
  Doing doing(options);
  out.warp = moduleWith(kernel);
  auto program = only<warp::KernelOp>(out.warp);
  doing("verifying the warp program");
  if (failed(verify(*out.warp)) || failed(verifyWarpProtocol(program)) || failed(dryRunProtocol(program)))
    return failure();
  if (upTo <= Level::Warp)
    return success();
  doing("lowering to barriers, copies and tensor cores");
  if (failed(lowerToHW(machine, options, out)))
    return failure();
  return upTo == Level::HW ? success() : print(describeOrigin(kernel, options, machine), out);
}

LogicalResult compileKernel(hw::KernelOp kernel, const Machine &machine, const CompileOptions &options, Level upTo,
                            Compilation &out) {
  loadDialects(kernel.getContext());
  out.hw = moduleWith(kernel);
  if (failed(verify(*out.hw)) || failed(verifyHW(only<hw::KernelOp>(out.hw))))
    return failure();
  return upTo <= Level::HW ? success() : print(describeOrigin(kernel, options, machine), out);
}

std::optional<SchedulerKind> findScheduler(StringRef name) {
  return llvm::StringSwitch<std::optional<SchedulerKind>>(name)
      .Case("exact", SchedulerKind::Exact)
      .Case("heuristic", SchedulerKind::Heuristic)
      .Case("random", SchedulerKind::Random)
      .Default(std::nullopt);
}

/// What the groups that compute can issue the copies of: one tile in flight, no cluster, no counter. Fixes the first.
static LogicalResult checkUnspecialised(tile::KernelOp kernel, CompileOptions &options, TileSource source,
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

/// Whether some group gets tiles that another one computes.
static bool passesTiles(warp::KernelOp program) {
  bool passes = false;
  program.walk([&](warp::PutOp put) {
    auto group = put->getParentOfType<warp::GroupOp>();
    for (Operation *user : put.getAref().getUsers())
      passes |= isa<warp::GetOp>(user) && user->getParentOfType<warp::GroupOp>() != group;
  });
  return passes;
}

namespace {
/// A kernel as scheduled: what was asked for, and what holds for it.
struct Attempt {
  Plan plan;
  CompileOptions options;
  const CompileOptions &given;
  bool persistent;
};
} // namespace

/// The second half of the compiler: from the schedules in `out` down to `upTo`.
static LogicalResult lowerKernel(tile::KernelOp kernel, const Machine &machine, const Attempt &attempt, Level upTo,
                                 Compilation &out) {
  if (upTo <= Level::Schedule)
    return success();
  Doing doing(attempt.options);
  auto selected = only<tile::KernelOp>(out.instructions);

  // warp: groups, rings, order and waits from the schedule.
  doing("making and verifying the warp program");
  DenseMap<Operation *, LoopSchedule> schedules;
  for (ScheduledLoop &loop : out.loops) {
    LoopSchedule &schedule = schedules[loop.extracted.loop];
    int64_t unit = loop.extracted.problem.scale;
    schedule.ii = loop.result.schedule.ii * unit;
    for (auto [v, members] : llvm::enumerate(loop.extracted.ops))
      for (Operation *op : members) {
        schedule.start[op] = loop.result.schedule.start[v] * unit;
        schedule.end[op] = schedule.start[op] + loop.extracted.problem.nodes[v].latency * unit;
        if (int group = loop.result.schedule.group[v]; group > 0) { // group 0 loads
          schedule.group[op] = group - 1;
          if (loop.extracted.problem.registerFile) // budgets are decisions
            schedule.regs[group - 1] = loop.result.schedule.groupRegs[group];
        }
        schedule.names[op] = loop.extracted.problem.nodes[v].name;
        if (int64_t slots = attempt.plan.number(op, "ring", 0))
          schedule.rings[op] = slots;
        if (int64_t most = attempt.plan.number(op, "inflight", 0))
          schedule.inflight[op] = most;
      }
    for (const Reuse &reuse : reusedOperands(loop.extracted.problem, loop.result.schedule))
      if (auto &dots = loop.extracted.ops[reuse.reader], &next = loop.extracted.ops[reuse.next];
          !dots.empty() && !next.empty())
        schedule.done[dots.front()] = {next.front(), reuse.distance};
    if (const PlanValue *cut = attempt.plan.find(loop.extracted.loop, "cut"))
      schedule.cut = planNumbers(cut->value);
  }
  TileToWarpOptions warpOptions = attempt.options.warp;
  warpOptions.cutAtStart |= !attempt.options.overlap;
  selected.walk([](Operation *op) { op->removeDiscardableAttr(planAttr); }); // all of it is in the schedules
  FailureOr<warp::KernelOp> warpKernel;
  std::optional<int64_t> taken;
  auto convert = [&] {
    warpKernel = convertTileToWarp(selected, schedules, machine, warpOptions, &out.decisions);
    if (succeeded(warpKernel))
      taken = sharedMemoryOf(*warpKernel); // none: the lowering to hw says why
    return succeeded(warpKernel);
  };
  if (!convert())
    return failure();
  // What warps exchange is known only now.
  if (taken && *taken > machine.memoryCapacity("smem") && !selected->hasAttr(shareSlotsAttr)) {
    warpKernel->erase();
    selected->setAttr(shareSlotsAttr, UnitAttr::get(selected.getContext()));
    if (!convert())
      return failure();
  }
  growRings(*warpKernel, taken ? machine.memoryCapacity("smem") - *taken : 0, attempt.options.warp.maxDepth,
            out.decisions);
  out.plan = describePlan(out, attempt.plan, attempt.given, attempt.persistent, machine);
  (*warpKernel)->remove();
  out.warp = OwningOpRef<ModuleOp>(ModuleOp::create(kernel.getLoc()));
  out.warp->getBody()->push_back(*warpKernel);
  auto program = only<warp::KernelOp>(out.warp);
  if (std::string streams = describeStreams(out); !streams.empty())
    program->setAttr(scheduleAttr, StringAttr::get(kernel.getContext(), streams));
  if (attempt.options.blocks > 1)
    program->setAttr(hw::blocksAttr, OpBuilder(kernel.getContext()).getI64IntegerAttr(attempt.options.blocks));
  if (attempt.options.oneCode.value_or(takesFromCounter(out)))
    program->setAttr(hw::oneCodeAttr, UnitAttr::get(kernel.getContext()));
  // What ptxas computes side by side has no registers there.
  if (!attempt.plan.ofKernel("slices") &&
      llvm::any_of(out.loops, [](const ScheduledLoop &l) { return l.fewAddresses; }))
    program->setAttr(hw::slicesAttr, UnitAttr::get(kernel.getContext()));
  if (failed(
          checkOwn(program, [&] { return failure(failed(verify(*out.warp)) || failed(verifyWarpProtocol(program))); })))
    return failure();
  simplifyWaits(program); // keeps the protocol: each removal is verified
  auto dryRun = [&] { return dryRunProtocol(program); };
  if (!attempt.options.warp.specialize && passesTiles(program)) { // which it may do while that one waits for its copy
    std::vector<Diagnostic> dropped;
    if (failed(attemptQuietly(kernel.getContext(), dropped, dryRun)))
      return kernel.emitOpError(
          "expected copies on a warp of their own (warp_specialize = true) where groups pass tiles to "
          "each other, got warp_specialize = false: they would wait for each other");
  } else if (failed(checkOwn(program, dryRun)))
    return failure();
  if (upTo == Level::Warp)
    return success();

  // hw: shared memory, barriers, layouts, descriptors; then text.
  doing("lowering to barriers, copies and tensor cores");
  if (failed(lowerToHW(machine, attempt.options, out)))
    return failure();
  if (upTo == Level::HW)
    return success();
  return print(describeOrigin(kernel, attempt.options, machine, describeParameters(kernel, out.parameters)), out);
}

/// Lets one program compute what several store alike, as the plan says; else where their loops have to reduce it over
/// threads, or where the arithmetic of each does not hide (compileKernel). A product of 128 x 256 tiles with the row
/// sums of A ran at 1.10, 1.04 and 1.03 of its speed with sums by one program at 4096, 6144 and 8192; with two tiles of
/// 128 x 128 in flight, where a group alone reduces over its threads in each iteration, at 0.7
/// (bench/results/2026-11-23-h100-row-sums.json).
static LogicalResult chooseOnce(tile::KernelOp whole, const Plan &plan, const CompileOptions &options,
                                Compilation &out) {
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
  out.mayOnce = !planned && !*out.once;
  if (*out.once)
    storeOnce(whole);
  return success();
}

/// The order that the plan says; else downward where work grows.
static LogicalResult chooseOrder(tile::KernelOp whole, const Plan &plan, Compilation &out) {
  int64_t up = plan.number("ascending", 0), down = plan.number("descending", up ? 0 : sectionWhereWorkGrows(whole));
  if (up && down)
    return emitError(plan.ofKernel("ascending")->loc)
           << "plan: expected ascending = 0 beside descending = " << down << ", got " << up;
  out.order = {up ? up : down, up != 0};
  return success();
}

/// Whether loads of kernels without dots run ahead of their iteration. They need not where the blocks that share a
/// multiprocessor load enough, which is known when there is one.
enum class Ahead { AsChosen, Never };

/// `ahead`: Never fails, and says nothing, where it is no question.
/// Another compilation of the program of `one`, from its grid on.
static void beginLike(Compilation &one, Compilation &other) {
  other.tile = moduleWith(only<tile::KernelOp>(one.tile));
  other.parameters = one.parameters;
  other.order = one.order;
  other.once = one.once;
  other.mayOnce = one.mayOnce;
  other.cluster = one.cluster;
}

static LogicalResult compileTiles(tile::KernelOp kernel, const Machine &chip, const CompileOptions &given, Level upTo,
                                  Compilation &out, Ahead ahead = Ahead::AsChosen) {
  loadDialects(kernel.getContext());
  Machine machine = chip;
  CompileOptions asked = given;
  Doing doing(asked);

  if (const TargetInterface &target = targetOf(machine); upTo > Level::Schedule && !target.emitsKernels())
    return kernel.emitError("expected a machine that kernels are made for, got '")
           << machine.name() << "' of target '" << target.name() << "' (only schedules are made for it)";
  // tile: the sequential meaning, with a value for each parameter.
  out.tile = moduleWith(kernel);
  if (failed(verify(*out.tile)))
    return failure();
  FailureOr<Plan> plan = Plan::read(kernel, asked.planText, asked.planFile);
  if (failed(plan) || failed(applyToKernel(*plan, kernel, asked, machine)))
    return failure();
  if (failed(setParameters(only<tile::KernelOp>(out.tile), asked.parameters)))
    return failure();
  if (const PlanValue *raster = plan->ofKernel("raster")) {
    tile::GridOp grid = *only<tile::KernelOp>(out.tile).getBody().getOps<tile::GridOp>().begin();
    grid.setRaster(planNumbers(raster->value).front());
    if (failed(verify(grid)))
      return failure();
  }
  out.parameters = asked.parameters;
  out.parameters.merge(parametersOf(kernel)); // those that nobody chose
  if (upTo == Level::Tile)
    return success();

  // One program a multiprocessor, where that was asked for; then split over compute groups: still sequential, still
  // executable.
  if (failed(verifySupported(only<tile::KernelOp>(out.tile))) || failed(verifyHasCUDA(only<tile::KernelOp>(out.tile))))
    return failure();
  OwningOpRef<ModuleOp> programs = moduleWith(only<tile::KernelOp>(out.tile));
  auto whole = only<tile::KernelOp>(programs);
  if (&targetOf(machine) != &targetOf(whole))
    setTarget(whole, targetOf(machine));
  if (asked.overlap)
    unpipelineLoops(whole);
  bool gains = gainsFromPersistence(whole);
  bool openAhead = asked.overlap && asked.scheduler == SchedulerKind::Exact && asked.solve.mode == SolveMode::Full &&
                   asked.scheduleFiles.empty() && !plan->decidesLoops() && targetOf(machine).emitsKernels() &&
                   mayShareMultiprocessor(whole);
  if (ahead == Ahead::Never && !openAhead)
    return failure();
  if (openAhead && (ahead == Ahead::Never || loadsEnoughAtOnce(whole, machine)))
    asked.overlap = false;
  bool mayCount = asked.cluster.empty() && asked.specialize != false && asked.tileSource != TileSource::Stride;
  bool counts = !gains && mayCount && gainsFromCounter(whole);
  if (failed(chooseOrder(whole, *plan, out)))
    return failure();
  if (!asked.cluster.empty()) {
    const PlanValue *planned = plan->ofKernel("cluster");
    FailureOr<ClusterShape> shape = chooseCluster(whole, asked.cluster, planned ? planned->loc : whole.getLoc());
    if (failed(shape))
      return failure();
    if (!shape->empty())
      formClusters(whole, *shape);
    out.cluster = *shape;
  }
  if (failed(chooseOnce(whole, *plan, asked, out)))
    return failure();
  if (failed(orderPrograms(whole, out.order)))
    return failure();
  bool persistent = asked.persistent == Persistence::Always ||
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

  if (asked.specialize == false && failed(checkUnspecialised(kernel, asked, source, out.cluster)))
    return failure();

  // Compute groups, instructions, schedules; where it is left open, for one and for several tiles in flight. Schedules
  // and parts of plans that are given say it: they belong to the problems of one of them.
  MLIRContext *context = kernel.getContext();
  bool open = persistent && targetOf(machine).emitsKernels() && leavesTilesInFlight(kernel, asked);
  bool replays = open && (!asked.scheduleFiles.empty() || plan->decidesLoops());
  bool chooses =
      open && !replays && asked.groups == 0 && asked.warp.registers.empty() && asked.scheduler == SchedulerKind::Exact;
  asked.onlyDecides = !asked.scheduleAround;
  asked.scheduleAround |= chooses;
  Level most = chooses ? std::max(upTo, Level::Schedule) : upTo;
  Attempt first{*plan, asked, given, persistent}, second = first;
  const Attempt fresh = first;
  auto scheduleOne = [&] {
    int64_t turns = std::max<int64_t>(1, asked.tilesInFlight);
    return scheduleKernel(kernel, whole, turns, machine, most, first.plan, first.options, out);
  };
  std::vector<Diagnostic> refused;
  auto say = [&](std::vector<Diagnostic> &diags) {
    for (Diagnostic &diag : diags)
      context->getDiagEngine().emit(std::move(diag));
  };
  if (replays && succeeded(attemptQuietly(context, refused, [&] {
        return success(succeeded(scheduleOne()) && succeeded(lowerKernel(kernel, machine, first, upTo, out)));
      }))) {
    say(refused);
    return success();
  }
  bool scheduled = !replays && succeeded(scheduleOne());
  if (!scheduled && !replays)
    return failure();
  if (!scheduled || (chooses && mayGainFromTurns(out))) {
    constexpr int64_t several = 2;
    if (chooses)
      second.options.tries = 4; // a guess at what may be better takes a part of what the first one did
    Compilation other;
    beginLike(out, other);
    std::vector<Diagnostic> dropped, said;
    auto schedule = [&] {
      return scheduleKernel(kernel, whole, several, machine, most, second.plan, second.options, other);
    };
    auto lower = [&]() -> LogicalResult {
      if (failed(lowerKernel(kernel, machine, second, scheduled ? std::max(upTo, Level::HW) : upTo, other)))
        return failure();
      if (!scheduled) // nothing to prefer
        return success();
      FailureOr<int64_t> spare = spareRegisters(only<hw::KernelOp>(other.hw));
      return success(succeeded(spare) && *spare >= 0);
    };
    if (succeeded(attemptQuietly(context, dropped, schedule)) && (!scheduled || gainsFromTurns(other, out)) &&
        succeeded(attemptQuietly(context, said, lower))) {
      say(said);
      out = std::move(other);
      return success();
    }
  }
  say(refused);
  if (!scheduled)
    return failure();
  bool saves = upTo >= Level::Schedule && targetOf(machine).emitsKernels() && hasDots(whole) &&
               asked.scheduler == SchedulerKind::Exact && asked.solve.mode == SolveMode::Full &&
               asked.scheduleFiles.empty() && !plan->decidesLoops();
  if (failed(lowerKernel(kernel, machine, first, upTo, out)))
    return failure();
  Level deep = std::max(upTo, Level::HW); // what is below decides about what is above
  std::vector<Diagnostic> dropped;
  auto rest = [&] {
    return upTo == Level::Schedule ? lowerKernel(kernel, machine, first, deep, out)
                                   : lowerToHW(machine, first.options, out);
  };
  if (!saves || (upTo < Level::HW && failed(attemptQuietly(context, dropped, rest))))
    return success();
  auto again = [&](int64_t room, Compilation &other) {
    Attempt saving = fresh;
    saving.options.extract.moreRegisters = room;
    saving.options.rows = Rows::Reread;
    saving.options.givesUpRoom = saving.options.whyNot = false; // room is what is asked for
    beginLike(out, other);
    int64_t turns = std::max<int64_t>(1, asked.tilesInFlight);
    return attemptQuietly(context, dropped, [&] {
      return failure(failed(scheduleKernel(kernel, whole, turns, machine, most, saving.plan, saving.options, other)) ||
                     failed(lowerKernel(kernel, machine, saving, deep, other)));
    });
  };
  rereadRows(again, out);
  saveRegisters(again, out);
  return success();
}

/// What else may have a schedule where `out` has none, of which `said` speaks: chains that read the rows that loops
/// load; rows that are held where at last every operation may be a node; what all programs store alike by one of them;
/// rings that the lowering never makes longer than a plan says; reductions over threads where a plan's operations may
/// stand, which need not say.
static std::vector<CompileOptions> otherForms(const CompileOptions &options, std::vector<Diagnostic> &said,
                                              const Compilation &out) {
  std::vector<CompileOptions> others;
  bool unscheduled = llvm::any_of(said, [](Diagnostic &diag) {
    return errorKindOf(diag) == ErrorKind::Limit || errorKindOf(diag) == ErrorKind::Infeasible;
  });
  if (!out.instructions || !options.scheduleFiles.empty())
    return others;
  if (out.mayDefer) {
    others.push_back(options);
    others.back().defers = !*out.defers;
  }
  if (!unscheduled)
    return others;
  if (readsRows(*out.instructions) && !out.rowsGiven)
    for (Rows rows : {Rows::Reread, Rows::Held}) {
      others.push_back(options);
      others.back().rows = rows;
      others.back().rowsGiven = true;
    }
  if (out.mayOnce) {
    others.push_back(options);
    others.back().once = true;
  }
  if (out.mayKeepOuter) {
    others.push_back(options);
    others.back().stageOuter = false;
  }
  bool pinsRings = llvm::any_of(out.loops, [](const ScheduledLoop &loop) {
    return llvm::any_of(loop.extracted.pins, [](const Pin &pin) { return pin.kind == PinKind::Depth; });
  });
  if (pinsRings) {
    others.push_back(options);
    others.back().releases = true;
  }
  return others;
}

/// Steps out of which the searches of a kernel are paid with -O2: of all its loops, forms and numbers of tiles in
/// flight together. Of 617 random programs and the attention forms the one that took most spent 9 million, in 1.8 s of
/// processor time, and what took longest, 2.2 s, 5 million.
static constexpr int64_t kernelSteps = 10000000;

LogicalResult compileKernel(tile::KernelOp kernel, const Machine &machine, const CompileOptions &asked, Level upTo,
                            Compilation &out) {
  CompileOptions options = asked;
  if (options.effort == Effort::Budget && options.scheduler == SchedulerKind::Exact)
    options.solve.deadline = options.solve.deadline.withPurse(kernelSteps);
  std::vector<Diagnostic> said;
  MLIRContext *context = kernel.getContext();
  LogicalResult result = failure();
  if (upTo >= Level::Schedule && mayShareMultiprocessor(kernel)) {
    Compilation alone;
    result = attemptQuietly(context, said, [&] {
      return compileTiles(kernel, machine, options, std::max(upTo, Level::HW), alone, Ahead::Never);
    });
    if (succeeded(result) && blocksLoadEnough(alone, machine))
      out = std::move(alone);
    else
      result = failure();
  }
  if (failed(result)) {
    said.clear();
    result = attemptQuietly(context, said, [&] { return compileTiles(kernel, machine, options, upTo, out); });
  }
  for (const CompileOptions &form :
       succeeded(result) ? std::vector<CompileOptions>() : otherForms(options, said, out)) {
    std::vector<Diagnostic> saidOfForm;
    Compilation other;
    result = attemptQuietly(context, saidOfForm, [&] { return compileTiles(kernel, machine, form, upTo, other); });
    if (failed(result))
      continue;
    out = std::move(other);
    said = std::move(saidOfForm);
    break;
  }
  if (succeeded(result) && out.mayOnce && !(out.defers.value_or(false) && arithmeticHides(out))) {
    CompileOptions once = options;
    once.once = true;
    std::vector<Diagnostic> saidOfForm;
    Compilation other;
    if (succeeded(
            attemptQuietly(context, saidOfForm, [&] { return compileTiles(kernel, machine, once, upTo, other); }))) {
      out = std::move(other);
      said = std::move(saidOfForm);
    }
  }
  bool sharesOpenly = upTo >= Level::Schedule && targetOf(machine).emitsKernels() && options.overlap &&
                      options.scheduler == SchedulerKind::Exact && options.solve.mode == SolveMode::Full &&
                      options.scheduleFiles.empty() && options.planFile.empty() && !kernel->hasAttr(planAttr) &&
                      options.blocks == 1 && options.specialize != false && options.cluster.empty() &&
                      options.warp.registers.empty() && options.tilesInFlight == 0 &&
                      options.persistent == Persistence::WhereItGains && !options.tileSource;
  if (succeeded(result) && sharesOpenly)
    shareMultiprocessor(
        [&](int64_t blocks, bool overlap, Compilation &other) {
          CompileOptions sharing = options;
          sharing.blocks = blocks;
          sharing.overlap = overlap;
          std::vector<Diagnostic> dropped;
          return attemptQuietly(context, dropped, [&] {
            return compileTiles(kernel, machine, sharing, std::max(upTo, Level::HW), other);
          });
        },
        out);
  for (Diagnostic &diag : said)
    context->getDiagEngine().emit(std::move(diag));
  if (!options.scheduleAround) // it served a decision
    out.programs.reset();
  return result;
}

} // namespace heddle
