//===- Refine.h - The best times for the order of a schedule --------------===//
//
// What:    a schedule of a problem with rounded times -> a schedule of the problem itself with the same groups and the
//          same order on every unit and group.
// Where:   the exact search at large intervals: what is found on a coarse time axis is carried over to real cycles
//          without a query over real cycles.
// Exact:   no. The interval is the least for the order that is kept, not the least of the problem.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_MODULO_REFINE_H
#define HEDDLE_SCHEDULING_MODULO_REFINE_H

#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"
#include "heddle/Support/Deadline.h"

#include <optional>

namespace heddle {

struct RefineOptions {
  ConstraintSet constraints;
  int64_t minII = 1;  ///< nothing below is looked for
  int64_t maxII = 0;  ///< nothing above is of use; 0: no limit
  int64_t stages = 0; ///< every node completes by stages * ii; 0: no limit
  int64_t moves = 0;  ///< exchanges of neighbours on a unit or group that may be tried to shorten the interval
  Deadline deadline;
};

/// The least interval, and times for it, at which every unit and group of `problem` serves its operations in the order
/// of `rough`, a schedule of `roughProblem`: a problem with the same nodes, edges and reservations and other times.
/// With `moves`, neighbours in the order that bind are then exchanged while that helps. Every schedule returned is
/// verified; none: the order has no legal times (or none was found before the deadline).
std::optional<Schedule> refineSchedule(const Problem &problem, const Problem &roughProblem, const Schedule &rough,
                                       const RefineOptions &options);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_MODULO_REFINE_H
