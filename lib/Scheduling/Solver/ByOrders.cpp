//===- ByOrders.cpp - Schedules and bounds by orders alone -----------------===//
//
// What:      the search over intervals with queries over orders (Order/OrderSearch), whose time does not grow with the
//            number of cycles: a schedule as near the bound as few conflicts allow, and a bound as near the schedule.
// Verifies:  every schedule by keepIfLegal.
// Algorithm: at the bound and further and further above it, likely groups first, then any, until there is a schedule;
//            the distance to what was not found is halved. Before that by the slots of one interval alone, and after
//            it by everything, intervals from the bound upward are refuted, many at once where one query does it.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "heddle/Scheduling/Order/OrderSearch.h"

namespace heddle {

/// Conflicts of a query over the slots of one interval, which is far smaller, for one of a query over orders.
static constexpr int64_t slotConflicts = 5;

/// Intervals that one walk leaves undecided before it ends.
static constexpr int64_t mostOpen = 4;

/// Some schedule, or a refutation, at the intervals from `ii` to `last` with these groups (empty: any); of the slots in
/// one interval alone, a refutation or nothing; with like parts `apart` cycles apart, if that is not 0, a schedule or
/// nothing.
SatAnswer Search::askOrders(int64_t ii, int64_t last, const std::vector<int> &group, int64_t conflicts, bool slots,
                            int64_t apart) {
  if (limits.exceeded()) // a query is made in a time that grows with the square of the nodes
    return SatAnswer::Unknown;
  OrderOptions o;
  o.constraints = set;
  o.ii = ii;
  o.last = last;
  o.stages = result.stages;
  o.slots = slots;
  o.group = group;
  o.near = result.hasSchedule ? &result.schedule : nullptr;
  if (!insertionGroups.empty())
    o.likely = insertionGroups[0];
  if (apart)
    o.leaders = leaders;
  o.apart = apart;
  o.limits = fewer(limits, conflicts);
  OrderAnswer answer = searchOrders(p, o);
  say((slots ? "slots at interval " : "orders at interval ") + std::to_string(ii) +
      (last > ii ? " to " + std::to_string(last) : "") + (group.empty() ? "" : ", likely groups") +
      (apart ? ", parts repeating each other" : "") +
      (answer.answer == SatAnswer::Sat     ? ": found"
       : answer.answer == SatAnswer::Unsat ? ": refuted"
                                           : ": not decided"));
  if (answer.schedule && !keepIfLegal(std::move(*answer.schedule)))
    return SatAnswer::Unknown;
  return apart && answer.answer == SatAnswer::Unsat ? SatAnswer::Unknown : answer.answer;
}

/// A schedule at `ii` on likely groups, then, where `any`, on any. Unsat: there is none at all.
SatAnswer Search::findByOrders(int64_t ii, int64_t conflicts, bool any) {
  doing("orders at interval ", ii);
  bool fixed = true;
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
    fixed &= p.groups.empty() || p.allowedGroups(v).size() == 1;
  insertionGroups = fixed ? std::vector<std::vector<int>>() : likelyGroups(p, set, ii, result.stages, likelyCandidates);
  if (result.hasSchedule && !fixed)
    insertionGroups.insert(insertionGroups.begin(), result.schedule.group);
  int64_t few = any ? std::min(conflicts, firstOrderConflicts) : conflicts;
  bool repeats = options.insertion && ii == result.bound &&
                 std::any_of(leaders.begin(), leaders.end(), [](int v) { return v >= 0; });
  for (const std::vector<int> &group : std::vector<std::vector<int>>(insertionGroups))
    if ((repeats && askOrders(ii, ii, group, few, false, ii / 2) == SatAnswer::Sat) ||
        askOrders(ii, ii, group, few) == SatAnswer::Sat)
      return SatAnswer::Sat;
  if (repeats && any && askOrders(ii, ii, {}, few / 2, false, ii / 2) == SatAnswer::Sat)
    return SatAnswer::Sat;
  return limits.exceeded() || !(any || fixed) ? SatAnswer::Unknown : askOrders(ii, ii, {}, conflicts);
}

/// There is no schedule at `ii`.
void Search::refuted(int64_t ii) {
  if (ii == result.bound || (ii > result.bound && widens))
    result.bound = ii + 1;
}

/// Raises the bound; by the slots in one interval alone, or by everything. So many conflicts do not decide `least`.
void Search::refuteByOrders(int64_t conflicts, bool slots, int64_t least) {
  if (!widens)
    return refuteRanges(conflicts, slots);
  auto top = [&] { return result.hasSchedule ? result.schedule.ii - 1 : result.maxII; };
  auto between = [&] { return result.bound + (least - 1 - result.bound) / 2; };
  bool last = least > top() + 1;
  least = std::min(least, top() + 1);
  for (int64_t ii = last ? top() : between(), open = 0;
       ii >= result.bound && ii < least && open < mostOpen && !limits.exceeded();) {
    doing("orders at interval ", ii);
    SatAnswer answer = askOrders(ii, ii, {}, conflicts, slots);
    if (!result.message.empty())
      return;
    open += answer == SatAnswer::Unknown;
    if (answer == SatAnswer::Unsat)
      refuted(ii);
    else
      least = ii;
    ii = answer == SatAnswer::Sat ? ii - 1 : between();
  }
}

/// The same where a refuted interval says nothing of smaller ones: many at once where one query does it.
void Search::refuteRanges(int64_t conflicts, bool slots) {
  int64_t width = std::max<int64_t>(1, result.bound / 32);
  auto top = [&] { return result.hasSchedule ? result.schedule.ii - 1 : result.maxII; };
  while (result.bound <= top() && !limits.exceeded() && result.message.empty()) {
    int64_t last = std::min(top(), result.bound + width - 1);
    doing("orders at interval ", result.bound);
    if (askOrders(result.bound, last, {}, conflicts, slots) == SatAnswer::Unsat) {
      result.bound = last + 1;
      width *= 2;
    } else if (last == result.bound) {
      return;
    } else {
      width = std::max<int64_t>(1, (last - result.bound + 1) / 4);
    }
  }
}

void Search::byOrders(int64_t conflicts) {
  refuteByOrders(slotConflicts * conflicts, true, INT64_MAX);
  int64_t low = result.bound, open = INT64_MAX; // where none was found, and the least that was not decided
  auto most = [&] { return result.hasSchedule ? result.schedule.ii - 1 : result.maxII; };
  auto more = [&] { return low <= most() && !limits.exceeded() && result.message.empty() && !met(result.bound); };
  auto found = [&](int64_t ii) {
    SatAnswer answer = findByOrders(ii, conflicts);
    if (answer == SatAnswer::Unsat)
      refuted(ii);
    if (answer == SatAnswer::Unknown)
      open = std::min(open, ii);
    low = answer == SatAnswer::Sat ? low : ii + 1;
    return answer == SatAnswer::Sat;
  };
  if (!result.hasSchedule && !options.maxII)
    for (int64_t percent : {100, 101, 102, 104, 108, 116, 132, 164, 228, 356})
      if (int64_t ii = std::max(low, result.mii * percent / 100); !more() || ii > most() || found(ii))
        break;
  // What few conflicts have found is often the best, and of a limit given nothing below is easier: one refutation may
  // end the search.
  const bool strong = conflicts >= moreOrderConflicts;
  if (widens && more() && (result.hasSchedule ? strong : options.maxII > 0))
    (void)found(most());
  while (more())
    (void)found(most() - (most() - low) / (strong ? 4 : 2));
  refuteByOrders(conflicts, false, open);
}

/// The interval found, in fewer stages.
void Search::fewerStagesByOrders(int64_t conflicts) {
  int64_t guaranteed = result.stages;
  auto better = [&] { return result.hasSchedule && result.stages < result.schedule.stages(p) && !limits.exceeded(); };
  for (result.stages = leastStages(result.schedule.ii); better() && result.message.empty(); ++result.stages)
    if (askOrders(result.schedule.ii, result.schedule.ii, {}, conflicts) == SatAnswer::Sat)
      break;
  result.stages = guaranteed;
}

} // namespace heddle
