//===- Coarse.cpp - Large intervals by way of coarse copies ---------------===//
//
// What:      two uses of the problem with all times divided by a factor: rounded to the nearest, its solution tells
//            where to look (a restricted query that can only say yes); rounded up, its solution stretched is a legal
//            schedule.
// Verifies:  every schedule by keepIfLegal. Nothing here ever proves an interval infeasible.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "heddle/Scheduling/Modulo/Refine.h"
#include "heddle/Scheduling/Problem/Coarse.h"

namespace heddle {

/// A coarse copy to look for an order in: rounded to the nearest, or down where starts are pinned, since their
/// distances leave no room for what is rounded up.
Problem Search::roughCopy(int64_t factor) const { return coarseCopy(p, factor, pinsStarts() ? 0 : factor / 2); }

bool Search::pinsStarts() const {
  return std::any_of(p.nodes.begin(), p.nodes.end(), [](const Node &node) { return node.pinStart >= 0; });
}

/// Large queries: solves a coarse copy of the problem (times divided by about ii / 128 or ii / 48, rounded) and looks
///                for a schedule
/// near its solution, widening twice. True when one was found; otherwise nothing is known.
bool Search::askGuided(int64_t ii, int64_t stages, const SearchLimits &given) {
  int64_t factor = ceilDiv(ii, ii > fineIntervals ? 128 : 48);
  if (factor == 1)
    return false;
  Problem coarse = roughCopy(factor);
  SolveOptions o = options;
  o.minII = ii / factor;
  o.maxII = std::max(o.minII, computeBounds(coarse, set, limits.deadline).mii) + 4;
  o.maxStages = stages;
  o.lexicographic = o.explain = o.anytime = false;
  o.step = nullptr; // its intervals are not those of the problem
  o.timeLimit = 0.2 * seconds;
  o.deadline = given.deadline;
  o.conflictLimit = fewer(given, guidedConflicts).conflicts;
  SolveResult r = solve(coarse, o);
  if (!r.hasSchedule)
    return false;
  Guide guide;
  guide.group = r.schedule.group;
  for (int64_t start : r.schedule.start)
    guide.start.push_back(start * ii / r.schedule.ii);
  // Where like parts repeat each other in the coarse schedule, they do so here first.
  int64_t apart = -1;
  for (size_t v = 0; v < leaders.size(); ++v)
    if (leaders[v] >= 0) {
      int64_t distance = r.schedule.start[v] - r.schedule.start[leaders[v]];
      apart = apart == -1 || apart == distance ? distance : -2;
    }
  for (int64_t share : {2, 4})
    if (apart >= 0 && apart == r.schedule.ii / share) {
      Guide tied = guide;
      tied.leader = leaders;
      tied.shift = ii / share;
      for (int64_t part : {24, 6}) {
        tied.slack = ii / part;
        SearchLimits brief = fewer(given, guidedConflicts);
        brief.deadline = given.deadline.within(0.1 * seconds);
        if (ask(ii, stages, brief, nullptr, &tied) == SatAnswer::Sat)
          return true;
        if (!result.message.empty())
          return false;
      }
    }
  for (int64_t part : {24, 8, 3}) {
    guide.slack = ii / part;
    SearchLimits brief = fewer(given, guidedConflicts);
    brief.deadline = given.deadline.within(0.1 * seconds);
    if (ask(ii, stages, brief, nullptr, &guide) == SatAnswer::Sat)
      return true;
    if (!result.message.empty())
      return false;
  }
  return false;
}

/// A good schedule before anything is proved: coarse copies are solved, from few cells of time to many, and the orders
/// of their schedules given the best times. Ends where the lower bound is met, or where more cells stop to help.
void Search::fromCoarse(int64_t mostCells) {
  RefineOptions refine;
  refine.constraints = set;
  refine.minII = result.bound;
  refine.stages = result.stages;
  refine.deadline = limits.deadline;
  refine.moves = refinementMoves;
  for (int64_t cells : {24, 48, 96, 160}) {
    if (cells <= coarseCells || cells > mostCells)
      continue;
    coarseCells = cells;
    int64_t factor = ceilDiv(result.bound, cells);
    if (factor < 2 || met(result.bound) || limits.exceeded() || !result.message.empty() ||
        (cells > 48 && result.hasSchedule && !options.prove))
      return;
    doing("order in " + std::to_string(cells) + " cells of interval ", result.bound);
    Problem coarse = roughCopy(factor);
    SolveOptions o = options;
    o.minII = o.maxII = 0;
    o.maxStages = result.stages;
    o.lexicographic = o.explain = o.anytime = o.prove = false;
    o.step = nullptr; // its intervals are not those of the problem
    o.deadline = limits.deadline.part(options.prove ? 0.15 : 0.3);
    o.conflictLimit = fewer(limits, coarseConflicts).conflicts;
    SolveResult r = solve(coarse, o);
    say("in " + std::to_string(cells) + " cells: " + solveStatusName(r.status) +
        (r.hasSchedule ? ", interval " + std::to_string(r.schedule.ii) : ""));
    if (!r.hasSchedule)
      continue;
    refine.maxII = result.hasSchedule ? result.schedule.ii - 1 : result.maxII;
    std::optional<Schedule> refined = refineSchedule(p, coarse, r.schedule, refine);
    say(refined ? "  in real times: interval " + std::to_string(refined->ii) : std::string("  no real times"));
    if (refined)
      keepIfLegal(std::move(*refined));
    if (options.insertion)
      insertAfter(r.schedule);
  }
}

/// Schedules from the bound upward until one is found, in steps that grow, then downward by halving the distance to
/// what was not found. Each interval gets few conflicts, and what is not found in them may exist.
void Search::descend(int64_t conflicts) {
  bool fixed = true;
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
    fixed &= p.groups.empty() || p.allowedGroups(v).size() == 1;
  auto found = [&](int64_t ii) {
    Guesses guesses = guessAt(ii, result.stages);
    return askLikely(ii, result.stages, limits, guesses, fixed ? 1 : 3, conflicts) ||
           (!fixed && result.message.empty() && ask(ii, result.stages, fewer(limits, 2 * conflicts)) == SatAnswer::Sat);
  };
  auto more = [&] { return !limits.exceeded() && result.message.empty(); };
  int64_t low = result.bound;
  for (int64_t percent : {100, 125, 160, 220, 320}) {
    int64_t ii = result.bound * percent / 100;
    if ((result.hasSchedule && ii >= result.schedule.ii) || ii > result.maxII || !more() || found(ii))
      break;
    low = ii;
  }
  int failed = 0;
  while (result.hasSchedule && result.schedule.ii - low > std::max<int64_t>(1, low / 128) && more()) {
    int64_t middle = low + (result.schedule.ii - low) / 2;
    if (found(middle))
      continue;
    low = middle;
    if (guidance && ++failed == 2)
      break; // the order of a coarse copy is given the best times; what is left to gain is small
  }
}

/// Some schedule after the search at `ii` reached its share of the limit. The heuristic first. Then, at large
/// intervals, a coarse copy with all times rounded up is solved; its schedule, stretched, is legal (every duration only
/// grew), and is then pulled together around smaller intervals. Otherwise larger and larger intervals are tried.
void Search::fallBack(int64_t ii) {
  SearchLimits grace = limits;
  if (limits.deadline.left() < 0.1)
    grace.deadline = options.deadline.within(0.1);
  auto share = [&](double part) {
    SearchLimits out = grace;
    out.deadline = grace.deadline.part(part);
    return out;
  };
  // One that takes a moment to find is worth it.
  byHeuristic(!result.hasSchedule && grace.deadline.left() < 0.1 ? Deadline::in(0.05) : share(0.3).deadline);
  if (ii <= fineIntervals) {
    // Far above first, where schedules are easy to find, then down until one is not found.
    for (int64_t percent : {400, 250, 180, 140, 120, 110, 105, 102}) {
      int64_t at = std::max(ii + 1, ii * percent / 100);
      if (at > result.maxII || (result.hasSchedule && result.schedule.ii <= at))
        continue;
      Guesses guesses = guessAt(at, result.stages);
      bool found = askLikely(at, result.stages, grace, guesses, 2, 1000);
      SearchLimits brief = share(0.4);
      for (int64_t stages = leastStages(at);
           stages <= result.stages && !found && result.message.empty() && !brief.exceeded(); ++stages)
        found = ask(at, stages, brief) == SatAnswer::Sat;
      if (grace.exceeded() || !result.message.empty() || (!found && result.hasSchedule))
        break;
    }
    return;
  }
  if (pinsStarts()) // no multiple of the factor may be what is pinned
    return;
  int64_t factor = ceilDiv(ii, 160);
  SolveOptions o = options;
  o.lexicographic = o.explain = false;
  o.step = nullptr; // its intervals are not those of the problem
  o.maxStages = result.stages;
  Problem coarse = coarseCopy(p, factor, factor - 1);
  o.minII = computeBounds(coarse, set, limits.deadline).mii * 21 / 20;
  if (o.minII >= ii) // costs of a cell or less do not get smaller, and this would go on with the same problem
    return;
  o.deadline = share(0.4).deadline;
  SolveResult r = solve(coarse, o);
  if (!r.hasSchedule)
    return;
  Schedule schedule = r.schedule;
  schedule.ii *= factor;
  for (int64_t &start : schedule.start)
    start *= factor;
  if (!keepIfLegal(schedule, /*certain=*/false)) // what is taken a while after a start may be taken earlier there
    return;
  Guide guide{{}, schedule.group, 0, {}, {}, 0};
  int64_t low = ii; // not known to be feasible; what is found bounds it from above
  while (result.hasSchedule && result.schedule.ii - low > std::max<int64_t>(1, low / 100) && !grace.exceeded()) {
    int64_t middle = low + (result.schedule.ii - low) / 2;
    guide.start.clear();
    for (int64_t start : result.schedule.start)
      guide.start.push_back(start * middle / result.schedule.ii);
    guide.slack = middle / 12;
    if (ask(middle, result.stages, share(0.3), nullptr, &guide) != SatAnswer::Sat)
      low = middle;
  }
}

} // namespace heddle
