//===- Explain.cpp - What binds the interval, and what would lower it -----===//
//
// What:      text for people: the bounds with their witnesses, what binds, and which relaxations allow a smaller interval,
//            each found by solving at ii - 1.
// Algorithm: candidates are relaxed one at a time (a constraint switched off, then the smallest amount that suffices by
//            doubling and bisection); within the time limit.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Solver/Sat.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <algorithm>

namespace heddle {
namespace {

std::string str(int64_t value) { return std::to_string(value); }

class Relaxer {
public:
  Relaxer(const SolveOptions &options, int64_t ii, int64_t stages) : ii(ii) {
    query = options;
    query.minII = query.maxII = ii;
    query.maxStages = stages;
    query.lexicographic = query.explain = query.anytime = false;
    query.progress = nullptr;
    deadline = SearchLimits::now() + options.timeLimit;
  }
  bool outOfTime() const { return SearchLimits::now() > deadline; }
  /// Whether `problem` has a schedule at the interval asked for.
  bool feasible(const Problem &problem, ConstraintSet set) {
    SolveOptions o = query;
    o.constraints = set;
    o.timeLimit = std::min(10.0, deadline - SearchLimits::now());
    if (o.timeLimit <= 0)
      return false;
    SolveResult r = solve(problem, o);
    return r.hasSchedule && r.schedule.ii <= ii;
  }
  /// The smallest value in (from, to] for which `change(problem, value)` is feasible, or -1.
  int64_t smallest(const Problem &p, int64_t from, int64_t to, const std::function<void(Problem &, int64_t)> &change) {
    auto test = [&](int64_t value) {
      Problem relaxed = p;
      change(relaxed, value);
      return feasible(relaxed, query.constraints);
    };
    if (!test(to))
      return -1;
    while (to - from > 1) {
      int64_t middle = from + (to - from) / 2;
      (test(middle) ? to : from) = middle;
    }
    return to;
  }
  SolveOptions query;

private:
  int64_t ii;
  double deadline;
};

} // namespace

std::string explain(const Problem &p, const SolveResult &r, const SolveOptions &options) {
  std::string out;
  if (r.hasSchedule)
    out += "initiation interval " + str(r.schedule.ii) + " (" + solveStatusName(r.status) + ", at most " + str(r.stages) +
           " stages); length " + str(r.schedule.length(p)) + ", " + str(r.schedule.stages(p)) + " stages used\n";
  else
    out += std::string("no schedule: ") + solveStatusName(r.status) + "\n";
  if (!r.binding.empty())
    out += "binding: " + r.binding + "\n";
  out += "lower bounds:\n";
  for (const Bound &bound : r.bounds.bounds)
    out += "  " + (bound.infeasible ? std::string("infeasible") : str(bound.value)) + "  " + bound.witness + "\n";
  int64_t target = (r.hasSchedule ? r.schedule.ii : r.maxII + 1) - 1;
  if (target < 1)
    return out;
  out += "to reach interval " + str(target) + ":\n";
  std::vector<std::string> found;
  Relaxer relax(options, target, r.stages);
  // One more stage: by itself if that helps, otherwise granted to the other relaxations, which often need it.
  relax.query.maxStages = r.stages + 1;
  if (relax.feasible(p, options.constraints)) {
    found.push_back("allow " + str(r.stages + 1) + " stages");
    relax.query.maxStages = r.stages;
  }
  for (int u = 0; u < static_cast<int>(p.units.size()) && !relax.outOfTime(); ++u) {
    int64_t capacity = p.units[u].capacity;
    int64_t value = relax.smallest(p, capacity, capacity * 2, [&](Problem &q, int64_t c) { q.units[u].capacity = c; });
    if (value > 0)
      found.push_back("give unit '" + p.units[u].name + "' capacity " + str(value) + " instead of " + str(capacity));
  }
  for (int m = 0; m < static_cast<int>(p.memories.size()) && !relax.outOfTime(); ++m) {
    int64_t capacity = p.memories[m].capacity;
    int64_t value = relax.smallest(p, capacity, capacity * 8, [&](Problem &q, int64_t c) { q.memories[m].capacity = c; });
    if (value > 0)
      found.push_back("give memory '" + p.memories[m].name + "' " + str(value) + " instead of " + str(capacity));
  }
  bool limited = p.registerFile > 0;
  int64_t most = 0;
  for (const Group &g : p.groups) {
    limited |= g.regs > 0;
    most = std::max(most, g.regs);
  }
  if (limited && !relax.outOfTime()) {
    int64_t value = relax.smallest(p, 0, std::max<int64_t>(256, most * 4), [&](Problem &q, int64_t extra) {
      q.registerFile = 0;
      for (Group &g : q.groups)
        g.regs = g.regs ? g.regs + extra : 0;
    });
    if (value > 0)
      found.push_back("give every warp group " + str(value) + " more registers a thread" +
                      (p.registerFile ? " and a register file to match" : ""));
  }
  if (!p.groups.empty() && !relax.outOfTime()) {
    int fixed = -1;
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g)
      if (!p.groups[g].variable && (fixed < 0 || p.groups[g].warps > p.groups[fixed].warps))
        fixed = g;
    Problem more = p;
    if (fixed >= 0) {
      Group copy = p.groups[fixed];
      copy.name += "'";
      int added = more.addGroup(copy);
      for (Node &node : more.nodes)
        if (!node.groups.empty() && node.groups.size() > 1 && std::count(node.groups.begin(), node.groups.end(), fixed))
          node.groups.push_back(added);
      if (relax.feasible(more, options.constraints))
        found.push_back("add one more warp group like '" + p.groups[fixed].name + "'");
    }
  }
  bool transfers = false;
  for (const Edge &e : p.edges)
    transfers |= e.transfer != 0;
  if (transfers && !relax.outOfTime()) {
    Problem free = p;
    for (Edge &e : free.edges)
      e.transfer = 0;
    if (relax.feasible(free, options.constraints)) {
      int64_t percent = relax.smallest(p, 0, 100, [&](Problem &q, int64_t cut) {
        for (Edge &e : q.edges)
          e.transfer = e.transfer == Edge::never ? (cut == 100 ? 0 : Edge::never) : e.transfer * (100 - cut) / 100;
      });
      found.push_back(percent > 0 ? "make transfers between groups " + str(percent) + " % cheaper"
                                  : "make transfers between groups free");
    }
  }
  for (Constraint c : {Constraint::Concurrency, Constraint::Issue, Constraint::Pins, Constraint::WarpAssignment,
                       Constraint::VariableLatency})
    if (options.constraints.has(c) && !relax.outOfTime() && relax.feasible(p, options.constraints.without(c)))
      found.push_back(std::string("drop the constraint '") + constraintName(c) + "'");
  for (const Bound &bound : r.bounds.bounds)
    if (bound.kind == BoundKind::Recurrence && bound.value > target)
      found.push_back("shorten the recurrence by " + str(bound.value - target) + " cycles an iteration");
  if (found.empty())
    out += relax.outOfTime() ? "  (time limit reached before a single relaxation was found)\n"
                             : "  no single relaxation tried here suffices\n";
  for (const std::string &line : found)
    out += "  - " + line + "\n";
  return out;
}

} // namespace heddle
