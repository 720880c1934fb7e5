//===- Random.cpp - Random legal schedules --------------------------------===//
//
// What:      see Modulo.h. Random numbers come from an own generator, so that a seed means the same on every system.
// Verifies:  every schedule by Certificate/Verify before it is returned.
//
//===----------------------------------------------------------------------===//
#include "Place.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Bounds/Bounds.h"
#include "heddle/Scheduling/Bounds/Pinned.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Solver/Solve.h"

namespace heddle {
namespace {

/// SplitMix64.
struct Generator {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  int64_t below(int64_t n) { return n <= 1 ? 0 : static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }
};

/// Groups at random, kept together along edges that may not cross.
std::vector<int> randomGroups(const Problem &p, Generator &random, ConstraintSet set, int follow) {
  int n = static_cast<int>(p.nodes.size());
  std::vector<int> group(n, -1);
  bool together = random.below(3) == 0 || random.below(100) < follow; // follow neighbours, so that few edges cross
  std::vector<std::vector<const Edge *>> around(n);                   // edges to nodes that come first
  for (const Edge &e : p.edges)
    if (e.from != e.to)
      around[std::max(e.from, e.to)].push_back(&e);
  for (int v = 0; v < n && !p.groups.empty(); ++v) {
    std::vector<int> allowed = p.allowedGroups(v);
    group[v] = allowed[random.below(static_cast<int64_t>(allowed.size()))];
    for (const Edge *e : around[v]) {
      int other = std::min(e->from, e->to);
      bool must = e->transfer == Edge::never && set.has(Constraint::Transfers);
      if ((must || (together && random.below(100) < 50 + follow / 2)) &&
          std::count(allowed.begin(), allowed.end(), group[other]))
        group[v] = group[other];
    }
  }
  return group;
}

/// What the exact solver may take to complete a schedule, the same on every machine.
constexpr int64_t completionConflicts = 20000;
constexpr int64_t completionSteps = 1000000;

/// Places nodes in a random topological order (over edges of distance 0) with random slack.
bool place(const Problem &p, Generator &random, ConstraintSet set, int64_t slack, Deadline deadline, Schedule &s) {
  int n = static_cast<int>(p.nodes.size());
  std::vector<int> waiting(n, 0);
  for (const Edge &e : p.edges)
    waiting[e.to] += e.distance == 0;
  Reservations table(p, s.ii, s.group, set);
  std::vector<char> placed(n, 0);
  s.start.assign(n, 0);
  for (int count = 0; count < n; ++count) {
    if (deadline.passed())
      return false;
    std::vector<int> ready;
    for (int v = 0; v < n; ++v)
      if (!placed[v] && waiting[v] == 0)
        ready.push_back(v);
    int v = ready[random.below(static_cast<int64_t>(ready.size()))];
    int64_t early = 0, late = INT64_MAX;
    for (const Edge &e : p.edges) {
      int64_t gap = delayUnder(p, e, s.group, set) - e.distance * s.ii;
      if (e.to == v && e.from != v && placed[e.from])
        early = std::max(early, s.start[e.from] + gap);
      if (e.from == v && e.to != v && placed[e.to])
        late = std::min(late, s.start[e.to] - gap);
      if (e.from == v && e.to == v && gap > 0)
        return false;
    }
    int64_t t = early + (slack ? random.below(slack) : 0);
    if (p.nodes[v].pinStage >= 0)
      t = std::max(t, p.nodes[v].pinStage * s.ii);
    if (p.nodes[v].pinStart >= 0)
      t = p.nodes[v].pinStart;
    else if (t > late)
      t = early;
    int64_t last = std::min(late, t + s.ii - 1);
    while (p.nodes[v].pinStart < 0 && t <= last && !table.fits(v, t) && !deadline.passed()) {
      deadline.spend(1 + longestHold(p.nodes[v]) / 100);
      ++t;
    }
    if (t < early || t > last || !table.fits(v, t))
      return false;
    s.start[v] = t;
    table.add(v, t, 1);
    placed[v] = 1;
    for (const Edge &e : p.edges)
      if (e.from == v && e.distance == 0)
        --waiting[e.to];
  }
  return true;
}

} // namespace

Result<Schedule> scheduleRandom(const Problem &p, const RandomOptions &options) {
  Bounds bounds = computeBounds(p, options.constraints, options.deadline);
  if (bounds.infeasible)
    return Error(ErrorKind::Infeasible, bounds.bounds[0].witness);
  if (PinnedIntervals pins = pinnedIntervals(p, options.constraints, bounds.mii); !pins.contradiction.empty())
    return Error(ErrorKind::Infeasible, pins.contradiction);
  Generator random{options.seed * 0x2545f4914f6cdd1dull + 1};
  if (bounds.mii > maxInterval)
    return Error(ErrorKind::Limit, "schedules have at most " + std::to_string(maxInterval) + " cycles an iteration" +
                                       whyNone(bounds, ""));
  const int64_t most = mostInterval(p, options.constraints);
  int64_t maxII = options.maxII ? std::max(options.maxII, bounds.mii) : 3 * bounds.mii;
  for (int attempt = 0; attempt < options.attempts && !options.deadline.passed(); ++attempt) {
    Schedule s;
    // Later attempts leave more room in time and take less slack.
    int64_t top = options.maxII ? maxII : maxII + bounds.mii * attempt / 32;
    s.ii = std::min(bounds.mii + random.below(top - bounds.mii + 1), most);
    s.constraints = options.constraints;
    s.group = randomGroups(p, random, options.constraints, 100 * attempt / options.attempts);
    int64_t slack = s.ii >> std::min(attempt / 16, 30);
    if (!place(p, random, options.constraints, random.below(slack + 1), options.deadline, s))
      continue;
    finishSchedule(p, s);
    options.deadline.spend(static_cast<int64_t>(p.nodes.size()) * s.ii / 200);
    if (verifySchedule(p, s, options.constraints).empty())
      return s;
  }
  auto none = [&] {
    bool late = options.deadline.passed();
    return Error(ErrorKind::Limit,
                 (late ? "reached its limit before a legal schedule was found"
                       : "found no legal schedule in " + std::to_string(options.attempts) + " attempts") +
                     whyNone(bounds, ""));
  };
  if (options.deadline.passed())
    return none();
  // The exact solver completes it: random groups where it can, at a random interval from what is feasible.
  SolveOptions exact;
  exact.constraints = options.constraints;
  exact.lexicographic = exact.explain = false;
  exact.timeLimit = 1e9; // steps bound it
  exact.conflictLimit = completionConflicts;
  exact.deadline = options.deadline.afterSteps(completionSteps);
  exact.minII = bounds.mii + random.below(maxII - bounds.mii + 1);
  SolveResult result = solve(p, exact);
  if (!result.hasSchedule && result.status != SolveStatus::Infeasible && !options.deadline.passed()) {
    exact.minII = 0;
    exact.deadline = options.deadline.afterSteps(completionSteps);
    result = solve(p, exact);
  }
  if (result.hasSchedule)
    return result.schedule;
  if (result.status == SolveStatus::Infeasible)
    return Error(ErrorKind::Infeasible, "no legal schedule up to interval " + std::to_string(result.maxII) +
                                            (result.binding.empty() ? "" : ": " + result.binding));
  return none();
}

} // namespace heddle
