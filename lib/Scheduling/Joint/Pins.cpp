//===- Pins.cpp - C12: decisions fixed by the user ------------------------===//
//
// Says:      a pinned start, stage or depth is kept; a pinned depth bounds the value's lifetime. (Pinned groups are
//            C5.)
// Encoding:  windows; as unit clauses here where windows do not know them (selectors). Depths: start(v) <= t implies
//            end(v) <= t + depth * ii.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

namespace heddle {

void encodePins(Encoder &e) {
  for (int v = 0; v < static_cast<int>(e.problem.nodes.size()); ++v) {
    const Node &node = e.problem.nodes[v];
    if (node.pinStart >= 0) {
      e.clause({e.startAtMost(v, node.pinStart)});
      e.clause({e.startsAfter(v, node.pinStart - 1)});
    }
    for (int64_t t = e.low(v); node.pinDepth > 0 && e.hasLifetime(v) && t <= e.high(v) && !e.aborted(); ++t)
      e.clause({e.startsAfter(v, t), e.endAtMost(v, t + node.pinDepth * e.ii)});
    if (node.pinStage >= 0) {
      e.clause({e.startAtMost(v, node.pinStage * e.ii + e.ii - 1)});
      e.clause({e.startsAfter(v, node.pinStage * e.ii - 1)});
    }
  }
}

} // namespace heddle
