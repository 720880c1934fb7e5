//===- Bounds.h - Lower bounds of the interval, each with its witness -----===//
//
// What:    ResMII per unit, RecMII with its cycle, issue, memory, ring and register bounds. Each is a proof by
//          arithmetic: the witness names the numbers that a checker can add up again.
// Where:   before every search; the largest is the start of the search, and explains the result when it is reached.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_BOUNDS_BOUNDS_H
#define HEDDLE_SCHEDULING_BOUNDS_BOUNDS_H

#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"

#include "heddle/Support/Deadline.h"
#include <optional>

namespace heddle {

/// Exclusive: nodes of one group that use one unit; each keeps the next from its start for the longer of its issue and
/// its use.
enum class BoundKind { Unit, Recurrence, Issue, Exclusive, Memory, Ring, Registers };

struct Bound {
  BoundKind kind;
  int64_t value = 1;       ///< ii is at least this
  bool infeasible = false; ///< no ii at all satisfies it
  int index = -1;          ///< unit (also of an exclusive bound), memory or group
  std::vector<int> nodes;  ///< the nodes that take part; for a recurrence the cycle in order
  std::string witness;     ///< in words, with numbers
};

struct Bounds {
  int64_t mii = 1;
  bool infeasible = false;
  std::vector<Bound> bounds; ///< strongest first; ties in the order of BoundKind
};

/// Bounds implied by the constraints of `set`; those not found by `deadline` are left out. Requires problem.check().
Bounds computeBounds(const Problem &problem, ConstraintSet set = ConstraintSet::all(), Deadline deadline = {});

/// The largest length from any start to any completion over dependences at interval ii (forced transfers included): no
/// schedule at ii is shorter. -1 when ii is below the recurrence bound. What is known at the deadline is a lower bound
/// of it.
int64_t criticalLength(const Problem &problem, int64_t ii, ConstraintSet set = ConstraintSet::all(),
                       Deadline deadline = {});
/// The earliest start of each node by dependences and pinned starts, stages and depths at `ii`; none: no start times
/// keep them, whatever else holds.
std::optional<std::vector<int64_t>> earliestStarts(const Problem &problem, int64_t ii, ConstraintSet set);

/// Delay of an edge, with its transfer cost when its ends can share no group.
int64_t forcedDelay(const Problem &problem, const Edge &edge, ConstraintSet set);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_BOUNDS_BOUNDS_H
