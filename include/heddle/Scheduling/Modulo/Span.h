//===- Span.h - What takes something, and until when -----------------------===//
//
// What: reservations, issue and the lives of values in one form: from a time after one start to the last of several
//       times after starts, perhaps of later iterations.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_MODULO_SPAN_H
#define HEDDLE_SCHEDULING_MODULO_SPAN_H

#include "heddle/Scheduling/Problem/Problem.h"

#include <algorithm>
#include <vector>

namespace heddle {

/// `amount` is taken from start(node) + begin until the last of start(end.node) + end.shift + end.distance * ii.
struct Span {
  struct End {
    int node;
    int64_t shift, distance;
  };
  int node = 0;
  int64_t begin = 0, amount = 1;
  std::vector<End> ends;
};

/// The life of the value of node `v`.
inline Span lifetime(const Problem &p, int v, int64_t amount) {
  Span span{v, 0, amount, {{v, p.nodes[v].minLive, 0}}};
  for (const Edge &e : p.edges)
    if (e.from == v && !e.order)
      span.ends.push_back({e.to, e.hold, e.distance});
  return span;
}

/// How long a node executes on its group.
inline int64_t busyTime(const Node &node) {
  return node.async ? std::max<int64_t>(1, node.issue) : std::max(node.issue, node.latency);
}

} // namespace heddle

#endif // HEDDLE_SCHEDULING_MODULO_SPAN_H
