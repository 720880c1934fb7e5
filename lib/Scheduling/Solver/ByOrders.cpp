//===- ByOrders.cpp - Schedules and bounds by orders alone -----------------===//
//
// What:      the search over intervals with queries over orders (Order/OrderSearch), whose time does not grow with the
//            number of cycles: a schedule as near the bound as few conflicts allow, and a bound as near the schedule.
// Verifies:  every schedule by keepIfLegal.
// Algorithm: at the bound and further and further above it, likely groups first, then any, until there is a schedule;
//            the distance to what was not found is halved. Then intervals from the bound upward are refuted, many at
//            once where one query does it.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "heddle/Scheduling/Order/OrderSearch.h"

namespace heddle {

/// Some schedule, or a refutation, at the intervals from `ii` to `last` with these groups (empty: any).
SatAnswer Search::askOrders(int64_t ii, int64_t last, const std::vector<int> &group, int64_t conflicts) {
  OrderOptions o;
  o.constraints = set;
  o.ii = ii;
  o.last = last;
  o.stages = result.stages;
  o.group = group;
  o.near = result.hasSchedule ? &result.schedule : nullptr;
  if (!insertionGroups.empty())
    o.likely = insertionGroups[0];
  o.limits = fewer(limits, conflicts);
  OrderAnswer answer = searchOrders(p, o);
  say("orders at interval " + std::to_string(ii) + (last > ii ? " to " + std::to_string(last) : "") +
      (group.empty() ? "" : ", likely groups") +
      (answer.answer == SatAnswer::Sat     ? ": found"
       : answer.answer == SatAnswer::Unsat ? ": refuted"
                                           : ": not decided"));
  if (answer.schedule && !keepIfLegal(std::move(*answer.schedule)))
    return SatAnswer::Unknown;
  return answer.answer;
}

/// A schedule at `ii`: likely groups first. Unsat: there is none.
SatAnswer Search::findByOrders(int64_t ii, int64_t conflicts) {
  doing("orders at interval ", ii);
  bool fixed = true;
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
    fixed &= p.groups.empty() || p.allowedGroups(v).size() == 1;
  insertionGroups = fixed ? std::vector<std::vector<int>>() : likelyGroups(p, set, ii, result.stages, likelyCandidates);
  if (result.hasSchedule && !fixed)
    insertionGroups.insert(insertionGroups.begin(), result.schedule.group);
  for (const std::vector<int> &group : std::vector<std::vector<int>>(insertionGroups))
    if (askOrders(ii, ii, group, conflicts) == SatAnswer::Sat)
      return SatAnswer::Sat;
  return limits.exceeded() ? SatAnswer::Unknown : askOrders(ii, ii, {}, conflicts);
}

/// Raises the bound.
void Search::refuteByOrders(int64_t conflicts) {
  int64_t width = std::max<int64_t>(1, result.bound / 32);
  auto top = [&] { return result.hasSchedule ? result.schedule.ii - 1 : result.maxII; };
  while (result.bound <= top() && !limits.exceeded() && result.message.empty()) {
    int64_t last = std::min(top(), result.bound + width - 1);
    doing("orders at interval ", result.bound);
    SatAnswer answer = askOrders(result.bound, last, {}, conflicts);
    if (answer == SatAnswer::Unsat) {
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
  int64_t low = result.bound; // where none was found
  auto most = [&] { return result.hasSchedule ? result.schedule.ii - 1 : result.maxII; };
  auto more = [&] { return !limits.exceeded() && result.message.empty() && !met(result.bound); };
  for (int64_t percent : {100, 101, 102, 104, 108, 116, 132, 164, 228, 356}) {
    int64_t ii = std::max(low, result.mii * percent / 100);
    if (ii > most() || !more())
      break;
    SatAnswer answer = findByOrders(ii, conflicts);
    if (answer == SatAnswer::Sat)
      break;
    if (answer == SatAnswer::Unsat && ii == result.bound)
      ++result.bound;
    low = ii + 1;
  }
  while (result.hasSchedule && low < result.schedule.ii && more()) {
    int64_t middle = low + (result.schedule.ii - low) / 2;
    if (middle == result.schedule.ii || findByOrders(middle, conflicts) != SatAnswer::Sat)
      low = middle + 1;
  }
  refuteByOrders(conflicts);
}

} // namespace heddle
