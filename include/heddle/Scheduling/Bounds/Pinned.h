//===- Pinned.h - Which intervals pins leave, by arithmetic ---------------===//
//
// What:    what pinned starts, stages, depths and groups say of the interval, without a search.
// Where:   before every search: it would refute one interval after the other.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_BOUNDS_PINNED_H
#define HEDDLE_SCHEDULING_BOUNDS_PINNED_H

#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

struct PinnedIntervals {
  int64_t least;             ///< no smaller interval has start times that keep pins and dependences
  std::string contradiction; ///< why no interval at all has a schedule, in words; empty: that is not known
};

/// Of the intervals from `least` on; in words a unit of time is `unit` cycles. Requires problem.check().
PinnedIntervals pinnedIntervals(const Problem &problem, ConstraintSet set, int64_t least = 1, int64_t unit = 1);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_BOUNDS_PINNED_H
