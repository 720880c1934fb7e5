//===- Pinned.cpp - Pins that no interval meets ---------------------------===//
//
// What:      see Pinned.h.
// Why:       a search refutes one interval after the other, and there are as many as the longest schedule has cycles.
// Algorithm: dependences and pins of times are differences, start(to) >= start(from) + cycles + intervals * ii. At one
//            interval they contradict each other along a cycle of positive weight. What this cycle says of the interval
//            (at least, at most, none) gives the next one to look at, as Newton's method does; so few are. What is left
//            is a matter of pinned starts alone: what overlaps there overlaps modulo any interval as well.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Bounds/Pinned.h"

#include "heddle/Scheduling/Bounds/Bounds.h"
#include "heddle/Support/DisjointSets.h"
#include "heddle/Support/Integers.h"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

std::string quoted(const Problem &p, int v) { return "'" + p.nodes[v].name + "'"; }

/// "a, b and c".
std::string listed(const std::vector<std::string> &words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return out;
}

/// start(to) >= start(from) + cycles + intervals * ii.
struct Difference {
  int from, to;
  int64_t cycles, intervals;
  std::string pin; ///< which it states; empty: a dependence
};

/// What a contradiction says of the interval.
struct Cycle {
  int64_t cycles = 0, intervals = 0; ///< at most 0 in sum
  std::string pins;
};

class Times {
public:
  /// In words a unit of time is `unit` cycles.
  Times(const Problem &p, ConstraintSet set, int64_t unit) : n(static_cast<int>(p.nodes.size())) {
    for (int v = 0; v < n; ++v) {
      const Node &node = p.nodes[v];
      add(origin(), v, 0, 0);
      add(v, origin(), -maxStart, 0, "the largest start of " + std::to_string(maxStart * unit) + " cycles");
      if (node.pinStart >= 0) {
        std::string what = "the start of " + quoted(p, v);
        add(origin(), v, node.pinStart, 0, what);
        add(v, origin(), -node.pinStart, 0, what);
      }
      if (node.pinStage >= 0) {
        std::string what = "the stage of " + quoted(p, v);
        add(origin(), v, 0, node.pinStage, what);
        add(v, origin(), 1, -node.pinStage - 1, what);
      }
    }
    for (const Edge &e : p.edges) {
      if (set.has(Constraint::Dependence))
        add(e.from, e.to, forcedDelay(p, e, set), -e.distance);
      if (int64_t depth = p.nodes[e.from].pinDepth; depth > 0 && !e.order && set.has(Constraint::Rings))
        add(e.to, e.from, e.hold, e.distance - depth, "the depth of " + quoted(p, e.from));
    }
  }

  /// What contradicts itself at the interval `ii`.
  std::optional<Cycle> contradiction(int64_t ii) const {
    std::vector<int64_t> start(n + 1, 0);
    std::vector<int> via(n + 1, -1);
    int touched = -1;
    for (int round = 0; round <= n + 1; ++round) {
      touched = -1;
      for (int k = 0; k < static_cast<int>(differences.size()); ++k) {
        const Difference &d = differences[k];
        if (int64_t next = start[d.from] + d.cycles + d.intervals * ii; next > start[d.to]) {
          start[d.to] = next;
          via[d.to] = k;
          touched = d.to;
        }
      }
      if (touched < 0)
        return std::nullopt;
    }
    int v = touched;
    for (int i = 0; i <= n; ++i)
      v = differences[via[v]].from;
    Cycle cycle;
    std::vector<std::string> pins;
    int w = v;
    do {
      const Difference &d = differences[via[w]];
      cycle.cycles += d.cycles;
      cycle.intervals += d.intervals;
      if (!d.pin.empty() && std::count(pins.begin(), pins.end(), d.pin) == 0)
        pins.push_back(d.pin);
      w = d.from;
    } while (w != v);
    std::sort(pins.begin(), pins.end());
    cycle.pins = listed(pins);
    return cycle;
  }

private:
  int origin() const { return n; }
  void add(int from, int to, int64_t cycles, int64_t intervals, const std::string &pin = "") {
    differences.push_back({from, to, cycles, intervals, pin});
  }

  int n;
  std::vector<Difference> differences;
};

/// By times alone: see PinnedIntervals.
PinnedIntervals byTimes(const Problem &p, ConstraintSet set, int64_t least, int64_t unit) {
  Times times(p, set, unit);
  auto cycles = [&](int64_t units) { return std::to_string(units * unit) + " cycles"; };
  PinnedIntervals out{least, ""};
  std::string needs;
  while (std::optional<Cycle> cycle = times.contradiction(out.least)) {
    std::string pins = cycle->pins.empty() ? "the dependences" : cycle->pins;
    if (cycle->intervals >= 0) {
      int64_t most = cycle->intervals ? floorDiv(-cycle->cycles, cycle->intervals) : 0;
      out.contradiction = "the pins contradict the dependences at every interval: " +
                          (most < 1        ? pins + " leave none"
                           : needs.empty() ? pins + " leave none of " + cycles(least) + " or more"
                                           : needs + ", " + pins + " at most " + cycles(most));
      return out;
    }
    out.least = ceilDiv(cycle->cycles, -cycle->intervals);
    needs = pins + " need at least " + cycles(out.least);
    if (out.least > maxInterval) {
      out.contradiction = "the pins contradict the dependences at every interval: " + needs +
                          ", and schedules have at most " + cycles(maxInterval);
      return out;
    }
  }
  return out;
}

/// Pinned starts at which a unit is used more than it holds.
std::string byUnits(const Problem &p) {
  for (int u = 0; u < static_cast<int>(p.units.size()); ++u) {
    struct Use {
      int64_t from, to, amount;
      int node;
    };
    std::vector<Use> uses;
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
      for (const Reservation &r : p.nodes[v].reservations)
        if (p.nodes[v].pinStart >= 0 && r.unit == u && r.length > 0)
          uses.push_back({p.nodes[v].pinStart + r.start, p.nodes[v].pinStart + r.start + r.length, r.amount, v});
    for (const Use &at : uses) { // the most is used where something begins
      int64_t taken = 0;
      std::vector<std::string> names;
      for (const Use &use : uses)
        if (use.from <= at.from && at.from < use.to) {
          taken += use.amount;
          if (std::string name = quoted(p, use.node); std::count(names.begin(), names.end(), name) == 0)
            names.push_back(name);
        }
      if (taken > p.units[u].capacity)
        return "unit '" + p.units[u].name + "' holds " + std::to_string(p.units[u].capacity) +
               ", and the pinned starts of " + listed(names) + " let it be used " + std::to_string(taken) +
               " times at once, whatever the interval";
    }
  }
  return "";
}

/// Pinned starts at which two nodes issue on one group.
std::string byIssue(const Problem &p) {
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
    for (int w = 0; w < static_cast<int>(p.nodes.size()); ++w) {
      const Node &node = p.nodes[v], &other = p.nodes[w];
      if (v == w || node.pinStart < other.pinStart || other.pinStart < 0 || node.issue == 0 ||
          node.pinStart >= other.pinStart + other.issue)
        continue;
      std::vector<int> groups = p.allowedGroups(v);
      if (groups.size() == 1 && groups == p.allowedGroups(w))
        return "group '" + p.groups[groups.front()].name +
               "' issues one operation at a time, and the pinned starts of " + quoted(p, w) + " and " + quoted(p, v) +
               " let it issue both at once, whatever the interval";
    }
  return "";
}

/// Nodes that have to run on one group, and share none.
std::string byGroups(const Problem &p) {
  int n = static_cast<int>(p.nodes.size());
  DisjointSets sets(n);
  for (const Edge &e : p.edges)
    if (e.transfer == Edge::never)
      sets.join(e.from, e.to);
  std::vector<std::vector<int>> together(n); // by leader
  for (int v = 0; v < n; ++v)
    together[sets.find(v)].push_back(v);
  for (const std::vector<int> &nodes : together) {
    std::vector<std::string> names; // of those that leave fewer groups
    std::vector<int> common(p.groups.size());
    std::iota(common.begin(), common.end(), 0);
    for (int v : nodes) {
      std::vector<int> allowed = p.allowedGroups(v), both;
      std::set_intersection(common.begin(), common.end(), allowed.begin(), allowed.end(), std::back_inserter(both));
      if (both.size() == common.size())
        continue;
      std::vector<std::string> groups;
      for (int g : allowed)
        groups.push_back("'" + p.groups[g].name + "'");
      names.push_back(quoted(p, v) + " on " + listed(groups));
      common = std::move(both);
    }
    if (common.empty() && !nodes.empty())
      return "values that pass to no other group keep nodes on one, and no group may run " + listed(names);
  }
  return "";
}

} // namespace

PinnedIntervals pinnedIntervals(const Problem &p, ConstraintSet set, int64_t least, int64_t unit) {
  bool pinned = set.has(Constraint::Pins),
       groups = !p.groups.empty() && set.has(Constraint::WarpAssignment) && set.has(Constraint::VariableLatency);
  PinnedIntervals out{least, ""};
  bool times = std::any_of(p.nodes.begin(), p.nodes.end(), [](const Node &node) {
    return node.pinStart >= 0 || node.pinStage >= 0 || node.pinDepth >= 0;
  });
  if (pinned && times)
    out = byTimes(p, set, least, unit);
  if (out.contradiction.empty() && pinned && times && set.has(Constraint::Capacity))
    out.contradiction = byUnits(p);
  if (out.contradiction.empty() && pinned && times && groups && set.has(Constraint::Issue))
    out.contradiction = byIssue(p);
  if (out.contradiction.empty() && groups && set.has(Constraint::Transfers))
    out.contradiction = byGroups(p);
  return out;
}

} // namespace heddle
