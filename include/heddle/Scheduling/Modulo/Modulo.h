//===- Modulo.h - Heuristic and random modulo schedulers ------------------===//
//
// What:    the classical heuristic (Rau's iterative modulo scheduling, for comparison) and a random *legal* scheduler:
//          every stage after scheduling must be right for any legal schedule, and is tested with it.
// Exact:   Solver/Solve.h.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_MODULO_MODULO_H
#define HEDDLE_SCHEDULING_MODULO_MODULO_H

#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"
#include "heddle/Support/Deadline.h"

#include <optional>

namespace heddle {

struct HeuristicOptions {
  ConstraintSet constraints;
  int64_t maxII = 0; ///< 0: eight times the lower bound
  Deadline deadline;
  int64_t budgetRatio = 8; ///< placements per node before ii is raised (Rau's BudgetRatio)
};

/// Iterative modulo scheduling: places nodes by height, evicting conflicting ones, and raises ii when the budget is
/// spent or the result breaks another constraint. Heuristic: a schedule it returns is legal, but need not be optimal.
/// Errors: infeasible (a bound says so), limit (no legal schedule up to maxII, or the deadline; with the lower bound
///         and what binds). Requires problem.check(). B. R. Rau, MICRO-27 (1994).
Result<Schedule> scheduleHeuristic(const Problem &problem, const HeuristicOptions &options = {});

/// The cycles that one iteration takes at most where no two operations overlap. An interval as long leaves nothing to
/// wait for: what has no schedule there has none.
int64_t lengthInTurn(const Problem &problem);

/// The nodes in the order of the program, one iteration after the other, on the first group allowed to each. None: that
/// order has no legal schedule (or none was found before the deadline).
std::optional<Schedule> scheduleSerially(const Problem &problem, ConstraintSet constraints, Deadline deadline);

/// Shortens an interval that is longer than the iteration, for the same times: to about the least that is legal, not
/// below `least`. True: it was longer.
bool closeUp(const Problem &problem, Schedule &schedule, ConstraintSet constraints, int64_t least);

/// Shortens the interval of a schedule of few overlaps, not below `least`: its operations are inserted anew at smaller
/// intervals, after its times, and what is found gets the best times for its order.
void shorten(const Problem &problem, Schedule &schedule, ConstraintSet constraints, int64_t least, Deadline deadline);

struct RandomOptions {
  uint64_t seed = 0;
  ConstraintSet constraints;
  int64_t maxII = 0; ///< 0: three times the lower bound; raised when attempts fail
  int attempts = 200;
  Deadline deadline;
};

/// A random legal schedule: random ii >= mii, random groups among the allowed, random placement order and slack.
/// Deterministic in `seed`. When random placement fails the exact solver completes it at a random ii. Errors:
/// infeasible, limit (as above). Requires problem.check().
Result<Schedule> scheduleRandom(const Problem &problem, const RandomOptions &options = {});

/// Fills in what start times and groups imply: ring depths and register budgets (the smallest legal ones).
void finishSchedule(const Problem &problem, Schedule &schedule);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_MODULO_MODULO_H
