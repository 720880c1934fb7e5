//===- RandomProblems.h - Small random instances and brute force ----------===//
#ifndef HEDDLE_UNITTESTS_SCHEDULING_RANDOMPROBLEMS_H
#define HEDDLE_UNITTESTS_SCHEDULING_RANDOMPROBLEMS_H

#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Problem/Problem.h"

#include <random>

namespace heddle::test {

/// A small random problem that exercises every constraint. Deterministic in `seed`.
inline Problem randomProblem(unsigned seed, int maxNodes = 4) {
  std::mt19937 random(seed);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (;;) {
    Problem p;
    p.name = "random" + std::to_string(seed);
    p.addUnit("A", 1);
    p.addUnit("B", 1 + below(2));
    p.addMemory("m", 2 + below(6), below(2) ? MemoryKind::Ring : MemoryKind::Modular);
    int groups = below(4);
    for (int g = 0; g < groups; ++g)
      p.addGroup({"g" + std::to_string(g), 1 + below(4) / 3, below(2) ? 4 + below(8) : 0, g == 2, {}});
    p.regGranule = 2;
    p.minRegs = 2;
    p.regOverhead = below(3) == 0;
    if (below(3) == 0)
      p.registerFile = 32 * (6 + below(12));
    p.consumerCopies = below(3) == 0;
    int n = 2 + below(maxNodes - 1);
    for (int v = 0; v < n; ++v) {
      Node node;
      node.name = "n" + std::to_string(v);
      node.latency = below(4);
      node.issue = below(3) == 0 ? 1 + below(2) : 0;
      node.async = below(3) == 0;
      node.variableLatency = groups == 3 && below(4) == 0;
      node.warps = 1 + (below(6) == 0);
      node.regs = below(4);
      node.minLive = below(4) == 0 ? 1 + below(3) : 0;
      for (int k = below(3); k > 0; --k) {
        int unit = below(2);
        node.reservations.push_back(
            {unit, below(2), 1 + below(3), 1 + (unit == 1 && p.units[1].capacity > 1 && below(3) == 0)});
      }
      if (below(2))
        node.footprints.push_back({0, 1 + below(2)});
      if (below(4) == 0)
        node.staging.push_back({0, 1});
      if (groups && below(6) == 0)
        node.groups.push_back(below(groups));
      if (below(10) == 0)
        node.pinStart = below(4);
      if (below(12) == 0)
        node.pinStage = below(2);
      if (below(10) == 0)
        node.pinDepth = 1 + below(2);
      p.addNode(node);
    }
    for (int k = n - 1 + below(3); k > 0; --k) {
      Edge e;
      e.from = below(n);
      e.to = below(n);
      e.distance = e.from >= e.to ? 1 + below(2) : below(3) == 0;
      e.delay = below(4);
      e.transfer = below(5) == 0 ? Edge::never : below(3);
      e.hold = below(4) == 0 ? below(4) : 0;
      e.blocking = below(5) == 0;
      e.order = below(6) == 0;
      p.addEdge(e);
    }
    if (p.check())
      return p;
  }
}

/// Calls `found` with every legal schedule at (ii, stages), until it returns true. True when it did.
template <typename F> bool forEachLegal(const Problem &p, int64_t ii, int64_t stages, ConstraintSet set, F found) {
  int n = static_cast<int>(p.nodes.size());
  Schedule s;
  s.ii = ii;
  s.start.assign(n, 0);
  s.group.assign(n, p.groups.empty() ? -1 : 0);
  for (const Node &node : p.nodes)
    if (node.latency > ii * stages)
      return false;
  auto next = [&] { // odometer over groups, then starts
    for (int v = 0; v < n && !p.groups.empty(); ++v) {
      if (++s.group[v] < static_cast<int>(p.groups.size()))
        return true;
      s.group[v] = 0;
    }
    for (int v = 0; v < n; ++v) {
      if (++s.start[v] + p.nodes[v].latency <= ii * stages)
        return true;
      s.start[v] = 0;
    }
    return false;
  };
  auto quick = [&] { // dependences first: most candidates fail here
    if (set.has(Constraint::Dependence))
      for (const Edge &e : p.edges)
        if (s.start[e.to] + e.distance * ii < s.start[e.from] + e.delay)
          return false;
    return true;
  };
  do {
    if (!quick())
      continue;
    finishSchedule(p, s);
    if (verifySchedule(p, s, set).empty() && found(s))
      return true;
  } while (next());
  return false;
}

} // namespace heddle::test

#endif // HEDDLE_UNITTESTS_SCHEDULING_RANDOMPROBLEMS_H
