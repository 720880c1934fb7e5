//===- RegisterBounds.h - What values need of registers (private) ----------===//
//
// What:  bounds of registers by least lifetimes: of one value, of values that are alive together in any schedule, and
//        on average of each group's, of all groups' and of the register file's (C7, C8).
// Where: Bounds.cpp, behind the bounds of memories.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_BOUNDS_REGISTERBOUNDS_H
#define HEDDLE_LIB_SCHEDULING_BOUNDS_REGISTERBOUNDS_H

#include "heddle/Scheduling/Bounds/Bounds.h"

namespace heddle {

/// What is known of each node before any schedule.
struct NodeFacts {
  std::vector<int64_t> live, carried;             ///< least lifetime of its value; iterations it survives by self-edges
  std::vector<std::vector<int>> allowed, readers; ///< its groups; those that take its value
};

/// Feasible bounds and infeasible ones, in the order in which they are found. Assumes that the constraints of registers
/// and of groups hold; `set` says whether that of the register file does.
std::vector<Bound> registerBounds(const Problem &problem, ConstraintSet set, const NodeFacts &facts);

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_BOUNDS_REGISTERBOUNDS_H
