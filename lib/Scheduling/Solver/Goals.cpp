//===- Goals.cpp - Lexicographic goals after the interval -----------------===//
//
// What:      fewer stages, then fewer groups, shorter length, fewer cross-group edges, lower register budgets: each by
//            solving with an added bound. Every query has a budget of conflicts; where it ends, the best found stays,
//            the goal counts as not proved, and the next goals go on from there.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "heddle/Certificate/Verify.h"

namespace heddle {

/// A query that ran out of conflicts leaves half as many to each later one, so that the goals end soon.
static void halve(SearchLimits &given, SatAnswer answer) {
  if (answer == SatAnswer::Unknown && given.conflicts > 1)
    given.conflicts /= 2;
}

/// Lowers sum(terms), which is `measure` of a schedule, until it is refused; what is reached becomes a constraint of
/// the query. True when the last refusal is a proof.
bool Search::minimise(Query &query, const std::string &what, std::vector<Term> terms, SearchLimits &given,
                      const std::function<int64_t(const Schedule &)> &measure) {
  Encoder &e = *query.encoder;
  int64_t value = measure(result.schedule), total = 0;
  bool proved = true;
  doing("fewer " + what + " at interval ", e.ii);
  for (const Term &term : terms)
    total += term.weight;
  while (value > 0) {
    // Guarded by an assumption, so that a refusal leaves the query usable.
    Lit selector = e.newLit();
    std::vector<Term> guarded = terms;
    guarded.push_back({selector, total});
    e.atMost(guarded, total + value - 1);
    SatAnswer answer = query.solve({selector}, given);
    halve(given, answer);
    if (answer == SatAnswer::Sat && accept(query)) {
      value = measure(result.schedule);
      continue;
    }
    proved = answer == SatAnswer::Unsat;
    break;
  }
  say(what + " " + std::to_string(value) + (proved ? "" : ", not proved"));
  e.atMost(terms, value);
  return proved;
}

bool Search::shorten(Query &query, SearchLimits &given) {
  Encoder &e = *query.encoder;
  int64_t low = std::max<int64_t>(0, criticalLength(p, e.ii, set, limits.deadline)), high = result.schedule.length(p);
  bool proved = true;
  doing("shorter schedule at interval ", e.ii);
  for (int unknown = 0; low < high && unknown < 2;) {
    int64_t middle = low + (high - low) / 2;
    std::vector<Lit> lits;
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
      if (Lit lit = e.startAtMost(v, middle - p.nodes[v].latency); lit != e.yes())
        lits.push_back(lit);
    SatAnswer answer = query.solve(lits, given);
    halve(given, answer);
    if (answer == SatAnswer::Sat && accept(query)) {
      high = result.schedule.length(p);
    } else {
      proved &= answer == SatAnswer::Unsat;
      unknown += answer != SatAnswer::Unsat;
      low = middle + 1;
    }
  }
  say("length " + std::to_string(high) + (proved ? "" : ", not proved"));
  return proved;
}

/// Schedules of fewer stages than the one found, from the fewest upward.
bool Search::fewestStages(SearchLimits &given) {
  bool proved = true;
  for (int64_t few = leastStages(result.schedule.ii); few < result.schedule.stages(p); ++few) {
    SatAnswer answer = ask(result.schedule.ii, few, given);
    halve(given, answer);
    if (answer == SatAnswer::Sat)
      return proved;
    proved &= answer == SatAnswer::Unsat;
    if (!result.message.empty())
      return false;
  }
  return proved;
}

void Search::improve() {
  int64_t ii = result.schedule.ii;
  bool groups = !p.groups.empty() && options.mode != SolveMode::Modulo;
  bool fine = ii <= fineIntervals;
  SearchLimits given = options.mode == SolveMode::Full ? fewer(limits, goalConflicts) : limits;
  auto goal = [&](const char *name, bool proved) { result.goals.push_back({name, proved}); };
  // At large intervals only a neighbourhood of the schedule is searched, and nothing is proved.
  Guide guide{result.schedule.start, result.schedule.group, ii / 24, {}, {}, 0};
  auto remake = [&](int64_t horizon) {
    Query query = make(ii, result.schedule.stages(p), false, given, fine ? nullptr : &guide, horizon);
    query.encoder->prefer(result.schedule);
    return query;
  };
  auto used = [&](const Schedule &s) {
    int64_t count = 0;
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g)
      count += std::count(s.group.begin(), s.group.end(), g) > 0;
    return count;
  };
  auto usedTerms = [&](Encoder &e) {
    std::vector<Term> terms;
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g)
      terms.push_back({e.used(g), 1});
    return terms;
  };
  if (options.mode != SolveMode::Paper)
    goal("stages", fine && fewestStages(given));
  Query query = remake(0);
  if (query.encoder->aborted() || !result.message.empty())
    return;
  if (groups)
    goal("groups", minimise(query, "groups", usedTerms(*query.encoder), given, used) && fine);
  goal("length", shorten(query, given) && fine);
  if (groups && result.message.empty()) {
    // The length is fixed now, which leaves far less to encode.
    query = remake(result.schedule.length(p));
    Encoder &e = *query.encoder;
    if (e.aborted())
      return;
    e.atMost(usedTerms(e), used(result.schedule));
    std::vector<Term> terms;
    for (const Edge &edge : p.edges)
      if (!edge.order)
        terms.push_back({e.differ(edge.from, edge.to), 1});
    auto crossing = [&](const Schedule &s) {
      int64_t count = 0;
      for (const Edge &edge : p.edges)
        count += !edge.order && s.group[edge.from] != s.group[edge.to];
      return count;
    };
    goal("cross-group edges", minimise(query, "cross-group edges", terms, given, crossing) && fine);
    if (p.registerFile > 0 && set.has(Constraint::RegisterFile)) {
      if (!budgetsCoupled(e))
        encodeBudgets(e);
      terms.clear();
      for (int g = 0; g < static_cast<int>(p.groups.size()); ++g)
        for (Lit step : e.budgetSteps(g))
          terms.push_back({e.both(step, e.used(g)), p.groups[g].warps});
      int64_t first = ceilDiv(p.minRegs, p.regGranule) * p.regGranule;
      auto peak = [&](const Schedule &s) {
        int64_t sum = 0;
        for (size_t g = 0; g < p.groups.size(); ++g)
          sum += s.groupRegs[g] ? p.groups[g].warps * (s.groupRegs[g] - first) / p.regGranule : 0;
        return sum;
      };
      goal("register budget", minimise(query, "register budget", terms, given, peak) && fine);
    }
  }
  result.lexicographicDone = std::all_of(result.goals.begin(), result.goals.end(), [](auto &g) { return g.second; });
}

} // namespace heddle
