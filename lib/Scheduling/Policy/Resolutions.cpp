//===- Resolutions.cpp - Which cost resolution, and real times for its order ===//
//
// What:      of the schedules of one loop at a few cost resolutions the one that is kept, and the best times that real
//            cycles allow for its order.
// Verifies:  what is taken (Policy.cpp) and what refinement returns (Modulo/Refine), by Certificate/Verify.
// Algorithm: groups that take turns first; then a good schedule at each resolution, without a proof; of those that meet
//            their bound the one whose order by itself attains the smallest interval.
//
//===----------------------------------------------------------------------===//
#include "PolicySearch.h"
#include "heddle/Scheduling/Modulo/Refine.h"
#include "heddle/Scheduling/Modulo/SelfTimed.h"

#include <algorithm>
#include <tuple>

namespace heddle {

/// Exchanges of neighbours that are tried with the order that is taken over to real times.
static constexpr int64_t realTimesMoves = 1000;
/// Resolutions that are solved, in percent of the one asked for.
static constexpr int64_t nearbyPercents[] = {100, 200, 125, 150, 75};

bool orderMatters(const Problem &problem) {
  return std::any_of(problem.edges.begin(), problem.edges.end(), [&](const Edge &e) {
    return problem.nodes[e.from].async && !problem.nodes[e.from].variableLatency && !problem.nodes[e.to].async;
  });
}

bool PolicySearch::takeStaggered() {
  std::vector<PolicyResult> found;
  int tries = 0;
  for (int64_t percent : nearbyPercents) {
    if (tries++ >= 2 && (found.empty() || options.solve.deadline.passed()))
      break;
    if (options.inTurn && !found.empty() && isClose(found.back()))
      break;
    best.loop = given;
    best.result = {};
    if (percent != 100) {
      Result<LoopInstance> made = source.at(options.resolution * percent / 100);
      if (!made)
        continue;
      best.loop = std::move(*made);
    }
    SolveOptions solving = within(steps.staggered);
    int64_t least = computeBounds(best.loop.problem, set, solving.deadline).mii, most = least + least / 4;
    if (homesDecided && byOrders.result.hasSchedule && !isClose(byOrders)) {
      least = std::max(least, (cycles(byOrders) + best.loop.problem.scale - 1) / best.loop.problem.scale);
      most = least + least / roundingShare;
    }
    std::optional<Schedule> schedule = scheduleStaggered(problemOf(best.loop), least, most, solving);
    if (schedule && take(*schedule, solving))
      found.push_back(best);
  }
  best.loop = given;
  best.result = {};
  int64_t least = INT64_MAX;
  for (const PolicyResult &r : found)
    least = std::min(least, cycles(r));
  auto rank = [&](const PolicyResult &r) {
    bool rounded = cycles(r) - least <= least / roundingShare;
    return std::tuple(!rounded, r.result.schedule.stages(r.loop.problem), cycles(r));
  };
  auto kept = std::min_element(found.begin(), found.end(),
                               [&](const PolicyResult &a, const PolicyResult &b) { return rank(a) < rank(b); });
  if (kept != found.end())
    best = *kept;
  return best.result.hasSchedule;
}

static int64_t attained(const PolicyResult &r) {
  return selfTimedInterval(r.loop.problem, r.result.schedule) * r.loop.problem.scale;
}

PolicyResult PolicySearch::solveQuickly(LoopInstance loop, int64_t count, int64_t most, bool explain) const {
  SolveOptions solving = within(count);
  solving.prove = false;
  solving.explain &= explain;
  if (severalResolutions()) // a hard instance at one resolution leaves room for the others
    solving.deadline = solving.deadline.within(0.5 * solving.deadline.left());
  if (most)
    solving.maxII = (most - 1) / loop.problem.scale;
  PolicyResult out;
  out.result = solveFirst(loop, solving);
  out.loop = std::move(loop);
  return out;
}

void PolicySearch::solveResolutions() {
  bool choose = severalResolutions() && orderMatters(best.loop.problem);
  askHomes();
  staggered = choose && takeStaggered();
  if (staggered && (proved() || closeToBound()))
    return;
  int64_t most = staggered ? notWorth(best) : 0, lastTried = best.loop.problem.scale;
  // Its goals are few registers, which orders do not have; but where they know a schedule, little else is to be found.
  bool attainable = !byOrders.result.hasSchedule || isClose(byOrders);
  PolicyResult first = solveQuickly(given, attainable ? steps.first : steps.first / 2, most, true);
  if (first.result.hasSchedule || first.result.status == SolveStatus::Failed || !staggered)
    best = std::move(first);
  if (best.result.status == SolveStatus::Failed || refused())
    return;
  // Where the first is not proved, its order in real times is better than another one.
  if (!severalResolutions() || !proved())
    return;
  if (!choose)
    return takeShorterTimes();
  // Of the schedules proved least the one is kept whose order by itself attains the smallest interval.
  for (int64_t percent : nearbyPercents) {
    if (percent == 100)
      continue;
    if (options.solve.deadline.passed()) {
      best.stoppedChoosing = !options.solve.deadline.spent();
      return;
    }
    Result<LoopInstance> made = source.at(options.resolution * percent / 100);
    if (!made || made->problem.scale == lastTried)
      continue;
    lastTried = made->problem.scale;
    std::optional<PolicyResult> carried = carriedOver(*made, 0);
    PolicyResult other = carried && carried->result.status == SolveStatus::Optimal
                             ? std::move(*carried)
                             : solveQuickly(std::move(*made), steps.others, 0, false);
    if (other.result.hasSchedule && other.result.status == SolveStatus::Optimal && attained(other) < attained(best))
      best = std::move(other);
  }
  takeShorterTimes();
}

std::optional<PolicyResult> PolicySearch::carriedOver(LoopInstance to, int64_t most) {
  if (best.loop.reserved)
    reserve(to);
  const Problem &rough = best.loop.problem, &fine = to.problem;
  bool alike = rough.nodes.size() == fine.nodes.size() && rough.edges.size() == fine.edges.size();
  for (size_t v = 0; alike && v < fine.nodes.size(); ++v)
    alike = rough.nodes[v].reservations.size() == fine.nodes[v].reservations.size();
  if (!alike)
    return std::nullopt;
  SolveOptions solving = within(steps.realTimes);
  RefineOptions refine;
  refine.constraints = set;
  refine.maxII = most ? (most - 1) / fine.scale : 0;
  refine.minII = computeBounds(fine, set, solving.deadline).mii;
  refine.stages = std::max(solving.maxStages, best.result.stages);
  refine.moves = realTimesMoves;
  refine.deadline = solving.deadline;
  std::optional<Schedule> schedule = refineSchedule(fine, rough, best.result.schedule, refine);
  if (!schedule)
    return std::nullopt;
  PolicyResult rounded = best;
  best.loop = std::move(to);
  best.result = {};
  best.result.stages = rounded.result.stages;
  bool taken = take(*schedule, solving);
  std::swap(best, rounded);
  return taken ? std::optional<PolicyResult>(std::move(rounded)) : std::nullopt;
}

void PolicySearch::takeRealTimes(int64_t most) {
  if (best.loop.problem.scale == 1)
    return;
  if (Result<LoopInstance> made = source.at(0))
    if (std::optional<PolicyResult> fine = carriedOver(std::move(*made), most))
      best = std::move(*fine);
}

void PolicySearch::takeShorterTimes() {
  if (severalResolutions())
    takeRealTimes(cycles(best) - cycles(best) / 100);
}

} // namespace heddle
