//===- Upper.cpp - Upper bounds before any query ----------------------------===//
//
// What:      a good schedule by heuristics alone, in steps that do not grow with the number of cycles.
// Verifies:  every schedule by keepIfLegal. Nothing here ever proves an interval infeasible.
// Algorithm: insertion (Modulo/Insertion) at the bound, then at intervals further and further above it until a schedule
//            is found, with few insertions each; the order found gets the best times (Modulo/Refine). Then the distance
//            to what was not found is halved, with other assignments of groups in turn, and with twice as many
//            insertions whenever nothing is left to halve.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "heddle/Scheduling/Modulo/Insertion.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/Refine.h"

namespace heddle {

/// Insertions for each node with the groups of a coarse copy.
static constexpr int64_t insertionsAfter = 30;

/// One insertion at `ii` with the next assignment and seed. True: a schedule was found, given the best times and kept.
bool Search::tryInsertion(int64_t ii, int64_t insertions, const Deadline &deadline, bool follow) {
  size_t groups = insertionGroups.size();
  InsertionOptions insert;
  insert.constraints = set;
  insert.ii = ii;
  insert.stages = moreStages ? 0 : result.stages;
  insert.insertions = insertions * static_cast<int64_t>(p.nodes.size());
  insert.seed = insertionTry / groups;
  insert.deadline = deadline;
  if (follow)
    insert.follow = &result.schedule;
  std::optional<Schedule> s =
      scheduleByInsertion(p, follow ? result.schedule.group : insertionGroups[insertionTry % groups], insert);
  if (!s) {
    insertionTry += !follow; // what found a schedule is tried again at the next interval
    return false;
  }
  say((follow ? "insertion after the best so far at interval " : "insertion at interval ") + std::to_string(ii) +
      ": found");
  if (ii > result.bound) {
    RefineOptions refine;
    refine.constraints = set;
    refine.minII = result.bound;
    refine.maxII = ii;
    refine.stages = moreStages ? s->stages(p) : result.stages;
    refine.moves = refinementMoves / 8;
    refine.deadline = deadline;
    if (std::optional<Schedule> better = refineSchedule(p, p, *s, refine)) {
      say("  with the best times: interval " + std::to_string(better->ii));
      s = std::move(better);
    }
  }
  if (!keepIfLegal(std::move(*s)))
    return false;
  if (moreStages) // the guarantee is about as many stages as this schedule needs
    result.stages = std::max(result.stages, result.schedule.stages(p));
  moreStages = false;
  return true;
}

/// Insertion at the bound with the groups of `rough`, a schedule of a coarse copy, and after its times. The groups are
/// the first guess from here on.
void Search::insertAfter(const Schedule &rough) {
  insertionGroups.insert(insertionGroups.begin(), rough.group);
  InsertionOptions insert;
  insert.constraints = set;
  insert.ii = result.bound;
  insert.stages = result.stages;
  insert.insertions = insertionsAfter * static_cast<int64_t>(p.nodes.size());
  insert.deadline = limits.deadline;
  for (uint64_t seed : {0, 1}) {
    insert.follow = seed ? nullptr : &rough;
    insert.seed = seed;
    if (met(result.bound) || limits.exceeded())
      return;
    std::optional<Schedule> s = scheduleByInsertion(p, rough.group, insert);
    say(std::string("  insertion with these groups: ") + (s ? "found" : "none"));
    if (s)
      keepIfLegal(std::move(*s));
  }
}

/// The schedule of the heuristic, which knows no limit of stages.
void Search::byHeuristic(const Deadline &deadline) {
  HeuristicOptions heuristic;
  heuristic.constraints = set;
  heuristic.maxII = result.maxII;
  heuristic.deadline = deadline;
  Result<Schedule> first = scheduleHeuristic(p, heuristic);
  if (first && (!options.maxStages || first->stages(p) <= options.maxStages))
    keepIfLegal(*first);
}

void Search::insertFirst(int64_t steps) {
  Deadline deadline = limits.deadline.afterSteps(steps);
  int64_t bound = result.bound, low = bound; // low: where none was found
  doing("insertion at interval ", low);
  insertionGroups = likelyGroups(p, set, low, moreStages ? 4 * result.stages : result.stages, likelyCandidates);
  if (insertionGroups.empty() && p.groups.empty())
    insertionGroups.push_back(std::vector<int>(p.nodes.size(), -1));
  if (insertionGroups.empty() || bound > result.maxII)
    return;
  auto more = [&] { return !deadline.passed() && result.message.empty(); };
  int64_t top = options.maxII ? options.maxII : result.maxII;
  auto most = [&] { return result.hasSchedule ? result.schedule.ii - 1 : top; };
  bool serial = false;
  for (int64_t insertions = 4; more() && !met(bound) && insertions <= 1024; insertions *= 2) {
    for (int64_t percent : {100, 105, 115, 135, 175, 250, 400}) {
      int64_t ii = bound * percent / 100;
      if (ii > most() || !more() || tryInsertion(ii, insertions, deadline))
        break;
      if (percent == 100) // the other assignments as well, where a schedule would be optimal
        for (size_t k = 1; k < insertionGroups.size() && more() && !met(bound); ++k)
          tryInsertion(ii, insertions, deadline);
      if (met(bound))
        return;
    }
    if (!result.hasSchedule && !serial && !limits.deadline.passed()) {
      serial = true;
      std::optional<Schedule> s = scheduleSerially(p, set, deadline);
      if (s && s->ii <= top)
        keepIfLegal(std::move(*s));
      say("in the order of the program: " +
          (result.hasSchedule ? "interval " + std::to_string(result.schedule.ii) : "none"));
    }
    low = bound;
    while (more() && result.hasSchedule && result.schedule.ii - low > std::max<int64_t>(1, low / 100)) {
      int64_t middle = low + (result.schedule.ii - low) / 2;
      if (!tryInsertion(middle, insertions, deadline, true) && !tryInsertion(middle, insertions, deadline))
        low = middle;
    }
  }
}

} // namespace heddle
