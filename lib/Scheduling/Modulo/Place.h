//===- Place.h - Modulo reservation state of partial schedules (private) --===//
#ifndef HEDDLE_LIB_SCHEDULING_MODULO_PLACE_H
#define HEDDLE_LIB_SCHEDULING_MODULO_PLACE_H

#include "heddle/Scheduling/Bounds/Bounds.h"
#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"

#include <algorithm>

namespace heddle {

/// The longest time that `node` takes something: what placing it costs is in proportion.
inline int64_t longestHold(const Node &node) {
  int64_t longest = std::max(node.latency, node.issue);
  for (const Reservation &r : node.reservations)
    longest = std::max(longest, r.length);
  return longest;
}

/// Units and issue slots taken by placed nodes, modulo ii. Groups are fixed beforehand.
class Reservations {
public:
  Reservations(const Problem &p, int64_t ii, const std::vector<int> &group, ConstraintSet set)
      : p(p), ii(ii), group(group), set(set), units(p.units.size(), std::vector<int64_t>(ii, 0)),
        issue(p.groups.size(), std::vector<int64_t>(ii, 0)), at(p.nodes.size(), -1), blocks(p.nodes.size(), 0) {
    for (const Edge &e : p.edges)
      if (!p.groups.empty() && (e.blocking || (e.transfer > 0 && group[e.from] != group[e.to])))
        blocks[e.to] = 1;
  }

  void add(int v, int64_t start, int64_t sign) {
    at[v] = sign > 0 ? start : -1;
    for (const Reservation &r : p.nodes[v].reservations)
      addInterval(units[r.unit], start + r.start, r.length, sign * r.amount);
    if (!p.groups.empty())
      addInterval(issue[group[v]], start, p.nodes[v].issue, sign);
  }
  /// Whether v fits at `start` beside what is placed.
  bool fits(int v, int64_t start) {
    add(v, start, 1);
    bool ok = true;
    if (set.has(Constraint::Capacity))
      for (const Reservation &r : p.nodes[v].reservations)
        for (int64_t i = 0; i < std::min(r.length, ii); ++i)
          ok &= units[r.unit][(start + r.start + i) % ii] <= p.units[r.unit].capacity;
    if (!p.groups.empty() && set.has(Constraint::Issue))
      for (int64_t i = 0; i < std::min(p.nodes[v].issue, ii); ++i)
        ok &= issue[group[v]][(start + i) % ii] <= 1;
    add(v, start, -1);
    return ok && !disturbs(v, start);
  }

private:
  void addInterval(std::vector<int64_t> &slots, int64_t begin, int64_t length, int64_t amount) const {
    if (int64_t whole = length / ii)
      for (int64_t &slot : slots)
        slot += whole * amount;
    for (int64_t i = 0; i < length % ii; ++i)
      slots[(begin + i) % ii] += amount;
  }

  /// A blocking wait of v meets the execution of a placed node of its group, or the other way round (C10).
  bool disturbs(int v, int64_t start) const {
    if (p.groups.empty() || !set.has(Constraint::Concurrency))
      return false;
    auto busy = [&](int o) {
      const Node &node = p.nodes[o];
      return node.async ? std::max<int64_t>(1, node.issue) : std::max(node.issue, node.latency);
    };
    auto covers = [&](int64_t from, int64_t length, int64_t t) { return ((t - from) % ii + ii) % ii < length; };
    for (int o = 0; o < static_cast<int>(p.nodes.size()); ++o)
      if (o != v && at[o] >= 0 && group[o] == group[v] &&
          ((blocks[v] && covers(at[o], busy(o), start)) || (blocks[o] && covers(start, busy(v), at[o]))))
        return true;
    return false;
  }

  const Problem &p;
  int64_t ii;
  const std::vector<int> &group;
  ConstraintSet set;
  std::vector<std::vector<int64_t>> units, issue;
  std::vector<int64_t> at;  ///< starts of placed nodes, -1 otherwise
  std::vector<char> blocks; ///< waits with blocking synchronisation under these groups
};

/// The end of an error: the bound, what binds, and what the last try broke.
std::string whyNone(const Bounds &bounds, const std::string &last);

/// Delay of an edge under fixed groups.
inline int64_t delayUnder(const Problem &p, const Edge &e, const std::vector<int> &group, ConstraintSet set) {
  bool crosses = !p.groups.empty() && group[e.from] != group[e.to] && set.has(Constraint::Transfers);
  return e.delay + (crosses && e.transfer > 0 ? e.transfer : 0);
}

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_MODULO_PLACE_H
