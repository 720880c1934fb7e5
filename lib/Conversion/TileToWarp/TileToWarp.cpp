//===- TileToWarp.cpp - from a scheduled tile program to warp groups -------===//
//
// What:      selected tile kernel + schedules -> warp.kernel: one load group and one region per compute group, rings
//            between them.
// Where:     after scheduling; before WarpToHW. See Pipelines.cpp.
// Steps:     rings (Rings.cpp), compute groups (GroupBuilder, LoopStream, ModuloExpand), load group, depths, register
//            budgets.
// Trusts:    the schedules passed the checker.  Verifies: shared memory suffices; the protocol verifier runs
//            afterwards.
//
//===----------------------------------------------------------------------===//
#include "heddle/Conversion/TileToWarp/TileToWarp.h"

#include "GroupBuilder.h"
#include "HandOver.h"
#include "StoreGroups.h"
#include "heddle/Analysis/Cluster.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/SharedMemory.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Warp/Accumulators.h"
#include "heddle/Dialect/Warp/Waits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <set>

using namespace mlir;
namespace heddle {

static warp::KernelOp createKernel(tile::KernelOp source, KernelContext &context) {
  OpBuilder b(source);
  OperationState state(source.getLoc(), warp::KernelOp::getOperationName());
  state.addAttribute("sym_name", source.getSymNameAttr());
  state.addAttribute("function_type", source.getFunctionTypeAttr());
  if (source.getArgAttrsAttr())
    state.addAttribute("arg_attrs", source.getArgAttrsAttr());
  for (StringRef kept : {StringRef("tile.default_dims"), StringRef(tile::clusterAttr)})
    if (Attribute attr = source->getAttr(kept))
      state.addAttribute(kept, attr);
  Region *region = state.addRegion();
  Block *block = new Block();
  region->push_back(block);
  for (auto [arg, type] : llvm::zip(source.getArguments(), source.getArgumentTypes()))
    context.arguments.map(arg, block->addArgument(type, arg.getLoc()));
  return cast<warp::KernelOp>(b.create(state));
}

static warp::GroupOp createGroup(OpBuilder &b, Location loc, const Twine &name, int64_t warps, int64_t regs) {
  auto group =
      warp::GroupOp::create(b, loc, b.getStringAttr(name), b.getI64IntegerAttr(warps), b.getI64IntegerAttr(regs));
  group.getBody().emplaceBlock();
  return group;
}

/// Compute groups that run anything, ascending. (Every sub-tile's, where no group is tagged.)
static SmallVector<int64_t> usedGroups(tile::KernelOp source) {
  std::set<int64_t> used;
  source.walk([&](Operation *op) {
    if (isComputed(op))
      used.insert(groupOf(op));
  });
  if (used.empty())
    used.insert(0);
  return SmallVector<int64_t>(used.begin(), used.end());
}

/// What the thread that copies needs: the least there is, and a granule more
/// - where it runs through programs of a counter in whose loops it copies rows, which no box describes to the copy
///   engine (attention with a bias for each key stored 32 bytes of registers there with 24, none with 32), or more than
///   two tiles (attention with a tile of biases: 8 and 12 bytes);
/// - where it copies rows for epilogues in a cluster (a product with a bias: 28 bytes).
static int64_t loadBudget(tile::KernelOp source, const Occupancy &occupancy) {
  constexpr int64_t fewTiles = 2;
  scf::ForOp programs = programLoop(source);
  if (!programs)
    return occupancy.leastBudget();
  bool counted = programs->hasAttr(countedAttr), clustered = tile::clusterOf(source) > 1, many = false;
  DenseMap<Operation *, int64_t> tiles;
  programs.walk([&](tile::LoadOp load) {
    bool inLoop = load->getParentOp() != programs;
    many |= inLoop ? counted && load.getType().getRank() == 1 : clustered && load->hasAttr(copiedRowAttr);
    many |= inLoop && counted && isTmaLoad(load) && ++tiles[load->getParentOp()] > fewTiles;
  });
  return occupancy.leastBudget() + (many ? occupancy.granule() : 0);
}

/// Registers per thread of `groups`: at least what the schedules say, the rest of the register file in equal parts.
/// `load` is what the group that copies has; it is the least where the schedules leave no more.
static FailureOr<SmallVector<int64_t>> computeBudgets(tile::KernelOp source, ArrayRef<int64_t> groups,
                                                      const DenseMap<Operation *, LoopSchedule> &schedules,
                                                      const Machine &machine, ArrayRef<int64_t> given, int64_t &load) {
  Occupancy occupancy(machine.warps());
  int64_t wished = loadBudget(source, occupancy);
  load = occupancy.equalBudgets(groups.size() * groupWarps(source) / warpsPerGroup).load;
  if (int64_t warpgroups = groupWarps(source) / warpsPerGroup; warpgroups > 1) {
    SmallVector<int64_t> equal(groups.size(), occupancy.equalBudgets(groups.size() * warpgroups).compute);
    if (!given.empty() && given != ArrayRef<int64_t>(equal))
      return source.emitError("expected registers = ")
                 << equal.front() << " of groups with more than " << warpsPerGroup << " warps",
             failure();
    return equal;
  }
  std::vector<int64_t> asked(groups.size(), 0);
  for (auto [g, regs] : llvm::zip(groups, asked))
    for (auto &[loop, schedule] : schedules)
      regs = std::max(regs, schedule.regs.lookup(g));
  std::vector<int64_t> ofEach(given);
  if (ofEach.size() == 1) // one number for all
    ofEach.resize(groups.size(), ofEach.front());
  if (!ofEach.empty() && ofEach.size() != groups.size())
    return source.emitError("expected registers of ") << groups.size() << " compute groups, got " << given.size(),
           failure();
  for (auto [g, regs, least] : llvm::zip(groups, ofEach, asked)) {
    if (!occupancy.isBudget(regs))
      return source.emitError("expected registers that setmaxnreg can set, multiples of ")
                 << occupancy.granule() << " from " << occupancy.leastBudget() << " to " << occupancy.largestBudget()
                 << ", got " << regs,
             failure();
    if (regs < least)
      return about(ErrorCause::Registers, emitErrorOf(ErrorKind::Infeasible, source))
                 << "registers = " << regs << " of compute group " << g << ": its schedule needs " << least
                 << ", over by " << least - regs,
             failure();
    least = regs;
  }
  int64_t over = 0;
  std::optional<std::vector<int64_t>> budgets;
  if (wished > load)
    budgets = occupancy.shareOut(asked, over, wished);
  if (budgets)
    load = wished;
  else
    budgets = occupancy.shareOut(asked, over);
  if (!budgets)
    return about(ErrorCause::Registers, emitErrorOf(ErrorKind::Infeasible, source))
               << "registers: the groups' budgets are over by " << over << " a thread",
           failure();
  return ofEach.empty() ? SmallVector<int64_t>(budgets->begin(), budgets->end())
                        : SmallVector<int64_t>(ofEach.begin(), ofEach.end());
}

/// Says that `bytes` are too few for the rings of a kernel.
static LogicalResult reportRings(const KernelContext &context, int64_t used, int64_t bytes) {
  InFlightDiagnostic diag = emitErrorOf(ErrorKind::Infeasible, context.source)
                            << "shared memory: in the order of the schedules rings need " << used << " bytes, " << bytes
                            << " are left, over by " << used - bytes;
  SmallVector<TakenBytes> rings;
  for (const Ring &ring : context.rings)
    if (!ring.home) {
      Location place = placeOfDepth(ring, context.schedules);
      std::string words =
          "ring '" + ring.name + "' needs " + std::to_string(ring.depth) + " x " + std::to_string(ring.slotBytes());
      bool planned = place != ring.source()->getLoc();
      rings.push_back({place, ring.depth * ring.slotBytes(), words + (planned ? ", as the plan says" : "")});
    }
  noteLargest(diag, std::move(rings));
  return failure();
}

/// On a kernel whose groups cannot be held to an order of their dots: they would not run in the same stages.
static constexpr StringLiteral unorderedAttr = "heddle.unordered";

/// Makes the orders that the schedules ask for. Rounds are numbered by the uses of a ring that every group uses once an
/// iteration. Where a group's loop passes tiles to another's, or several programs are in flight, other rings order it.
static void orderDots(KernelContext &context, ArrayRef<int64_t> used) {
  OpBuilder declare(context.source.getContext());
  declare.restoreInsertionPoint(context.declarations);
  bool crosses = llvm::any_of(context.rings, [](const Ring &ring) { return ring.loop && ring.crosses(); });
  if (context.turns > 1 || crosses || context.source->hasAttr(unorderedAttr))
    return;
  context.source.walk([&](scf::ForOp loop) {
    auto schedule = context.schedules.find(loop);
    if (schedule == context.schedules.end() || schedule->second.order.size() != used.size() || used.size() < 2)
      return;
    auto numbers = [&](Ring &ring) {
      bool alone =
          llvm::none_of(context.rings, [&](Ring &other) { return &other != &ring && &other.slots() == &ring; });
      return ring.loop == loop.getOperation() && !ring.stage && !ring.home && alone &&
             llvm::all_of(used, [&](int64_t group) { return llvm::is_contained(ring.consumers, group); });
    };
    auto ring = llvm::find_if(context.rings, numbers);
    if (ring == context.rings.end())
      return;
    auto type = warp::OrderType::get(declare.getContext(), used.size());
    std::string name = "order" + (context.orders.empty() ? "" : std::to_string(context.orders.size() + 1));
    context.orders[loop] = {warp::OrderOp::create(declare, loop.getLoc(), type, declare.getStringAttr(name)), &*ring};
  });
}

static LogicalResult build(tile::KernelOp source, warp::KernelOp kernel, KernelContext &context, const Machine &machine,
                           const TileToWarpOptions &options) {
  Location loc = source.getLoc();
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  IRMapping host = context.arguments;
  source.walk([&](tile::GridOp grid) {
    for (Value size : grid.getSizes())
      materialise(b, host, size);
    b.clone(*grid, host);
  });
  context.turns = turnsOf(source);
  for (tile::LoadOp load : sharedLoads(source, tile::clusterOf(source), llvm::IsaPred<tile::ClusterRankOp>))
    if (!load->hasAttr(partRingAttr)) // whose groups fill slots when they themselves are done
      context.multicast.insert(load);
  for (Ring &ring : context.rings) {
    for (auto [field, load] : llvm::enumerate(ring.loads))
      context.ringOf[load] = {&ring, field};
    if (ring.stage)
      context.ringOf[ring.stage] = {&ring, 0};
    if (ring.home) {
      ring.arefs = ring.home->arefs;
      ring.aref = ring.arefs.front();
      continue;
    }
    auto type = warp::ArefType::get(b.getContext(), 1, ring.payload());
    SmallVector<int64_t> alternatives;
    for (ArrayRef<Type> tiles : ring.alternatives)
      alternatives.push_back(tiles.size());
    DenseI64ArrayAttr parts = alternatives.size() > 1 ? b.getDenseI64ArrayAttr(alternatives) : DenseI64ArrayAttr();
    for (int64_t turn = 0, apart = ring.ofTurn() ? ring.turns : 1; turn < apart; ++turn)
      ring.arefs.push_back(warp::ArefOp::create(b, ring.source()->getLoc(), type,
                                                b.getStringAttr(ring.name + (turn ? "_t" + std::to_string(turn) : "")),
                                                ring.ofTurn() ? 1 : ring.turns, parts));
    ring.aref = ring.arefs.front();
  }
  // The compute groups of a program, once for each program in flight.
  SmallVector<int64_t> used = usedGroups(source), groups;
  for (int64_t turn = 0; turn < context.turns; ++turn)
    groups.append(used);
  int64_t loadRegs = 0;
  FailureOr<SmallVector<int64_t>> budgets =
      computeBudgets(source, groups, context.schedules, machine, options.registers, loadRegs);
  if (failed(budgets))
    return failure();
  int64_t warps = groupWarps(source);
  bool copies = llvm::any_of(context.rings, [](const Ring &ring) { return !ring.stage && ring.filler < 0; });
  context.declarations = b.saveInsertionPoint();
  int64_t scratch = options.storeWarp && copies ? collectHandedStores(context) : 0;
  b.restoreInsertionPoint(context.declarations);
  warp::GroupOp load, sourceGroup;
  if (copies)
    load = createGroup(b, loc, "load", 1, loadRegs);
  scf::ForOp programs = programLoop(source);
  bool counted = programs && programs->hasAttr(countedAttr);
  if (counted)
    sourceGroup = createGroup(b, loc, "source", 1, loadRegs);
  SmallVector<std::pair<int64_t, warp::GroupOp>> stores; // by the compute group that hands over
  for (int64_t g : storingGroups(context))
    stores.push_back({g, createGroup(b, loc, "store" + Twine(g), 1, loadRegs)});
  SmallVector<warp::GroupOp> compute;
  auto numberOf = [&](size_t i) { return static_cast<int64_t>(i / used.size()) * (used.back() + 1) + groups[i]; };
  for (auto [i, budget] : llvm::enumerate(*budgets))
    compute.push_back(createGroup(b, loc, "compute" + Twine(numberOf(i)), warps, budget));
  warp::ReturnOp::create(b, loc);
  warp::GroupOp firstGroup = copies ? load : counted ? sourceGroup : compute.front();
  context.declarations = OpBuilder::InsertPoint(&kernel.getBody().front(), firstGroup->getIterator());
  if (counted) {
    // A group may be a round of turns ahead of another; the slot beyond lets the counter be asked early.
    OpBuilder declare(b.getContext());
    declare.restoreInsertionPoint(context.declarations);
    auto type = warp::ArefType::get(b.getContext(), context.turns + 1, {b.getIndexType()});
    context.numbers = warp::ArefOp::create(declare, loc, type, b.getStringAttr("programs"), 1, DenseI64ArrayAttr());
    buildSourceGroup(context, sourceGroup);
  }
  if (context.turns > 1) {
    OpBuilder declare(b.getContext());
    declare.restoreInsertionPoint(context.declarations);
    auto type = warp::ArefType::get(b.getContext(), 1, {});
    for (size_t i = 0; i < groups.size(); ++i)
      context.tokens[groups[i]].push_back(warp::ArefOp::create(
          declare, loc, type, b.getStringAttr("turn" + std::to_string(numberOf(i))), 1, DenseI64ArrayAttr()));
  }
  orderDots(context, used);
  for (auto [g, group] : stores)
    buildStoreGroup(context, group, g);
  for (auto [i, group] : llvm::enumerate(compute)) {
    int64_t turn = i / used.size();
    for (Ring &ring : context.rings)
      if (ring.arefs.size() > 1)
        ring.aref = ring.arefs[turn];
    if (failed(buildComputeGroup(context, group, groups[i], turn, numberOf(i), scratch)))
      return failure();
  }
  if (context.ordersDiffer || (copies && failed(buildLoadGroup(context, load))))
    return failure();
  int64_t smem = machine.memoryCapacity("smem") - barriersAndAlignment - scratch;
  FailureOr<int64_t> bytes = chooseDepths(context.rings, context.schedules);
  if (failed(bytes))
    return failure();
  if (*bytes > smem) {
    context.fillsTakeTooMuch = llvm::any_of(context.rings, [&](const Ring &ring) {
      return ring.depth > 1 && ring.filler >= 0 && !ring.part && ring.depth == context.slots;
    });
    if (context.fillsTakeTooMuch)
      return failure();
    context.storesTakeTooMuch = scratch && context.turns == 1 && !source->hasAttr(oneStoreBufferAttr);
    context.ringsTakeTooMuch =
        !context.storesTakeTooMuch && !source->hasAttr(shareSlotsAttr) && shareSlots(source, context.rings);
    if (context.storesTakeTooMuch || context.ringsTakeTooMuch)
      return failure();
    context.lacksSlots = llvm::any_of(context.rings, [](const Ring &ring) { return ring.depth > 1; });
    return reportRings(context, *bytes, smem);
  }
  for (Ring &ring : context.rings) {
    if (ring.home)
      continue;
    for (Value aref : ring.arefs) {
      aref.setType(warp::ArefType::get(b.getContext(), ring.depth, ring.payload()));
      if (!ring.grows.empty())
        aref.getDefiningOp()->setAttr(growsAttr, b.getStringAttr(ring.grows));
    }
  }
  context.registers.assign(budgets->begin(), budgets->end());
  return success();
}

static void report(KernelContext &context, WarpDecisions &decisions) {
  decisions = {};
  decisions.registers = context.registers;
  decisions.handsStores = !context.handed.empty();
  context.source.walk([&](scf::ForOp loop) {
    auto schedule = context.schedules.find(loop);
    if (schedule == context.schedules.end())
      return;
    WarpDecisions::Loop &made = decisions.loops.emplace_back();
    for (auto [group, cut] : context.cuts[loop])
      made.cut[group] = cut % schedule->second.ticks ? -1 : cut / schedule->second.ticks;
    made.ordered = context.orders.contains(loop);
    for (const Ring &ring : context.rings)
      if (ring.loop == loop.getOperation())
        for (Value tile : ring.tiles())
          if (auto name = schedule->second.names.find(tile.getDefiningOp()); name != schedule->second.names.end())
            made.rings[name->second] = ring.home ? ring.home->name : ring.name;
  });
}

/// Removes operations without effect that building on demand left behind.
static void removeDead(warp::KernelOp kernel) {
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<Operation *> dead;
    kernel.walk([&](Operation *op) {
      bool unneeded = isMemoryEffectFree(op) || isa<tile::ElementOp>(op);
      if (op->use_empty() && op->getNumResults() && unneeded && !op->getNumRegions())
        dead.push_back(op);
    });
    for (Operation *op : dead) {
      op->erase();
      changed = true;
    }
  }
}

bool dependsOnCarried(Value index, scf::ForOp loop) {
  SmallVector<Value> open = {index};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    Value v = open.pop_back_val();
    if (auto arg = dyn_cast<BlockArgument>(v); arg && arg.getOwner() == loop.getBody() && arg.getArgNumber() > 0)
      return true;
    Operation *def = v.getDefiningOp();
    if (def && loop->isProperAncestor(def) && seen.insert(def).second)
      llvm::append_range(open, def->getOperands());
  }
  return false;
}

/// Every ring of loads is filled by the first group that reads it; those of scheduled loops have `slots`, or what the
/// schedules give them.
static LogicalResult fillByReaders(MutableArrayRef<Ring> rings, const DenseMap<Operation *, LoopSchedule> &schedules,
                                   int64_t slots) {
  for (Ring &ring : rings) {
    if (ring.stage || ring.consumers.empty())
      continue;
    ring.filler = ring.consumers.front();
    if (!ring.loop)
      continue;
    FailureOr<int64_t> given = givenDepth(ring, schedules);
    if (failed(given))
      return failure();
    ring.depth = *given ? *given : slots;
    for (tile::LoadOp load : ring.loads)
      for (Value index : load.getIndices())
        if (dependsOnCarried(index, cast<scf::ForOp>(ring.loop)))
          return load.emitError("expected a copy whose coordinates are known iterations before, where the groups that "
                                "compute issue it (warp_specialize = false), got one that depends on what the loop "
                                "carries");
  }
  return success();
}

/// Converts a kernel whose operations are tagged by warp group. `slots`: of rings that compute groups fill in loops.
static FailureOr<warp::KernelOp>
convertTagged(tile::KernelOp source, const DenseMap<Operation *, LoopSchedule> &schedules, const Machine &machine,
              const TileToWarpOptions &options, WarpDecisions *decisions, int64_t slots,
              const DenseMap<Operation *, int64_t> &mostStages = DenseMap<Operation *, int64_t>()) {
  std::vector<Ring> rings = collectRings(source, schedules);
  if (source->hasAttr(shareSlotsAttr) || source->hasAttr(shareLoopSlotsAttr))
    shareSlots(source, rings);
  if (!options.specialize && failed(fillByReaders(rings, schedules, slots)))
    return failure();
  KernelContext context{source, schedules, rings, options};
  context.slots = slots;
  context.mostStages = mostStages;
  warp::KernelOp kernel = createKernel(source, context);
  if (failed(build(source, kernel, context, machine, options))) {
    kernel->erase();
    if (context.ordersDiffer) {
      source->setAttr(unorderedAttr, UnitAttr::get(source.getContext()));
      return convertTagged(source, schedules, machine, options, decisions, slots, mostStages);
    }
    if (context.fillsTakeTooMuch)
      return convertTagged(source, schedules, machine, options, decisions, slots - 1, mostStages);
    if (decisions)
      decisions->lacksSlots = context.lacksSlots;
    if (!context.storesTakeTooMuch && !context.ringsTakeTooMuch)
      return failure();
    if (context.ringsTakeTooMuch) // which may leave room for the stores
      source->removeAttr(oneStoreBufferAttr);
    source->setAttr(context.storesTakeTooMuch ? oneStoreBufferAttr : shareSlotsAttr,
                    UnitAttr::get(source.getContext()));
    return convertTagged(source, schedules, machine, options, decisions, slots, mostStages);
  }
  if (mostStages.empty() && llvm::any_of(rings, [](const Ring &ring) { return ring.loop && ring.crosses(); })) {
    kernel->erase(); // once more, now that every group's stages are known
    return convertTagged(source, schedules, machine, options, decisions, slots, context.stages);
  }
  if (decisions)
    report(context, *decisions);
  warp::dropZeroAccumulators(kernel);
  warp::dropVacantWaits(kernel);
  removeDead(kernel);
  return kernel;
}

/// Slots beyond the latency of a copy gain nothing, and each takes a section of the prologue: at most four.
static int64_t mostFilled(const TileToWarpOptions &options) { return std::min<int64_t>(4, options.maxDepth); }

/// Converts a copy of the kernel in which values cross between groups.
static FailureOr<warp::KernelOp> convertWithHandOvers(tile::KernelOp source,
                                                      const DenseMap<Operation *, LoopSchedule> &schedules,
                                                      const Machine &machine, const TileToWarpOptions &options,
                                                      WarpDecisions *decisions) {
  IRMapping map;
  OpBuilder b(source);
  auto copy = cast<tile::KernelOp>(b.clone(*source, map));
  LoopSchedules mapped;
  for (auto &[loop, schedule] : schedules) {
    LoopSchedule &to = mapped[map.lookup(loop)];
    to.ii = schedule.ii;
    to.ticks = schedule.ticks;
    to.regs = schedule.regs;
    auto follow = [&](const auto &from, auto &into) {
      for (auto &[op, value] : from)
        into[map.lookup(op)] = value;
    };
    follow(schedule.start, to.start);
    follow(schedule.end, to.end);
    follow(schedule.group, to.group);
    follow(schedule.names, to.names);
    follow(schedule.rings, to.rings);
    follow(schedule.inflight, to.inflight);
    for (auto &[dot, by] : schedule.done)
      to.done[map.lookup(dot)] = {map.lookup(by.first), by.second};
    to.cut = schedule.cut;
    to.order = schedule.order;
  }
  insertHandOvers(copy, mapped);
  FailureOr<warp::KernelOp> kernel = convertTagged(copy, mapped, machine, options, decisions, mostFilled(options));
  copy->erase();
  return kernel;
}

FailureOr<warp::KernelOp> convertTileToWarp(tile::KernelOp source, const DenseMap<Operation *, LoopSchedule> &schedules,
                                            const Machine &machine, const TileToWarpOptions &options,
                                            WarpDecisions *decisions) {
  if (needsHandOver(schedules))
    return convertWithHandOvers(source, schedules, machine, options, decisions);
  return convertTagged(source, schedules, machine, options, decisions, mostFilled(options));
}

} // namespace heddle
