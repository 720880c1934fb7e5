//===- Paths.h - cycles of dependences that take too long (private) ---------===//
#ifndef HEDDLE_LIB_SCHEDULING_BOUNDS_PATHS_H
#define HEDDLE_LIB_SCHEDULING_BOUNDS_PATHS_H

#include "heddle/Scheduling/Bounds/Bounds.h"

namespace heddle {

/// A cycle of positive weight (delay - distance * ii) as edge indices, empty when there is none (or none is found in
/// time).
std::vector<int> positiveCycle(const Problem &p, int64_t ii, ConstraintSet set, Deadline deadline);

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_BOUNDS_PATHS_H
