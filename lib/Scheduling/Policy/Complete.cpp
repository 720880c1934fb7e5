//===- Complete.cpp - Schedules around pinned times -----------------------===//
//
// What:      scheduleInOrder and scheduleAround of Policy.h.
// Why:       a search from the lower bound upward spends itself on intervals that pins far from the best schedule rule
//            out, and rounds pinned times to where no coarse schedule keeps them. A part of a legal schedule has one.
// Verifies:  nothing itself: what it asks verifies what it returns.
// Algorithm: insertion and queries over orders, whose size the cycles do not decide. Then slots: intervals at which
//            dependences or pinned times alone contradict each other are left out. At the others the exact solver is
//            asked with few steps, then with more: pins decide most. At last coarse copies with all
//            times rounded down, which a legal schedule of the problem always leaves one (floor(a + b) >= floor(a) +
//            floor(b)), and the best times for the order found there (Modulo/Refine).
//
//===----------------------------------------------------------------------===//
#include "Groups.h"

#include "heddle/Scheduling/Modulo/Refine.h"
#include "heddle/Scheduling/Policy/Policy.h"
#include "heddle/Scheduling/Problem/Coarse.h"
#include "heddle/Support/Integers.h"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

/// Intervals that are asked for, and steps of a query at each, first and then.
constexpr int64_t mostIntervals = 48, querySteps[] = {100000, 800000};
/// Exchanges of neighbours in an order that pins leave.
constexpr int64_t orderMoves = 1000;

ConstraintSet constraintsOf(const SolveOptions &options) {
  return options.mode == SolveMode::Modulo ? ConstraintSet::modulo() : options.constraints;
}

/// Whether pinned starts alone overfill a unit at the interval `ii`.
bool overfills(const Problem &p, int64_t ii) {
  for (size_t u = 0; u < p.units.size(); ++u) {
    std::vector<std::pair<int64_t, int64_t>> changes; // in one interval
    int64_t taken = 0;
    for (const Node &node : p.nodes)
      for (const Reservation &r : node.reservations) {
        if (node.pinStart < 0 || r.unit != static_cast<int>(u) || r.length <= 0)
          continue;
        int64_t from = (node.pinStart + r.start) % ii, part = r.length % ii;
        taken += r.amount * (r.length / ii);
        if (!part)
          continue;
        changes.push_back({from, r.amount});
        changes.push_back({(from + part) % ii, -r.amount});
        taken += from + part > ii ? r.amount : 0;
      }
    std::sort(changes.begin(), changes.end()); // what ends makes room for what begins there
    for (auto [at, amount] : changes) {
      taken += at == 0 && amount < 0 ? 0 : amount;
      if (taken > p.units[u].capacity)
        return true;
    }
  }
  return false;
}

/// Intervals from `least` to `last` that dependences and pinned times allow: all where they are few, else in growing
/// steps.
std::vector<int64_t> candidates(const Problem &p, ConstraintSet set, int64_t least, int64_t last,
                                const Deadline &deadline) {
  bool units = set.has(Constraint::Capacity) && set.has(Constraint::Pins);
  std::vector<int64_t> out;
  for (int64_t ii = least; ii <= last && !deadline.passed(); ++ii) {
    deadline.spend(static_cast<int64_t>(p.edges.size()) / 10 + 1);
    if (!(units && overfills(p, ii)) && earliestStarts(p, ii, set))
      out.push_back(ii);
  }
  if (static_cast<int64_t>(out.size()) <= mostIntervals)
    return out;
  std::vector<int64_t> few;
  int64_t next = 0;
  for (int64_t ii : out)
    if (ii >= next) {
      few.push_back(ii);
      next = ii + 1 + ii / 12;
    }
  return few;
}

/// Asks at each interval of `intervals` in turn with `steps` each.
std::optional<Schedule> askEach(const Problem &p, const std::vector<int64_t> &intervals, int64_t steps,
                                const SolveOptions &options) {
  SolveOptions one = options;
  one.lexicographic = one.explain = one.anytime = false;
  one.prove = true;
  for (int64_t ii : intervals) {
    if (options.deadline.passed())
      break;
    one.deadline = options.deadline.afterSteps(steps);
    one.minII = one.maxII = ii;
    if (!options.maxStages) { // of a pinned time at this interval, not at the least one
      Bounds bounds;
      bounds.mii = ii;
      one.maxStages = defaultStages(p, bounds, constraintsOf(options), options.deadline);
    }
    if (SolveResult r = solve(p, one); r.hasSchedule)
      return r.schedule;
  }
  return std::nullopt;
}

} // namespace

std::optional<Schedule> scheduleAround(const Problem &problem, const SolveOptions &options) {
  ConstraintSet set = constraintsOf(options);
  Bounds bounds = computeBounds(problem, set, options.deadline);
  if (bounds.infeasible)
    return std::nullopt;
  int64_t least = std::max(bounds.mii, options.minII);
  int64_t last = std::min(options.maxII ? options.maxII : bounds.mii * 8, maxInterval);
  SolveOptions orders = options;
  orders.insertion = true;
  orders.lexicographic = orders.explain = orders.prove = false;
  orders.minII = least;
  orders.maxII = last;
  orders.deadline = options.deadline.part(0.2);
  if (SolveResult r = solve(problem, orders); r.hasSchedule)
    return r.schedule;
  std::vector<int64_t> intervals = candidates(problem, set, least, last, options.deadline.part(0.1));
  if (intervals.empty())
    return std::nullopt;
  SolveOptions direct = options;
  direct.deadline = options.deadline.part(0.7);
  for (int64_t steps : querySteps)
    if (std::optional<Schedule> s = askEach(problem, intervals, steps, direct))
      return s;
  for (int64_t cells : {48, 96}) {
    int64_t factor = ceilDiv(intervals.front(), cells);
    if (factor < 2)
      break;
    Problem coarse = coarseCopy(problem, factor, 0);
    std::vector<int64_t> rounded;
    for (int64_t ii : intervals)
      for (int64_t at : {ii / factor, ceilDiv(ii, factor)})
        if (rounded.empty() || at > rounded.back())
          rounded.push_back(at);
    std::optional<Schedule> rough = askEach(coarse, rounded, querySteps[0], options);
    if (!rough)
      continue;
    RefineOptions refine;
    refine.constraints = set;
    refine.minII = least;
    refine.maxII = last;
    refine.stages = options.maxStages;
    refine.moves = orderMoves;
    refine.deadline = options.deadline;
    if (std::optional<Schedule> s = refineSchedule(problem, coarse, *rough, refine))
      return s;
  }
  return std::nullopt;
}

std::optional<Schedule> scheduleInOrder(const Problem &problem, const Problem &other, const Schedule &schedule,
                                        const SolveOptions &options) {
  // Pins may have added conditions between a node and itself; else both have the same parts.
  Problem rough = other;
  for (size_t e = rough.edges.size(); e < problem.edges.size(); ++e) {
    Edge edge = problem.edges[e];
    edge.delay = rough.nodes[edge.from].latency;
    rough.edges.push_back(edge);
  }
  bool alike = rough.nodes.size() == problem.nodes.size() && rough.edges.size() == problem.edges.size() &&
               rough.groups.size() == problem.groups.size();
  for (size_t v = 0; alike && v < rough.nodes.size(); ++v)
    alike = rough.nodes[v].reservations.size() == problem.nodes[v].reservations.size();
  for (size_t e = 0; alike && e < rough.edges.size(); ++e)
    alike = rough.edges[e].from == problem.edges[e].from && rough.edges[e].to == problem.edges[e].to;
  if (!alike)
    return std::nullopt;
  RefineOptions refine;
  refine.constraints = constraintsOf(options);
  refine.minII = std::max(options.minII, computeBounds(problem, refine.constraints, options.deadline).mii);
  refine.maxII = options.maxII;
  refine.stages = options.maxStages;
  refine.moves = orderMoves;
  refine.deadline = options.deadline;
  // Groups that differ in name only may be exchanged; the pins say which is which.
  std::vector<int> names(problem.groups.size());
  std::iota(names.begin(), names.end(), 0);
  auto keeps = [&] {
    for (size_t g = 0; g < names.size(); ++g) {
      if (!exchangeable(problem.groups[g], problem.groups[static_cast<size_t>(names[g])]))
        return false;
    }
    for (int v = 0; !names.empty() && v < static_cast<int>(problem.nodes.size()); ++v) {
      std::vector<int> allowed = problem.allowedGroups(v);
      if (!std::count(allowed.begin(), allowed.end(), names[static_cast<size_t>(schedule.group[v])]))
        return false;
    }
    return true;
  };
  do {
    if (!keeps())
      continue;
    Schedule named = schedule;
    for (size_t v = 0; !names.empty() && v < named.group.size(); ++v)
      named.group[v] = names[static_cast<size_t>(named.group[v])];
    for (size_t g = 0; g < schedule.groupRegs.size() && g < names.size(); ++g)
      named.groupRegs[static_cast<size_t>(names[g])] = schedule.groupRegs[g];
    if (std::optional<Schedule> s = refineSchedule(problem, rough, named, refine))
      return s;
  } while (std::next_permutation(names.begin(), names.end()) && !options.deadline.passed());
  return std::nullopt;
}

} // namespace heddle
