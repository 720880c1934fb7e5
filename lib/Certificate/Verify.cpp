//===- Verify.cpp - Direct evaluation of the conditions of a schedule -----===//
//
// What:      see Verify.h. Written for clarity: copies of a value in a slot are counted by walking its lifetime.
// Limits:    a lifetime or reservation longer than 64 intervals is counted by whole intervals first, so that the time
//            is bounded by nodes * ii.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Verify.h"

#include "heddle/Scheduling/Problem/Budgets.h"

#include <algorithm>

namespace heddle {
namespace {

using Slots = std::vector<int64_t>;

/// amount * count, added to a slot; what 64 bits do not hold is more than any capacity.
void addTo(int64_t &slot, int64_t amount, int64_t count) {
  int64_t product;
  if (__builtin_mul_overflow(amount, count, &product) || __builtin_add_overflow(slot, product, &slot))
    slot = INT64_MAX;
}

/// Adds `amount` to every slot that the interval [begin, end), repeated every `ii`, covers, as often as it covers it.
void addInterval(Slots &slots, int64_t begin, int64_t end, int64_t amount) {
  int64_t ii = static_cast<int64_t>(slots.size()), length = end - begin;
  if (length <= 0 || amount == 0)
    return;
  if (int64_t whole = length / ii)
    for (int64_t &slot : slots)
      addTo(slot, amount, whole);
  for (int64_t i = 0; i < length % ii; ++i)
    addTo(slots[(begin + i) % ii], amount, 1);
}

struct Checker {
  const Problem &p;
  const Schedule &s;
  ConstraintSet set;
  std::vector<Violation> out;

  void report(Constraint constraint, std::string message) { out.push_back({constraint, std::move(message)}); }
  std::string at(int v) const { return "'" + p.nodes[v].name + "' (at " + std::to_string(s.start[v]) + ")"; }
  std::string edgeName(const Edge &e) const { return at(e.from) + " -> " + at(e.to); }
  bool crosses(const Edge &e) const { return !p.groups.empty() && s.group[e.from] != s.group[e.to]; }

  bool wellFormed() {
    size_t n = p.nodes.size();
    if (s.ii < 1)
      report(Constraint::Dependence, "expected an initiation interval of at least 1, got " + std::to_string(s.ii));
    else if (s.ii > maxInterval)
      report(Constraint::Dependence, "initiation interval too large: " + std::to_string(s.ii));
    else if (s.start.size() != n || s.group.size() != n || s.depth.size() != n || s.groupRegs.size() != p.groups.size())
      report(Constraint::Dependence, "expected start, group and depth of " + std::to_string(n) +
                                         " nodes and registers of " + std::to_string(p.groups.size()) +
                                         " groups, got " + std::to_string(s.start.size()) + ", " +
                                         std::to_string(s.group.size()) + ", " + std::to_string(s.depth.size()) +
                                         " and " + std::to_string(s.groupRegs.size()));
    for (size_t v = 0; v < n && out.empty(); ++v) {
      if (s.start[v] < 0 || s.start[v] > maxStart)
        report(Constraint::Dependence, "expected a start of node '" + p.nodes[v].name + "' of " +
                                           (s.start[v] < 0 ? "at least 0" : "at most " + std::to_string(maxStart)) +
                                           ", got " + std::to_string(s.start[v]));
      else if (!p.groups.empty() && (s.group[v] < 0 || s.group[v] >= static_cast<int>(p.groups.size())))
        report(Constraint::WarpAssignment,
               "expected a group of node '" + p.nodes[v].name + "', got " + std::to_string(s.group[v]));
      else if (s.depth[v] < 1 || s.depth[v] > maxDepth)
        report(Constraint::Rings,
               "expected a depth of node '" + p.nodes[v].name + "' of at least 1, got " + std::to_string(s.depth[v]));
    }
    return out.empty();
  }

  void edges() {
    for (const Edge &e : p.edges) {
      int64_t slack = s.start[e.to] + e.distance * s.ii - s.start[e.from];
      if (slack < e.delay)
        report(Constraint::Dependence,
               "edge " + edgeName(e) + " needs " + std::to_string(e.delay) + " cycles, got " + std::to_string(slack));
      if (!crosses(e))
        continue;
      if (e.transfer == Edge::never)
        report(Constraint::Transfers, "edge " + edgeName(e) + " may not cross groups, got '" +
                                          p.groups[s.group[e.from]].name + "' and '" + p.groups[s.group[e.to]].name +
                                          "'");
      else if (e.transfer > 0 && slack < e.delay + e.transfer)
        report(Constraint::Transfers, "edge " + edgeName(e) + " crosses groups and needs " +
                                          std::to_string(e.delay + e.transfer) + " cycles, got " +
                                          std::to_string(slack));
    }
  }

  void depths() {
    std::vector<int64_t> ends = lifetimeEnds(p, s);
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
      int64_t live = ends[v] - s.start[v];
      if (live > s.depth[v] * s.ii)
        report(Constraint::Rings, "value of " + at(v) + " lives " + std::to_string(live) + " cycles and needs depth " +
                                      std::to_string((live + s.ii - 1) / s.ii) + ", got " + std::to_string(s.depth[v]));
      if (p.nodes[v].pinDepth != -1 && s.depth[v] != p.nodes[v].pinDepth)
        report(Constraint::Pins, "expected depth " + std::to_string(p.nodes[v].pinDepth) + " of " + at(v) + ", got " +
                                     std::to_string(s.depth[v]));
    }
  }

  void capacities(const SlotUse &use) {
    auto peak = [&](Constraint constraint, const std::string &what, const Slots &slots, int64_t capacity) {
      auto top = std::max_element(slots.begin(), slots.end());
      if (*top > capacity)
        report(constraint, what + " holds " + std::to_string(capacity) + ", slot " +
                               std::to_string(top - slots.begin()) + " needs " + std::to_string(*top));
    };
    for (size_t u = 0; u < p.units.size(); ++u)
      peak(Constraint::Capacity, "unit '" + p.units[u].name + "'", use.units[u], p.units[u].capacity);
    for (size_t m = 0; m < p.memories.size(); ++m)
      peak(p.memories[m].kind == MemoryKind::Ring ? Constraint::Rings : Constraint::Memory,
           "memory '" + p.memories[m].name + "'", use.memories[m], p.memories[m].capacity);
    int64_t total = 0;
    for (size_t g = 0; g < p.groups.size(); ++g) {
      const Group &group = p.groups[g];
      bool used = std::find(s.group.begin(), s.group.end(), static_cast<int>(g)) != s.group.end();
      if (!used)
        continue;
      int64_t limit = limitsRegisters(p, group) ? mostRegisters(group) : INT64_MAX;
      if (p.registerFile && set.has(Constraint::RegisterFile)) {
        int64_t budget = s.groupRegs[g];
        if (limit < p.minRegs)
          report(Constraint::RegisterFile, "group '" + group.name + "' has at most " + std::to_string(limit) +
                                               " registers a thread, and the smallest budget is " +
                                               std::to_string(p.minRegs));
        else if (budget < p.minRegs || budget > limit || budget % p.regGranule)
          report(Constraint::RegisterFile, "expected a register budget of group '" + group.name + "' between " +
                                               std::to_string(p.minRegs) + " and " + std::to_string(limit) +
                                               " in steps of " + std::to_string(p.regGranule) + ", got " +
                                               (budget == Schedule::noBudget ? "none" : std::to_string(budget)));
        total += 32 * group.warps * std::max<int64_t>(0, budget);
        peak(Constraint::RegisterFile, "the budget of group '" + group.name + "' (registers per thread)",
             use.registers[g], budget - p.regOverhead);
      } else if (s.groupRegs[g] != Schedule::noBudget &&
                 set.has(Constraint::Registers)) { // of no file, but a budget is a promise
        peak(Constraint::Registers, "the budget of group '" + group.name + "' (registers per thread)", use.registers[g],
             s.groupRegs[g] - p.regOverhead);
      }
      if (limit != INT64_MAX)
        peak(Constraint::Registers, "group '" + group.name + "' (registers per thread)", use.registers[g],
             limit - p.regOverhead);
    }
    if (p.registerFile && total > p.registerFile)
      report(Constraint::RegisterFile, "the register file holds " + std::to_string(p.registerFile) +
                                           ", the budgets of all groups need " + std::to_string(total));
  }

  void assignment() {
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
      const Node &node = p.nodes[v];
      if (node.pinStart != -1 && s.start[v] != node.pinStart)
        report(Constraint::Pins, "expected start " + std::to_string(node.pinStart) + " of node '" + node.name +
                                     "', got " + std::to_string(s.start[v]));
      if (node.pinStage != -1 && s.start[v] / s.ii != node.pinStage)
        report(Constraint::Pins, "expected stage " + std::to_string(node.pinStage) + " of node '" + node.name +
                                     "', got " + std::to_string(s.start[v] / s.ii));
      if (p.groups.empty())
        continue;
      const Group &group = p.groups[s.group[v]];
      if (group.warps < node.warps)
        report(Constraint::WarpAssignment, "node '" + node.name + "' needs " + std::to_string(node.warps) +
                                               " warps, group '" + group.name + "' has " + std::to_string(group.warps));
      if (!node.groups.empty() && std::find(node.groups.begin(), node.groups.end(), s.group[v]) == node.groups.end())
        report(Constraint::WarpAssignment, "node '" + node.name + "' may not run on group '" + group.name + "'");
      if (group.variable != node.variableLatency)
        report(Constraint::VariableLatency, "node '" + node.name + "' has " +
                                                (node.variableLatency ? "variable" : "fixed") + " latency, group '" +
                                                group.name + "' takes " + (group.variable ? "variable" : "fixed"));
    }
  }

  /// Whether [start, start + length) of `o`, repeated every ii, covers the slot of time `t`.
  bool covers(int o, int64_t length, int64_t t) const { return ((t - s.start[o]) % s.ii + s.ii) % s.ii < length; }

  void warps() {
    int n = static_cast<int>(p.nodes.size());
    if (p.groups.empty())
      return;
    std::vector<const Edge *> blocker(n, nullptr);
    for (const Edge &e : p.edges)
      if (!blocker[e.to] && (e.blocking || (crosses(e) && e.transfer > 0)))
        blocker[e.to] = &e;
    for (int v = 0; v < n; ++v) {
      if (p.nodes[v].issue > s.ii)
        report(Constraint::Issue, "node '" + p.nodes[v].name + "' issues for " + std::to_string(p.nodes[v].issue) +
                                      " cycles, more than the interval of " + std::to_string(s.ii));
      for (int o = 0; o < n && (blocker[v] || p.nodes[v].issue > 0); ++o) {
        if (o == v || s.group[o] != s.group[v])
          continue;
        const Node &other = p.nodes[o];
        int64_t busy = other.async ? std::max<int64_t>(1, other.issue) : std::max(other.issue, other.latency);
        if (blocker[v] && covers(o, busy, s.start[v]))
          report(Constraint::Concurrency, at(v) + " waits for '" + p.nodes[blocker[v]->from].name + "' while " + at(o) +
                                              " executes on the same group for " + std::to_string(busy) + " cycles");
        // Two intervals overlap modulo ii iff one covers the start of the other.
        if (p.nodes[v].issue > 0 && covers(o, other.issue, s.start[v]))
          report(Constraint::Issue, at(v) + " issues while " + at(o) + " still issues on the same group (" +
                                        std::to_string(other.issue) + " cycles)");
      }
    }
  }
};

} // namespace

SlotUse computeUse(const Problem &p, const Schedule &s) {
  SlotUse use;
  size_t ii = static_cast<size_t>(s.ii);
  use.units.assign(p.units.size(), Slots(ii, 0));
  use.memories.assign(p.memories.size(), Slots(ii, 0));
  use.registers.assign(p.groups.size(), Slots(ii, 0));
  struct Reader {
    int node;
    int64_t hold;
  };
  std::vector<std::vector<Reader>> readers(p.nodes.size()); // of other groups
  for (const Edge &e : p.edges) {
    if (p.groups.empty() || e.order || s.group[e.to] == s.group[e.from])
      continue;
    auto &own = readers[e.from];
    auto it = std::find_if(own.begin(), own.end(), [&](const Reader &r) { return r.node == e.to; });
    if (it == own.end())
      own.push_back({e.to, std::max<int64_t>(1, e.hold)});
    else
      it->hold = std::max(it->hold, e.hold);
  }
  std::vector<int64_t> ends = lifetimeEnds(p, s);
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
    const Node &node = p.nodes[v];
    for (const Reservation &r : node.reservations)
      addInterval(use.units[r.unit], s.start[v] + r.start, s.start[v] + r.start + r.length, r.amount);
    int64_t end = ends[v];
    auto store = [&](const Footprint &f) {
      if (p.memories[f.memory].kind == MemoryKind::Modular)
        addInterval(use.memories[f.memory], s.start[v], end, f.amount);
      else
        for (int64_t &slot : use.memories[f.memory])
          addTo(slot, f.amount, s.depth[v]);
    };
    for (const Footprint &f : node.footprints)
      store(f);
    if (p.groups.empty())
      continue;
    addInterval(use.registers[s.group[v]], s.start[v], end, node.regs);
    // Values that leave their group: staging space, and (optionally) registers of each consumer that reads them.
    if (!readers[v].empty())
      for (const Footprint &f : node.staging)
        store(f);
    if (p.consumerCopies)
      for (auto [w, hold] : readers[v])
        addInterval(use.registers[s.group[w]], s.start[w], s.start[w] + hold, node.regs);
  }
  return use;
}

std::vector<Violation> verifySchedule(const Problem &p, const Schedule &s, ConstraintSet constraints) {
  Checker checker{p, s, constraints, {}};
  if (!checker.wellFormed())
    return checker.out;
  checker.edges();
  checker.depths();
  checker.capacities(computeUse(p, s));
  checker.assignment();
  checker.warps();
  std::vector<Violation> kept;
  for (Violation &violation : checker.out)
    if (constraints.has(violation.constraint))
      kept.push_back(std::move(violation));
  return kept;
}

} // namespace heddle
