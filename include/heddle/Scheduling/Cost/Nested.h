//===- Nested.h - A scheduled loop as a node of the loop around it --------===//
#ifndef HEDDLE_SCHEDULING_COST_NESTED_H
#define HEDDLE_SCHEDULING_COST_NESTED_H

#include "heddle/Scheduling/Problem/Problem.h"

#include <map>

namespace heddle {

/// What all trips of a scheduled loop take on one warp group, in machine cycles.
struct NestedLoop {
  int64_t latency = 1;                 ///< from its first operation to the end of its last
  int64_t issuing = 1;                 ///< its intervals, at most that
  std::map<std::string, int64_t> busy; ///< of each unit
};

/// The loop `inner`, run `trips` times by `schedule`, on `group` (-1: the problem has no groups). What variable-latency
/// nodes (loads) hold is counted where `withLoads` says so; they run ahead, so their time is nobody's.
NestedLoop nestedLoop(const Problem &inner, const Schedule &schedule, int64_t trips, int group, bool withLoads);

/// `node` holds `unit` of `problem`, whose capacity is counted in parts, for `cycles` of its first `length` cycles,
/// spread evenly and rounded down; at most all of it.
void holdShare(Problem &problem, Node &node, int unit, int64_t cycles, int64_t length, int64_t parts);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_COST_NESTED_H
