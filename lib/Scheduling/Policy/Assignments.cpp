//===- Assignments.cpp - Proofs, and other assignments of groups, over slots -===//
//
// What:      where orders leave open what the least interval is: proofs, and other assignments of one loop.
// Verifies:  every schedule by Certificate/Verify, here or where it is taken (Policy.cpp).
// Algorithm: the exact search over slots below the interval that is known.
//
//===----------------------------------------------------------------------===//
#include "PolicySearch.h"
#include "heddle/Certificate/Verify.h"

#include <algorithm>

namespace heddle {

void PolicySearch::prove() {
  SolveOptions solving = within(steps.proof);
  solving.anytime = !best.result.hasSchedule;
  PolicyResult other;
  other.result = solveFirst(given, solving);
  other.loop = given;
  const SolveResult &r = other.result;
  if (r.status != SolveStatus::Failed && best.result.hasSchedule &&
      (!r.hasSchedule || (r.status != SolveStatus::Optimal && cycles(other) > cycles(best)))) {
    if (best.loop.problem.scale == other.loop.problem.scale)
      best.result.bound = std::max(best.result.bound, r.bound);
    return;
  }
  best = std::move(other);
}

void PolicySearch::solveAssignments() {
  SolveOptions solving = within(steps.assignments);
  LoopInstance joint = best.loop;
  reserve(joint);
  Problem &reserved = joint.problem;
  SolveResult &tiled = best.result;
  if (!tiled.hasSchedule) {
    SolveResult others = solve(reserved, solving);
    if (others.status == SolveStatus::Infeasible) { // no answer for the loop yet: the room may be what refuses
      tiled = solve(best.loop.problem, solving);
      return;
    }
    if (others.hasSchedule || others.status == SolveStatus::Failed || tiled.status == SolveStatus::Infeasible) {
      best.loop = std::move(joint);
      tiled = std::move(others);
    }
    return;
  }
  solving.maxII = tiled.schedule.ii - 1;
  if (!solving.maxStages)
    solving.maxStages = std::max(tiled.schedule.stages(best.loop.problem),
                                 defaultStages(best.loop.problem, tiled.bounds, solving.constraints));
  SolveResult others = solve(reserved, solving);
  bool fits = verifySchedule(reserved, tiled.schedule, tiled.schedule.constraints).empty();
  if (others.hasSchedule || others.status == SolveStatus::Failed || fits)
    best.loop = std::move(joint);
  if (others.hasSchedule || others.status == SolveStatus::Failed) {
    tiled = std::move(others);
    return;
  }
  if (!fits) // what was refused or undecided with the room reserved is to be refused without
    others = solve(best.loop.problem, solving);
  tiled.status = others.status == SolveStatus::Infeasible ? SolveStatus::Optimal : SolveStatus::Feasible;
  tiled.bound = tiled.status == SolveStatus::Optimal ? tiled.schedule.ii : std::max(tiled.mii, others.bound);
  tiled.stages = others.stages;
  if (!others.binding.empty())
    tiled.binding = others.binding;
  tiled.seconds += others.seconds;
}

} // namespace heddle
