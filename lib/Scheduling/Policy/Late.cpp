//===- Late.cpp - What products begin with is read late --------------------------===//
//
// What:      a schedule -> the same with reads as late as products let them be, which alone take what is read: a read
//            as early as the solver likes holds its registers while others are in use.
// Where:     last of all, on the schedule that is kept: its interval and groups stay, and so does what is proved of
//            them.
// Verifies:  every move, by Certificate/Verify.
// Algorithm: for each such node the latest start that its consumers allow, then earlier ones, down to the one it has;
//            the first that is legal is taken.
//
//===----------------------------------------------------------------------===//
#include "PolicySearch.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"

#include <algorithm>

namespace heddle {

/// Starts that are tried for one node.
static constexpr int64_t mostTries = 16;

/// True for a node that makes registers out of none, which asynchronous nodes alone take: a read for products.
static bool readsForProducts(const Problem &problem, int v) {
  const Node &node = problem.nodes[v];
  if (node.async || node.regs == 0 || node.pinStart >= 0 || node.pinStage >= 0)
    return false;
  bool taken = false;
  for (const Edge &e : problem.edges) {
    if (e.order)
      continue;
    if (e.to == v && problem.nodes[e.from].regs > 0)
      return false;
    if (e.from == v && !problem.nodes[e.to].async)
      return false;
    taken |= e.from == v;
  }
  return taken;
}

void postponeReads(const Problem &problem, Schedule &schedule, ConstraintSet set) {
  int64_t stages = schedule.stages(problem);
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v) {
    if (!readsForProducts(problem, v))
      continue;
    int64_t now = schedule.start[v], latest = INT64_MAX;
    for (const Edge &e : problem.edges)
      if (e.from == v) {
        bool crosses = schedule.group[e.from] != schedule.group[e.to];
        latest = std::min(latest, schedule.start[e.to] + e.distance * schedule.ii - e.delay -
                                      (crosses ? std::max<int64_t>(0, e.transfer) : 0));
      }
    int64_t step = std::max<int64_t>(1, (latest - now) / mostTries);
    for (int64_t start = latest; start > now; start -= step) {
      Schedule moved = schedule;
      moved.start[v] = start;
      finishSchedule(problem, moved);
      if (moved.stages(problem) > stages || !verifySchedule(problem, moved, set).empty())
        continue;
      schedule = std::move(moved);
      break;
    }
  }
}

} // namespace heddle
