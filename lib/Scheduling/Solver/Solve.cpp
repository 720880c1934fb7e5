//===- Solve.cpp - Search over the initiation interval --------------------===//
//
// What:      see Solve.h.
// Verifies:  every schedule by Certificate/Verify before it is returned.
// Algorithm: upward in ii from the arithmetic bound (study points 6, 14: one query at length stages * ii replaces the
//            paper's loop over lengths; no bisection over ii). If the first query is not satisfiable, larger intervals are
//            tried first for a schedule to fall back on (anytime). At each ii the stage count rises to its limit, since few
//            stages usually suffice. Then the lexicographic goals, each by re-solving with an added bound, among schedules of
//            the stage count that succeeded.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"

#include <set>

namespace heddle {

SatAnswer Search::ask(int64_t ii, int64_t stages, const SearchLimits &given, Query *keep, const Guide *guide) {
  double start = SearchLimits::now();
  Query query = make(ii, stages, false, given, guide);
  SatAnswer answer = query.encoder->aborted() ? SatAnswer::Unknown : query.sat->solve({}, given);
  SolveQuery record{ii, stages, answer == SatAnswer::Sat ? 10 : answer == SatAnswer::Unsat ? 20 : 0,
                    SearchLimits::now() - start, query.sat->numVars(), query.sat->numClauses()};
  result.queries.push_back(record);
  say("ii " + std::to_string(ii) + ", " + std::to_string(stages) + " stages" + (guide ? ", near a coarse solution: " : ": ") +
      (answer == SatAnswer::Sat ? "satisfiable" : answer == SatAnswer::Unsat ? "unsatisfiable" : "limit") + ", " +
      std::to_string(record.seconds) + " s");
  if (answer == SatAnswer::Sat && !accept(query))
    return SatAnswer::Unknown;
  if (keep)
    *keep = std::move(query);
  return answer;
}

/// Completes and verifies a schedule; keeps it if it is better.
bool Search::keepIfLegal(Schedule schedule) {
  finishSchedule(p, schedule);
  std::vector<Violation> violations = verifySchedule(p, schedule, set);
  if (!violations.empty()) {
    result.status = SolveStatus::Failed;
    result.message = "internal error: the solver's schedule at interval " + std::to_string(schedule.ii) + " is not legal: " +
                     violations[0].message;
    return false;
  }
  if (!result.hasSchedule || schedule.ii <= result.schedule.ii) {
    result.hasSchedule = true;
    result.schedule = schedule;
  }
  return true;
}

/// Stage count of the shortest modulo schedule at ii (paper mode, N0).
int64_t Search::paperStages(int64_t ii, bool &feasible, bool &limit) {
  int64_t critical = criticalLength(p, ii, ConstraintSet::modulo());
  feasible = limit = false;
  if (critical < 0)
    return 0;
  for (int64_t stages = std::max<int64_t>(1, ceilDiv(critical, ii)); stages <= static_cast<int64_t>(p.nodes.size()) + ceilDiv(critical, ii); ++stages) {
    std::unique_ptr<SatSolver> sat = createCadical();
    Encoder::Options o;
    o.ii = ii;
    o.stages = stages;
    o.constraints = ConstraintSet::modulo();
    o.groupsFree = false;
    o.limits = limits;
    Encoder encoder(p, *sat, o);
    encoder.encode();
    SatAnswer answer = encoder.aborted() ? SatAnswer::Unknown : sat->solve({}, limits);
    if (answer == SatAnswer::Unknown)
      limit = true;
    if (answer == SatAnswer::Sat)
      feasible = true;
    if (answer != SatAnswer::Unsat)
      return stages;
  }
  return 0; // more stages than nodes cannot help a modulo schedule
}

/// Whether a coarse copy first is worth its time: large intervals, or much freedom in the choice of groups.
bool Search::wanted(int64_t ii, int64_t stages) const {
  if (ii > fineIntervals)
    return true;
  int64_t freedom = 0;
  for (int v = 0; options.mode != SolveMode::Modulo && v < static_cast<int>(p.nodes.size()); ++v) {
    int64_t groups = static_cast<int64_t>(p.allowedGroups(v).size());
    freedom += groups > 1 ? groups * ii * stages : 0;
  }
  return guidance && freedom > 10000;
}

/// True when ii was decided or the limit was hit; `answer` says which.
bool Search::atInterval(int64_t ii, const SearchLimits &given, SatAnswer &answer, Query *keep) {
  int64_t stages = result.stages;
  if (options.mode == SolveMode::Paper) {
    bool feasible, limit;
    stages = paperStages(ii, feasible, limit);
    if (!feasible) {
      answer = limit ? SatAnswer::Unknown : SatAnswer::Unsat;
      return true;
    }
    result.stages = stages;
  }
  int64_t least = std::max<int64_t>(1, ceilDiv(std::max<int64_t>(0, criticalLength(p, ii, set)), ii));
  auto next = [&](int64_t count) { return options.mode == SolveMode::Modulo ? count * 2 : count + 1; };
  result.guided = false;
  for (int64_t few = std::min(least, stages); few <= stages && wanted(ii, stages) && !given.exceeded(); few = next(few))
    if (askGuided(ii, few, given, keep)) {
      result.guided = true;
      answer = SatAnswer::Sat;
      return true;
    } else if (!result.message.empty()) {
      break;
    }
  // Few stages usually suffice and cost least; only the last count may say no. At large intervals a refusal costs much.
  for (int64_t few = least; few < stages && ii <= fineIntervals; few = next(few)) {
    answer = ask(ii, few, given, keep);
    if (answer != SatAnswer::Unsat)
      return true;
  }
  answer = ask(ii, stages, given, keep);
  return true;
}

SolveResult Search::run() {
  result.bounds = computeBounds(p, set);
  result.mii = result.bounds.mii;
  result.bound = std::max(result.mii, options.minII);
  int64_t serial = 1;
  for (const Node &node : p.nodes)
    serial += std::max({node.latency, node.issue, node.minLive});
  for (const Edge &edge : p.edges)
    serial += edge.delay + std::max<int64_t>(0, edge.transfer) + edge.hold;
  result.maxII = options.maxII ? options.maxII : std::max(4 * result.mii, std::min<int64_t>(serial, 64 * result.mii));
  result.stages = options.mode == SolveMode::Modulo && !options.maxStages
                      ? static_cast<int64_t>(p.nodes.size()) +
                            ceilDiv(std::max<int64_t>(1, criticalLength(p, result.mii, set)), result.mii)
                  : options.maxStages ? options.maxStages
                                      : defaultStages(p, result.bounds, set);
  auto finish = [&](SolveStatus status) {
    if (!result.message.empty())
      status = SolveStatus::Failed;
    result.status = status;
    result.seconds = SearchLimits::now() - begin;
    return result;
  };
  // What was found on the way may meet the bound although the complete query at the bound ran out of time.
  auto reachedBound = [&] {
    bool met = result.hasSchedule && result.schedule.ii == result.bound && result.schedule.stages(p) <= result.stages;
    if (met && options.explain)
      explainInterval(result.bound - 1);
    return met;
  };
  if (result.bounds.infeasible) {
    result.binding = result.bounds.bounds[0].witness;
    return finish(SolveStatus::Infeasible);
  }
  if (result.bound > result.maxII) {
    explainInterval(result.mii > result.maxII ? result.maxII : result.bound - 1);
    return finish(SolveStatus::Infeasible);
  }
  say("lower bound " + std::to_string(result.mii) + ", at most " + std::to_string(result.stages) + " stages");

  // First query; where it fails, look upward for a schedule to fall back on.
  Query query;
  SatAnswer answer;
  int64_t ii = result.bound;
  SearchLimits first = limits; // leaves time for what comes next if it fails
  first.deadline = begin + 0.7 * options.timeLimit;
  atInterval(ii, first, answer, &query);
  if (!result.message.empty())
    return finish(SolveStatus::Failed);
  if (answer == SatAnswer::Unknown) {
    if (options.anytime)
      fallBack(ii);
    return finish(reachedBound() ? SolveStatus::Optimal : SolveStatus::LimitReached);
  }
  if (answer == SatAnswer::Unsat) {
    std::set<int64_t> refuted;
    auto probe = [&](int64_t at, double part) {
      SearchLimits brief = limits;
      brief.deadline = std::min(limits.deadline, SearchLimits::now() + part * options.timeLimit);
      atInterval(at, brief, answer, nullptr);
      if (answer == SatAnswer::Unsat)
        refuted.insert(at);
      return answer == SatAnswer::Sat;
    };
    int64_t low = ii; // nothing found up to here
    for (int64_t step = 4; ii + step <= result.maxII && !result.hasSchedule && result.message.empty(); step *= 2)
      if (!probe(ii + step, 0.2))
        low = ii + step;
    for (int tries = 0; tries < 8 && result.hasSchedule && result.schedule.ii - low > 4 && result.message.empty(); ++tries) {
      int64_t middle = low + (result.schedule.ii - low) / 2;
      if (!probe(middle, 0.03))
        low = middle;
    }
    if (!result.message.empty())
      return finish(SolveStatus::Failed);
    for (;;) {
      result.bound = ++ii;
      if (ii > result.maxII && !result.hasSchedule) {
        if (options.explain)
          explainInterval(result.maxII);
        return finish(SolveStatus::Infeasible);
      }
      if (refuted.count(ii))
        continue;
      atInterval(ii, limits, answer, &query);
      if (answer == SatAnswer::Sat)
        break;
      if (answer == SatAnswer::Unknown)
        return finish(reachedBound() ? SolveStatus::Optimal : SolveStatus::LimitReached);
    }
  }
  result.bound = ii;
  result.proofSeconds = SearchLimits::now() - begin;
  if (options.lexicographic) {
    if (result.guided && ii <= fineIntervals) { // the goals need the complete query
      guidance = false;
      atInterval(ii, limits, answer, &query);
      if (answer != SatAnswer::Sat)
        return finish(result.message.empty() ? SolveStatus::Optimal : SolveStatus::Failed);
    }
    improve(query);
  }
  if (options.explain)
    explainInterval(ii - 1);
  return finish(SolveStatus::Optimal);
}

/// Says why `ii` is infeasible: a bound, or the constraints of an unsat core.
void Search::explainInterval(int64_t ii) {
  if (ii < result.mii) {
    for (const Bound &bound : result.bounds.bounds)
      if (bound.value > ii) {
        result.binding = bound.witness;
        return;
      }
    result.binding = "no interval is smaller than 1";
    return;
  }
  Query query = make(ii, result.stages, true, limits);
  std::vector<Lit> active = query.encoder->assumptions();
  if (query.encoder->aborted() || query.sat->solve(active, limits) != SatAnswer::Unsat) {
    result.binding = "interval " + std::to_string(ii) + " is infeasible (the limit was reached before the reason was found)";
    return;
  }
  // Drop constraints one by one while the rest stays unsatisfiable: a minimal set.
  std::vector<Constraint> core = query.encoder->core();
  std::vector<Lit> kept;
  for (Lit lit : active)
    if (query.sat->failed(lit))
      kept.push_back(lit);
  for (size_t i = 0; i < kept.size();) {
    std::vector<Lit> fewer = kept;
    fewer.erase(fewer.begin() + static_cast<long>(i));
    SearchLimits brief = limits;
    brief.deadline = std::min(limits.deadline, SearchLimits::now() + 5);
    if (query.sat->solve(fewer, brief) == SatAnswer::Unsat) {
      kept = fewer;
      core.erase(core.begin() + static_cast<long>(i));
    } else {
      ++i;
    }
  }
  result.core = core;
  result.binding = "interval " + std::to_string(ii) + " with at most " + std::to_string(result.stages) +
                   (result.stages == 1 ? " stage" : " stages") + " contradicts ";
  if (core.empty())
    result.binding += "the length of the operations alone";
  for (size_t i = 0; i < core.size(); ++i)
    result.binding += (i ? i + 1 == core.size() ? " and " : ", " : "") + std::string(constraintName(core[i]));
}

const char *solveStatusName(SolveStatus status) {
  switch (status) {
  case SolveStatus::Optimal:
    return "optimal";
  case SolveStatus::Feasible:
    return "feasible";
  case SolveStatus::Infeasible:
    return "infeasible";
  case SolveStatus::LimitReached:
    return "limit reached";
  case SolveStatus::Failed:
    break;
  }
  return "failed";
}

int64_t defaultStages(const Problem &problem, const Bounds &bounds, ConstraintSet constraints) {
  int64_t critical = std::max<int64_t>(1, criticalLength(problem, bounds.mii, constraints)), pinned = 0;
  for (const Node &node : problem.nodes) {
    pinned = std::max(pinned, node.pinStage + 1 + ceilDiv(node.latency, bounds.mii));
    if (node.pinStart >= 0)
      pinned = std::max(pinned, ceilDiv(node.pinStart + node.latency, bounds.mii));
  }
  return std::max({int64_t(3), ceilDiv(critical, bounds.mii) + 1, pinned});
}

SolveResult solve(const Problem &problem, const SolveOptions &options) { return Search(problem, options).run(); }

SolveResult scheduleExact(const Problem &problem, SolveOptions options) {
  options.mode = SolveMode::Modulo;
  return solve(problem, options);
}

int applyStreaming(Problem &problem) {
  int changed = 0;
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v) {
    Node &node = problem.nodes[v];
    bool streaming = node.variableLatency;
    for (const Edge &edge : problem.edges)
      streaming &= edge.to != v || edge.order || edge.from == v;
    if (!streaming)
      continue;
    node.latency = 0;
    for (Edge &edge : problem.edges)
      if (edge.from == v)
        edge.delay = edge.transfer = 0;
    ++changed;
  }
  return changed;
}

} // namespace heddle
