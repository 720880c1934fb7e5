//===- Nested.cpp - A scheduled loop as a node of the loop around it ------===//
//
// Hierarchical reduction (Lam, PLDI 1988): the schedule of a loop is kept, and the loop becomes one operation that
// takes the time of all trips. Of each unit it holds the average over that time: what runs beside it sees how much is
// left.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Cost/Nested.h"

#include <algorithm>

namespace heddle {

NestedLoop nestedLoop(const Problem &inner, const Schedule &schedule, int64_t trips, int group, bool withLoads) {
  NestedLoop made;
  int64_t first = INT64_MAX, end = 0;
  for (size_t v = 0; v < inner.nodes.size(); ++v) {
    const Node &node = inner.nodes[v];
    if (schedule.group[v] != group && !(node.variableLatency && withLoads))
      continue;
    for (const Reservation &held : node.reservations)
      made.busy[inner.units[held.unit].name] += trips * held.length * held.amount * inner.scale;
    if (node.variableLatency)
      continue;
    first = std::min(first, schedule.start[v]);
    end = std::max(end, schedule.start[v] + node.latency);
  }
  int64_t interval = schedule.ii * inner.scale, span = first < end ? (end - first) * inner.scale : 1;
  made.latency = (trips - 1) * interval + span;
  made.issuing = std::min(trips * interval, made.latency);
  return made;
}

void holdShare(Problem &problem, Node &node, int unit, int64_t cycles, int64_t length, int64_t parts) {
  if (int64_t share = std::min(parts * cycles / length, problem.units[unit].capacity); share > 0)
    node.reservations.push_back({unit, 0, length, share});
}

} // namespace heddle
