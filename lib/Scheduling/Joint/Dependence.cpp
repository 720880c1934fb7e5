//===- Dependence.cpp - C1: consumers start after their operands ----------===//
//
// Says:      start(v) + distance * ii >= start(u) + delay for every edge (Twill Figure 4, DEPENDENCE; emitted for every
//            distance, Scheduling.md, question 2).
// Encoding:  start(v) <= t implies start(u) <= t - (delay - distance * ii); binary clauses.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

namespace heddle {

void encodeDependence(Encoder &e) {
  for (const Edge &edge : e.problem.edges) {
    int64_t gap = edge.delay - edge.distance * e.ii;
    for (int64_t t = e.low(edge.to); t <= e.high(edge.to) && !e.aborted(); ++t)
      e.clause({e.startsAfter(edge.to, t), e.startAtMost(edge.from, t - gap)});
  }
}

} // namespace heddle
