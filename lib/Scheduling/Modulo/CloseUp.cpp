//===- CloseUp.cpp - an interval that is longer than its iteration -----------===//
//
// What:      see closeUp and shorten in Modulo.h.
// Verifies:  every interval by Certificate/Verify.
// Algorithm: the length of the iteration, where nothing of two iterations overlaps; from there bisection, as if every
//            interval above a legal one were legal. Then bisection once more, by insertion (Insertion.h) after the
//            times of the shortest schedule so far, which is refined (Refine.h).
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Insertion.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/Refine.h"

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

bool closeUp(const Problem &problem, Schedule &schedule, ConstraintSet constraints, int64_t least) {
  if (schedule.start.empty())
    return false;
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
    return false;
  while (schedule.ii - low > std::max<int64_t>(1, schedule.ii / 100))
    if (int64_t middle = low + (schedule.ii - low) / 2; !tryInterval(middle))
      low = middle;
  return true;
}

void shorten(const Problem &problem, Schedule &schedule, ConstraintSet constraints, int64_t least, Deadline deadline) {
  constexpr int64_t insertionsOfNode = 4, moves = 3000;
  const int64_t stages = std::max<int64_t>(3, schedule.stages(problem));
  int64_t low = least - 1;
  while (!deadline.passed() && schedule.ii - low > std::max<int64_t>(1, schedule.ii / 50)) {
    InsertionOptions insert;
    insert.constraints = constraints;
    insert.ii = low + (schedule.ii - low) / 2;
    insert.stages = stages;
    insert.insertions = insertionsOfNode * static_cast<int64_t>(problem.nodes.size());
    insert.follow = &schedule;
    insert.deadline = deadline;
    std::optional<Schedule> found = scheduleByInsertion(problem, schedule.group, insert);
    if (!found) {
      low = insert.ii;
      continue;
    }
    RefineOptions refine;
    refine.constraints = constraints;
    refine.minII = least;
    refine.maxII = insert.ii;
    refine.stages = stages;
    refine.moves = moves;
    refine.deadline = deadline;
    std::optional<Schedule> better = refineSchedule(problem, problem, *found, refine);
    schedule = better ? std::move(*better) : std::move(*found);
  }
}

} // namespace heddle
