//===- Windows.h - Starts that are enough to look at where pins are far out ===//
//
// What:    an interval of starts for each node such that, if any legal schedule exists, one exists that keeps them all:
//          near what is pinned, or near the beginning. A pin far out makes as many stages as it is late, and only the
//          nodes that edges tie to it have to be there.
// Where:   queries over slots and over orders, whose size grows with the times that are possible.
// Why:     adding an interval to the starts of a part of the nodes changes nothing modulo the interval. It may change
//          dependences and lives along edges to the others, but not where these are so far away in time that all such
//          edges are kept anyway, and all lives along them from the later to the earlier nodes are empty.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_PROBLEM_WINDOWS_H
#define HEDDLE_SCHEDULING_PROBLEM_WINDOWS_H

#include "heddle/Scheduling/Problem/Problem.h"

#include <utility>
#include <vector>

namespace heddle {

/// Queries about more stages than this keep to the windows; others look at all starts.
inline constexpr int64_t ordinaryStages = 64;

/// The first and the last start of each node, at the interval `ii` and for any number of stages.
std::vector<std::pair<int64_t, int64_t>> nearWindows(const Problem &problem, ConstraintSet constraints, int64_t ii);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_PROBLEM_WINDOWS_H
