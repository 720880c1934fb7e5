//===- Heuristic.cpp - Iterative modulo scheduling (Rau) ------------------===//
//
// What:      see Modulo.h. Groups are chosen before placement: pinned, else with `never` partners, else the least
//            loaded.
// Verifies:  the result by Certificate/Verify. Memory and registers are not searched: where a result holds too much,
//            Refine.cpp makes values wait for each other.
// Algorithm: B. R. Rau, "Iterative Modulo Scheduling", MICRO-27, 1994: height priority, budget, eviction.
//
//===----------------------------------------------------------------------===//
#include "Place.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Bounds/Bounds.h"
#include "heddle/Scheduling/Bounds/Pinned.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/Refine.h"

#include <set>

namespace heddle {
namespace {

std::vector<int> chooseGroups(const Problem &p) {
  std::vector<int> group(p.nodes.size(), -1);
  std::vector<int64_t> load(p.groups.size(), 0);
  std::vector<std::vector<int>> partners(p.nodes.size()); // in the order of the edges
  for (const Edge &e : p.edges)
    if (e.transfer != 0) {
      partners[e.from].push_back(e.to);
      partners[e.to].push_back(e.from);
    }
  for (int v = 0; v < static_cast<int>(p.nodes.size()) && !p.groups.empty(); ++v) {
    std::vector<int> allowed = p.allowedGroups(v);
    int best = allowed[0];
    for (int g : allowed)
      if (load[g] < load[best])
        best = g;
    for (int partner : partners[v])
      if (int other = group[partner]; other >= 0 && std::count(allowed.begin(), allowed.end(), other))
        best = other;
    group[v] = best;
    load[best] += std::max<int64_t>(1, p.nodes[v].latency);
  }
  return group;
}

bool placeAll(const Problem &p, const HeuristicOptions &options, const std::vector<int> &group, Schedule &s) {
  int n = static_cast<int>(p.nodes.size());
  int64_t ii = s.ii;
  auto gap = [&](const Edge &e) { return delayUnder(p, e, group, options.constraints) - e.distance * ii; };
  std::vector<int64_t> height(n, 0);
  bool changed = true;
  for (int round = 0; changed; ++round) {
    if (round > n || options.deadline.passed())
      return false; // positive cycle: ii below the recurrence bound under these groups
    changed = false;
    for (const Edge &e : p.edges)
      if (height[e.from] < height[e.to] + gap(e))
        height[e.from] = height[e.to] + gap(e), changed = true;
  }
  std::vector<int64_t> last(n, -1);
  std::vector<char> placed(n, 0);
  s.start.assign(n, 0);
  Reservations table(p, ii, group, options.constraints);
  options.deadline.spend(static_cast<int64_t>(p.units.size() + p.groups.size()) * ii / 10000);
  std::vector<std::vector<const Edge *>> around(n); // the edges of a node, but for its own
  for (const Edge &e : p.edges)
    if (e.from != e.to) {
      around[e.from].push_back(&e);
      around[e.to].push_back(&e);
    }
  std::set<std::pair<int64_t, int>> waiting; // what is not placed, the highest first
  auto wait = [&](int v) { waiting.insert({-height[v], v}); };
  for (int v = 0; v < n; ++v)
    wait(v);
  for (int64_t budget = options.budgetRatio * n; budget > 0 && !options.deadline.passed(); --budget) {
    if (waiting.empty())
      return true;
    int v = waiting.begin()->second;
    int64_t early = 0;
    for (const Edge *e : around[v])
      if (e->to == v && placed[e->from])
        early = std::max(early, s.start[e->from] + gap(*e));
    int64_t t = early;
    bool pinned = p.nodes[v].pinStart >= 0;
    if (pinned)
      t = p.nodes[v].pinStart;
    else if (p.nodes[v].pinStage >= 0)
      t = early = std::max(early, p.nodes[v].pinStage * ii);
    while (!pinned && t < early + ii && !table.fits(v, t) && !options.deadline.passed()) {
      options.deadline.spend(1 + longestHold(p.nodes[v]) / 100);
      ++t;
    }
    options.deadline.spend(10);
    if (t == early + ii)
      t = std::max(early, last[v] + 1); // no free slot: force, as Rau does
    s.start[v] = last[v] = t;
    // Evict what now conflicts: all placed nodes while v does not fit, and dependents that start too early.
    for (int w = 0; w < n && !table.fits(v, t); ++w)
      if (placed[w]) {
        table.add(w, s.start[w], -1);
        bool helps = table.fits(v, t);
        placed[w] = 0;
        wait(w);
        options.deadline.spend((longestHold(p.nodes[v]) + longestHold(p.nodes[w])) / 1000);
        if (helps)
          break;
      }
    if (!table.fits(v, t))
      return false;
    table.add(v, t, 1);
    placed[v] = 1;
    waiting.erase({-height[v], v});
    for (const Edge *e : around[v]) {
      int w = e->from == v ? e->to : e->from;
      if (!placed[w] || s.start[e->to] >= s.start[e->from] + gap(*e))
        continue;
      table.add(w, s.start[w], -1);
      placed[w] = 0;
      wait(w);
    }
  }
  return waiting.empty();
}

} // namespace

std::string whyNone(const Bounds &bounds, const std::string &last) {
  std::string text = "; the interval is at least " + std::to_string(bounds.mii);
  if (!bounds.bounds.empty())
    text += " (" + bounds.bounds[0].witness + ")";
  return last.empty() ? text : text + "; the last try breaks: " + last;
}

Result<Schedule> scheduleHeuristic(const Problem &p, const HeuristicOptions &options) {
  Bounds bounds = computeBounds(p, options.constraints, options.deadline);
  if (bounds.infeasible)
    return Error(ErrorKind::Infeasible, bounds.bounds[0].witness);
  PinnedIntervals pins = pinnedIntervals(p, options.constraints, bounds.mii);
  if (!pins.contradiction.empty())
    return Error(ErrorKind::Infeasible, pins.contradiction);
  std::vector<int> group = chooseGroups(p);
  int64_t ii = pins.least, repairedAt = 0,
          maxII = std::min(options.maxII ? options.maxII : ii * 8, mostInterval(p, options.constraints));
  std::string last;
  for (; ii <= maxII && !options.deadline.passed(); ii += std::max<int64_t>(1, ii / 64)) {
    Schedule s;
    s.ii = ii;
    s.group = group;
    s.constraints = options.constraints;
    if (!placeAll(p, options, group, s))
      continue;
    finishSchedule(p, s);
    options.deadline.spend(static_cast<int64_t>(p.nodes.size()) * ii / 200);
    std::vector<Violation> violations = verifySchedule(p, s, options.constraints);
    if (violations.empty())
      return s;
    last = violations[0].message;
    if (repairedAt && ii < repairedAt + repairedAt / 8)
      continue; // the last repair failed, and this is hardly another problem
    repairedAt = ii;
    RefineOptions repair;
    repair.constraints = options.constraints;
    repair.minII = ii;
    repair.maxII = std::min(maxII, ii + ii / 4);
    repair.deadline = options.deadline;
    if (std::optional<Schedule> repaired = refineSchedule(p, p, s, repair))
      return *repaired;
  }
  if (ii <= maxII)
    return Error(ErrorKind::Limit, "iterative modulo scheduling reached its limit at interval " + std::to_string(ii) +
                                       whyNone(bounds, last));
  return Error(ErrorKind::Limit, "iterative modulo scheduling found no legal schedule up to interval " +
                                     std::to_string(maxII) + whyNone(bounds, last));
}

void finishSchedule(const Problem &p, Schedule &s) {
  fillDepths(p, s);
  s.groupRegs.assign(p.groups.size(), 0);
  if (p.groups.empty())
    return;
  SlotUse use = computeUse(p, s);
  for (size_t g = 0; g < p.groups.size(); ++g) {
    if (!std::count(s.group.begin(), s.group.end(), static_cast<int>(g)))
      continue;
    int64_t peak = *std::max_element(use.registers[g].begin(), use.registers[g].end()) + p.regOverhead;
    peak = std::max(peak, p.minRegs);
    s.groupRegs[g] = (peak + p.regGranule - 1) / p.regGranule * p.regGranule;
  }
}

} // namespace heddle
