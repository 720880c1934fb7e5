//===- LoopProblem.cpp - from a loop of instructions to a scheduling problem ===//
//
// What:      scf.for of selected instructions -> Problem (nodes with costs of the machine file, edges from SSA and
//            loop-carried values).
// Where:     after SelectInstructions; Pipelines hands the problem to a scheduler and the schedule to TileToWarp.
// Nodes:     loads, shared-memory reads, dots, chains of element-wise operations (Chains.h) and reductions. Scalars and
//            free operations are not scheduled: every group that needs one recomputes it.
// Tensor memory: on a machine with a `tmem` memory dots are issued by one thread and accumulate there; nodes without an
//                operation load
//            a dot's result into registers, put a value computed in registers there (as accumulator or left operand),
//            and put the value of a copy-engine store into shared memory. MMA group: one warp.
// Edges:     value edges carry the producer's latency; a dot that accumulates into a dot's result may follow it after
//            its hold (the tensor core retires a chain in order); a load's edges carry 0 (Twill 4.2: streaming loads
//            run ahead on their ring). Accesses to global memory that may meet keep the program's order (order edges),
//            unless the data orders them.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/LoopProblem.h"

#include "OperationCost.h"
#include "heddle/Analysis/Chains.h"
#include "heddle/Analysis/GlobalMemory.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/SharedMemory.h"
#include "heddle/Analysis/SlotLives.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/HW/UniformMask.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Scheduling/Cost/Scale.h"

using namespace mlir;
namespace heddle {

/// True when the value of iter_arg `i` is, in every iteration, an init: arguments that yield each other and nothing
/// else.
static bool onlyExchanges(scf::ForOp loop, unsigned i) {
  unsigned at = i;
  for (unsigned hops = 0; hops <= loop.getNumRegionIterArgs(); ++hops) {
    auto next = dyn_cast<BlockArgument>(loop.getYieldedValues()[at]);
    if (!next || next.getOwner() != loop.getBody() || next.getArgNumber() == 0 || next.getArgNumber() - 1 == at)
      return false;
    at = next.getArgNumber() - 1;
  }
  return true;
}

bool isScheduledLoop(scf::ForOp loop) {
  bool tiles = false, nested = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    nested |= op.getNumRegions() != 0;
    tiles |= touchesTiles(&op) && !isFree(&op); // what each reader computes for itself takes no time of the loop
  }
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (onlyExchanges(loop, i))
      return false;
  return tiles && !nested;
}

namespace {
/// Where a value of the loop body is computed: by `op`, `distance` iterations before; null when outside the loop.
struct Origin {
  Operation *op = nullptr;
  int64_t distance = 0;
};

class Extractor {
public:
  Extractor(scf::ForOp loop, const Machine &machine, const ExtractOptions &options)
      : loop(loop), machine(machine), options(options), target(targetOf(machine)),
        tensorMemory(target.keepsSumsInMemory()), layout{target} {
    if (auto kernel = loop->getParentOfType<tile::KernelOp>()) {
      turns = turnsOf(kernel);
      layout.groupWarps = groupWarps(kernel);
      layout.coalesced = !hasDots(kernel);
    }
  }

  FailureOr<LoopProblem> run() {
    result.loop = loop;
    Problem &p = result.problem;
    p.name = "loop";
    if (auto kernel = loop->getParentOfType<tile::KernelOp>())
      p.name = kernel.getSymName().str();
    for (const MachineUnit &unit : machine.units())
      p.addUnit(unit.name, unit.capacity);
    int64_t capacity = machine.memoryCapacity("smem"), elsewhere = 0;
    if (capacity) {
      elsewhere = bytesLoadedElsewhere(loop) + (target.emitsKernels() ? bytesBesideRings(loop) : 0);
      smem = p.addMemory("smem", std::max<int64_t>(1, capacity - elsewhere - options.spareBytes), MemoryKind::Ring);
    }
    if (tensorMemory)
      tmem = p.addMemory("tmem", machine.memoryCapacity("tmem"));
    p.regOverhead = target.addressRegisters() * options.addressPercent / 100;
    p.regOverhead += options.moreRegisters;
    p.regOverhead += hasChains(loop) ? options.chainRegisters : 0;
    p.regOverhead += options.spareRegisters;
    if (!tensorMemory && options.heldTiles)
      p.regOverhead += registersHeldAcross();
    addGroups();
    for (ArrayRef<Operation *> members : loopNodes(loop))
      if (failed(addOperations(members)))
        return failure();
    auto isInRing = [&](const Node &node) {
      return llvm::any_of(node.footprints, [&](const Footprint &tile) { return tile.memory == smem; });
    };
    if (capacity && elsewhere >= capacity && llvm::any_of(p.nodes, isInRing))
      return emitErrorOf(ErrorKind::Infeasible, loop)
                 << "shared memory: stores, and tiles of other places that are needed while this loop runs, take "
                 << elsewhere << " of " << capacity << " bytes, and leave none for the loop's own tiles",
             failure();
    for (int v = 0, e = result.ops.size(); v < e; ++v)
      for (Operation *op : result.ops[v])
        addEdges(op, v);
    addMemoryEdges();
    for (auto [from, move] : movesOf)
      if (auto it = nodeOf.find(from.op); it != nodeOf.end())
        connect(it->second, move, from.distance);
    for (const Node &node : p.nodes)
      result.homes.push_back(node.groups.front());
    if (options.freeGroups) {
      Result<Problem> joint = heddle::freeGroups(p, machine, options.free);
      if (!joint)
        return emitErrorOfFile(joint.error(), firstPassed());
      p = *joint;
    } else {
      Status fits = checkGroups(p, machine, options.free);
      if (Status status = fits ? addTransfers(p, machine) : fits; !status)
        return emitErrorOfFile(status.error(), fits ? firstPassed() : loop.getOperation());
    }
    if (failed(checkTimes()))
      return failure();
    scaleTimes(p, options.scale > 0 ? options.scale : cyclesForResolution(p, options.resolution));
    if (Status status = p.check(); !status)
      return emitErrorOf(ErrorKind::Internal, loop) << "extracted problem: " << status.error().message();
    return std::move(result);
  }

private:
  /// The first operation whose value may pass between groups, which costs a transfer that a machine may not state.
  Operation *firstPassed() {
    if (!machine.hasOp("transfer"))
      for (const Edge &e : result.problem.edges)
        if (!result.problem.nodes[e.from].variableLatency && e.from != e.to && !result.ops[e.from].empty())
          return result.ops[e.from].back();
    return loop.getOperation();
  }

  /// A machine file may give any cost; sums over the operations of a loop have to stay numbers that schedules have.
  LogicalResult checkTimes() {
    constexpr int64_t mostCycles = 1 << 20;
    for (auto [node, ops] : llvm::zip(result.problem.nodes, result.ops)) {
      int64_t longest = std::max(node.latency, node.issue);
      for (const Reservation &reservation : node.reservations)
        longest = std::max(longest, reservation.length);
      if (longest > mostCycles)
        return (ops.empty() ? loop.getOperation() : ops.front())->emitError("machine '")
               << machine.name() << "': expected at most " << mostCycles << " cycles for '" << node.name << "', got "
               << longest;
    }
    return success();
  }

  void addGroups() {
    Problem &p = result.problem;
    Group load;
    load.name = "load";
    load.warps = 1;
    load.variable = true;
    p.addGroup(load);
    if (tensorMemory) {
      Group mma;
      mma.name = "mma";
      mma.warps = 1;
      p.addGroup(mma);
    }
    firstCompute = p.groups.size();
    int64_t groups = 1, warps = layout.groupWarps;
    if (auto kernel = loop->getParentOfType<tile::KernelOp>())
      if (auto attr = kernel->getAttrOfType<IntegerAttr>("groups"))
        groups = attr.getInt();
    for (Operation &op : loop.getBody()->without_terminator())
      for (Value value : op.getResults())
        warps = std::max(warps, layout.warpsOf(value));
    for (int64_t g = 0; g < groups; ++g) {
      Group compute;
      compute.name = "compute" + std::to_string(g);
      compute.warps = warps;
      if (!tensorMemory)
        compute.regs =
            Occupancy(machine.warps()).equalBudgets(turns * groups * layout.groupWarps / warpsPerGroup).compute;
      p.addGroup(compute);
    }
  }

  /// Registers, of the group with the most, of tiles that were computed before the loop and are read in it or later.
  int64_t registersHeldAcross() const {
    std::map<int64_t, int64_t> held;
    for (Operation *outer = loop; outer && outer->getBlock(); outer = outer->getParentOp()) {
      auto isLater = [&](Operation *user) {
        Operation *here = outer->getBlock()->findAncestorOpInBlock(*user);
        return here == outer || outer->isBeforeInBlock(here);
      };
      for (Operation &op : llvm::make_range(outer->getBlock()->begin(), Block::iterator(outer))) {
        auto load = dyn_cast<tile::LoadOp>(&op);
        if (isFree(&op) || isa<warp::StageOp>(&op) || (load && isTmaLoad(load)))
          continue;
        for (Value value : op.getResults())
          if (auto tile = dyn_cast<RankedTensorType>(value.getType());
              tile && tile.getRank() > 1 && llvm::any_of(usersThroughFree(value), isLater))
            held[groupOf(&op)] += layout.registersOf(value);
      }
    }
    int64_t most = 0;
    for (auto [group, registers] : held)
      most = std::max(most, registers);
    return most;
  }

  int computeGroup(Operation *op) const { return static_cast<int>(groupOf(op)) + firstCompute; }

  /// A node called `name` with the costs of `cost`, which operation `op` needs.
  Node nodeFor(Operation *op, const NodeCost &cost, std::string name) {
    Node node;
    node.name = nodeName(op, std::move(name));
    node.loc = locationText(op->getLoc());
    for (auto &[unit, hold] : cost.holds)
      node.reservations.push_back({result.problem.findUnit(unit), 0, hold, 1});
    node.latency = cost.latency;
    node.issue = cost.issue;
    node.async = cost.async;
    node.warps = layout.groupWarps;
    node.groups = {computeGroup(op)};
    return node;
  }

  int add(Node node, ArrayRef<Operation *> members, int64_t hold) {
    holds.push_back(hold);
    result.ops.emplace_back(members);
    return result.problem.addNode(std::move(node));
  }

  /// Those of `ops` that take time.
  SmallVector<Operation *> counted(ArrayRef<Operation *> ops) const {
    return llvm::to_vector(llvm::make_filter_range(
        ops, [&](Operation *op) { return options.countMasks || isa<arith::SelectOp>(op) || !isMasking(op); }));
  }

  /// One node that runs `members`, a chain or a single operation.
  LogicalResult addOperations(ArrayRef<Operation *> members) {
    Operation *op = members.back();
    for (Operation *member : members)
      if (tensorMemory && failed(addMoves(member)))
        return failure();
    Result<NodeCost> cost = costOfNode(counted(members), counted(recomputedIn(members)), machine);
    if (!cost)
      return emitErrorOfFile(cost.error(), op);
    Node node = nodeFor(op, *cost, ownName(members));
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && isTmaLoad(load)) {
      node.variableLatency = true;
      node.warps = 1;
      node.groups = {0};
      occupy(node, smem, slotBytes(load.getResult().getType()));
    } else if (auto dot = dyn_cast<warp::DotOp>(op); dot && tensorMemory) {
      node.warps = 1; // issued by one thread
      node.groups = {firstCompute - 1};
      occupy(node, tmem, target.memoryColumns(dot.getResult().getType()));
    } else {
      for (Operation *member : members)
        for (Value value : member->getResults()) {
          if (member == op || leaves(value, members))
            node.regs += layout.registersOf(value);
          node.warps = std::max(node.warps, layout.warpsOf(value));
        }
      if (auto stage = dyn_cast<warp::StageOp>(op)) {
        node.warps = layout.warpsOf(stage.getValue());
        occupy(node, smem, turns * tileBytes(stage.getValue().getType()));
      }
      if (writtenFirst(op))
        node.warps = 1;
    }
    int v = add(std::move(node), members, cost->hold());
    for (Operation *member : members)
      nodeOf[member] = v;
    return success();
  }

  /// True when anything but the other operations of a chain reads `value`.
  static bool leaves(Value value, ArrayRef<Operation *> members) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return isFree(user) ? leaves(user->getResult(0), members) : !llvm::is_contained(members, user);
    });
  }

  static void occupy(Node &node, int memory, int64_t amount) {
    if (memory >= 0)
      node.footprints.push_back({memory, amount});
  }

  /// With tensor memory, a copy-engine store takes its value from shared memory, where a node of its own puts it.
  bool writtenFirst(Operation *op) const {
    auto store = dyn_cast<tile::StoreOp>(op);
    return tensorMemory && store && isTmaStore(store);
  }

  /// Nodes that move operands of `op` between registers, tensor memory and shared memory.
  LogicalResult addMoves(Operation *op) {
    for (OpOperand &use : op->getOpOperands()) {
      if (!isa<RankedTensorType>(use.get().getType()))
        continue;
      Origin from = originOf(use.get());
      if (!from.op || from.op->getBlock() != loop.getBody())
        continue;
      bool inTensorMemory = isa<warp::DotOp>(from.op), wanted = isa<warp::DotOp>(op);
      if (inTensorMemory && !wanted && !moves.count({from.op, {from.distance, 0}}) &&
          failed(addMove(op, from, 0, "tmem_load", cast<RankedTensorType>(from.op->getResult(0).getType()))))
        return failure();
      if (!inTensorMemory && wanted && !moves.count({from.op, {from.distance, 1}}) &&
          failed(addMove(op, from, 1, "tmem_store", cast<RankedTensorType>(use.get().getType()))))
        return failure();
      if (writtenFirst(op) && !moves.count({from.op, {from.distance, 2}}) &&
          failed(addMove(op, from, 2, "smem_write", cast<RankedTensorType>(use.get().getType()))))
        return failure();
    }
    return success();
  }

  /// One node of class `opClass` that takes the value of `from` (0: to registers, 1: to tensor memory, 2: to shared
  /// memory).
  LogicalResult addMove(Operation *user, Origin from, int kind, StringRef opClass, RankedTensorType tile) {
    Result<OpCost> cost = machine.cost(opClass.str(), {{"bytes", tileBytes(tile)}});
    if (!cost)
      return emitErrorOfFile(cost.error(), user);
    NodeCost whole;
    whole.holds.push_back({cost->unit, cost->hold});
    whole.latency = cost->latency;
    whole.issue = cost->issue;
    whole.async = cost->async;
    Node node = nodeFor(user, whole, opClass.str());
    Value value = from.op->getResult(0);
    node.warps = layout.warpsOf(value);
    if (kind == 0)
      node.regs = layout.registersOf(value);
    else
      occupy(node, kind == 1 ? tmem : smem, kind == 1 ? target.memoryColumns(tile) : tileBytes(tile));
    int v = add(std::move(node), {}, cost->hold);
    moves[{from.op, {from.distance, kind}}] = v;
    if (kind == 2) // what it writes is what registers hold
      if (auto loaded = moves.find({from.op, {from.distance, 0}}); loaded != moves.end())
        return connect(loaded->second, v, 0), success();
    movesOf.push_back({from, v});
    return success();
  }

  /// What a node is called after its operations: `dot`, `mulf_exp2`, ...
  static std::string ownName(ArrayRef<Operation *> members) {
    std::string name;
    StringRef last;
    for (auto [i, op] : llvm::enumerate(members)) {
      StringRef part = op->getName().stripDialect();
      if (part == last)
        continue;
      name += i && i < 4 ? "_" : "";
      name += i < 4 ? part.str() : "";
      last = part;
    }
    return name;
  }

  /// `name` made unique with the sub-tile of `op` and a running number.
  std::string nodeName(Operation *op, std::string name) {
    if (op->hasAttr(groupAttr))
      name += "_g" + std::to_string(groupOf(op));
    int n = names[name]++;
    return n ? name + "_" + std::to_string(n) : name;
  }

  /// Follows `value` through free operations and loop-carried values to where it is computed.
  Origin originOf(Value value) {
    for (int64_t distance = 0; distance < 8; ++distance) {
      while (Operation *def = value.getDefiningOp()) {
        if (!isFree(def))
          return {def, distance};
        if (!def->getNumOperands())
          return {};
        value = def->getOperand(0);
      }
      auto arg = dyn_cast<BlockArgument>(value);
      if (!arg || arg.getOwner() != loop.getBody() || arg.getArgNumber() == 0)
        return {};
      value = loop.getYieldedValues()[arg.getArgNumber() - 1];
    }
    return {};
  }

  /// The edges to operation `op` of node `to`.
  void addEdges(Operation *op, int to) {
    if (auto stage = dyn_cast<warp::StageOp>(op))
      if (Operation *source = copiedSource(stage))
        op = source;
    for (OpOperand &use : op->getOpOperands()) {
      Origin from = originOf(use.get());
      auto it = nodeOf.find(from.op);
      if (it == nodeOf.end() || (it->second == to && !from.distance))
        continue;
      bool acc = isa<warp::DotOp>(op) && use.getOperandNumber() == 2;
      if (int move = moveFor(use, from); move >= 0)
        connect(move, to, 0, acc);
      else
        connect(it->second, to, from.distance, acc);
      if (acc && isa<warp::DotOp>(from.op))
        keepUntilLoaded(from, to);
      if (isa<warp::DotOp>(op) && use.getOperandNumber() == 0 && isa<RankedTensorType>(use.get().getType()) &&
          isMadeOfLoads(use.get(), loop))
        keepUntilRead(it->second, to);
    }
    for (Operation *again : recomputedIn(op))
      if (auto read = dyn_cast<warp::ReadOp>(again))
        if (auto it = nodeOf.find(originOf(read.getSource()).op); it != nodeOf.end())
          connect(it->second, to, 0);
  }

  /// Accesses of warp groups to memory that may meet: in the program's order. (Loads by the copy engine are ordered by
  /// their data.)
  void addMemoryEdges() {
    auto kernel = loop->getParentOfType<tile::KernelOp>();
    auto order = [&](Operation *from, Operation *to, int64_t distance) {
      Edge edge;
      edge.from = nodeOf.lookup(from);
      edge.to = nodeOf.lookup(to);
      edge.distance = distance;
      edge.delay = std::max<int64_t>(1, result.problem.nodes[edge.from].latency);
      edge.order = true;
      result.problem.addEdge(edge);
    };
    auto isHere = [&](Operation *op) {
      auto load = dyn_cast<tile::LoadOp>(op);
      return nodeOf.count(op) && !(load && isTmaLoad(load));
    };
    for (const MemoryDependence &pair : kernel ? findMemoryDependences(kernel) : SmallVector<MemoryDependence>()) {
      if (pair.first == pair.second || !isHere(pair.first) || !isHere(pair.second))
        continue;
      if (pair.sameIteration)
        order(pair.first, pair.second, 0);
      for (const MemoryDependence::Carried &carried : pair.carried) {
        if (carried.loop == loop && carried.forward)
          order(pair.first, pair.second, *carried.forward);
        if (carried.loop == loop && carried.backward)
          order(pair.second, pair.first, *carried.backward);
      }
    }
  }

  /// The node that brings the operand `use` to where its user reads it; -1: it is there.
  int moveFor(OpOperand &use, Origin from) const {
    if (!tensorMemory || !isa<RankedTensorType>(use.get().getType()))
      return -1;
    bool dot = isa<warp::DotOp>(use.getOwner());
    int kind = writtenFirst(use.getOwner()) ? 2 : dot ? 1 : 0;
    auto it = moves.find({from.op, {from.distance, kind}});
    return it == moves.end() ? -1 : it->second;
  }

  /// A dot accumulates in place: whoever loads the sum before it has to be done (tensor memory).
  void keepUntilLoaded(Origin sum, int to) {
    for (int64_t distance = 0; distance <= sum.distance; ++distance)
      if (auto it = moves.find({sum.op, {distance, 0}}); it != moves.end()) {
        Edge edge;
        edge.from = it->second;
        edge.to = to;
        edge.distance = sum.distance - distance;
        edge.delay = result.problem.nodes[it->second].latency;
        edge.order = true;
        result.problem.addEdge(edge);
      }
  }

  /// The tensor core reads the registers of a left operand until the product `to` has retired, and no copy moves them:
  /// what makes the operand writes them again behind it. With two programs in flight, of which one runs its products at
  /// a time, they wait for that (products of tf32: 676 us as if they did not, 456 with one program in flight;
  /// bench/results/2026-11-29-h200-transposed-products.json). Operands that are made of other products are left out:
  /// what these give orders an iteration already, and the one backward pass that it concerned lost its overlap. Where
  /// groups are chosen freely another one may make the operand, which it then hands over.
  void keepUntilRead(int from, int to) {
    if (tensorMemory || !options.operandsStay)
      return;
    Edge edge;
    edge.from = to;
    edge.to = from;
    edge.distance = 1;
    edge.delay = holds[to];
    edge.order = true;
    result.problem.addEdge(edge);
  }

  void connect(int from, int to, int64_t distance, bool acc = false) {
    Problem &p = result.problem;
    Edge edge;
    edge.from = from;
    edge.to = to;
    edge.distance = distance;
    edge.delay = p.nodes[from].variableLatency ? 0 : p.nodes[from].latency;
    auto runs = [&](int v) { return result.ops[v].empty() ? nullptr : result.ops[v].front(); };
    if (acc && isa_and_nonnull<warp::DotOp>(runs(from)))
      edge.delay = holds[from];
    // An asynchronous reader keeps its operands, and a load what it reads; the accumulator is its own result's storage.
    Operation *reader = runs(to);
    bool dot = isa_and_nonnull<warp::DotOp>(reader);
    if ((!acc && dot) || (tensorMemory && !reader) || (reader && writtenFirst(reader)))
      edge.hold = holds[to];
    bool known = llvm::any_of(p.edges, [&](const Edge &e) {
      return e.from == from && e.to == to && e.distance == distance && !e.order && e.delay == edge.delay &&
             e.hold == edge.hold;
    });
    if (!known) // several operations of a chain may read one value
      p.addEdge(edge);
  }

  scf::ForOp loop;
  const Machine &machine;
  ExtractOptions options;
  const TargetInterface &target;
  bool tensorMemory;
  int64_t turns = 1; ///< programs in flight, which share the machine
  RegisterLayout layout;
  LoopProblem result;
  int smem = -1, tmem = -1, firstCompute = 1;
  DenseMap<Operation *, int> nodeOf;
  std::map<std::pair<Operation *, std::pair<int64_t, int>>, int> moves; ///< looked up only, never iterated
  std::vector<std::pair<Origin, int>> movesOf;
  std::vector<int64_t> holds;
  std::map<std::string, int> names;
};
} // namespace

FailureOr<LoopProblem> extractProblem(scf::ForOp loop, const Machine &machine, const ExtractOptions &options) {
  return Extractor(loop, machine, options).run();
}

} // namespace heddle
