//===- Bounds.cpp - Lower bounds by arithmetic ----------------------------===//
//
// What:      see Bounds.h.
// Algorithm: ResMII is a sum; RecMII the smallest ii without a positive cycle (bisection over Paths.h), the witness
//            being the positive cycle at ii - 1; memory by least lifetimes (Need.h); registers in RegisterBounds.cpp.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Bounds/Bounds.h"

#include "BudgetBounds.h"
#include "Need.h"
#include "Paths.h"
#include "RegisterBounds.h"

#include "heddle/Support/Integers.h"

#include <algorithm>

namespace heddle {
namespace {

/// For how long a start of node `v` keeps nodes of its group that use unit `u` as well from theirs; 0: it does not use
/// it alone from its start.
int64_t leastDistance(const Problem &p, int v, int u) {
  const Node &node = p.nodes[v];
  for (const Reservation &r : node.reservations)
    if (r.unit == u && r.start == 0 && r.length > 0 && 2 * r.amount > p.units[u].capacity && node.issue > 0)
      return std::max(r.length, node.issue);
  return 0;
}

struct Collector {
  const Problem &p;
  ConstraintSet set;
  Deadline deadline;
  Bounds out;
  NodeFacts facts;

  void add(Bound bound) {
    out.infeasible |= bound.infeasible;
    out.mii = std::max(out.mii, bound.value);
    out.bounds.push_back(std::move(bound));
  }

  void units() {
    for (int u = 0; u < static_cast<int>(p.units.size()); ++u) {
      int64_t work = 0;
      Bound bound{BoundKind::Unit, 1, false, u, {}, ""};
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
        int64_t own = 0;
        for (const Reservation &r : p.nodes[v].reservations)
          if (r.unit == u)
            own += r.length * r.amount;
        work += own;
        if (own)
          bound.nodes.push_back(v);
      }
      if (!work)
        continue;
      bound.value = std::max<int64_t>(1, ceilDiv(work, p.units[u].capacity));
      bound.witness = "unit '" + p.units[u].name + "' is busy " + std::to_string(work) +
                      " cycles an iteration with capacity " + std::to_string(p.units[u].capacity);
      add(std::move(bound));
    }
  }

  void recurrences() {
    int64_t high = 1, low = 0; // positive cycle at low (or low == 0), none at high
    while (!positiveCycle(p, high, set, deadline).empty()) {
      low = high;
      high *= 2;
      if (high > (int64_t(1) << 50))
        return;
    }
    while (high - low > 1) {
      int64_t middle = (low + high) / 2;
      (positiveCycle(p, middle, set, deadline).empty() ? high : low) = middle;
    }
    std::vector<int> cycle = positiveCycle(p, high - 1, set, deadline);
    if (cycle.empty() || deadline.passed())
      return;
    int64_t delay = 0, distance = 0;
    Bound bound{BoundKind::Recurrence, high, false, -1, {}, ""};
    std::string path;
    for (int k : cycle) {
      delay += forcedDelay(p, p.edges[k], set);
      distance += p.edges[k].distance;
      bound.nodes.push_back(p.edges[k].from);
    }
    for (size_t i = 0; i < bound.nodes.size(); ++i) {
      constexpr size_t shown = 8; // at both ends of a cycle of many
      if (i == shown && bound.nodes.size() > 2 * shown + 1) {
        i = bound.nodes.size() - shown;
        path += "(" + std::to_string(static_cast<int64_t>(i - shown)) + " more) -> ";
      }
      path += p.nodes[bound.nodes[i]].name + " -> ";
    }
    bound.witness = "recurrence " + path + p.nodes[bound.nodes[0]].name + " takes " + std::to_string(delay) +
                    " cycles over " + std::to_string(distance) + (distance == 1 ? " iteration" : " iterations");
    add(std::move(bound));
  }

  void issue() {
    if (p.groups.empty())
      return;
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
      Bound bound{BoundKind::Issue, 0, false, g, {}, ""};
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
        if (facts.allowed[v].size() == 1 && facts.allowed[v][0] == g && p.nodes[v].issue) {
          bound.value += p.nodes[v].issue;
          bound.nodes.push_back(v);
        }
      bound.witness =
          "the nodes pinned to group '" + p.groups[g].name + "' issue for " + std::to_string(bound.value) + " cycles";
      if (bound.value)
        add(std::move(bound));
    }
    for (bool variable : {false, true}) {
      int64_t groups = 0, work = 0, longest = 0;
      int slowest = -1;
      for (const Group &g : p.groups)
        groups += g.variable == variable;
      Bound bound{BoundKind::Issue, 1, false, -1, {}, ""};
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
        if (p.nodes[v].variableLatency == variable && p.nodes[v].issue) {
          work += p.nodes[v].issue;
          if (p.nodes[v].issue > longest)
            longest = p.nodes[v].issue, slowest = v;
          bound.nodes.push_back(v);
        }
      if (!groups || !work)
        continue;
      bound.value = std::max(ceilDiv(work, groups), longest);
      bound.witness = std::string("the ") + (variable ? "variable-latency" : "fixed-latency") + " nodes issue for " +
                      std::to_string(work) + " cycles over " + std::to_string(groups) +
                      (groups == 1 ? " group" : " groups");
      if (longest > ceilDiv(work, groups)) {
        bound.nodes = {slowest};
        bound.witness = "'" + p.nodes[slowest].name + "' issues for " + std::to_string(longest) + " cycles";
      }
      add(std::move(bound));
    }
  }

  /// Nodes of one group on one unit: issue and use both begin when the node starts, so that two starts, in their cyclic
  /// order, are as far apart as the longer of both.
  void exclusive() {
    for (int u = 0; u < static_cast<int>(p.units.size()); ++u) {
      Bound bound{BoundKind::Exclusive, 0, false, u, {}, ""};
      for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
        int64_t sum = 0;
        std::vector<int> nodes;
        for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
          if (facts.allowed[v].size() != 1 || facts.allowed[v][0] != g)
            continue;
          if (int64_t apart = leastDistance(p, v, u)) {
            sum += apart;
            nodes.push_back(v);
          }
        }
        if (sum <= bound.value)
          continue;
        bound.value = sum;
        bound.nodes = std::move(nodes);
        bound.witness = "the nodes of group '" + p.groups[g].name + "' that use unit '" + p.units[u].name +
                        "' keep each other from starting for " + std::to_string(sum) + " cycles an iteration";
      }
      if (bound.value)
        add(std::move(bound));
    }
  }

  void memories() {
    for (int m = 0; m < static_cast<int>(p.memories.size()); ++m) {
      const Memory &memory = p.memories[m];
      bool ring = memory.kind == MemoryKind::Ring;
      if (!set.has(ring ? Constraint::Rings : Constraint::Memory))
        continue;
      Bound bound{ring ? BoundKind::Ring : BoundKind::Memory, 1, false, m, {}, ""};
      std::vector<std::pair<int64_t, int>> values;
      int64_t once = 0;
      Need needed;
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
        int64_t own = 0;
        for (const Footprint &f : p.nodes[v].footprints)
          own += f.memory == m ? f.amount : 0;
        if (!own)
          continue;
        values.push_back({own, v});
        bound.nodes.push_back(v);
        once += own * std::max<int64_t>(1, p.nodes[v].pinDepth);
        needed.add(own, facts.live[v], facts.carried[v]);
      }
      if (values.empty())
        continue;
      if (!ring) {
        int64_t least = needed.least(memory.capacity);
        bound.infeasible = least == 0;
        bound.value = std::max<int64_t>(1, least);
        bound.witness = needed.witness("memory '" + memory.name + "'", memory.capacity, "all nodes");
      } else if (once > memory.capacity) {
        bound.infeasible = true;
        bound.witness = "memory '" + memory.name + "' holds " + std::to_string(memory.capacity) +
                        " and its rings need at least " + std::to_string(once) + ": over by " +
                        std::to_string(once - memory.capacity);
      } else {
        auto need = [&](int64_t ii) {
          int64_t sum = 0;
          for (auto [own, v] : values)
            sum += own * std::max({int64_t(1), p.nodes[v].pinDepth,
                                   p.nodes[v].pinDepth < 0 ? ceilDiv(facts.live[v], ii) : 1});
          return sum;
        };
        int64_t low = 0, high = 1;
        while (need(high) > memory.capacity)
          low = high, high *= 2;
        while (high - low > 1) {
          int64_t middle = (low + high) / 2;
          (need(middle) > memory.capacity ? low : high) = middle;
        }
        bound.value = high;
        bound.witness = "memory '" + memory.name + "' holds " + std::to_string(memory.capacity) +
                        " and rings for the least lifetimes need " +
                        (high > 1 ? std::to_string(need(high - 1)) + " at interval " + std::to_string(high - 1)
                                  : std::to_string(need(1)));
      }
      add(std::move(bound));
    }
  }

  void registers() {
    if (p.groups.empty() || !set.has(Constraint::Registers))
      return;
    for (Bound &bound : registerBounds(p, set, facts))
      add(std::move(bound));
  }

  void budgets() {
    if (p.groups.empty() || !p.registerFile || !set.has(Constraint::RegisterFile))
      return;
    std::vector<char> occupies;
    for (size_t v = 0; v < p.nodes.size(); ++v)
      occupies.push_back(facts.live[v] > 0 || facts.carried[v] > 0);
    for (Bound &bound : budgetBounds(p, facts.allowed, occupies))
      add(std::move(bound));
  }
};

} // namespace

Bounds computeBounds(const Problem &problem, ConstraintSet set, Deadline deadline) {
  Collector c{problem, set, deadline, {}, {}};
  c.facts.readers.resize(problem.nodes.size());
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v) {
    c.facts.live.push_back(problem.nodes[v].minLive);
    c.facts.carried.push_back(0);
    c.facts.allowed.push_back(problem.allowedGroups(v));
  }
  for (const Edge &e : problem.edges) {
    if (e.order)
      continue;
    c.facts.readers[e.from].push_back(e.to);
    if (set.has(Constraint::Dependence))
      c.facts.live[e.from] = std::max(c.facts.live[e.from], forcedDelay(problem, e, set) + e.hold);
    if (e.to == e.from)
      c.facts.carried[e.from] = std::max(c.facts.carried[e.from], e.distance);
  }
  if (set.has(Constraint::Capacity))
    c.units();
  if (set.has(Constraint::Dependence))
    c.recurrences();
  if (set.has(Constraint::Issue) && set.has(Constraint::WarpAssignment) && set.has(Constraint::VariableLatency))
    c.issue();
  if (set.has(Constraint::Issue) && set.has(Constraint::Capacity) && set.has(Constraint::WarpAssignment) &&
      set.has(Constraint::VariableLatency))
    c.exclusive();
  c.memories();
  if (set.has(Constraint::WarpAssignment) && set.has(Constraint::VariableLatency)) {
    c.registers();
    c.budgets();
  }
  std::stable_sort(c.out.bounds.begin(), c.out.bounds.end(), [](const Bound &a, const Bound &b) {
    return a.infeasible != b.infeasible ? a.infeasible : a.value > b.value;
  });
  return c.out;
}

} // namespace heddle
