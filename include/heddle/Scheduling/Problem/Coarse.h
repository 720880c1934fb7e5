//===- Coarse.h - Copies of a problem with fewer time units ---------------===//
#ifndef HEDDLE_SCHEDULING_PROBLEM_COARSE_H
#define HEDDLE_SCHEDULING_PROBLEM_COARSE_H

#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

/// Calls `visit` with every duration of `problem`: of nodes, reservations and edges (`Edge::never` among them), in this
/// order. Pinned times are none.
template <class Visit> void forEachDuration(Problem &problem, Visit visit) {
  for (Node &node : problem.nodes) {
    for (int64_t *t : {&node.latency, &node.issue, &node.minLive})
      visit(*t);
    for (Reservation &r : node.reservations) {
      visit(r.start);
      visit(r.length);
    }
  }
  for (Edge &edge : problem.edges)
    for (int64_t *t : {&edge.delay, &edge.transfer, &edge.hold})
      visit(*t);
}

/// `problem` with every time, pinned ones as well, divided by `factor`; `rounding` is added before (0 down, factor / 2
/// nearest, factor - 1 up). Rounded down, it has a schedule wherever `problem` has one at an interval that `factor`
/// divides: floor(a + b) >= floor(a) + floor(b). Rounded up, a schedule of it, stretched, is one of `problem` without
/// pins, if nothing is taken a while after a start: a reservation may begin later in the copy.
Problem coarseCopy(const Problem &problem, int64_t factor, int64_t rounding);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_PROBLEM_COARSE_H
