//===- Explain.cpp - What binds the interval, and what would lower it -----===//
//
// What:      text for people: the bounds with their witnesses, what binds, and which relaxations allow a smaller
//            interval, each found by solving at ii - 1.
// Algorithm: candidates are relaxed one at a time (a constraint switched off, then the smallest amount that suffices by
//            doubling and bisection). Each question has a budget of steps, and so have all together. What these or the
//            time limit leave undecided is listed as such: it is neither yes nor no.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Solver/Solve.h"

#include "heddle/Scheduling/Problem/Budgets.h"

#include <algorithm>
#include <optional>

namespace heddle {
namespace {

std::string str(int64_t value) { return std::to_string(value); }

/// Conflicts and steps of one query of a relaxation, and steps of all that explain one schedule.
constexpr int64_t relaxConflicts = 20000, querySteps = 20000000, allSteps = 100000000;

class Relaxer {
public:
  Relaxer(const SolveOptions &options, int64_t ii, int64_t stages) : ii(ii) {
    query = options;
    query.minII = query.maxII = ii;
    query.maxStages = stages;
    query.lexicographic = query.explain = query.anytime = false;
    query.progress = nullptr;
    query.deadline = options.deadline.within(options.timeLimit).afterSteps(allSteps);
    query.conflictLimit = options.conflictLimit < 0 ? relaxConflicts : std::min(options.conflictLimit, relaxConflicts);
  }
  /// Whether `problem` has a schedule at the interval asked for. Where that is not found out in time, `what` is
  /// remembered as undecided.
  bool feasible(const std::string &what, const Problem &problem, ConstraintSet set) {
    std::optional<bool> answer = ask(problem, set);
    if (!answer)
      undecided.push_back(what);
    return answer.value_or(false);
  }
  /// The smallest value in (from, to] for which `change(problem, value)` is known to be feasible, or -1.
  int64_t smallest(const std::string &what, const Problem &p, int64_t from, int64_t to,
                   const std::function<void(Problem &, int64_t)> &change) {
    auto changed = [&](int64_t value) {
      Problem relaxed = p;
      change(relaxed, value);
      return relaxed;
    };
    if (!feasible(what, changed(to), query.constraints))
      return -1;
    bool sure = true;
    while (to - from > 1) {
      int64_t middle = from + (to - from) / 2;
      std::optional<bool> answer = ask(changed(middle), query.constraints);
      sure &= answer.has_value();
      (answer.value_or(false) ? to : from) = middle;
    }
    if (!sure)
      undecided.push_back("whether less of it suffices (" + what + ")");
    return to;
  }
  SolveOptions query;
  std::vector<std::string> undecided;

private:
  std::optional<bool> ask(const Problem &problem, ConstraintSet set) const {
    SolveOptions o = query;
    o.constraints = set;
    if (o.deadline.passed())
      return std::nullopt;
    o.deadline = o.deadline.afterSteps(querySteps);
    SolveResult r = solve(problem, o);
    if (r.hasSchedule && r.schedule.ii <= ii)
      return true;
    return r.status == SolveStatus::Infeasible ? std::optional<bool>(false) : std::nullopt;
  }

  int64_t ii;
};

} // namespace

std::string explain(const Problem &p, const SolveResult &r, const SolveOptions &options) {
  std::string out;
  if (r.hasSchedule)
    out += "initiation interval " + str(r.schedule.ii) + " (" + solveStatusName(r.status) + ", at most " +
           str(r.stages) + " stages); length " + str(r.schedule.length(p)) + ", " + str(r.schedule.stages(p)) +
           " stages used\n";
  else
    out += std::string("no schedule: ") + solveStatusName(r.status) + "\n";
  if (!r.binding.empty())
    out += "binding: " + r.binding + "\n";
  out += "lower bounds:\n";
  for (const Bound &bound : r.bounds.bounds)
    out += "  " + (bound.infeasible ? std::string("infeasible") : str(bound.value)) + "  " + bound.witness + "\n";
  int64_t target = (r.hasSchedule ? r.schedule.ii : r.maxII + 1) - 1;
  if (target < 1 || (r.hasSchedule && target < options.minII && r.status == SolveStatus::Feasible))
    return out; // nothing smaller, or nothing smaller was asked for
  out += "to reach interval " + str(target) + ":\n";
  std::vector<std::string> found;
  Relaxer relax(options, target, r.stages);
  // One more stage: by itself if that helps, otherwise granted to the other relaxations, which often need it.
  relax.query.maxStages = r.stages + 1;
  std::string stages = "allow " + str(r.stages + 1) + " stages";
  if (relax.feasible(stages, p, options.constraints)) {
    found.push_back(stages);
    relax.query.maxStages = r.stages;
  }
  for (int u = 0; u < static_cast<int>(p.units.size()); ++u) {
    int64_t capacity = p.units[u].capacity;
    int64_t value = relax.smallest("more of unit '" + p.units[u].name + "'", p, capacity, capacity * 2,
                                   [&](Problem &q, int64_t c) { q.units[u].capacity = c; });
    if (value > 0)
      found.push_back("give unit '" + p.units[u].name + "' capacity " + str(value) + " instead of " + str(capacity));
  }
  for (int m = 0; m < static_cast<int>(p.memories.size()); ++m) {
    int64_t capacity = p.memories[m].capacity;
    int64_t value = relax.smallest("more of memory '" + p.memories[m].name + "'", p, capacity, capacity * 8,
                                   [&](Problem &q, int64_t c) { q.memories[m].capacity = c; });
    if (value > 0)
      found.push_back("give memory '" + p.memories[m].name + "' " + str(value) + " instead of " + str(capacity));
  }
  bool limited = p.registerFile > 0;
  int64_t most = 0;
  for (const Group &g : p.groups) {
    limited |= g.regs > 0;
    most = std::max(most, g.regs);
  }
  if (limited) {
    int64_t value =
        relax.smallest("more registers", p, 0, std::max(largestBudget, most * 4), [&](Problem &q, int64_t extra) {
          q.registerFile = 0;
          for (Group &g : q.groups)
            g.regs = g.regs ? g.regs + extra : 0;
        });
    if (value > 0)
      found.push_back("give every warp group " + str(value) + " more registers a thread" +
                      (p.registerFile ? " and a register file to match" : ""));
  }
  if (!p.groups.empty()) {
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
      std::string what = "add one more warp group like '" + p.groups[fixed].name + "'";
      if (relax.feasible(what, more, options.constraints))
        found.push_back(what);
    }
  }
  bool transfers = false;
  for (const Edge &e : p.edges)
    transfers |= e.transfer != 0;
  if (transfers) {
    Problem free = p;
    for (Edge &e : free.edges)
      e.transfer = 0;
    if (relax.feasible("cheaper transfers between groups", free, options.constraints)) {
      int64_t percent = relax.smallest("cheaper transfers between groups", p, 0, 100, [&](Problem &q, int64_t cut) {
        for (Edge &e : q.edges)
          e.transfer = e.transfer == Edge::never ? (cut == 100 ? 0 : Edge::never) : e.transfer * (100 - cut) / 100;
      });
      found.push_back(percent > 0 ? "make transfers between groups " + str(percent) + " % cheaper"
                                  : "make transfers between groups free");
    }
  }
  for (Constraint c : {Constraint::Concurrency, Constraint::Issue, Constraint::Pins, Constraint::WarpAssignment,
                       Constraint::VariableLatency})
    if (std::string what = std::string("drop the constraint '") + constraintName(c) + "'";
        options.constraints.has(c) && p.states(c) && relax.feasible(what, p, options.constraints.without(c)))
      found.push_back(what);
  for (const Bound &bound : r.bounds.bounds)
    if (bound.kind == BoundKind::Recurrence && bound.value > target)
      found.push_back("shorten the recurrence by " + str(bound.value - target) + " cycles an iteration");
  for (const std::string &line : found)
    out += "  - " + line + "\n";
  if (found.empty() && relax.undecided.empty())
    out += "  no single relaxation tried here suffices\n";
  for (size_t i = 0; i < relax.undecided.size(); ++i)
    out += (i ? ", " : "  not decided within the limits: ") + relax.undecided[i] +
           (i + 1 == relax.undecided.size() ? "\n" : "");
  return out;
}

} // namespace heddle
