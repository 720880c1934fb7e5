//===- Scale.cpp - Coarser time units -------------------------------------===//
//
// What:      see Scale.h. Applied last, after groups were freed, so that transfers are counted in the same units as
//            costs.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Cost/Scale.h"

#include <algorithm>

namespace heddle {

int64_t cyclesForResolution(const Problem &problem, int64_t resolution) {
  if (resolution <= 0)
    return 1;
  std::vector<int64_t> busy(problem.units.size(), 0);
  for (const Node &node : problem.nodes)
    for (const Reservation &r : node.reservations)
      busy[r.unit] += r.length * r.amount;
  int64_t bound = 1;
  for (size_t u = 0; u < busy.size(); ++u)
    bound = std::max(bound, busy[u] / problem.units[u].capacity);
  return std::max<int64_t>(1, bound / resolution);
}

void scaleTimes(Problem &problem, int64_t cycles) {
  if (cycles <= 1)
    return;
  problem.scale *= cycles;
  auto divide = [cycles](int64_t &t) { t = t > 0 ? (t + cycles - 1) / cycles : t; }; // `never` stays
  for (Node &node : problem.nodes) {
    for (int64_t *t : {&node.latency, &node.issue, &node.minLive})
      divide(*t);
    for (Reservation &r : node.reservations) {
      divide(r.start);
      divide(r.length);
    }
  }
  for (Edge &edge : problem.edges)
    for (int64_t *t : {&edge.delay, &edge.transfer, &edge.hold})
      divide(*t);
}

} // namespace heddle
