//===- Quick.cpp - Schedules without a search for the best ----------------===//
//
// What:      scheduleQuickly of Policy.h.
// Verifies:  nothing itself: each of the schedulers that it asks verifies what it returns.
// Algorithm: iterative modulo scheduling, then the best times for its order and exchanges of neighbours in it
//            (Modulo/Refine); where that misses the bound, a query of the exact solver with the rest of the steps.
//
//===----------------------------------------------------------------------===//
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
  brief.lexicographic = brief.explain = brief.prove = false;
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

} // namespace heddle
