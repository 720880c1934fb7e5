//===- Bounds.cpp - Lower bounds by arithmetic ----------------------------===//
//
// What:      see Bounds.h.
// Algorithm: ResMII is a sum; RecMII the smallest ii without a positive cycle (bisection over Bellman-Ford), the witness
//            being the positive cycle at ii - 1; memory and registers by least lifetimes (Little's law: copies alive on
//            average are lifetime / ii).
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Bounds/Bounds.h"

#include <algorithm>

namespace heddle {
namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
std::string str(int64_t value) { return std::to_string(value); }

/// A cycle of positive weight (delay - distance * ii) as edge indices, empty when there is none.
std::vector<int> positiveCycle(const Problem &p, int64_t ii, ConstraintSet set) {
  int n = static_cast<int>(p.nodes.size());
  std::vector<int64_t> dist(n, 0);
  std::vector<int> via(n, -1);
  int touched = -1;
  for (int round = 0; round <= n; ++round) {
    touched = -1;
    for (int k = 0; k < static_cast<int>(p.edges.size()); ++k) {
      const Edge &e = p.edges[k];
      int64_t next = dist[e.from] + forcedDelay(p, e, set) - e.distance * ii;
      if (next > dist[e.to]) {
        dist[e.to] = next;
        via[e.to] = k;
        touched = e.to;
      }
    }
    if (touched < 0)
      return {};
  }
  int v = touched;
  for (int i = 0; i < n; ++i)
    v = p.edges[via[v]].from;
  std::vector<int> cycle;
  for (int w = v; cycle.empty() || w != v; w = p.edges[via[w]].from)
    cycle.push_back(via[w]);
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

struct Collector {
  const Problem &p;
  ConstraintSet set;
  Bounds out;
  std::vector<int64_t> live; ///< least lifetime of each node's value
  std::vector<std::vector<int>> allowed;

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
      bound.witness = "unit '" + p.units[u].name + "' is busy " + str(work) + " cycles an iteration with capacity " +
                      str(p.units[u].capacity);
      add(std::move(bound));
    }
  }

  void recurrences() {
    int64_t high = 1, low = 0; // positive cycle at low (or low == 0), none at high
    while (!positiveCycle(p, high, set).empty()) {
      low = high;
      high *= 2;
      if (high > (int64_t(1) << 50))
        return;
    }
    while (high - low > 1) {
      int64_t middle = (low + high) / 2;
      (positiveCycle(p, middle, set).empty() ? high : low) = middle;
    }
    std::vector<int> cycle = positiveCycle(p, high - 1, set);
    if (cycle.empty())
      return;
    int64_t delay = 0, distance = 0;
    Bound bound{BoundKind::Recurrence, high, false, -1, {}, ""};
    std::string path;
    for (int k : cycle) {
      delay += forcedDelay(p, p.edges[k], set);
      distance += p.edges[k].distance;
      bound.nodes.push_back(p.edges[k].from);
      path += p.nodes[p.edges[k].from].name + " -> ";
    }
    bound.witness = "recurrence " + path + p.nodes[bound.nodes[0]].name + " takes " + str(delay) + " cycles over " +
                    str(distance) + (distance == 1 ? " iteration" : " iterations");
    add(std::move(bound));
  }

  void issue() {
    if (p.groups.empty())
      return;
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
      Bound bound{BoundKind::Issue, 0, false, g, {}, ""};
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
        if (allowed[v].size() == 1 && allowed[v][0] == g && p.nodes[v].issue) {
          bound.value += p.nodes[v].issue;
          bound.nodes.push_back(v);
        }
      bound.witness = "the nodes pinned to group '" + p.groups[g].name + "' issue for " + str(bound.value) + " cycles";
      if (bound.value)
        add(std::move(bound));
    }
    for (bool variable : {false, true}) {
      int64_t groups = 0, work = 0, longest = 0;
      for (const Group &g : p.groups)
        groups += g.variable == variable;
      Bound bound{BoundKind::Issue, 1, false, -1, {}, ""};
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
        if (p.nodes[v].variableLatency == variable && p.nodes[v].issue) {
          work += p.nodes[v].issue;
          longest = std::max(longest, p.nodes[v].issue);
          bound.nodes.push_back(v);
        }
      if (!groups || !work)
        continue;
      bound.value = std::max(ceilDiv(work, groups), longest);
      bound.witness = std::string("the ") + (variable ? "variable-latency" : "fixed-latency") + " nodes issue for " +
                      str(work) + " cycles over " + str(groups) + (groups == 1 ? " group" : " groups");
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
      int64_t once = 0, area = 0;
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
        int64_t own = 0;
        for (const Footprint &f : p.nodes[v].footprints)
          own += f.memory == m ? f.amount : 0;
        if (!own)
          continue;
        values.push_back({own, v});
        bound.nodes.push_back(v);
        once += own * std::max<int64_t>(1, p.nodes[v].pinDepth);
        area += own * live[v];
      }
      if (values.empty())
        continue;
      if (!ring) {
        bound.value = std::max<int64_t>(1, ceilDiv(area, memory.capacity));
        bound.witness = "memory '" + memory.name + "' holds " + str(memory.capacity) +
                        " and the least lifetimes of its values need " + str(area) + " in space x cycles an iteration";
      } else if (once > memory.capacity) {
        bound.infeasible = true;
        bound.witness = "memory '" + memory.name + "' holds " + str(memory.capacity) + " and its rings need at least " +
                        str(once);
      } else {
        auto need = [&](int64_t ii) {
          int64_t sum = 0;
          for (auto [own, v] : values)
            sum += own * std::max({int64_t(1), p.nodes[v].pinDepth, p.nodes[v].pinDepth < 0 ? ceilDiv(live[v], ii) : 1});
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
        bound.witness = "memory '" + memory.name + "' holds " + str(memory.capacity) + " and rings for the least lifetimes need " +
                        (high > 1 ? str(need(high - 1)) + " at interval " + str(high - 1) : str(need(1)));
      }
      add(std::move(bound));
    }
  }

  /// Infeasible when node `v` alone holds more registers a thread than any group it may run on has.
  void oneValue(int v) {
    int64_t most = -1;
    int roomiest = -1;
    for (int g : allowed[v]) {
      if (!p.groups[g].regs && !p.registerFile)
        return;
      int64_t room = (p.groups[g].regs ? p.groups[g].regs : 256) - p.regOverhead;
      if (roomiest < 0 || room > most)
        most = room, roomiest = g;
    }
    if (roomiest < 0 || p.nodes[v].regs <= most)
      return;
    Bound bound{BoundKind::Registers, 1, true, roomiest, {v}, ""};
    bound.witness = "'" + p.nodes[v].name + "' needs " + str(p.nodes[v].regs) + " registers a thread and group '" +
                    p.groups[roomiest].name + "' has " + str(most) + " for values: " + str(p.nodes[v].regs - most) +
                    " too many";
    add(std::move(bound));
  }

  void registers() {
    if (p.groups.empty() || !set.has(Constraint::Registers))
      return;
    int64_t total = 0, limits = 0, threads = 0;
    bool unlimited = false;
    std::vector<int> all;
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
      if (p.nodes[v].regs && live[v]) {
        total += p.nodes[v].regs * live[v];
        threads += 32 * p.nodes[v].warps * p.nodes[v].regs * live[v];
        all.push_back(v);
      }
    for (int v : all) // one value too large for every group that may hold it
      oneValue(v);
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
      int64_t limit = (p.groups[g].regs ? p.groups[g].regs : p.registerFile ? 256 : 0) - p.regOverhead;
      if (!p.groups[g].regs && !p.registerFile) {
        unlimited = true;
        continue;
      }
      limits += std::max<int64_t>(0, limit);
      Bound bound{BoundKind::Registers, 1, false, g, {}, ""};
      int64_t area = 0;
      for (int v : all)
        if (allowed[v].size() == 1 && allowed[v][0] == g) {
          area += p.nodes[v].regs * live[v];
          bound.nodes.push_back(v);
        }
      if (!area)
        continue;
      bound.infeasible = limit <= 0;
      bound.value = limit > 0 ? std::max<int64_t>(1, ceilDiv(area, limit)) : 1;
      bound.witness = "group '" + p.groups[g].name + "' has " + str(limit) +
                      " registers a thread for values, and the least lifetimes of the values pinned to it need " + str(area) +
                      " in registers x cycles an iteration";
      add(std::move(bound));
    }
    if (!all.empty() && !unlimited && limits > 0)
      add({BoundKind::Registers, std::max<int64_t>(1, ceilDiv(total, limits)), false, -1, all,
           "all groups have " + str(limits) + " registers a thread for values, and the least lifetimes need " + str(total) +
               " in registers x cycles an iteration"});
    if (!all.empty() && p.registerFile && set.has(Constraint::RegisterFile))
      add({BoundKind::Registers, std::max<int64_t>(1, ceilDiv(threads, p.registerFile)), false, -1, all,
           "the register file has " + str(p.registerFile) + " registers, and the least lifetimes need " + str(threads) +
               " in registers x cycles an iteration"});
  }
};

} // namespace

int64_t forcedDelay(const Problem &p, const Edge &edge, ConstraintSet set) {
  if (p.groups.empty() || edge.transfer <= 0 || !set.has(Constraint::Transfers) ||
      !set.has(Constraint::WarpAssignment) || !set.has(Constraint::VariableLatency))
    return edge.delay;
  std::vector<int> a = p.allowedGroups(edge.from), b = p.allowedGroups(edge.to);
  for (int g : a)
    if (std::count(b.begin(), b.end(), g))
      return edge.delay;
  return edge.delay + edge.transfer;
}

int64_t criticalLength(const Problem &p, int64_t ii, ConstraintSet set) {
  int n = static_cast<int>(p.nodes.size());
  std::vector<int64_t> start(n, 0);
  bool changed = true;
  for (int round = 0; changed; ++round) {
    if (round > n)
      return -1;
    changed = false;
    for (const Edge &e : p.edges) {
      int64_t next = start[e.from] + forcedDelay(p, e, set) - e.distance * ii;
      if (next > start[e.to])
        start[e.to] = next, changed = true;
    }
  }
  int64_t length = 0;
  for (int v = 0; v < n; ++v)
    length = std::max(length, start[v] + p.nodes[v].latency);
  return length;
}

Bounds computeBounds(const Problem &problem, ConstraintSet set) {
  Collector c{problem, set, {}, {}, {}};
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v) {
    int64_t live = problem.nodes[v].minLive;
    for (const Edge &e : problem.edges)
      if (e.from == v && !e.order && set.has(Constraint::Dependence))
        live = std::max(live, forcedDelay(problem, e, set) + e.hold);
    c.live.push_back(live);
    c.allowed.push_back(problem.allowedGroups(v));
  }
  if (set.has(Constraint::Capacity))
    c.units();
  if (set.has(Constraint::Dependence))
    c.recurrences();
  if (set.has(Constraint::Issue) && set.has(Constraint::WarpAssignment) && set.has(Constraint::VariableLatency))
    c.issue();
  c.memories();
  if (set.has(Constraint::WarpAssignment) && set.has(Constraint::VariableLatency))
    c.registers();
  std::stable_sort(c.out.bounds.begin(), c.out.bounds.end(), [](const Bound &a, const Bound &b) {
    return a.infeasible != b.infeasible ? a.infeasible : a.value > b.value;
  });
  return c.out;
}

} // namespace heddle
