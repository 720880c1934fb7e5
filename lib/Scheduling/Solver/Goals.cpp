//===- Goals.cpp - Lexicographic goals after the interval -----------------===//
//
// What:      fewer groups, shorter length, fewer cross-group edges, lower register budgets: each by re-solving the satisfied query
//            with an added bound; what is reached becomes a constraint of the query.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

namespace heddle {

/// Lowers sum(terms) below `value` until it is refused; what is reached becomes a constraint of the query.
void Search::minimise(Query &query, const std::string &what, std::vector<Term> terms, int64_t value,
                      const std::function<int64_t(const Schedule &)> &measure) {
  Encoder &e = *query.encoder;
  while (value > 0) {
    // Guarded by an assumption, so that a refusal leaves the query usable.
    Lit selector = e.newLit();
    std::vector<Term> guarded = terms;
    int64_t total = 0;
    for (const Term &term : terms)
      total += term.weight;
    guarded.push_back({selector, total});
    e.atMost(guarded, total + value - 1);
    SatAnswer answer = query.sat->solve({selector}, limits);
    if (answer == SatAnswer::Sat && accept(query)) {
      value = measure(result.schedule);
      say(what + " " + std::to_string(value));
      continue;
    }
    result.lexicographicDone &= answer == SatAnswer::Unsat;
    break;
  }
  e.atMost(terms, value);
}

void Search::shorten(Query &query) {
  Encoder &e = *query.encoder;
  int64_t low = std::max<int64_t>(0, criticalLength(p, e.ii, set)), high = result.schedule.length(p);
  auto boundLength = [&](int64_t length, bool forever) {
    std::vector<Lit> lits;
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
      Lit lit = e.startAtMost(v, length - p.nodes[v].latency);
      if (forever)
        e.clause({lit});
      else if (lit != e.yes())
        lits.push_back(lit == e.no() ? -e.yes() : lit);
    }
    return lits;
  };
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    SatAnswer answer = query.sat->solve(boundLength(middle, false), limits);
    if (answer == SatAnswer::Sat && accept(query)) {
      high = result.schedule.length(p);
    } else if (answer == SatAnswer::Unsat) {
      low = middle + 1;
    } else {
      result.lexicographicDone = false;
      break;
    }
  }
  say("length " + std::to_string(high));
  boundLength(high, true);
}

void Search::improve(Query &query) {
  Encoder &e = *query.encoder;
  result.lexicographicDone = !result.guided; // near a coarse solution the goals are only improved
  bool groups = !p.groups.empty() && options.mode != SolveMode::Modulo;
  if (groups) {
    std::vector<Term> terms;
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g)
      terms.push_back({e.used(g), 1});
    auto count = [&](const Schedule &s) {
      int64_t used = 0;
      for (int g = 0; g < static_cast<int>(p.groups.size()); ++g)
        used += std::count(s.group.begin(), s.group.end(), g) > 0;
      return used;
    };
    minimise(query, "groups", terms, count(result.schedule), count);
  }
  shorten(query);
  if (groups) {
    std::vector<Term> terms;
    for (const Edge &edge : p.edges)
      if (!edge.order)
        terms.push_back({e.differ(edge.from, edge.to), 1});
    auto count = [&](const Schedule &s) {
      int64_t crossing = 0;
      for (const Edge &edge : p.edges)
        crossing += !edge.order && s.group[edge.from] != s.group[edge.to];
      return crossing;
    };
    minimise(query, "cross-group edges", terms, count(result.schedule), count);
  }
  if (groups && p.registerFile > 0 && set.has(Constraint::RegisterFile)) {
    if (!budgetsCoupled(e))
      encodeBudgets(e);
    std::vector<Term> terms;
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
    minimise(query, "register budget", terms, peak(result.schedule), peak);
  }
}

} // namespace heddle
