//===- Transfers.cpp - C9: edges between groups pay for the transfer ------===//
//
// Says:      an edge whose ends run on different groups needs `transfer` more cycles, or is forbidden (Twill Figure 6,
//            CROSS-WARP SPILLS; also for edges of distance > 0, Scheduling.md, question 2).
// Encoding:  ternary: differ(u, v) and start(v) <= t imply start(u) <= t - gap - transfer.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

namespace heddle {

void encodeTransfers(Encoder &e) {
  for (const Edge &edge : e.problem.edges) {
    if (edge.transfer == 0)
      continue;
    Lit apart = e.differ(edge.from, edge.to);
    if (apart == e.no())
      continue;
    if (edge.transfer == Edge::never) {
      e.clause({-apart});
      continue;
    }
    int64_t gap = edge.delay - edge.distance * e.ii + edge.transfer;
    for (int64_t t = e.low(edge.to); t <= e.high(edge.to) && !e.aborted(); ++t)
      e.clause({-apart, e.startsAfter(edge.to, t), e.startAtMost(edge.from, t - gap)});
  }
}

} // namespace heddle
