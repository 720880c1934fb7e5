//===- Widen.h - A schedule with idle cycles at the end of each interval ---===//
//
// What: when a schedule of one interval gives one of every larger interval, so that an interval that is refuted
//       refutes all smaller ones.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_MODULO_WIDEN_H
#define HEDDLE_SCHEDULING_MODULO_WIDEN_H

#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

/// Whether every schedule of an interval of at least `ii` that keeps `constraints` keeps them when it is widened.
bool canWiden(const Problem &problem, ConstraintSet constraints, int64_t ii);

/// `schedule` with the interval `ii`, which is not smaller than its own: idle cycles are added at the end of each
/// interval. Stages stay the same.
Schedule widened(Schedule schedule, int64_t ii);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_MODULO_WIDEN_H
