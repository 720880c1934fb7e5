//===- OrderSearch.h - Schedules and refutations by orders alone ----------===//
//
// What:    whether a schedule exists at one interval, or at any interval of a range, decided on what comes before what
//          and on which warp group, under all constraints.
// Where:   the policy and the exact search ask it before any query over slots.
// Exact:   yes, for the groups given or for all of them. Its time does not grow with the number of cycles but with the
//          square of the nodes. A schedule returned is legal; a refutation is not written down. OrderRefutation.h
//          makes one that a certificate can hold.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_ORDER_ORDERSEARCH_H
#define HEDDLE_SCHEDULING_ORDER_ORDERSEARCH_H

#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"
#include "heddle/Scheduling/Solver/Sat.h"

#include <optional>

namespace heddle {

/// Problems of more nodes are not decided: the distances of all pairs are kept, and each edge may change them all.
inline constexpr size_t mostOrderNodes = 600;

struct OrderOptions {
  ConstraintSet constraints;
  int64_t ii = 1;
  int64_t last = 0;       ///< above `ii`: intervals from `ii` to here, which can only be refuted
  int64_t stages = 1;     ///< every node completes by stages * ii
  bool slots = false;     ///< only what nodes do to each other in one interval: units, issue and waits, whatever
                          ///< the dependences and values say. A weaker question, which can only be refuted
  std::vector<int> group; ///< of each node, -1: any that is allowed; empty: any of all nodes
  const Schedule *near = nullptr; ///< a schedule whose order and groups are tried first; null: all as early as may be
  std::vector<int> likely;        ///< groups that are tried first where there is no such schedule; empty: none
  std::vector<int> leaders;       ///< schedules alone in which a node that has one begins `apart` later; empty: all
  int64_t apart = 0;
  SearchLimits limits;
};

struct OrderAnswer {
  SatAnswer answer = SatAnswer::Unknown; ///< of a range, or of slots, Sat is never said
  std::optional<Schedule> schedule;      ///< after Sat
};

/// A schedule of `problem`, that none exists, or that the limits were reached. Deterministic. Requires problem.check().
OrderAnswer searchOrders(const Problem &problem, const OrderOptions &options);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_ORDER_ORDERSEARCH_H
