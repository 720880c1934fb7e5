//===- Differences.h - Starts that meet differences, modulo ii (private) ---===//
//
// What:   conditions start(to) + distance * ii >= start(from) + weight: the least ii at which all of them can be met,
//         and the earliest starts there.
// How:    Bellman and Ford's rounds at one ii after the other; a cycle of positive weight gives the next ii, the
//         quotient of its weight and its distance.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_MODULO_DIFFERENCES_H
#define HEDDLE_LIB_SCHEDULING_MODULO_DIFFERENCES_H

#include "heddle/Support/Deadline.h"

#include <vector>

namespace heddle {

/// start(to) + distance * ii >= start(from) + weight; `line` and `at` say which order it comes from, -1: none.
struct Arc {
  int from, to;
  int64_t weight, distance;
  int line = -1, at = -1;
};

/// The least ii from `ii` to `most` at which `arcs` between `nodes` nodes can be met, with the earliest starts in
/// `time`; 0: none, or the deadline passed. A cycle that is violated just below it is left in `cycle`.
int64_t leastInterval(const std::vector<Arc> &arcs, int nodes, int64_t ii, int64_t most, const Deadline &deadline,
                      std::vector<int64_t> &time, std::vector<Arc> &cycle);

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_MODULO_DIFFERENCES_H
