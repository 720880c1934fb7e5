//===- SelfTimed.h - the interval that a schedule's order attains by itself --===//
#ifndef HEDDLE_SCHEDULING_MODULO_SELFTIMED_H
#define HEDDLE_SCHEDULING_MODULO_SELFTIMED_H

#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

struct SelfTimedOptions {
  int64_t slowdownPercent =
      25; ///< operations that issue from their warps take this much longer than stated (stalls, synchronisation)
  int iterations = 24;
};

/// Hardware keeps a schedule's order, not its times: every group issues in order, waits for a value before its first
/// use, and units serve requests as they come. Replays the schedule that way and returns the steady-state cycles per
/// iteration (times of `problem`), at least `schedule.ii`. Includes the waits at a group's back edge that emission
/// needs where a result is in flight over every cut (docs/Emission.md). An estimate for choosing among schedules of one
/// interval; it proves nothing.
int64_t selfTimedInterval(const Problem &problem, const Schedule &schedule, const SelfTimedOptions &options = {});

} // namespace heddle

#endif // HEDDLE_SCHEDULING_MODULO_SELFTIMED_H
