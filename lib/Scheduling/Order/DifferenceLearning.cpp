//===- DifferenceLearning.cpp - What conflicts of differences teach -------===//
//
// What:      learn and reduce of DifferenceSolver.h: the clause of a conflict, the way back to where it implies
//            something, and which learned clauses are dropped.
// Verifies:  nothing itself; with a log every learned clause names the steps that it follows from, which the checker of
//            refutations reads (Certificate).
// Algorithm: first unique implication points, without the literals that the rest of the clause implies; clauses of many
//            levels are dropped first.
//
//===----------------------------------------------------------------------===//
#include "DifferenceSolver.h"

#include <algorithm>

namespace heddle {

/// Learns from the true literals in `conflict`, and goes back to where what was learned implies something.
void DifferenceSolver::learn() {
  int top = 0;
  for (Lit lit : conflict)
    top = std::max(top, of(lit).level);
  std::vector<int> from; // steps
  if (log)
    from.push_back(conflictStep);
  auto because = [&](Lit lit) {
    if (log)
      from.push_back(of(lit).level ? reasonOf(lit) : of(lit).step);
  };
  if (top == 0) {
    dead = true;
    for (Lit lit : conflict)
      because(lit);
    if (log)
      log->add(RefutationLog::learned, {}, std::move(from));
    return;
  }
  backtrack(top);
  std::vector<Lit> clause(1, 0), touched;
  int open = 0;
  size_t at = trail.size();
  auto add = [&](Lit lit) { // a true literal
    Variable &variable = of(lit);
    if (variable.level == 0)
      because(lit);
    if (variable.seen || variable.level == 0)
      return;
    variable.seen = true;
    touched.push_back(lit);
    order.bump(lit < 0 ? -lit : lit);
    if (variable.level == top)
      ++open;
    else
      clause.push_back(-lit);
  };
  auto expand = [&](Lit lit, auto &&each) { // what implied it
    const Variable &variable = of(lit);
    if (variable.clause >= 0) {
      for (Lit other : clauses[static_cast<size_t>(variable.clause)].lits)
        if (other != lit)
          each(-other);
    } else {
      for (int64_t k = variable.why; k < variable.whyEnd; ++k)
        each(reasons[static_cast<size_t>(k)]);
    }
  };
  for (Lit lit : conflict)
    add(lit);
  Lit last = 0;
  for (;;) {
    do
      last = trail[--at];
    while (!of(last).seen);
    if (--open == 0)
      break;
    because(last);
    expand(last, add);
  }
  clause[0] = -last;
  // What the rest of the clause implies, be it over others, is left out.
  std::vector<char> met(static_cast<size_t>(top) + 1, 0);
  for (Lit lit : clause)
    met[static_cast<size_t>(of(lit).level)] = 1;
  auto redundant = [&](Lit lit) {
    std::vector<Lit> open{-lit}, used;
    size_t before = touched.size();
    bool all = true;
    while (all && !open.empty()) {
      Lit at = open.back();
      open.pop_back();
      all = of(at).clause >= 0 || of(at).whyEnd > of(at).why;
      used.push_back(at);
      expand(at, [&](Lit other) {
        Variable &variable = of(other);
        if (variable.level == 0)
          used.push_back(other);
        if (variable.seen || variable.level == 0)
          return;
        all &= met[static_cast<size_t>(variable.level)] != 0;
        variable.seen = true;
        touched.push_back(other);
        open.push_back(other);
      });
    }
    for (; !all && touched.size() > before; touched.pop_back())
      of(touched.back()).seen = false;
    for (size_t k = 0; all && k < used.size(); ++k)
      because(used[k]);
    return all;
  };
  clause.erase(std::remove_if(clause.begin() + 1, clause.end(), redundant), clause.end());
  for (Lit lit : touched)
    of(lit).seen = false;
  std::vector<int> depths;
  int back = 0;
  for (size_t k = 1; k < clause.size(); ++k) {
    depths.push_back(of(clause[k]).level);
    if (of(clause[k]).level > back) {
      back = of(clause[k]).level;
      std::swap(clause[1], clause[k]);
    }
  }
  std::sort(depths.begin(), depths.end());
  depths.erase(std::unique(depths.begin(), depths.end()), depths.end());
  backtrack(back);
  assign(clause[0]);
  int step = log ? log->add(RefutationLog::learned, clause, std::move(from)) : -1;
  if (clause.size() == 1) {
    of(clause[0]).step = step;
  } else {
    of(clause[0]).clause = static_cast<int>(clauses.size());
    clauses.push_back({std::move(clause), static_cast<int>(depths.size()) + 1, false, step});
    watch(static_cast<int>(clauses.size()) - 1);
    ++learned;
  }
  order.decay();
}

/// Drops half of the learned clauses, those of many levels first. At level 0, where no clause is a reason.
void DifferenceSolver::reduce() {
  std::vector<int> drop;
  for (size_t c = 0; c < clauses.size(); ++c)
    if (clauses[c].levels > 2)
      drop.push_back(static_cast<int>(c));
  std::stable_sort(drop.begin(), drop.end(), [&](int a, int b) {
    const Clause &x = clauses[static_cast<size_t>(a)], &y = clauses[static_cast<size_t>(b)];
    return std::pair(x.levels, x.lits.size()) > std::pair(y.levels, y.lits.size());
  });
  drop.resize(drop.size() / 2);
  for (int c : drop)
    clauses[static_cast<size_t>(c)].gone = true;
  for (Lit lit : trail)
    of(lit).clause = -1;
  learned -= static_cast<int64_t>(drop.size());
  std::erase_if(clauses, [](const Clause &c) { return c.gone; });
  for (std::vector<Watch> &list : watches)
    list.clear();
  for (size_t c = 0; c < clauses.size(); ++c)
    watch(static_cast<int>(c));
  work += static_cast<int64_t>(clauses.size());
}

} // namespace heddle
