//===- LikeParts.h - Two parts of a problem that are alike ----------------===//
//
// What:  an exchange of two like parts of a problem (sub-tiles of one tile) that turns every schedule into a schedule.
// Where: the search over orders puts the parts into an order; guesses let the second part repeat the first some cycles
//        later.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_ORDER_LIKEPARTS_H
#define HEDDLE_SCHEDULING_ORDER_LIKEPARTS_H

#include "heddle/Scheduling/Problem/Problem.h"

#include <vector>

namespace heddle {

/// For nodes of the second of two like parts their counterpart in the first, -1 for others. Exchanging the two keeps
/// every node's attributes and every edge.
std::vector<int> likeParts(const Problem &problem);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_ORDER_LIKEPARTS_H
