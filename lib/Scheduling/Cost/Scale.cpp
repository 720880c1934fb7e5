//===- Scale.cpp - Coarser time units -------------------------------------===//
//
// What:      see Scale.h. Applied last, after groups were freed, so that transfers are counted in the same units as
//            costs.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Cost/Scale.h"

#include "heddle/Scheduling/Problem/Coarse.h"

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
  return std::clamp<int64_t>(bound / resolution, 1, mostScale);
}

void scaleTimes(Problem &problem, int64_t cycles) {
  if (cycles <= 1)
    return;
  int64_t scale = problem.scale * cycles;
  problem = coarseCopy(problem, cycles, cycles - 1);
  problem.scale = scale;
}

} // namespace heddle
