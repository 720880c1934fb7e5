//===- PlanPins.cpp - from a plan to the pins of a loop's problem -----------===//
//
// What:      the decisions of a plan on a loop and its operations -> pins of the nodes, and their list.
// Where:     last step of making a loop's problem, when groups are free and times have their units.
// Verifies:  that a node has what is pinned (a ring, a group to choose, results in flight). Whether a schedule keeps
//            the pins is the solver's question.
// Requires:  operations of one node with the same pins (dissolveWherePlanned).
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Plan.h"

#include "heddle/Analysis/Chains.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/SlotLives.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
namespace heddle {

namespace {
constexpr std::pair<llvm::StringLiteral, PinKind> nodeKeys[] = {{"group", PinKind::Group},
                                                                {"stage", PinKind::Stage},
                                                                {"start", PinKind::Start},
                                                                {"ring", PinKind::Depth},
                                                                {"inflight", PinKind::InFlight}};

class Pinner {
public:
  Pinner(LoopProblem &loop, const Plan &plan, bool fixedGroups)
      : loop(loop), problem(loop.problem), plan(plan), fixedGroups(fixedGroups),
        firstCompute(problem.findGroup("compute0")) {}

  LogicalResult run() {
    if (int64_t interval = plan.number(loop.loop, "interval", 0)) {
      loop.interval = (interval + problem.scale - 1) / problem.scale;
      list({PinKind::Interval, plan.label(loop.loop).str(), {}, {loop.interval}, {}, {}},
           plan.find(loop.loop, "interval")->loc);
    }
    for (auto [key, kind] : nodeKeys) {
      llvm::MapVector<StringRef, SmallVector<std::pair<int, Operation *>>> byLabel; // with the node of each
      for (auto [v, members] : llvm::enumerate(loop.ops))
        for (Operation *op : members)
          if (plan.find(op, key))
            byLabel[plan.label(op)].push_back({static_cast<int>(v), op});
      for (auto &[label, operations] : byLabel) {
        Location loc = plan.find(operations.front().second, key)->loc;
        Pin pin{kind, label.str(), {}, {}, {}, {}};
        for (auto [v, op] : operations)
          if (failed(set(pin, v, plan.number(op, key, 0), loc)))
            return failure();
        if (kind == PinKind::Depth && failed(pinBeside(pin, operations.front().second, loc)))
          return failure();
        list(std::move(pin), loc);
      }
    }
    return success();
  }

private:
  void list(Pin pin, Location loc) {
    loop.pins.push_back(std::move(pin));
    loop.pinLocs.push_back(loc);
  }

  /// Loads that share a ring with `op` have as many slots.
  LogicalResult pinBeside(Pin &pin, Operation *op, Location loc) {
    auto load = dyn_cast<tile::LoadOp>(op);
    for (auto [v, members] : llvm::enumerate(loop.ops)) {
      auto other = members.size() == 1 ? dyn_cast<tile::LoadOp>(members.front()) : tile::LoadOp();
      if (!load || !other || other == load || !shareRing(load, other))
        continue;
      if (!plan.find(other, "ring")) {
        problem.nodes[v].pinDepth = pin.values.front();
        pin.beside.push_back(static_cast<int>(v));
      } else if (int64_t slots = plan.number(other, "ring", 0); slots != pin.values.front()) {
        return emitError(loc) << "plan: expected one number of slots of '" << pin.label << "' and '"
                              << plan.label(other) << "', which share a ring, got " << pin.values.front() << " and "
                              << slots;
      }
    }
    return success();
  }

  LogicalResult set(Pin &pin, int v, int64_t value, Location loc) {
    Node &node = problem.nodes[v];
    auto refuse = [&](const Twine &expected) {
      return emitError(loc) << "plan: expected " << expected << " of '" << pin.label << "', got "
                            << pinKindName(pin.kind) << " = " << value;
    };
    switch (pin.kind) {
    case PinKind::Group: {
      if (node.variableLatency)
        return refuse("no group (the load group issues every copy)");
      int64_t count = static_cast<int64_t>(problem.groups.size()) - firstCompute;
      if (value >= count)
        return refuse("a compute group from 0 to " + Twine(count - 1));
      if (fixedGroups && value + firstCompute != loop.homes[v])
        return refuse("group " + Twine(loop.homes[v] - firstCompute) + " (warp assignment is no decision here)");
      value += firstCompute;
      pin.without.push_back(node.groups);
      node.groups = {static_cast<int>(value)};
      break;
    }
    case PinKind::Stage: node.pinStage = value; break;
    case PinKind::Start:
      value /= problem.scale;
      node.pinStart = value;
      break;
    case PinKind::Depth:
      if (node.footprints.empty())
        return refuse("no ring (its value is in registers)");
      node.pinDepth = value;
      break;
    case PinKind::InFlight: {
      if (!node.async || node.variableLatency)
        return refuse("no number of results in flight (it is not asynchronous)");
      Edge edge;
      edge.from = edge.to = v;
      edge.distance = value;
      edge.delay = node.latency;
      edge.order = true;
      pin.edges.push_back(problem.addEdge(edge));
      break;
    }
    case PinKind::Interval: break;
    }
    pin.nodes.push_back(v);
    pin.values.push_back(value);
    return success();
  }

  LoopProblem &loop;
  Problem &problem;
  const Plan &plan;
  bool fixedGroups;
  int firstCompute;
};
} // namespace

void dissolveWherePlanned(scf::ForOp loop, const Plan &plan) {
  constexpr int64_t none = -1; // no decision is negative
  for (const auto &[key, kind] : nodeKeys) {
    llvm::DenseMap<int64_t, int64_t> ofChain;
    for (Operation &op : *loop.getBody()) {
      auto chain = op.getAttrOfType<IntegerAttr>(chainAttr);
      int64_t value = plan.number(&op, key, none);
      if (!chain || value == none)
        continue;
      if (ofChain.try_emplace(chain.getInt(), value).first->second != value)
        return dissolveChains(loop);
    }
  }
}

LogicalResult pinProblem(LoopProblem &loop, const Plan &plan, bool fixedGroups) {
  return Pinner(loop, plan, fixedGroups).run();
}

std::optional<Schedule> plannedSchedule(const LoopProblem &loop) {
  const Problem &problem = loop.problem;
  Schedule schedule;
  schedule.ii = loop.interval;
  if (schedule.ii < 1)
    return std::nullopt;
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v) {
    std::vector<int> groups = problem.allowedGroups(v);
    if (problem.nodes[v].pinStart < 0 || groups.size() > 1)
      return std::nullopt;
    schedule.start.push_back(problem.nodes[v].pinStart);
    schedule.group.push_back(groups.empty() ? -1 : groups.front());
  }
  return schedule;
}

} // namespace heddle
