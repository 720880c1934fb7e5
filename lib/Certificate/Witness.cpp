//===- Witness.cpp - Arithmetic bounds, added up again --------------------===//
//
// What:      see evaluateWitness. Each kind is a short sum over the problem; a cycle is checked to be one.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Certificate.h"

#include "heddle/Scheduling/Problem/Budgets.h"

#include <algorithm>

namespace heddle {
namespace {

int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool mustCross(const Problem &p, const Edge &e) {
  if (p.groups.empty())
    return false;
  std::vector<int> a = p.allowedGroups(e.from), b = p.allowedGroups(e.to), common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common.empty();
}

int64_t leastDelay(const Problem &p, const Edge &e) {
  return e.delay + (e.transfer > 0 && mustCross(p, e) ? e.transfer : 0);
}

/// Least cycles the value of v is alive in any legal schedule.
int64_t leastLife(const Problem &p, int v) {
  int64_t life = p.nodes[v].minLive;
  for (const Edge &e : p.edges)
    if (e.from == v && !e.order)
      life = std::max(life, leastDelay(p, e) + e.hold);
  return life;
}

/// Iterations the value of v survives because v itself reads it that much later.
int64_t carriedBy(const Problem &p, int v) {
  int64_t most = 0;
  for (const Edge &e : p.edges)
    if (e.from == v && e.to == v && !e.order)
      most = std::max(most, e.distance);
  return most;
}

/// The least ii with sum of amount(v) * max(leastLife, carried * ii) <= capacity * ii; INT64_MAX when there is none.
template <typename F> int64_t leastInterval(const Problem &p, int64_t capacity, F amount) {
  int64_t always = 0, once = 0;
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
    always += amount(v) * carriedBy(p, v);
    once += amount(v) * leastLife(p, v);
  }
  if (always == 0 && once == 0)
    return 1;
  if (capacity <= 0 || always > capacity) // then at every ii: the sum is at least always * ii
    return INT64_MAX;
  auto fits = [&](int64_t ii) {
    int64_t sum = 0;
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
      sum += amount(v) * std::max(leastLife(p, v), carriedBy(p, v) * ii);
    return sum <= capacity * ii;
  };
  int64_t low = 0, high = 1;
  for (; !fits(high); high *= 2)
    if (low = high; high > (int64_t(1) << 44))
      return INT64_MAX;
  while (high - low > 1)
    (fits((low + high) / 2) ? high : low) = (low + high) / 2;
  return high;
}

bool onlyOn(const Problem &p, int v, int g) { return p.allowedGroups(v) == std::vector<int>{g}; }

} // namespace

Result<int64_t> evaluateWitness(const Problem &p, const ArithmeticWitness &w) {
  int n = static_cast<int>(p.nodes.size());
  if (w.kind == "unit") {
    int unit = p.findUnit(w.name);
    if (unit < 0)
      return userError("unknown unit '" + w.name + "' in the witness");
    int64_t work = 0;
    for (const Node &node : p.nodes)
      for (const Reservation &r : node.reservations)
        work += r.unit == unit ? r.length * r.amount : 0;
    return std::max<int64_t>(1, up(work, p.units[unit].capacity));
  }
  if (w.kind == "exclusive") {
    // Of one group, nodes that each need more than half of the unit from their start on: neither their uses nor their
    // issues overlap, and both begin together.
    int unit = p.findUnit(w.name);
    if (unit < 0)
      return userError("unknown unit '" + w.name + "' in the witness");
    std::vector<int64_t> sums(p.groups.size(), 0);
    for (int v = 0; v < n; ++v)
      for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
        const std::vector<Reservation> &uses = p.nodes[v].reservations;
        auto use = std::find_if(uses.begin(), uses.end(), [&](const Reservation &r) {
          return r.unit == unit && r.start == 0 && r.length > 0 && 2 * r.amount > p.units[unit].capacity;
        });
        if (onlyOn(p, v, g) && use != uses.end() && p.nodes[v].issue > 0)
          sums[g] += std::max(use->length, p.nodes[v].issue);
      }
    return std::max<int64_t>(1, sums.empty() ? 1 : *std::max_element(sums.begin(), sums.end()));
  }
  if (w.kind == "cycle") {
    int64_t delay = 0, distance = 0;
    for (size_t i = 0; i < w.edges.size(); ++i) {
      int e = w.edges[i], next = w.edges[(i + 1) % w.edges.size()];
      if (e < 0 || e >= static_cast<int>(p.edges.size()) || next < 0 || next >= static_cast<int>(p.edges.size()) ||
          p.edges[e].to != p.edges[next].from)
        return userError("the edges of the witness form no cycle");
      delay += leastDelay(p, p.edges[e]);
      distance += p.edges[e].distance;
    }
    if (distance == 0)
      return userError("the cycle of the witness has distance 0");
    return std::max<int64_t>(1, up(delay, distance));
  }
  if (w.kind == "issue" || w.kind == "registers") {
    int group = w.name.empty() ? -1 : p.findGroup(w.name);
    if (!w.name.empty() && group < 0)
      return userError("unknown group '" + w.name + "' in the witness");
    if (p.groups.empty())
      return userError("the witness speaks of groups, the problem has none");
    if (w.kind == "issue" && group >= 0) {
      int64_t work = 0;
      for (int v = 0; v < n; ++v)
        work += onlyOn(p, v, group) ? p.nodes[v].issue : 0;
      return std::max<int64_t>(1, work);
    }
    if (w.kind == "issue") {
      int64_t best = 1;
      for (bool variable : {false, true}) {
        int64_t work = 0, count = 0;
        for (const Node &node : p.nodes)
          if (node.variableLatency == variable) {
            work += node.issue;
            best = std::max(best, node.issue);
          }
        for (const Group &g : p.groups)
          count += g.variable == variable;
        best = std::max(best, count ? up(work, count) : 1);
      }
      return best;
    }
    // Registers of the values against those of one or of all groups; or of the register file.
    int64_t limit = 0;
    bool limited = true;
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g)
      if (group < 0 || g == group) {
        if (group < 0 && p.groups[g].variable && !p.groups[g].regs && !p.registerFile)
          limited = limited && std::none_of(p.nodes.begin(), p.nodes.end(),
                                            [](const Node &x) { return x.variableLatency && x.regs; });
        else
          limited &= limitsRegisters(p, p.groups[g]);
        if (limitsRegisters(p, p.groups[g]))
          limit += std::max<int64_t>(0, mostRegisters(p.groups[g]) - p.regOverhead);
      }
    int64_t best = 1;
    if (limited)
      best = leastInterval(p, limit, [&](int v) { return group < 0 || onlyOn(p, v, group) ? p.nodes[v].regs : 0; });
    if (group < 0 && p.registerFile > 0)
      best = std::max(best,
                      leastInterval(p, p.registerFile, [&](int v) { return 32 * p.nodes[v].warps * p.nodes[v].regs; }));
    return best;
  }
  if (w.kind == "memory" || w.kind == "ring") {
    int memory = p.findMemory(w.name);
    if (memory < 0 || (p.memories[memory].kind == MemoryKind::Ring) != (w.kind == "ring"))
      return userError("unknown " + w.kind + " '" + w.name + "' in the witness");
    int64_t capacity = p.memories[memory].capacity;
    auto owned = [&](int v) {
      int64_t sum = 0;
      for (const Footprint &f : p.nodes[v].footprints)
        sum += f.memory == memory ? f.amount : 0;
      return sum;
    };
    if (w.kind == "memory")
      return leastInterval(p, capacity, owned);
    // The least need falls with the interval: find where it first fits.
    auto fits = [&](int64_t ii) {
      int64_t need = 0;
      for (int v = 0; v < n; ++v)
        need += owned(v) * std::max({int64_t(1), p.nodes[v].pinDepth, up(leastLife(p, v), ii)});
      return need <= capacity;
    };
    int64_t low = 0, high = 1;
    while (!fits(high)) {
      low = high;
      if (high > (int64_t(1) << 40))
        return INT64_MAX;
      high *= 2;
    }
    while (high - low > 1)
      (fits((low + high) / 2) ? high : low) = (low + high) / 2;
    return high;
  }
  return userError("unknown kind of witness '" + w.kind + "'");
}

} // namespace heddle
