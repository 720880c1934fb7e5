//===- Widen.cpp - see Widen.h ---------------------------------------------===//
//
// Why:  a time t becomes t + d * floor(t / ii), d cycles being added. Two times that are apart stay at least as far
//       apart, and k intervals later stays k intervals later: dependences, transfers and ring depths hold. What is
//       taken for a fixed time from a start on is taken within the image of the cycles in which it was taken before, a
//       life that ends a fixed time after a start as well; in added cycles only what was taken in the cycle before
//       them is. So no more is taken at once. Not so where something is taken a while after a start: cycles may be
//       added in between, which move others but not it. Starts that are pinned within the first interval stay, and all
//       stages do.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Modulo/Widen.h"

namespace heddle {

bool canWiden(const Problem &problem, ConstraintSet constraints, int64_t ii) {
  for (const Node &node : problem.nodes) {
    if (node.pinStart >= ii && constraints.has(Constraint::Pins))
      return false;
    for (const Reservation &r : node.reservations)
      if (r.start > 0 && constraints.has(Constraint::Capacity))
        return false;
  }
  return true;
}

Schedule widened(Schedule schedule, int64_t ii) {
  for (int64_t &start : schedule.start)
    start += (ii - schedule.ii) * (start / schedule.ii);
  schedule.ii = ii;
  return schedule;
}

} // namespace heddle
