//===- OuterProblem.cpp - a loop around scheduled loops as a problem -------===//
//
// What:      the loop over programs of a persistent kernel and the schedules of the loops inside -> Problem, for the
//            same solver, checker, explanation and picture as any other (hierarchical reduction, Lam 1988: what is
//            scheduled becomes a node).
// Nodes:     for each program in flight and each of its compute groups, in the program's order: a scheduled loop (its
//            trips - 1 intervals and the span of one iteration), and between loops a run of everything else. Both keep
//            their group busy throughout.
// Units:     are counted in tenths; a node takes of each what it holds on average. Copies to memory drain beside what
//            follows: they count for the first loop. Programs in flight take turns at a unit of that name for as long
//            as a loop issues: that is the token of TileToWarp.
// Groups:    those of one turn are like those of another: which program runs where is decided.
// Leaves out: loads outside of loops (they run ahead), and what the outer schedule cannot change, the schedules inside:
//            a least interval is least given these and the number of trips.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/OuterProblem.h"

#include "OperationCost.h"
#include "heddle/Analysis/Chains.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Scheduling/Cost/Nested.h"
#include "heddle/Scheduling/Cost/Scale.h"

using namespace mlir;
namespace heddle {
namespace {

constexpr int64_t parts = 10; // of a unit

class Programs {
public:
  Programs(tile::KernelOp kernel, ArrayRef<InnerSchedule> inside, const Machine &machine, const OuterOptions &options)
      : kernel(kernel), inside(inside), machine(machine), options(options), turns(turnsOf(kernel)),
        groups(kernel->getAttrOfType<IntegerAttr>("groups").getInt()) {}

  FailureOr<Problem> run() {
    p.name = (kernel.getSymName() + "_programs").str();
    for (const MachineUnit &unit : machine.units())
      p.addUnit(unit.name, parts * unit.capacity);
    if (turns > 1)
      turn = p.addUnit(unitOfTurns, 1);
    for (int64_t g = 0; g < turns * groups; ++g) {
      Group group;
      group.name = "compute" + std::to_string(g);
      group.warps = groupWarps(kernel);
      p.addGroup(group);
    }
    for (int64_t program = 0; program < turns; ++program)
      for (int64_t g = 0; g < groups; ++g)
        if (failed(addProgram(program, g)))
          return failure();
    scaleTimes(p, std::max(cyclesForResolution(p, options.resolution), cyclesForInterval()));
    if (Status status = p.check(); !status)
      return emitErrorOf(ErrorKind::Internal, kernel) << "problem of the programs: " << status.error().message(),
             failure();
    return std::move(p);
  }

private:
  /// Cycles of a time unit such that all nodes one after the other take an interval that schedules may have.
  int64_t cyclesForInterval() const {
    int64_t sum = 0;
    for (const Node &node : p.nodes)
      sum += std::max(node.latency, node.issue);
    return (sum + maxInterval - 1) / maxInterval;
  }

  LogicalResult addProgram(int64_t program, int64_t g) {
    int last = -1, runs = 0, loops = 0;
    std::map<int, int64_t> drains = copiesOf(g);
    SmallVector<Operation *> between;
    std::string suffix =
        (turns > 1 ? "_p" + std::to_string(program) : "") + (groups > 1 ? "_g" + std::to_string(g) : "");
    auto append = [&](Node node, const std::string &name) {
      node.name = name + suffix;
      node.warps = groupWarps(kernel);
      for (int64_t t = 0; t < turns; ++t)
        node.groups.push_back(t * groups + g);
      node.issue = node.latency;
      int v = p.addNode(std::move(node));
      if (last >= 0) {
        Edge edge;
        edge.from = last;
        edge.to = v;
        edge.delay = p.nodes[last].latency;
        edge.transfer = Edge::never;
        p.addEdge(edge);
      }
      last = v;
    };
    auto flush = [&]() -> LogicalResult {
      if (between.empty())
        return success();
      FailureOr<Node> node = runOf(between);
      if (failed(node))
        return failure();
      int n = runs++;
      append(std::move(*node), (last < 0 ? "prologue" : "epilogue") + (n ? "_" + std::to_string(n) : std::string()));
      between.clear();
      return success();
    };
    for (Operation &op : programLoop(kernel).getBody()->without_terminator()) {
      auto scheduled = llvm::find_if(inside, [&](const InnerSchedule &inner) { return inner.loop->loop == &op; });
      if (scheduled != inside.end()) {
        if (failed(flush()))
          return failure();
        int n = loops++;
        append(loopOf(*scheduled, g, std::exchange(drains, {})),
               "loop" + (n ? "_" + std::to_string(n) : std::string()));
      } else if (isComputed(&op) && groupOf(&op) == g) {
        between.push_back(&op);
      }
    }
    return flush();
  }

  /// Cycles that the stores of group `g` outside of loops take of the copy engine, by unit.
  std::map<int, int64_t> copiesOf(int64_t g) {
    std::map<int, int64_t> cycles;
    for (auto store : programLoop(kernel).getBody()->getOps<tile::StoreOp>())
      if (isTmaStore(store) && groupOf(store) == g)
        if (Result<OpCost> cost = costOf(store, machine); cost && !cost->unit.empty())
          cycles[p.findUnit(cost->unit)] += cost->hold;
    return cycles;
  }

  /// Operations that one group runs outside of loops.
  FailureOr<Node> runOf(ArrayRef<Operation *> ops) {
    Result<NodeCost> cost = costOfNode(ops, {}, machine);
    if (!cost)
      return emitErrorOfFile(cost.error(), ops.front()), failure();
    Node node;
    node.loc = locationText(ops.front()->getLoc());
    node.latency = std::max<int64_t>(1, cost->latency);
    for (Operation *op : ops) // the copy engine takes a tile from shared memory, where it is put first
      if (auto store = dyn_cast<tile::StoreOp>(op); store && isTmaStore(store)) {
        Result<OpCost> copy = costOf(op, machine),
                       put = machine.cost("smem_write", {{"bytes", tileBytes(store.getValue().getType())}});
        if (!put)
          return emitErrorOfFile(put.error(), op), failure();
        for (auto &[unit, cycles] : cost->holds)
          if (copy && unit == copy->unit)
            cycles -= copy->hold; // see copiesOf
        node.latency += put->latency;
        auto known = llvm::find_if(cost->holds, [&](auto &held) { return held.first == put->unit; });
        if (known == cost->holds.end())
          cost->holds.push_back({put->unit, put->hold});
        else
          known->second += put->hold;
      }
    for (auto &[unit, cycles] : cost->holds)
      holdShare(p, node, p.findUnit(unit), cycles, node.latency, parts);
    return node;
  }

  /// All trips of a scheduled loop on compute group `g`, beside copies that take `drains` of the units; what the loads
  /// take counts for the first group.
  Node loopOf(const InnerSchedule &inner, int64_t g, const std::map<int, int64_t> &drains) {
    const Problem &loop = inner.loop->problem;
    NestedLoop nested = nestedLoop(loop, *inner.schedule, options.trips, loop.findGroup("compute" + std::to_string(g)),
                                   /*withLoads=*/g == 0);
    Node node;
    node.loc = locationText(inner.loop->loop->getLoc());
    node.latency = nested.latency;
    if (turn >= 0)
      node.reservations.push_back({turn, 0, nested.issuing, 1});
    std::map<int, int64_t> busy = drains;
    for (auto &[unit, cycles] : nested.busy)
      busy[p.findUnit(unit)] += cycles;
    for (auto [unit, cycles] : busy)
      holdShare(p, node, unit, cycles, nested.issuing, parts);
    return node;
  }

  tile::KernelOp kernel;
  ArrayRef<InnerSchedule> inside;
  const Machine &machine;
  OuterOptions options;
  int64_t turns, groups;
  int turn = -1;
  Problem p;
};
} // namespace

FailureOr<Problem> extractPrograms(tile::KernelOp kernel, ArrayRef<InnerSchedule> inside, const Machine &machine,
                                   const OuterOptions &options) {
  return Programs(kernel, inside, machine, options).run();
}

} // namespace heddle
