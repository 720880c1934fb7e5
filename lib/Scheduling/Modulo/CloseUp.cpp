//===- CloseUp.cpp - an interval that is longer than its iteration -----------===//
//
// What:      see closeUp in Modulo.h.
// Verifies:  every interval by Certificate/Verify.
// Algorithm: the length of the iteration, where nothing of two iterations overlaps; from there bisection, as if every
//            interval above a legal one were legal.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"

#include <algorithm>

namespace heddle {

/// From the first start to when nothing of the iteration is busy, under way or held any more.
static int64_t lengthOf(const Problem &problem, const Schedule &schedule) {
  int64_t first = *std::min_element(schedule.start.begin(), schedule.start.end()), last = first + 1;
  for (size_t v = 0; v < problem.nodes.size(); ++v) {
    const Node &node = problem.nodes[v];
    int64_t end = std::max({node.latency, node.issue, node.minLive});
    for (const Reservation &use : node.reservations)
      end = std::max(end, use.start + use.length);
    last = std::max(last, schedule.start[v] + end);
  }
  for (const Edge &edge : problem.edges)
    last = std::max({last, schedule.start[edge.to] + edge.hold,
                     schedule.start[edge.from] + edge.delay + std::max<int64_t>(0, edge.transfer)});
  return last - first;
}

void closeUp(const Problem &problem, Schedule &schedule, ConstraintSet constraints, int64_t least) {
  if (schedule.start.empty())
    return;
  auto tryInterval = [&](int64_t ii) {
    Schedule shorter = schedule;
    shorter.ii = ii;
    finishSchedule(problem, shorter);
    if (!verifySchedule(problem, shorter, constraints).empty())
      return false;
    schedule = std::move(shorter);
    return true;
  };
  int64_t length = lengthOf(problem, schedule), low = least - 1;
  if (length >= schedule.ii || !tryInterval(std::max(length, least)))
    return;
  while (schedule.ii - low > std::max<int64_t>(1, schedule.ii / 100))
    if (int64_t middle = low + (schedule.ii - low) / 2; !tryInterval(middle))
      low = middle;
}

} // namespace heddle
