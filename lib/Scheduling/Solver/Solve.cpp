//===- Solve.cpp - Search over the initiation interval --------------------===//
//
// What:      see Solve.h.
// Verifies:  every schedule by Certificate/Verify before it is returned.
// Algorithm: upward in ii from the arithmetic bound (Scheduling.md, questions 6, 14: one query at length stages * ii
// replaces the
//            paper's loop over lengths; no bisection over ii). If the first query is not satisfiable, larger intervals
//            are tried first for a schedule to fall back on (anytime). At each ii the stage count rises to its limit,
//            since few stages usually suffice. Then the lexicographic goals, each by re-solving with an added bound,
//            among schedules of the stage count that succeeded.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Bounds/Pinned.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/Widen.h"
#include "heddle/Scheduling/Order/OrderSearch.h"

#include <set>

namespace heddle {

SatAnswer Search::ask(int64_t ii, int64_t stages, const SearchLimits &given, Query *keep, const Guide *guide) {
  double start = SearchLimits::cpu();
  doing("interval ", ii);
  Query query = make(ii, stages, false, given, guide);
  SatAnswer answer = query.solve({}, given);
  SolveQuery record{ii,
                    stages,
                    answer == SatAnswer::Sat     ? 10
                    : answer == SatAnswer::Unsat ? 20
                                                 : 0,
                    SearchLimits::cpu() - start,
                    query.sat->numVars(),
                    query.sat->numClauses()};
  result.queries.push_back(record);
  say("ii " + std::to_string(ii) + ", " + std::to_string(stages) + " stages" +
      (!guide                   ? ": "
       : !guide->leader.empty() ? ", parts repeating each other: "
       : guide->start.empty()   ? ", likely groups: "
                                : ", near a rough solution: ") +
      (answer == SatAnswer::Sat     ? "satisfiable"
       : answer == SatAnswer::Unsat ? "unsatisfiable"
                                    : "limit") +
      ", " + std::to_string(record.seconds) + " s");
  if (answer == SatAnswer::Sat && !accept(query))
    return SatAnswer::Unknown;
  if (answer == SatAnswer::Sat)
    result.guided = guide && !guide->start.empty();
  if (keep)
    *keep = std::move(query);
  return answer;
}

/// Completes and verifies a schedule; keeps it if it is better. One that is `certain` to be legal and is not is an
/// internal error.
bool Search::keepIfLegal(Schedule schedule, bool certain) {
  if (std::any_of(schedule.start.begin(), schedule.start.end(), [](int64_t start) { return start > maxStart; }))
    return false; // times of a coarse copy may leave no room for the real ones
  finishSchedule(p, schedule);
  schedule.constraints = set;
  std::vector<Violation> violations = verifySchedule(p, schedule, set);
  if (!violations.empty() && !certain)
    return false;
  if (!violations.empty()) {
    result.status = SolveStatus::Failed;
    result.message =
        "the solver's schedule at interval " + std::to_string(schedule.ii) + " is not legal: " + violations[0].message;
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
  int64_t critical = criticalLength(p, ii, ConstraintSet::modulo(), limits.deadline);
  feasible = limit = false;
  doing("modulo schedule for interval ", ii);
  if (critical < 0)
    return 0;
  for (int64_t stages = std::max<int64_t>(1, ceilDiv(critical, ii));
       stages <= static_cast<int64_t>(p.nodes.size()) + ceilDiv(critical, ii); ++stages) {
    std::unique_ptr<SatSolver> sat = createSat(options.backend);
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

int64_t Search::leastStages(int64_t ii) const {
  return std::max<int64_t>(1, ceilDiv(std::max<int64_t>(0, criticalLength(p, ii, set, limits.deadline)), ii));
}

Search::Guesses Search::guessAt(int64_t ii, int64_t stages) const {
  Guesses out;
  if (options.mode != SolveMode::Modulo && ii <= fineIntervals)
    for (std::vector<int> &group : likelyGroups(p, set, ii, stages, likelyCandidates))
      out.list.push_back({std::move(group), {}, 0, 0});
  return out;
}

/// Looks for a schedule at `ii` with the groups fixed to the first `most` guesses, from few conflicts and few stages
/// upward. Says only yes: false means nothing.
bool Search::askLikely(int64_t ii, int64_t stages, const SearchLimits &given, Guesses &guesses, size_t most,
                       int64_t mostConflicts) {
  if (ii > fineIntervals)
    return false;
  SearchLimits brief = given;
  int64_t least = std::min(leastStages(ii), stages);
  const std::vector<int64_t> early(p.nodes.size(), 0); // every start as early as it can be is tried first
  for (int64_t conflicts = std::min<int64_t>(1000, mostConflicts); conflicts <= mostConflicts; conflicts *= 2) {
    for (size_t k = 0; k < std::min(most, guesses.list.size()); ++k) {
      Guesses::Guess &guess = guesses.list[k];
      if (guess.conflicts >= conflicts)
        continue;
      guess.conflicts = conflicts;
      // Like parts that repeat each other half an interval later, then anything, then a quarter later.
      bool repeats = !guess.repeated && std::any_of(leaders.begin(), leaders.end(), [](int v) { return v >= 0; });
      guess.repeated = true;
      for (int64_t part : {2, 0, 4})
        for (int64_t few = std::max(least, guess.dead + 1); (repeats || !part) && few <= stages && !given.exceeded();
             ++few) {
          Guide guide{{}, guess.group, 0, guess.first.empty() || part ? early : guess.first, {}, 0};
          if (part) {
            guide.leader = leaders;
            guide.shift = ii / part;
          }
          brief.conflicts = part ? conflicts / 2 : conflicts;
          if (given.conflicts >= 0)
            brief.conflicts = std::min(given.conflicts, brief.conflicts);
          SatAnswer answer = ask(ii, few, brief, nullptr, &guide);
          if (answer == SatAnswer::Sat)
            return true;
          if (answer == SatAnswer::Unsat && !part)
            guess.dead = few;
          if (!result.message.empty())
            return false;
        }
    }
  }
  return false;
}

/// Whether a schedule at `ii` is known that the guarantee is about.
bool Search::met(int64_t ii) const {
  return options.mode == SolveMode::Full && result.hasSchedule && result.schedule.ii <= ii &&
         result.schedule.stages(p) <= result.stages;
}

/// Decides whether some schedule exists at ii, or at a larger interval that it raises ii to when all smaller ones are
/// refuted.
SatAnswer Search::atInterval(int64_t &ii, const SearchLimits &given) {
  int64_t stages = result.stages;
  if (met(ii))
    return SatAnswer::Sat;
  if (options.mode == SolveMode::Paper) {
    bool feasible, limit;
    stages = paperStages(ii, feasible, limit);
    if (!feasible)
      return limit ? SatAnswer::Unknown : SatAnswer::Unsat;
    result.stages = stages;
  }
  auto next = [&](int64_t count) { return options.mode == SolveMode::Modulo ? count * 2 : count + 1; };
  Guesses guesses;
  // Pins leave so little open that a few cells refute most intervals, in a twentieth of the time of a whole query.
  bool pinned = std::any_of(p.nodes.begin(), p.nodes.end(), [](const Node &node) { return node.pinStart >= 0; });
  if (options.mode == SolveMode::Full && pinned && ii == result.mii && refutedOnCells(ii, given))
    return SatAnswer::Unsat;
  bool coarse = options.mode == SolveMode::Full && guidance && ii == result.mii && ii <= fineIntervals;
  if (coarse && options.insertion)
    fromCoarse(24); // the groups of a few cells are often those of a schedule
  if (met(ii))
    return SatAnswer::Sat;
  // Where smaller intervals were refuted, this one probably is, too.
  if (ii == result.mii) {
    guesses = guessAt(ii, stages);
    if (askLikely(ii, stages, given, guesses, 1, 1000))
      return SatAnswer::Sat;
  }
  if (coarse && (options.insertion || !result.hasSchedule))
    fromCoarse();
  if (met(ii))
    return SatAnswer::Sat;
  if (!result.message.empty())
    return SatAnswer::Unknown;
  if (options.mode == SolveMode::Full && climb(ii, given, guesses))
    return SatAnswer::Sat;
  if (met(ii))
    return SatAnswer::Sat;
  if (ii > result.maxII)
    return SatAnswer::Unsat;
  for (Guesses::Guess &guess : guessAt(ii, stages).list)
    if (std::none_of(guesses.list.begin(), guesses.list.end(), [&](auto &g) { return g.group == guess.group; }))
      guesses.list.push_back(std::move(guess));
  if (askLikely(ii, stages, given, guesses, 3, 1000) || askLikely(ii, stages, given, guesses, likelyCandidates, 2000))
    return SatAnswer::Sat;
  int64_t least = leastStages(ii);
  for (int64_t few = std::min(least, stages); few <= stages && ii > fineIntervals && guidance && !given.exceeded();
       few = next(few))
    if (askGuided(ii, few, given))
      return SatAnswer::Sat;
    else if (!result.message.empty())
      break;
  // Few stages usually suffice and cost least; only the last count may say no. At large intervals a refusal costs much.
  for (int64_t few = least;
       few < stages && ii <= fineIntervals && (ii == result.mii || options.mode != SolveMode::Full); few = next(few))
    if (SatAnswer answer = ask(ii, few, given); answer != SatAnswer::Unsat)
      return answer;
  return ask(ii, stages, given);
}

SolveResult Search::run() {
  result.bounds = computeBounds(p, set, limits.deadline);
  result.mii = result.bounds.mii;
  result.bound = std::max(result.mii, options.minII);
  // Beyond the length of everything in turn, behind what is pinned, nothing overlaps: what does not fit there fits
  // nowhere.
  int64_t pinned = 0;
  for (const Node &node : p.nodes)
    pinned = std::max(pinned, node.pinStart + 1);
  result.maxII = options.maxII ? options.maxII : std::max({4 * result.mii, pinned + lengthInTurn(p), options.minII});
  bool tooLong = result.bound > maxInterval && !result.bounds.infeasible;
  result.maxII = std::min(result.maxII, maxInterval);
  result.stages =
      options.mode == SolveMode::Modulo && !options.maxStages
          ? static_cast<int64_t>(p.nodes.size()) +
                ceilDiv(std::max<int64_t>(1, criticalLength(p, result.mii, set, limits.deadline)), result.mii)
      : options.maxStages ? options.maxStages
                          : defaultStages(p, result.bounds, set, limits.deadline);
  auto finish = [&](SolveStatus status) {
    if (!result.message.empty())
      status = SolveStatus::Failed;
    result.status = status;
    result.seconds = Deadline::now() - begin;
    result.cpuSeconds = SearchLimits::cpu() - beginCpu;
    return result;
  };
  auto proved = [&] {
    if (result.proofSeconds > 0)
      return;
    result.proofSeconds = Deadline::now() - begin;
    result.proofCpuSeconds = SearchLimits::cpu() - beginCpu;
  };
  // What was found on the way may meet the bound although the complete query at the bound ran out of time.
  auto stopped = [&] {
    bool met = result.hasSchedule && result.schedule.ii == result.bound && result.schedule.stages(p) <= result.stages;
    if (met)
      proved();
    if (met && options.explain && (result.bound > options.minII || result.bound == result.mii))
      explainInterval(result.bound - 1);
    return finish(met ? SolveStatus::Optimal : SolveStatus::LimitReached);
  };
  if (result.bounds.infeasible) {
    result.binding = result.bounds.bounds[0].witness;
    return finish(SolveStatus::Infeasible);
  }
  if (tooLong) {
    result.binding = "schedules have at most " + std::to_string(maxInterval) +
                     " cycles an iteration, and this one needs " + std::to_string(result.bound) +
                     (result.bounds.bounds.empty() ? "" : ": " + result.bounds.bounds[0].witness);
    return finish(SolveStatus::LimitReached);
  }
  if (result.bound > result.maxII) {
    explainInterval(result.mii > result.maxII ? result.maxII : result.bound - 1);
    return finish(SolveStatus::Infeasible);
  }
  PinnedIntervals pins = pinnedIntervals(p, set, result.bound);
  if (pins.contradiction.empty() && pins.least > result.maxII)
    pins.contradiction = "the pins contradict the dependences at every interval from " + std::to_string(result.bound) +
                         " to " + std::to_string(result.maxII) + " cycles";
  if (!pins.contradiction.empty()) {
    result.binding = pins.contradiction;
    return finish(SolveStatus::Infeasible);
  }
  result.maxII = std::min(result.maxII, mostInterval(p, set));
  // Of so many nodes orders decide nothing, and insertion and slots seldom find a schedule.
  if (options.mode == SolveMode::Full && options.insertion && guidance && p.nodes.size() > mostOrderNodes) {
    doing("heuristic from interval ", result.bound);
    byHeuristic(limits.deadline.part(heuristicShare).afterSteps(heuristicSteps));
    say(result.hasSchedule ? "heuristic: interval " + std::to_string(result.schedule.ii) : "heuristic: none");
  }
  leaders = secondParts(p, limits.deadline);
  widens = canWiden(p, set, result.bound);
  say("lower bound " + std::to_string(result.mii) + ", at most " + std::to_string(result.stages) + " stages");

  SearchLimits first = limits; // leaves time for what comes next if it fails
  first.deadline = limits.deadline.part(0.7);
  bool before = options.mode == SolveMode::Full && guidance && (options.insertion || options.onlyOrders);
  auto byOrdersWith = [&](int64_t conflicts) {
    if (before && result.message.empty() && !met(result.bound) && result.bound <= result.maxII)
      byOrders(conflicts);
  };
  auto byInsertion = [&] {
    if (before && options.insertion && result.message.empty() && !met(result.bound))
      insertFirst(insertionSteps * static_cast<int64_t>(p.nodes.size() * p.nodes.size()));
  };
  auto refutedAll = [&] { return !result.hasSchedule && result.bound > result.maxII && result.message.empty(); };
  auto infeasible = [&] {
    if (options.explain)
      explainInterval(result.maxII);
    return finish(SolveStatus::Infeasible);
  };
  // What is refuted is refuted of the stages of the guarantee, so that their number is settled first.
  moreStages = before && options.insertion && !options.maxStages && !p.groups.empty() &&
               likelyGroups(p, set, result.bound, result.stages, 1).empty();
  const bool stagesFirst = moreStages;
  if (stagesFirst)
    byInsertion();
  moreStages = false;
  // Over many nodes a query over orders takes long: a schedule by insertion comes first, then.
  const Deadline all = limits.deadline;
  if (options.insertion)
    limits.deadline = all.afterSteps(firstOrderSteps);
  if (before && !met(result.bound))
    (void)findByOrders(result.bound, firstOrderConflicts, false);
  for (int64_t conflicts : orderConflicts)
    byOrdersWith(conflicts);
  limits.deadline = all;
  if (options.onlyOrders) {
    byOrdersWith(moreOrderConflicts);
    if (result.hasSchedule)
      fewerStagesByOrders(firstOrderConflicts);
    return refutedAll() ? infeasible() : stopped();
  }
  if (!stagesFirst)
    byInsertion();
  byOrdersWith(moreOrderConflicts);
  if (refutedAll())
    return infeasible();
  int64_t ii = result.bound;
  if (options.mode == SolveMode::Full && guidance && result.message.empty() && !met(ii) &&
      (ii > fineIntervals || !options.prove))
    fromCoarse();
  if (!result.message.empty())
    return finish(SolveStatus::Failed);
  if (!options.prove) {
    if (!met(result.bound) && ii <= fineIntervals)
      descend(guidance ? 300 : 1000);
    if (met(result.bound)) {
      proved();
      if (options.lexicographic)
        improve();
    }
    return stopped();
  }
  SatAnswer answer = atInterval(ii, first);
  if (answer == SatAnswer::Unknown && result.message.empty()) {
    if (options.anytime)
      fallBack(ii);
    return stopped();
  }
  while (answer == SatAnswer::Unsat && result.message.empty()) {
    result.bound = ii = std::min(ii, result.maxII) + 1;
    if (refutedAll())
      return infeasible();
    answer = atInterval(ii, first);
    if (answer == SatAnswer::Unknown) {
      if (options.anytime && result.message.empty())
        fallBack(ii);
      return stopped();
    }
  }
  if (!result.message.empty())
    return finish(SolveStatus::Failed);
  result.bound = ii;
  proved();
  if (options.lexicographic)
    improve();
  if (options.explain && (ii > options.minII || ii == result.mii))
    explainInterval(ii - 1);
  return finish(SolveStatus::Optimal);
}

const char *solveStatusName(SolveStatus status) {
  switch (status) {
  case SolveStatus::Optimal: return "optimal";
  case SolveStatus::Feasible: return "feasible";
  case SolveStatus::Infeasible: return "infeasible";
  case SolveStatus::LimitReached: return "limit reached";
  case SolveStatus::Failed: break;
  }
  return "failed";
}

int64_t defaultStages(const Problem &problem, const Bounds &bounds, ConstraintSet constraints, Deadline deadline) {
  int64_t critical = std::max<int64_t>(1, criticalLength(problem, bounds.mii, constraints, deadline)), pinned = 0;
  for (const Node &node : problem.nodes) {
    pinned = std::max(pinned, node.pinStage + 1 + ceilDiv(node.latency, bounds.mii));
    if (node.pinStart >= 0)
      pinned = std::max(pinned, ceilDiv(node.pinStart + node.latency, bounds.mii));
  }
  return std::max({int64_t(3), ceilDiv(critical, bounds.mii) + 1, pinned});
}

/// A pinned depth bounds a lifetime by two constraints together: the depth is the pinned one, and covers the lifetime.
static bool boundsLifetimes(const Problem &problem, ConstraintSet set) {
  return (set.has(Constraint::Pins) && set.has(Constraint::Rings)) ||
         std::none_of(problem.nodes.begin(), problem.nodes.end(), [](const Node &node) { return node.pinDepth >= 0; });
}

SolveResult solve(const Problem &problem, const SolveOptions &options) {
  if (boundsLifetimes(problem, options.constraints))
    return Search(problem, options).run();
  Problem free = problem;
  for (Node &node : free.nodes)
    node.pinDepth = -1;
  SolveResult result = Search(free, options).run();
  for (size_t v = 0; result.hasSchedule && options.constraints.has(Constraint::Pins) && v < problem.nodes.size(); ++v)
    if (problem.nodes[v].pinDepth >= 0)
      result.schedule.depth[v] = problem.nodes[v].pinDepth;
  return result;
}

SolveResult solveAsAsked(const Problem &problem, const SolveOptions &options) {
  SolveResult result = solve(problem, options);
  bool decided = result.status == SolveStatus::Optimal || result.status == SolveStatus::Infeasible;
  if (options.minII <= result.mii || !decided)
    return result;
  result.status = result.hasSchedule ? SolveStatus::Feasible : SolveStatus::LimitReached;
  result.bound = result.mii;
  result.binding = "intervals below " + std::to_string(options.minII) + " were not asked for";
  return result;
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
