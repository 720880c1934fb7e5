//===- Explain.cpp - What binds the interval, and what would lower it -----===//
//
// What:      text for people: the bounds with their witnesses, what binds, and which relaxations allow a smaller
//            interval, each found by solving at ii - 1.
// Algorithm: candidates are relaxed one at a time (a constraint switched off, then the smallest amount that suffices by
//            doubling and bisection). Each question has a budget of steps, and so have all together. What these or the
//            time limit leave undecided is listed as such: it is neither yes nor no. What remains of the gain is said
//            with each: the bounds of the relaxed problem, of which another one may be as large.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Solver/Solve.h"

#include "heddle/Scheduling/Problem/Budgets.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace heddle {
namespace {

/// Conflicts and steps of one query of a relaxation, and steps of all that explain one schedule.
constexpr int64_t relaxConflicts = 20000, querySteps = 6000000, allSteps = 25000000;

/// `p` with the cycle of `bound` shorter by `less` cycles an iteration.
Problem shortened(Problem p, const Bound &bound, int64_t less) {
  auto from = [&](size_t i) { return bound.nodes[i]; };
  auto to = [&](size_t i) { return bound.nodes[(i + 1) % bound.nodes.size()]; };
  auto between = [&](const Edge &e, size_t i) { return e.from == from(i) && e.to == to(i); };
  // Of edges between the same nodes that binds which is longest at the bound.
  int64_t iterations = 0;
  std::vector<int64_t> delays(bound.nodes.size(), 0);
  for (size_t i = 0; i < bound.nodes.size(); ++i) {
    int64_t longest = INT64_MIN, distance = 0;
    for (const Edge &e : p.edges)
      if (between(e, i) && e.delay - e.distance * bound.value > longest) {
        longest = e.delay - e.distance * bound.value;
        delays[i] = e.delay;
        distance = e.distance;
      }
    iterations += distance;
  }
  int64_t left = less * iterations;
  for (size_t i = 0; i < bound.nodes.size(); ++i) {
    int64_t cut = std::min(left, delays[i]);
    left -= cut;
    for (Edge &e : p.edges)
      if (between(e, i))
        e.delay = std::max<int64_t>(0, e.delay - cut);
  }
  return p;
}

class Relaxer {
public:
  Relaxer(const SolveOptions &options, int64_t ii, int64_t stages) : ii(ii), stages(stages) {
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
  /// Whether that is feasible only with the stage that was granted to it.
  bool needsStage(const Problem &problem, ConstraintSet set) {
    if (query.maxStages == stages)
      return false;
    int64_t granted = std::exchange(query.maxStages, stages);
    bool needs = !ask(problem, set).value_or(false);
    query.maxStages = granted;
    return needs;
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

  int64_t ii, stages;
};

} // namespace

std::string explain(const Problem &p, const SolveResult &r, const SolveOptions &options) {
  std::string out;
  if (r.hasSchedule)
    out += "initiation interval " + std::to_string(r.schedule.ii) + " (" + solveStatusName(r.status) + ", at most " +
           std::to_string(r.stages) + " stages); length " + std::to_string(r.schedule.length(p)) + ", " +
           std::to_string(r.schedule.stages(p)) + " stages used\n";
  else
    out += std::string("no schedule: ") + solveStatusName(r.status) + "\n";
  if (!r.binding.empty())
    out += "binding: " + r.binding + "\n";
  out += "lower bounds:\n";
  for (const Bound &bound : r.bounds.bounds)
    out += "  " + (bound.infeasible ? std::string("infeasible") : std::to_string(bound.value)) + "  " + bound.witness +
           "\n";
  int64_t target = (r.hasSchedule ? r.schedule.ii : r.maxII + 1) - 1;
  if (target < 1 || (r.hasSchedule && target < options.minII && r.status == SolveStatus::Feasible))
    return out; // nothing smaller, or nothing smaller was asked for
  out += "to reach interval " + std::to_string(target) + ":\n";
  std::vector<std::string> found;
  Relaxer relax(options, target, r.stages);
  auto boundsOf = [&](const Problem &relaxed, ConstraintSet set) {
    return computeBounds(relaxed, set, relax.query.deadline);
  };
  auto offerWith = [&](const std::string &what, const Problem &relaxed, ConstraintSet set, const Bounds &left) {
    std::string with = relax.needsStage(relaxed, set) ? ", with " + std::to_string(r.stages + 1) + " stages" : "";
    std::string next = left.mii > 1 && !left.bounds.empty() ? " (" + left.bounds.front().witness + ")" : "";
    found.push_back(what + with + ": then the bound is " + std::to_string(left.mii) + next);
  };
  auto offer = [&](const std::string &what, const Problem &relaxed, ConstraintSet set) {
    offerWith(what, relaxed, set, boundsOf(relaxed, set));
  };
  // One more stage: by itself if that helps, otherwise granted to the other relaxations, which often need it.
  relax.query.maxStages = r.stages + 1;
  std::string stages = "allow " + std::to_string(r.stages + 1) + " stages";
  if (relax.feasible(stages, p, options.constraints)) {
    relax.query.maxStages = r.stages;
    offer(stages, p, options.constraints);
  }
  auto offerLeast = [&](const std::string &what, int64_t from, int64_t to, const std::string &more,
                        const std::string &behind, const std::function<void(Problem &, int64_t)> &change) {
    int64_t value = relax.smallest(what, p, from, to, change);
    if (value < 0)
      return;
    Problem relaxed = p;
    change(relaxed, value);
    offer(more + std::to_string(value) + behind, relaxed, options.constraints);
  };
  for (int u = 0; u < static_cast<int>(p.units.size()); ++u) {
    int64_t capacity = p.units[u].capacity;
    offerLeast("more of unit '" + p.units[u].name + "'", capacity, capacity * 2,
               "give unit '" + p.units[u].name + "' capacity ", " instead of " + std::to_string(capacity),
               [&](Problem &q, int64_t c) { q.units[u].capacity = c; });
  }
  for (int m = 0; m < static_cast<int>(p.memories.size()); ++m) {
    int64_t capacity = p.memories[m].capacity;
    offerLeast("more of memory '" + p.memories[m].name + "'", capacity, capacity * 8,
               "give memory '" + p.memories[m].name + "' ", " instead of " + std::to_string(capacity),
               [&](Problem &q, int64_t c) { q.memories[m].capacity = c; });
  }
  bool limited = p.registerFile > 0;
  int64_t most = 0;
  for (const Group &g : p.groups) {
    limited |= g.regs > 0;
    most = std::max(most, g.regs);
  }
  if (limited)
    offerLeast("more registers", 0, std::max(largestBudget, most * 4), "give every warp group ",
               std::string(" more registers a thread") + (p.registerFile ? " and a register file to match" : ""),
               [&](Problem &q, int64_t extra) {
                 q.registerFile = 0;
                 for (Group &g : q.groups)
                   g.regs = g.regs ? g.regs + extra : 0;
               });
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
        offer(what, more, options.constraints);
    }
  }
  bool transfers = false;
  for (const Edge &e : p.edges)
    transfers |= e.transfer != 0;
  if (transfers) {
    Problem free = p;
    for (Edge &e : free.edges)
      e.transfer = 0;
    auto cheaper = [](Problem &q, int64_t cut) {
      for (Edge &e : q.edges)
        e.transfer = e.transfer == Edge::never ? (cut == 100 ? 0 : Edge::never) : e.transfer * (100 - cut) / 100;
    };
    if (relax.feasible("cheaper transfers between groups", free, options.constraints)) {
      int64_t percent = relax.smallest("cheaper transfers between groups", p, 0, 100, cheaper);
      if (percent > 0)
        cheaper(free = p, percent);
      offer(percent > 0 ? "make transfers between groups " + std::to_string(percent) + " % cheaper"
                        : "make transfers between groups free",
            free, options.constraints);
    }
  }
  for (Constraint c : {Constraint::Concurrency, Constraint::Issue, Constraint::Pins, Constraint::WarpAssignment,
                       Constraint::VariableLatency})
    if (std::string what = std::string("drop the constraint '") + constraintName(c) + "'";
        options.constraints.has(c) && p.states(c) && relax.feasible(what, p, options.constraints.without(c)))
      offer(what, p, options.constraints.without(c));
  for (const Bound &bound : r.bounds.bounds)
    if (bound.kind == BoundKind::Recurrence && bound.value > target) {
      int64_t least = bound.value - target, other = 1;
      for (const Bound &next : r.bounds.bounds)
        other = std::max(other, next.kind == BoundKind::Recurrence ? 1 : next.value);
      Problem shorter = shortened(p, bound, least);
      if (!relax.feasible("a shorter recurrence", shorter, options.constraints))
        continue;
      Bounds left = boundsOf(shortened(p, bound, bound.value - other), options.constraints);
      int64_t most = bound.value - left.mii;
      offerWith("shorten the recurrence by " + std::to_string(least) +
                    (most > least ? " to " + std::to_string(most) : "") + " cycles an iteration",
                shorter, options.constraints, left);
    }
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
