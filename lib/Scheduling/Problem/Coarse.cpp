//===- Coarse.cpp - Copies of a problem with fewer time units -------------===//
#include "heddle/Scheduling/Problem/Coarse.h"

namespace heddle {

Problem coarseCopy(const Problem &problem, int64_t factor, int64_t rounding) {
  Problem coarse = problem;
  auto divide = [&](int64_t &t) { t = t > 0 ? (t + rounding) / factor : t; }; // `never` and no pin stay
  for (Node &node : coarse.nodes) {
    for (int64_t *t : {&node.latency, &node.issue, &node.minLive, &node.pinStart})
      divide(*t);
    for (Reservation &r : node.reservations) {
      divide(r.start);
      divide(r.length);
    }
  }
  for (Edge &edge : coarse.edges)
    for (int64_t *t : {&edge.delay, &edge.transfer, &edge.hold})
      divide(*t);
  return coarse;
}

} // namespace heddle
