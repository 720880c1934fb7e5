//===- Assignments.cpp - Other assignments of groups, and larger bounds ------===//
//
// What:      where sub-tiles on groups of their own do not meet the bound: other assignments of one loop, proofs, and
//            bounds above the arithmetic one.
// Verifies:  every schedule by Certificate/Verify, here or where it is taken (Policy.cpp).
// Algorithm: the exact search, over slots and over orders, below the interval that is known.
//
//===----------------------------------------------------------------------===//
#include "PolicySearch.h"
#include "heddle/Certificate/Verify.h"

#include <algorithm>

namespace heddle {

void PolicySearch::takeByOrders() {
  LoopInstance real = given;
  if (severalResolutions() && real.problem.scale > 1)
    if (Result<LoopInstance> made = source.at(0))
      real = std::move(*made);
  if (best.result.hasSchedule && best.loop.problem.scale != real.problem.scale)
    return; // its order has no real times, so that no bound in real cycles is about it
  bool joint = false;
  for (int v = 0; subtiles() && v < static_cast<int>(real.problem.nodes.size()); ++v)
    joint |= real.problem.allowedGroups(v).size() != 1;
  SolveOptions solving = within(steps.orders);
  solving.onlyOrders = true;
  solving.explain = solving.lexicographic = false;
  takeByOrders(real, problemOf(real), !joint, solving);
  if (!joint || (best.result.hasSchedule && closeToBound()))
    return;
  reserve(real);
  takeByOrders(real, real.problem, true, solving);
}

void PolicySearch::takeByOrders(const LoopInstance &loop, const Problem &problem, bool whole, SolveOptions solving) {
  PolicyResult before = best;
  // Only a clearly smaller interval is worth another order.
  if (before.result.hasSchedule)
    solving.maxII = (cycles(before) - cycles(before) / roundingShare - 1) / loop.problem.scale;
  SolveResult r = solve(problem, solving);
  // More stages beside values that pass between groups take registers that the problem does not count: attention with a
  // window spilled.
  bool longer = loop.reserved && r.hasSchedule && before.result.hasSchedule &&
                r.schedule.stages(problem) > before.result.schedule.stages(before.loop.problem);
  if (r.hasSchedule && !longer) {
    best.loop = loop;
    best.result = {};
    best.result.stages = r.stages;
    if (!take(r.schedule, solving))
      best = std::move(before);
  }
  SolveResult &kept = best.result;
  if (!whole || !kept.hasSchedule || best.loop.problem.scale != loop.problem.scale || r.bound <= kept.bound)
    return;
  const Problem *told = &problem;
  // The bound is about the problem that is written: with room reserved only where the schedule kept is legal there.
  if (loop.reserved && !best.loop.reserved) {
    Problem reserved = best.loop.problem;
    if (source.reserve)
      source.reserve(reserved);
    if (verifySchedule(reserved, kept.schedule, kept.schedule.constraints).empty())
      reserve(best.loop);
    else
      r = solve(*(told = &best.loop.problem), solving);
  }
  if (solving.maxII && r.bound > solving.maxII && r.bound < kept.schedule.ii) { // what is smaller, but not clearly so
    solving.minII = r.bound;
    solving.maxII = kept.schedule.ii - 1;
    r = solve(*told, solving);
  }
  if (r.status == SolveStatus::Failed || r.bound <= kept.bound || r.stages < kept.schedule.stages(best.loop.problem))
    return;
  kept.stages = r.stages;
  kept.bound = std::min(kept.schedule.ii, r.bound);
  kept.binding = "every interval below " + std::to_string(kept.bound * loop.problem.scale) + " cycles is refuted";
}

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
