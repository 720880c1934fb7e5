//===- LikeParts.h - Parts of a problem that are alike --------------------===//
//
// What:  exchanges of like parts of a problem (sub-tiles of one tile, slices of columns within them) that turn every
//        schedule into a schedule.
// Where: the search over orders puts the parts into an order; guesses let the second part repeat the first some cycles
//        later.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_ORDER_LIKEPARTS_H
#define HEDDLE_SCHEDULING_ORDER_LIKEPARTS_H

#include "heddle/Scheduling/Problem/Problem.h"
#include "heddle/Support/Deadline.h"

#include <vector>

namespace heddle {

/// Disjoint parts, of which any two may be exchanged: that keeps every node's attributes and every edge.
struct LikeParts {
  std::vector<std::vector<int>> parts; ///< the nodes of each, counterparts at the same place
  size_t place = 0;                    ///< of a node that no exchange inside a part moves
  bool outermost = true;               ///< not inside a part of others
};

/// Those that are inside parts of others come after them. None where the deadline passed.
std::vector<LikeParts> likeParts(const Problem &problem, const Deadline &deadline = {});

/// For nodes of the second of two outermost like parts their counterpart in the first, -1 for others.
std::vector<int> secondParts(const Problem &problem, const Deadline &deadline = {});

} // namespace heddle

#endif // HEDDLE_SCHEDULING_ORDER_LIKEPARTS_H
