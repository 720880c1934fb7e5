//===- Quick.cpp - Schedules without a search for the best ----------------===//
//
// What:      scheduleQuickly and scheduleSerially of Policy.h.
// Verifies:  every schedule by Certificate/Verify before it is returned.
// Algorithm: iterative modulo scheduling, then the best times for its order and exchanges of neighbours in it
//            (Modulo/Refine); where that misses the bound, a query of the exact solver with the rest of the steps. In
//            the program's order: each node at the first time after its predecessors at which units and groups have
//            room, with an interval that no iteration exceeds; then again the best times for that order.
//
//===----------------------------------------------------------------------===//
#include "../Modulo/Place.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/Refine.h"
#include "heddle/Scheduling/Policy/Policy.h"

namespace heddle {

/// Exchanges of neighbours that are tried with a heuristic's order.
static constexpr int64_t quickMoves = 400;

std::optional<Schedule> scheduleQuickly(const Problem &problem, const SolveOptions &options, int64_t steps) {
  ConstraintSet set = options.mode == SolveMode::Modulo ? ConstraintSet::modulo() : options.constraints;
  std::optional<Schedule> best;
  Bounds bounds = computeBounds(problem, set, options.deadline);
  if (bounds.infeasible)
    return best;
  RefineOptions refine;
  refine.constraints = set;
  refine.minII = bounds.mii;
  refine.stages = options.maxStages;
  refine.moves = quickMoves;
  refine.deadline = options.deadline.afterSteps(steps / 2);
  HeuristicOptions heuristic;
  heuristic.constraints = set;
  heuristic.deadline = refine.deadline;
  if (Result<Schedule> s = scheduleHeuristic(problem, heuristic)) {
    best = refineSchedule(problem, problem, *s, refine);
    if (!best && (!options.maxStages || s->stages(problem) <= options.maxStages))
      best = *s;
  }
  if (best && best->ii <= bounds.mii)
    return best;
  SolveOptions brief = options;
  brief.deadline = options.deadline.afterSteps(steps / 2);
  brief.lexicographic = brief.explain = false;
  if (best)
    brief.maxII = best->ii - 1;
  SolveResult r = solve(problem, brief);
  if (r.hasSchedule && (!best || r.schedule.ii < best->ii)) {
    best = r.schedule;
    refine.maxII = best->ii - 1;
    refine.deadline = options.deadline.afterSteps(steps / 2);
    if (best->ii > bounds.mii)
      if (std::optional<Schedule> s = refineSchedule(problem, problem, *best, refine))
        best = s;
  }
  return best;
}

std::optional<Schedule> scheduleSerially(const Problem &problem, ConstraintSet constraints, Deadline deadline) {
  int n = static_cast<int>(problem.nodes.size());
  int64_t length = 1;
  for (const Node &node : problem.nodes)
    length += std::max({node.latency, node.issue, node.minLive});
  for (const Edge &e : problem.edges)
    length += e.delay + std::max<int64_t>(0, e.transfer) + e.hold;
  Schedule s;
  s.ii = std::min(length, maxInterval);
  s.constraints = constraints;
  std::vector<int> waiting(n, 0);
  for (const Edge &e : problem.edges)
    waiting[e.to] += e.distance == 0;
  s.group.assign(n, -1);
  for (int v = 0; v < n && !problem.groups.empty(); ++v) {
    std::vector<int> allowed = problem.allowedGroups(v);
    if (allowed.empty())
      return std::nullopt;
    s.group[v] = allowed[0];
  }
  Reservations table(problem, s.ii, s.group, constraints);
  s.start.assign(n, 0);
  std::vector<int64_t> last(problem.groups.size() + 1, 0); // of each group: no node starts before the one above it
  std::vector<char> placed(n, 0);
  for (int count = 0; count < n && !deadline.passed(); ++count) {
    int v = 0;
    while (placed[v] || waiting[v])
      ++v;
    int64_t &line = last[static_cast<size_t>(s.group[v] + 1)];
    int64_t t = std::max({line, problem.nodes[v].pinStart, int64_t(0)});
    for (const Edge &e : problem.edges)
      if (e.to == v && e.distance == 0)
        t = std::max(t, s.start[e.from] + delayUnder(problem, e, s.group, constraints));
    while (t < 2 * s.ii && !table.fits(v, t) && !deadline.passed())
      ++t;
    s.start[v] = line = t;
    table.add(v, t, 1);
    placed[v] = 1;
    for (const Edge &e : problem.edges)
      if (e.from == v && e.distance == 0)
        --waiting[e.to];
  }
  RefineOptions refine;
  refine.constraints = constraints;
  refine.stages = 1;
  refine.deadline = deadline;
  if (std::optional<Schedule> tight = refineSchedule(problem, problem, s, refine))
    return tight;
  finishSchedule(problem, s);
  return verifySchedule(problem, s, constraints).empty() ? std::optional<Schedule>(s) : std::nullopt;
}

} // namespace heddle
