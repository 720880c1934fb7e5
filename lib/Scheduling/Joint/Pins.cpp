//===- Pins.cpp - C12: decisions fixed by the user ------------------------===//
//
// Says:      a pinned start or stage is kept. (Pinned groups are C5, pinned depths C4.)
// Encoding:  windows; as unit clauses here where windows do not know them (selectors).
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

namespace heddle {

void encodePins(Encoder &e) {
  for (int v = 0; v < static_cast<int>(e.problem.nodes.size()); ++v) {
    const Node &node = e.problem.nodes[v];
    if (node.pinStart >= 0) {
      e.clause({e.startAtMost(v, node.pinStart)});
      e.clause({-e.startAtMost(v, node.pinStart - 1)});
    }
    if (node.pinStage >= 0) {
      e.clause({e.startAtMost(v, node.pinStage * e.ii + e.ii - 1)});
      e.clause({-e.startAtMost(v, node.pinStage * e.ii - 1)});
    }
  }
}

} // namespace heddle
