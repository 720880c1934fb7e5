//===- LowerKernel.cpp - from schedules to text -------------------------------===//
//
// What:   a kernel whose loops are scheduled -> warp program -> hw program -> CUDA text and manifest. Programs that are
//         given at the warp or the hw level join here.
// Where:  the second half of a compilation (CompileForm.cpp); nothing here chooses a schedule.
// Checks: each level is verified; the warp program's protocol is proved and run dry before anything is lowered.
//
//===----------------------------------------------------------------------===//
#include "LowerKernel.h"
#include "BlockSizes.h"
#include "Gains.h"

#include "PlanOptions.h"
#include "PlanText.h"
#include "Registers.h"
#include "ScheduleKernel.h"
#include "ScheduleLoop.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/ProtocolDryRun.h"
#include "heddle/Analysis/SharedMemory.h"
#include "heddle/Analysis/SlotLives.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Conversion/WarpToHW/AssignLayouts.h"
#include "heddle/Conversion/WarpToHW/WarpToHW.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/Factors.h"
#include "heddle/Scheduling/Policy/Policy.h"
#include "heddle/Scheduling/Problem/Reuse.h"
#include "heddle/Support/Version.h"
#include "heddle/Target/CUDA/EmitCUDA.h"
#include "heddle/Transforms/SimplifyWaits.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace heddle {

/// What the header of a kernel says first: how to make it again.
static std::string describeOrigin(Operation *program, const FormOptions &options, const Machine &machine,
                                  const std::string &parameters = "", ArrayRef<int64_t> parts = {}) {
  std::string file = options.file;
  if (auto loc = program->getLoc()->findInstanceOf<FileLineColLoc>(); loc && file.empty())
    file = loc.getFilename().str();
  file = file.empty() ? "FILE" : llvm::sys::path::filename(file).str();
  std::string version = StringRef(versionText("heddle")).trim().str();
  std::string plan;
  auto add = [&](const std::string &decision) { plan += (plan.empty() ? "" : ", ") + decision; };
  if (options.extract.spareRegisters > 0 || (!options.extract.spareRegisters && !options.nearsBound))
    add("spare = " + std::to_string(options.extract.spareRegisters));
  if (options.retileSaves)
    add("retile = " + std::to_string(options.retile.value_or(0)));
  if (options.rowsSave)
    add("reread = true");
  if (options.partsSave && !parts.empty())
    add("parts = [" + llvm::join(llvm::map_range(parts, [](int64_t n) { return std::to_string(n); }), ", ") + "]");
  if (!options.overlap)
    add("overlap = false");
  for (const TextDecision &decision : textDecisions())
    if (options.*decision.option)
      add((decision.key + " = true").str());
  if (!options.startSums)
    add("start_sums = false");
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
  if (std::string blocks = describeBlocks(compilation); !blocks.empty())
    text += "\n" + blocks;
  return text;
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

/// Whether products take all of their unit's time, but for a tenth, in the loops of `out` that have factors which are
/// often one: then arithmetic that takes cycles from it makes the loop longer. Attention with heads of 128 ran at 1.00
/// to 1.02 of its speed with tests of factors; with 8-bit floats, where products have 0.6 of the interval, at 0.95 to
/// 1.04 (docs/Findings.md, bench/results/2026-11-26-h100-attention-fp8-ones.json).
static bool productsBindWithFactors(const Compilation &out) {
  return llvm::all_of(out.loops, [](const ScheduledLoop &loop) {
    scf::ForOp body = loop.extracted.loop;
    bool marked = body.walk([](Operation *op) {
                        return op->hasAttr(tile::oftenOneAttr) ? WalkResult::interrupt() : WalkResult::advance();
                      })
                      .wasInterrupted();
    return !marked || 10 * busyUnits(loop.extracted).products >= 9 * loop.result.schedule.ii;
  });
}

/// Leaves the marks of factors that are often one (Transforms/MarkFactors.h) where testing them gains.
static void decideFactors(warp::KernelOp program, const FormOptions &options, Compilation &out) {
  SmallVector<Operation *> marked;
  program.walk([&](Operation *op) {
    if (op->hasAttr(tile::oftenOneAttr))
      marked.push_back(op);
  });
  if (marked.empty())
    return;
  out.skipOnes = options.skipOnes.value_or(productsBindWithFactors(out));
  for (Operation *op : marked)
    if (!*out.skipOnes)
      op->removeAttr(tile::oftenOneAttr);
}

/// Whether registers suffice where the number of a group is a variable: ptxas stored none where the estimate lacked 20
/// (attention of Triton's tutorial 06, heads of 128, causal), and 13 where it lacked 92 (its gradient).
static bool sparesRegistersForOneCode(Compilation &out) {
  constexpr int64_t lacking = 32;
  FailureOr<int64_t> spare = spareRegisters(only<hw::KernelOp>(out.hw));
  return succeeded(spare) && *spare >= -lacking;
}

LogicalResult lowerToHW(const Machine &machine, const FormOptions &options, Compilation &out) {
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

LogicalResult compileKernel(warp::KernelOp kernel, const Machine &machine, const CompileOptions &asked, Level upTo,
                            Compilation &out) {
  const FormOptions options(asked);
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
  auto blocks = kernel->getAttrOfType<IntegerAttr>(hw::blocksAttr); // share a multiprocessor
  if (failed(lowerToHW(machine.withBlocks(blocks ? blocks.getInt() : 1), options, out)))
    return failure();
  return upTo == Level::HW ? success() : print(describeOrigin(kernel, options, machine), out);
}

LogicalResult compileKernel(hw::KernelOp kernel, const Machine &machine, const CompileOptions &asked, Level upTo,
                            Compilation &out) {
  const FormOptions options(asked);
  loadDialects(kernel.getContext());
  out.hw = moduleWith(kernel);
  if (failed(verify(*out.hw)) || failed(verifyHW(only<hw::KernelOp>(out.hw))))
    return failure();
  return upTo <= Level::HW ? success() : print(describeOrigin(kernel, options, machine), out);
}

/// Whether some group gets tiles that another one computes.
static bool passesTiles(warp::KernelOp program) {
  bool passes = false;
  program.walk([&](Operation *op) {
    auto put = dyn_cast<warp::PutOp>(op);
    auto copy = dyn_cast<warp::CopyOp>(op);
    if (!put && !(copy && copy.getThreads()))
      return;
    auto group = op->getParentOfType<warp::GroupOp>();
    for (Operation *user : (put ? put.getAref() : copy.getAref()).getUsers())
      passes |= isa<warp::GetOp>(user) && user->getParentOfType<warp::GroupOp>() != group;
  });
  return passes;
}

/// Whether groups lose where they issue their products as they come, two of them as well. Groups that make left
/// operands of what they load, by arithmetic that takes a while beside the products, write the next one behind the
/// product that reads the last: in step they make operands while the tensor core has nothing to do. Weights of 8 bits,
/// 128 x 128 and 128 x 256: 319 and 244 us as they come, 261 and 227 in order; scaled tiles 331 and 310, 268 and 259.
/// With less to compute (128 x 64 weights for a product of 128 x 256) 197 and 209 us
/// (bench/results/2026-11-29-h200-transposed-products.json).
static bool losesInStep(const ScheduledLoop &loop) {
  constexpr double share = 0.3; // of the products' time
  BusyUnits busy = busyUnits(loop.extracted);
  return threadsMakeLeftOperands(loop.extracted.loop) && busy.arithmetic >= share * busy.products;
}

/// What the schedules of `out` and the plan say of each operation, in cycles; `orders`: groups may issue their products
/// one after the other.
static DenseMap<Operation *, LoopSchedule> schedulesOf(Compilation &out, const Plan &plan, const FormOptions &options,
                                                       bool orders) {
  const bool oneSlot = hasOneSlot(options), endsAtOnce = releasesAtOnce(options);
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
        const Node &node = loop.extracted.problem.nodes[v];
        int64_t slots = node.pinDepth > 0 ? node.pinDepth : oneSlot && takesSlot(node); // of loads beside pinned ones
        if ((slots = plan.number(op, "ring", slots)))
          schedule.rings[op] = slots;
        if (const PlanValue *ring = plan.find(op, "ring"))
          schedule.ringPlaces[op] = ring->loc;
        if (int64_t most = plan.number(op, "inflight", endsAtOnce && isa<warp::DotOp>(op)))
          schedule.inflight[op] = most;
      }
    for (const Reuse &reuse : reusedOperands(loop.extracted.problem, loop.result.schedule))
      if (auto &dots = loop.extracted.ops[reuse.reader], &next = loop.extracted.ops[reuse.next];
          !dots.empty() && !next.empty())
        schedule.done[dots.front()] = {next.front(), reuse.distance};
    if (const PlanValue *cut = plan.find(loop.extracted.loop, "cut"))
      schedule.cut = planNumbers(cut->value);
    std::vector<int> groups = groupsInTurn(loop.extracted.problem, loop.result.schedule);
    const PlanValue *ordered = plan.find(loop.extracted.loop, "ordered");
    // A product that waits for another one of its group leaves a gap, which a group out of order may fill.
    if (!orders)
      continue;
    bool matters = static_cast<int64_t>(groups.size()) > groupsInAnyOrder || (groups.size() > 1 && losesInStep(loop));
    if (ordered ? cast<BoolAttr>(ordered->value).getValue() : matters && schedule.done.empty())
      for (int group : groups)
        schedule.order.push_back(group - 1);
  }
  return schedules;
}

/// The warp program of `selected` with rings as deep as shared memory lets them be; `starved`: see growRings.
static FailureOr<warp::KernelOp> convertAndGrow(tile::KernelOp selected,
                                                const DenseMap<Operation *, LoopSchedule> &schedules,
                                                const Machine &machine, const TileToWarpOptions &options,
                                                WarpDecisions &decisions, int64_t &starved) {
  FailureOr<warp::KernelOp> kernel;
  std::optional<int64_t> taken;
  TileToWarpOptions tried = options;
  auto convert = [&] {
    kernel = convertTileToWarp(selected, schedules, machine, tried, &decisions);
    if (succeeded(kernel))
      taken = sharedMemoryOf(*kernel); // none: the lowering to hw says why
    return succeeded(kernel);
  };
  int64_t most = machine.memoryCapacity("smem");
  if (!convert())
    return failure();
  // What warps exchange is known only now.
  if (taken && *taken > most && !selected->hasAttr(shareSlotsAttr)) {
    kernel->erase();
    selected->setAttr(shareSlotsAttr, UnitAttr::get(selected.getContext()));
    if (!convert())
      return failure();
  }
  // Slots that a group fills for itself are as many as hide the latency, whether they fit or not.
  for (int64_t depth = 3; taken && *taken > most && depth >= 1; --depth) {
    if (depth >= options.maxDepth)
      continue;
    kernel->erase();
    tried.maxDepth = depth;
    if (!convert())
      return failure();
  }
  if (taken && *taken > most && !selected->hasAttr(oneStoreBufferAttr)) {
    kernel->erase();
    selected->setAttr(oneStoreBufferAttr, UnitAttr::get(selected.getContext()));
    if (!convert())
      return failure();
  }
  decisions.bytesOver = taken ? std::max<int64_t>(0, *taken - most) : 0;
  starved = growRings(*kernel, taken ? most - *taken : 0, options.maxDepth, decisions);
  return kernel;
}

/// What convertAndGrow makes, with one buffer for each store where that serves a ring. A store has two buffers, of
/// which one can be filled while the other is read; a ring of a loop with one slot needs the memory more, where one
/// buffer leaves enough for a second slot (attention of 176 keys a block).
static FailureOr<warp::KernelOp> makeWarpKernel(tile::KernelOp selected,
                                                const DenseMap<Operation *, LoopSchedule> &schedules,
                                                const Machine &machine, const TileToWarpOptions &options,
                                                WarpDecisions &decisions) {
  int64_t starved = 0, then = 0;
  FailureOr<warp::KernelOp> kernel = convertAndGrow(selected, schedules, machine, options, decisions, starved);
  if (failed(kernel) || !starved || options.maxDepth < 2 || selected->hasAttr(oneStoreBufferAttr))
    return kernel;
  std::vector<Diagnostic> dropped;
  WarpDecisions others;
  FailureOr<warp::KernelOp> other;
  DictionaryAttr before = selected->getAttrDictionary();
  selected->setAttr(oneStoreBufferAttr, UnitAttr::get(selected.getContext()));
  (void)attemptQuietly(selected.getContext(), dropped, [&] {
    other = convertAndGrow(selected, schedules, machine, options, others, then);
    return success(succeeded(other));
  });
  if (succeeded(other) && then < starved) {
    kernel->erase();
    decisions = std::move(others);
    return other;
  }
  if (succeeded(other))
    other->erase();
  selected->setAttrs(before);
  return kernel;
}

/// Proves the protocol of the warp program of `kernel`, removes waits that it does not need, and runs it dry.
static LogicalResult checkProgram(tile::KernelOp kernel, warp::KernelOp program, const FormOptions &options) {
  if (failed(
          checkOwn(program, [&] { return failure(failed(verify(program)) || failed(verifyWarpProtocol(program))); })))
    return failure();
  simplifyWaits(program); // keeps the protocol: each removal is verified
  auto dryRun = [&] { return dryRunProtocol(program); };
  if (!options.warp.specialize && passesTiles(program)) { // which it may do while that one waits for its copy
    std::vector<Diagnostic> dropped;
    if (failed(attemptQuietly(kernel.getContext(), dropped, dryRun)))
      return kernel.emitOpError(
          "expected copies on a warp of their own (warp_specialize = true) where groups pass tiles to "
          "each other, got warp_specialize = false: they would wait for each other");
    return success();
  }
  return checkOwn(program, dryRun);
}

LogicalResult lowerKernel(tile::KernelOp kernel, const Machine &machine, const Attempt &attempt, Level upTo,
                          Compilation &out) {
  if (upTo <= Level::Schedule)
    return success();
  Doing doing(attempt.options);
  auto selected = only<tile::KernelOp>(out.instructions);

  // warp: groups, rings, order and waits from the schedule.
  doing("making and verifying the warp program");
  DenseMap<Operation *, LoopSchedule> schedules = schedulesOf(
      out, attempt.plan, attempt.options,
      attempt.options.warp.specialize); // else one waits for a copy that another one issues behind its place
  TileToWarpOptions warpOptions = attempt.options.warp;
  warpOptions.cutAtStart |= !attempt.options.overlap;
  selected.walk([](Operation *op) { op->removeDiscardableAttr(planAttr); }); // all of it is in the schedules
  FailureOr<warp::KernelOp> warpKernel = makeWarpKernel(selected, schedules, machine, warpOptions, out.decisions);
  if (failed(warpKernel))
    return failure();
  for (auto [loop, made] : llvm::zip(out.loops, out.decisions.loops))
    if (const PlanValue *ordered = attempt.plan.find(loop.extracted.loop, "ordered");
        ordered && cast<BoolAttr>(ordered->value).getValue() && !made.ordered)
      return emitError(ordered->loc) << "plan: expected a loop in which each of several groups issues its products "
                                        "behind each other (ordered = true), got one whose schedule has none such",
             failure();
  for (const ScheduledLoop &loop : out.loops)
    if (const PlanValue *cut = attempt.plan.find(loop.extracted.loop, "cut"))
      for (int64_t cycle : planNumbers(cut->value))
        if (int64_t ii = loop.result.schedule.ii * loop.extracted.problem.scale; cycle >= ii)
          return emitError(cut->loc) << "plan: expected cuts within the interval of " << ii << " cycles, got " << cycle,
                 failure();
  if (const PlanValue *stores = attempt.plan.ofKernel("store_warp");
      stores && warpOptions.storeWarp && !out.decisions.handsStores)
    emitWarning(stores->loc)
        << "plan: store_warp = true is ignored: expected a store of a loop by the copy engine that "
           "a warp beside those that compute can issue, got none";
  out.spareRegisters = attempt.options.extract.spareRegisters;
  (*warpKernel)->remove();
  out.warp = OwningOpRef<ModuleOp>(ModuleOp::create(kernel.getLoc()));
  out.warp->getBody()->push_back(*warpKernel);
  auto program = only<warp::KernelOp>(out.warp);
  if (std::string streams = describeStreams(out); !streams.empty())
    program->setAttr(scheduleAttr, StringAttr::get(kernel.getContext(), streams));
  if (attempt.options.blocks > 1)
    program->setAttr(hw::blocksAttr, OpBuilder(kernel.getContext()).getI64IntegerAttr(attempt.options.blocks));
  auto runOneCode = [&] { program->setAttr(hw::oneCodeAttr, UnitAttr::get(kernel.getContext())); };
  out.oneCode = attempt.options.oneCode.value_or(takesFromCounter(out));
  if (out.oneCode)
    runOneCode();
  decideFactors(program, attempt.options, out);
  // What ptxas computes side by side has no registers there.
  if (!attempt.plan.ofKernel("slices") &&
      llvm::any_of(out.loops, [](const ScheduledLoop &l) { return l.fewAddresses; }))
    program->setAttr(hw::slicesAttr, UnitAttr::get(kernel.getContext()));
  if (failed(checkProgram(kernel, program, attempt.options)))
    return failure();
  if (attempt.options.shortText && !attempt.options.oneCode && succeeded(lowerToHW(machine, attempt.options, out)) &&
      sparesRegistersForOneCode(out)) {
    out.oneCode = true;
    runOneCode();
  }
  out.plan = describePlan(out, attempt.plan, attempt.given, attempt.persistent, machine);
  if (upTo == Level::Warp)
    return success();

  // hw: shared memory, barriers, layouts, descriptors; then text.
  doing("lowering to barriers, copies and tensor cores");
  if (failed(lowerToHW(machine, attempt.options, out)))
    return failure();
  if (upTo == Level::HW)
    return success();
  FormOptions said = attempt.options;
  said.overlap = attempt.given.overlap || said.blocks > 1 || said.effort == Effort::Order; // it decides so again
  return print(describeOrigin(kernel, said, machine, describeParameters(kernel, out.parameters), out.parts), out);
}

} // namespace heddle
