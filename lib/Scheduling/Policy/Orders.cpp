//===- Orders.cpp - What queries over orders say of a loop -------------------===//
//
// What:      whether a loop has any schedule; the least interval of sub-tiles on groups of their own, of any
//            assignment, with few stages first; bounds above the arithmetic one.
// Verifies:  every schedule by Certificate/Verify, where it is taken (Policy.cpp).
// Algorithm: the exact search with queries over orders only, in real cycles: their time does not grow with the number
//            of cycles. A refuted interval refutes all smaller ones wherever a schedule can be widened.
//
//===----------------------------------------------------------------------===//
#include "PolicySearch.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/Widen.h"
#include "heddle/Scheduling/Order/OrderSearch.h"

#include <algorithm>

namespace heddle {

/// Registers of a thread that a schedule in which values pass between groups is to leave: with fewer, ptxas spilled 84
/// bytes in attention with ALiBi.
static constexpr int64_t spareRegisters = 16;

const LoopInstance &PolicySearch::inCycles() {
  if (real)
    return *real;
  LoopInstance loop = given;
  if (severalResolutions() && given.problem.scale > 1)
    if (Result<LoopInstance> made = source.at(0))
      loop = std::move(*made);
  return real.emplace(std::move(loop));
}

SolveResult PolicySearch::askOrders(const Problem &problem, SolveOptions solving, int64_t least, int64_t most,
                                    int64_t stages) const {
  solving.onlyOrders = true;
  solving.lexicographic = false;
  solving.minII = std::max(solving.minII, least);
  solving.maxII = solving.maxII ? std::min(solving.maxII, most) : most;
  if (stages)
    solving.maxStages = stages;
  return solve(problem, solving);
}

bool PolicySearch::refutes(const SolveResult &r, const Problem &problem, int64_t ii) const {
  return r.status == SolveStatus::Infeasible && (r.bounds.infeasible || canWiden(problem, set, ii));
}

bool PolicySearch::mayExist() {
  if (!asksOrders())
    return true;
  const LoopInstance &loop = inCycles();
  auto longestOf = [&](const Problem &problem) {
    int64_t longest = std::min(maxInterval, lengthInTurn(problem));
    return options.below ? std::min(longest, (options.below - 1) / problem.scale) : longest;
  };
  // The program's order is no search, and answers in most loops.
  const Problem first = problemOf(loop);
  std::optional<Schedule> inTurn = scheduleSerially(first, set, options.solve.deadline.withoutPurse());
  if (inTurn && inTurn->ii <= longestOf(first)) {
    known = std::move(inTurn);
    return true;
  }
  auto none = [&](const Problem &problem, SolveResult &r) {
    const int64_t longest = longestOf(problem);
    SolveOptions solving = within(steps.exists);
    solving.explain = false;
    r = askOrders(problem, solving, longest, longest);
    return refutes(r, problem, longest);
  };
  SolveResult r;
  homesFit = !none(first, r);
  if (r.hasSchedule)
    known = r.schedule;
  if (homesFit || (subtiles() && !none(loop.problem, r)))
    return true;
  if (options.whyNot && options.solve.explain && r.binding.empty())
    if (SolveResult told = askOrders(loop.problem, within(steps.reason), r.maxII, r.maxII);
        told.status == SolveStatus::Infeasible)
      r = std::move(told);
  best.loop = loop;
  best.result = std::move(r);
  return false;
}

bool PolicySearch::isJoint() {
  const Problem &problem = inCycles().problem;
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v)
    if (subtiles() && problem.allowedGroups(v).size() != 1)
      return true;
  return false;
}

/// `problem` with `registers` fewer for the values of each thread.
static Problem withRoom(Problem problem, int64_t registers) {
  problem.regOverhead += registers;
  return problem;
}

bool PolicySearch::takeLeast(const LoopInstance &loop, const Problem &problem, int64_t count, int64_t mostStages) {
  SolveOptions whole = within(count);
  whole.explain = false;
  Bounds bounds = computeBounds(problem, set, whole.deadline);
  int64_t most = whole.maxStages ? whole.maxStages : defaultStages(problem, bounds, set, whole.deadline);
  most = mostStages ? std::min(most, mostStages) : most;
  for (int64_t stages = mostStages ? most : std::max<int64_t>(1, most - 1); stages <= most; ++stages) {
    int64_t below = best.result.hasSchedule ? notWorth(best) : options.below;
    SolveResult r = askOrders(problem, whole, 0, below ? (below - 1) / problem.scale : 0, stages);
    if (r.hasSchedule)
      takeInstead(loop, r, whole);
    if (whole.deadline.passed())
      return false;
  }
  return true;
}

bool PolicySearch::takeInstead(const LoopInstance &loop, const SolveResult &r, const SolveOptions &solving) {
  PolicyResult before = best;
  best.loop = loop;
  best.result = {};
  best.result.stages = r.stages;
  if (take(r.schedule, solving))
    return true;
  best = std::move(before);
  return false;
}

void PolicySearch::askHomes() {
  if (!severalResolutions() || !asksOrders())
    return;
  const LoopInstance &loop = inCycles();
  PolicyResult before = best;
  Problem homes = problemOf(loop);
  homesDecided = takeLeast(loop, homes, subtiles() ? steps.homes : steps.homes / 4); // slots prove what is given
  byOrders = std::exchange(best, std::move(before));
  askedHomes = true;
}

void PolicySearch::takeByOrders() {
  const LoopInstance &loop = inCycles();
  if (best.result.hasSchedule && best.loop.problem.scale != loop.problem.scale)
    return; // its order has no real times, so that no bound in real cycles is about it
  if (homesFit && !askedHomes)
    takeLeast(loop, problemOf(loop), steps.homes);
  if (isJoint() && !(best.result.hasSchedule && closeToBound())) {
    LoopInstance shared = loop;
    reserve(shared);
    // More stages beside values that pass between groups take registers that the problem does not count: attention with
    // a window spilled.
    takeLeast(shared, withRoom(shared.problem, spareRegisters), steps.orders,
              best.result.hasSchedule ? best.result.schedule.stages(best.loop.problem) : 0);
  }
  if (!best.result.hasSchedule)
    return;
  best.unraised =
      options.worth && options.effort == Effort::Budget && cycles(best) >= options.worth && !isFar(best.result);
  if (!best.unraised)
    raiseBound();
}

void PolicySearch::raiseBound() {
  SolveResult &kept = best.result;
  // The bound is about the problem that is written: with room reserved only where the schedule kept is legal there.
  if (isJoint() && !best.loop.reserved) {
    LoopInstance shared = best.loop;
    reserve(shared);
    if (verifySchedule(shared.problem, kept.schedule, kept.schedule.constraints).empty())
      best.loop = std::move(shared);
  }
  const Problem &problem = best.loop.problem;
  int64_t own = kept.schedule.stages(problem);
  int64_t asked = options.overlap ? options.solve.maxStages : 1;
  int64_t most = asked ? asked : std::max(own, defaultStages(problem, kept.bounds, set, within(steps.bound).deadline));
  auto partBelow = [&](int64_t share) { return (kept.schedule.ii * share + share) / (share + 1); };
  const std::vector<int64_t> bounds = {partBelow(boundShare), isJoint() ? partBelow(nearShare) : kept.schedule.ii};
  for (int64_t least : bounds)
    for (int64_t stages : {own, most}) {
      if (least < 2 || (kept.bound >= least && kept.stages >= stages))
        continue;
      OrderOptions query;
      query.constraints = set;
      query.ii = least - 1;
      query.stages = stages;
      int64_t share = least > bounds[0] ? 4 : stages > own ? 2 : 1;
      query.limits.deadline = within(steps.bound / share).deadline;
      if (!canWiden(problem, set, query.ii) || searchOrders(problem, query).answer != SatAnswer::Unsat)
        return;
      kept.bound = least;
      kept.stages = stages;
      kept.binding = "every interval below " + std::to_string(least) + " cycles with at most " +
                     std::to_string(stages) + (stages == 1 ? " stage" : " stages") + " is refuted" +
                     (stages < most ? ", of more stages nothing is known" : "");
    }
  refutedBelow = kept.bound;
  if (kept.bound == kept.schedule.ii && kept.stages >= most) // it keeps the word with a certificate (finish)
    kept.status = SolveStatus::Optimal;
}

} // namespace heddle
