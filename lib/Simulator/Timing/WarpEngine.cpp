//===- WarpEngine.cpp - One CTA: its state, control flow, scheduling of groups ===//
//
// What:     a warp.kernel and a place in the grid -> the state of that CTA, run to its end, the first fault or the next
//           program. See WarpEngine.h. What operations do is in WarpOps.cpp, WarpRings.cpp, WarpAccesses.cpp and
//           WarpArithmetic.cpp, how long they take in WarpTime.cpp.
// Verifies: that some group can go on, and that nothing is open at the end.
//
//===----------------------------------------------------------------------===//
#include "WarpEngine.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Dialect/Warp/Notes.h"
#include "heddle/Simulator/Functional/Evaluate.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

int Ring::consumerIndex(int group) const {
  auto at = std::find(consumers.begin(), consumers.end(), group);
  return at == consumers.end() ? -1 : at - consumers.begin();
}

int64_t Use::count(bool Consumer::*what) const {
  return llvm::count_if(consumers, [&](const Consumer &consumer) { return consumer.*what; });
}

int Ring::missing(int64_t n, bool Use::Consumer::*what) {
  Use &of = use(n);
  bool taken = of.count(&Use::Consumer::got) == readers(); // its readers are known
  for (auto [c, consumer] : llvm::enumerate(of.consumers))
    if (!(consumer.*what) && (consumer.got || !taken))
      return c;
  return -1;
}

Use &Ring::use(int64_t n) {
  while (static_cast<int64_t>(uses.size()) <= n) {
    uses.emplace_back();
    uses.back().fields.assign(fields, false);
    uses.back().consumers.resize(consumers.size());
  }
  return uses[n];
}

WarpEngine::WarpEngine(warp::KernelOp kernel, Bindings &bindings, const Machine &machine, const SimOptions &options,
                       CostCache &costs, const warp::WaitCounts &waits, ProgramRaces &races, const Place &place,
                       SimResult &result, bool timeline)
    : kernel(kernel), bindings(bindings), machine(machine), options(options), costs(costs), waits(waits), races(races),
      place(place), cta(place.program), result(result), timeline(timeline) {
  cta[0] = cta[0] * place.blocks + place.rank;
  for (const MachineUnit &unit : machine.units())
    units[unit.name].freeAt.assign(std::max<int64_t>(1, unit.capacity), 0);
  auto latency = [&](const char *opClass) {
    Result<OpCost> cost = machine.cost(opClass, {{"bytes", 0}});
    return cost ? cost->latency : 0;
  };
  dots = DotQueue(machine.property("dot_queue_instructions", 0));
  kernel.walk([&](warp::DotOp dot) { // one class of cost for all
    if (Result<OpCost> cost = warpOpCost(dot, machine))
      dotUnit = cost->unit;
    return WalkResult::interrupt();
  });
  signalLatency = latency("mbarrier");
  passLatency = machine.property("mbarrier_pass_cycles", 1);
  fenceLatency = machine.property("fence_cycles", 1);
  barrierLatency = latency("named_barrier");
  for (auto op : kernel.getBody().getOps<warp::GroupOp>()) {
    Group group;
    group.op = op;
    group.name = op.getSymName().str();
    group.index = groups.size();
    group.oneThread = op.getWarps() == 1;
    meeting.groups += !group.oneThread;
    Block &body = op.getBody().front();
    group.stack.push_back({&body, body.begin(), nullptr});
    groups.push_back(std::move(group));
  }
  for (int64_t block = 0; block < place.blocks; ++block)
    for (Group &group : groups) {
      memory.groupNames.push_back(group.name + (place.blocks > 1 ? " of block " + std::to_string(block) : ""));
      global.groupNames.push_back(memory.groupNames.back());
    }
  for (Group &group : groups) {
    group.id = place.rank * groups.size() + group.index;
    group.name = memory.groupNames[group.id];
    group.vector.assign(memory.groupNames.size(), 0);
    group.vector[group.id] = 1;
    for (BlockArgument argument : kernel.getBody().getArguments())
      if (!isa<tile::ViewType>(argument.getType()))
        group.values[argument].tile = bindings.arguments[argument.getArgNumber()].scalar;
  }
  for (auto op : kernel.getBody().getOps<warp::ArefOp>()) {
    Ring ring;
    ring.name = op.getName().str();
    ring.depth = op.getType().getDepth();
    ring.turns = op.getTurns();
    ring.multicast = op.isMulticast();
    ring.fields = op.getType().getPayload().size();
    ring.firstTile = memory.tiles.size();
    for (Group &group : groups) {
      bool consumes = false;
      group.op.walk([&](warp::GetOp get) { consumes |= get.getAref() == op.getResult(); });
      group.op.walk([&](warp::ConsumedOp done) { consumes |= done.getAref() == op.getResult(); });
      if (consumes)
        ring.consumers.push_back(group.index);
    }
    ring.nextGet.assign(ring.consumers.size(), 0);
    for (int64_t slot = 0; slot < ring.depth; ++slot)
      for (auto [field, type] : llvm::enumerate(op.getType().getPayload())) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        int64_t number = 1;
        int id = memory.addTile("ring \"" + ring.name + "\" slot " + std::to_string(slot) + " field " +
                                    std::to_string(field),
                                tensor ? tensor.getElementType() : type, tensor ? tensor.getShape() : ArrayRef(number));
        memory.tiles[id].ring = rings.size();
        memory.tiles[id].slot = slot;
        memory.tiles[id].field = field;
      }
    ringIds[op.getResult()] = rings.size();
    rings.push_back(std::move(ring));
  }
  for (auto op : kernel.getBody().getOps<warp::OrderOp>())
    orders[op.getResult()] = {op.getName().str(), static_cast<int64_t>(op.getType().getPlaces())};
  for (auto op : kernel.getBody().getOps<warp::ScratchOp>()) {
    auto type = op.getType();
    int id = memory.addTile("scratch \"" + op.getName().str() + "\"", type.getElementType(), type.getShape());
    for (Group &group : groups) {
      group.values[op.getResult()].smem.tile = id;
      group.values[op.getResult()].smem.rect = memory.tiles[id].extent;
    }
  }
}

//===----------------------------------------------------------------------===//
// Scheduling of groups
//===----------------------------------------------------------------------===//

std::optional<int64_t> WarpEngine::run(ArrayRef<WarpEngine *> cluster, int64_t &steps) {
  for (WarpEngine *block : cluster)
    block->cluster = cluster;
  while (true) {
    WarpEngine *at = nullptr;
    Group *next = nullptr;
    bool open = false;
    for (WarpEngine *block : cluster)
      for (Group &group : block->groups) {
        open |= !group.done;
        if (!group.done && !group.blocked && (!next || group.clock < next->clock)) {
          next = &group;
          at = block;
        }
      }
    if (!open) {
      for (WarpEngine *block : cluster)
        if (block->result.ok())
          block->checkEnd();
      return std::nullopt;
    }
    if (!next)
      return reportDeadlock(cluster), std::nullopt;
    Frame &frame = next->stack.back();
    if (frame.next != frame.block->end() && isa<warp::NextProgramOp>(*frame.next) && !at->given)
      return next->clock;
    if (--steps < 0) {
      at->fault(FaultKind::Limit, at->kernel,
                "expected at most " + std::to_string(at->options.maxSteps) + " operations to simulate, got more");
      return std::nullopt;
    }
    at->races.begin(at->cta);
    if (at->step(*next) == Step::Fault)
      return std::nullopt;
  }
}

/// Whether `op` computes values in registers.
static bool isArithmetic(Operation *op) {
  if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() || isa<warp::WarpDialect>(op->getDialect()) ||
      isa<tile::LoadOp, tile::ElementOp, tile::GatherOp, tile::StoreOp>(op))
    return false;
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getResultTypes(), isTile) || llvm::none_of(op->getOperandTypes(), isTile);
}

WarpEngine::Step WarpEngine::step(Group &group) {
  dots.run(group.clock, [&](const DotQueue::Dot &dot, int64_t end) {
    units[dotUnit].busy += dot.cycles;
    for (Group &of : groups)
      for (const InFlight &flying : of.dots)
        if (flying.id == dot.id)
          record(dotUnit, flying.op, dot.begin, end, true, false);
  });
  if (group.issuing) {
    if (int64_t issued = dots.issued(group.issuing); issued > group.clock) {
      waitUntil(group, group.dots.back().op, issued);
      return Step::Ran;
    }
    group.issuing = 0;
  }
  Frame &frame = group.stack.back();
  if (frame.next == frame.block->end()) { // only a group's own block has no terminator
    group.done = true;
    return Step::Done;
  }
  Operation *op = &*frame.next;
  if (!group.stretch.empty() && !isArithmetic(op) && advance(group, op))
    return Step::Ran;
  if (isa<warp::ReturnOp>(op)) {
    group.done = true;
    return Step::Done;
  }
  if (isa<scf::YieldOp, scf::ConditionOp>(op))
    return leaveBlock(group, op);
  // Every operand must be a value and no longer in flight, except where a dot chain goes on.
  if (!isa<warp::DotOp, warp::DotWaitOp, scf::ForOp, scf::WhileOp>(op))
    for (Value operand : op->getOperands()) {
      auto value = group.values.find(operand);
      if (value == group.values.end() || !value->second.dot)
        continue;
      for (const InFlight &dot : group.dots)
        if (dot.id == value->second.dot)
          return fault(FaultKind::Protocol, op,
                       "expected a dot_wait before the result of the dot is used in @" + group.name +
                           ", got it in flight");
    }
  // Past the op, unless it blocks; ops with regions push a frame on top.
  Block::iterator here = frame.next++;
  size_t depth = group.stack.size() - 1;
  Step outcome = execute(group, op);
  if (outcome == Step::Blocked)
    group.stack[depth].next = here;
  return outcome;
}

WarpEngine::Step WarpEngine::execute(Group &group, Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return enterFor(group, loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    group.clock += 1;
    Block *block = indexOf(group, branch.getCondition()) ? branch.thenBlock() : branch.elseBlock();
    if (block)
      group.stack.push_back({block, block->begin(), branch});
    return Step::Ran;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    group.clock += 1;
    define(group, loop.getBeforeArguments(), loop.getInits());
    group.stack.push_back({loop.getBeforeBody(), loop.getBeforeBody()->begin(), loop});
    return Step::Ran;
  }
  if (isa<warp::AcquireOp, warp::CopyOp, warp::PutOp, warp::PublishOp, warp::GetOp, warp::ConsumedOp>(op))
    return executeRing(group, op);
  if (auto o = dyn_cast<warp::EnterOp>(op))
    return enter(group, o);
  if (auto o = dyn_cast<warp::LeaveOp>(op))
    return leave(group, o);
  if (isa<warp::DotOp, warp::DotWaitOp>(op))
    return executeTensorCore(group, op);
  if (isa<warp::WarpDialect>(op->getDialect()) || isa<tile::LoadOp, tile::ElementOp, tile::GatherOp, tile::StoreOp>(op))
    return executeMemory(group, op);
  if (op->getNumRegions())
    return fault(FaultKind::Unsupported, op,
                 "expected scf.for, scf.if or scf.while, got " + op->getName().getStringRef().str());
  return computePure(group, op);
}

WarpEngine::Step WarpEngine::enterFor(Group &group, scf::ForOp loop) {
  int64_t begin = indexOf(group, loop.getLowerBound()), end = indexOf(group, loop.getUpperBound()),
          step = indexOf(group, loop.getStep());
  if (step <= 0)
    return fault(FaultKind::Unsupported, loop, "expected a loop step of at least 1, got " + std::to_string(step));
  group.clock += 1;
  if (begin >= end) {
    define(group, loop.getResults(), loop.getInitArgs());
    return Step::Ran;
  }
  define(group, loop.getRegionIterArgs(), loop.getInitArgs());
  group.values[loop.getInductionVar()].tile = TileValue::index(begin);
  group.stack.push_back({loop.getBody(), loop.getBody()->begin(), loop, begin, end, step});
  return Step::Ran;
}

void WarpEngine::define(Group &group, ValueRange names, ValueRange values) {
  SmallVector<WarpValue> copies;
  for (Value value : values)
    copies.push_back(group.values[value]);
  for (auto [name, copy] : llvm::zip(names, copies))
    group.values[name] = copy;
}

WarpEngine::Step WarpEngine::leaveBlock(Group &group, Operation *terminator) {
  Frame &frame = group.stack.back();
  ValueRange values = terminator->getOperands();
  group.clock += 1;
  auto goOn = [&](Block *block, ValueRange names) {
    define(group, names, values);
    frame.block = block;
    frame.next = block->begin();
    return Step::Ran;
  };
  if (auto loop = dyn_cast<scf::WhileOp>(frame.control)) {
    if (isa<scf::YieldOp>(terminator))
      return goOn(loop.getBeforeBody(), loop.getBeforeArguments());
    bool holds = indexOf(group, values.front());
    values = values.drop_front();
    if (holds) {
      ++frame.iv;
      return goOn(loop.getAfterBody(), loop.getAfterArguments());
    }
  } else if (auto loop = dyn_cast<scf::ForOp>(frame.control)) {
    frame.iv += frame.step;
    if (frame.iv < frame.end) {
      goOn(loop.getBody(), loop.getRegionIterArgs());
      group.values[loop.getInductionVar()].tile = TileValue::index(frame.iv);
      return Step::Ran;
    }
  }
  define(group, frame.control->getResults(), values);
  group.stack.pop_back();
  return Step::Ran;
}

WarpEngine::Step WarpEngine::computePure(Group &group, Operation *op) {
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
    group.values[id.getResult()].tile = TileValue::index(place.program[id.getDim()]);
    return Step::Ran;
  }
  if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
    int64_t blocks = races.programs()[count.getDim()];
    group.values[count.getResult()].tile = TileValue::index(count.getDim() == 0 ? blocks / place.blocks : blocks);
    return Step::Ran;
  }
  if (isa<tile::ClusterRankOp>(op)) {
    group.values[op->getResult(0)].tile = TileValue::index(place.rank);
    return Step::Ran;
  }
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    group.values[dim.getResult()].tile = TileValue::index(tensorOf(dim.getView()).sizes()[dim.getDim()]);
    return Step::Ran;
  }
  SmallVector<TileValue> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(group.values[operand].tile);
  if (failed(evaluate(op, operands, results)))
    return fault(FaultKind::Unsupported, op,
                 "expected an operation that the simulator can execute, got " + op->getName().getStringRef().str());
  if (llvm::any_of(op->getResultTypes(), [](Type t) { return isa<RankedTensorType>(t); }))
    return compute(group, op, operands, results);
  int64_t done = ready(group, op);
  if (op->getNumOperands())
    group.clock = std::max(group.clock, done) + 1;
  for (auto [to, value] : llvm::zip(op->getResults(), results)) {
    WarpValue &slot = group.values[to];
    slot = WarpValue();
    slot.tile = value;
    slot.ready = done;
  }
  return Step::Ran;
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

WarpEngine::Step WarpEngine::fault(FaultKind kind, Operation *op, const std::string &message) {
  result.faults.push_back({kind, op->getLoc(), message, cta});
  if (options.emit)
    op->emitError() << faultKindName(kind) << " in cta " << cta[0] << ", " << cta[1] << ", " << cta[2] << ": "
                    << message;
  return Step::Fault;
}

WarpEngine::Step WarpEngine::block(Group &group, Operation *op, std::string why) {
  group.blocked = true;
  group.waitsFor = std::move(why);
  group.waitsAt = op;
  return Step::Blocked;
}

void WarpEngine::wakeAll() {
  for (WarpEngine *block : cluster)
    for (Group &group : block->groups)
      group.blocked = false;
}

void WarpEngine::reportDeadlock(ArrayRef<WarpEngine *> cluster) {
  std::string text = "expected some group to go on, got";
  Operation *at = nullptr;
  for (WarpEngine *block : cluster)
    for (Group &group : block->groups) {
      if (group.done)
        continue;
      text += std::string(at ? ";" : "") + " @" + group.name + " waiting for " + group.waitsFor;
      if (!at)
        at = group.waitsAt;
    }
  cluster.front()->fault(FaultKind::Deadlock, at, text);
}

void WarpEngine::checkEnd() {
  for (Group &group : groups) {
    result.maxCycles = std::max(result.maxCycles, group.clock);
    if (!group.dots.empty()) {
      fault(FaultKind::Imbalance, group.dots.front().op,
            "expected every dot of @" + group.name + " to be waited for at the end, got one in flight");
      return;
    }
    if (!group.copyOuts.empty()) {
      fault(FaultKind::Imbalance, group.copyOuts.front().op,
            "expected every copy_out of @" + group.name + " to be waited for at the end, got one in flight");
      return;
    }
  }
  for (Ring &ring : rings)
    for (auto [n, use] : llvm::enumerate(ring.uses)) {
      if (use.acquired && !use.published) {
        fault(FaultKind::Imbalance, use.op, "expected " + where(ring, n) + " to be published, got the end");
        return;
      }
      if (int c = use.published ? ring.missing(n, &Use::Consumer::consumed) : -1; c >= 0) {
        fault(FaultKind::Imbalance, use.op,
              "expected " + where(ring, n) + " to be " + (use.consumers[c].got ? "consumed" : "got") + " by @" +
                  groups[ring.consumers[c]].name + ", got the end");
        return;
      }
    }
  int64_t cycles = 0;
  for (Group &group : groups)
    cycles = std::max(cycles, group.clock);
  result.ctaCycles.push_back(cycles);
  result.orderedPairs += memory.orderedPairs + global.orderedPairs;
  if (!timeline)
    return;
  for (auto &[name, unit] : units)
    result.unitBusy[name] = unit.busy;
  for (Group &group : groups)
    result.groupWaits[group.name] = group.waited;
}
