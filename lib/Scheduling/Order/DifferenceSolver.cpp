//===- DifferenceSolver.cpp - see DifferenceSolver.h ----------------------===//
//
// Verifies:  nothing: a schedule that is read from it is verified by Certificate/Verify.
// Algorithm: two watched literals, activities that decay, restarts by Luby's sequence; what conflicts teach stands in
//            DifferenceLearning.cpp. Implied differences and sums write down at once what implied them. A path is
//            explained by the last arc that made it longer and the paths before and behind that arc, which have not
//            changed since: were one of them longer now, the whole path would be, too.
//
//===----------------------------------------------------------------------===//
#include "DifferenceSolver.h"

#include <algorithm>

namespace heddle {

/// Conflicts between restarts are multiples of this.
static constexpr int64_t restartConflicts = 64;
/// Learned clauses that are kept, and how many more after each time that some were dropped.
static constexpr int64_t keptClauses = 3000, moreClauses = 500;
/// Cells, watches and terms that are looked at in one step.
static constexpr int64_t workInStep = 100;
/// Work between two looks at the deadline.
static constexpr int64_t workInPoll = 20000;

DifferenceSolver::DifferenceSolver(int times)
    : n(times), path(static_cast<size_t>(n) * static_cast<size_t>(n), unreachable), via(path.size(), -1),
      nearest(path.size(), INT64_MAX), thresholds(path.size()) {
  vars.emplace_back();
  newLit(); // the constant
  for (int v = 0; v < n; ++v)
    path[cell(v, v)] = 0;
  assign(yes);
}

Lit DifferenceSolver::newLit() {
  vars.emplace_back();
  truth.resize(2 * vars.size());
  watches.resize(2 * vars.size());
  inSums.resize(2 * vars.size());
  summed.resize(2 * vars.size());
  order.add();
  return static_cast<int>(vars.size()) - 1;
}

void DifferenceSolver::require(int u, int v, int64_t w) {
  if (u == v) {
    dead |= w > 0;
    return;
  }
  if (!dead && !assertArc(u, v, w, 0))
    dead = true;
  changes.clear();
}

Lit DifferenceSolver::atLeast(int u, int v, int64_t least, int64_t most) {
  if (path[cell(u, v)] >= most)
    return yes;
  if (path[cell(v, u)] != unreachable && path[cell(v, u)] > -least)
    return no;
  if (u == v)
    return newLit(); // it depends on which w it is
  if (u > v)
    return -atLeast(v, u, 1 - most, 1 - least);
  std::vector<Threshold> &same = thresholds[cell(u, v)];
  for (auto it = std::lower_bound(same.begin(), same.end(), Threshold{most, 0});
       it != same.end() && it->implied == most; ++it)
    if (differences[static_cast<size_t>(of(it->lit).difference)].weight == least)
      return it->lit;
  Lit lit = newLit();
  of(lit).difference = static_cast<int>(differences.size());
  differences.push_back({u, v, least, most});
  differences.push_back({v, u, 1 - most, 1 - least});
  auto insert = [&](int from, int to, Threshold t) {
    std::vector<Threshold> &list = thresholds[cell(from, to)];
    list.insert(std::upper_bound(list.begin(), list.end(), t), t);
    nearest[cell(from, to)] = std::min(nearest[cell(from, to)], t.implied);
  };
  insert(u, v, {most, lit});
  insert(v, u, {1 - least, -lit});
  return lit;
}

void DifferenceSolver::clause(std::vector<Lit> lits) {
  std::sort(lits.begin(), lits.end());
  lits.erase(std::unique(lits.begin(), lits.end()), lits.end());
  for (Lit lit : lits)
    if (value(lit) > 0 || std::binary_search(lits.begin(), lits.end(), -lit))
      return;
  std::vector<int> from;
  std::erase_if(lits, [&](Lit lit) {
    if (value(lit) < 0)
      from.push_back(of(lit).step);
    return value(lit) < 0;
  });
  int step = log && (!from.empty() || lits.empty()) ? log->add(RefutationLog::learned, lits, std::move(from)) : -1;
  if (lits.empty()) {
    dead = true;
  } else if (lits.size() == 1) {
    assign(lits[0]);
    of(lits[0]).step = step;
  } else {
    clauses.push_back({std::move(lits), 0, false, step});
    watch(static_cast<int>(clauses.size()) - 1);
  }
}

void DifferenceSolver::watch(int clause) {
  const std::vector<Lit> &lits = clauses[static_cast<size_t>(clause)].lits;
  watches[index(-lits[0])].push_back({clause, lits[1], lits.size() == 2});
  watches[index(-lits[1])].push_back({clause, lits[0], lits.size() == 2});
}

void DifferenceSolver::atMost(std::vector<std::pair<Lit, int64_t>> terms, int64_t bound, int name) {
  int64_t sum = 0;
  std::vector<Lit> always;
  std::erase_if(terms, [&](auto &term) {
    if (value(term.first) > 0) {
      bound -= term.second;
      always.push_back(term.first);
    }
    return value(term.first) != 0;
  });
  for (auto &term : terms)
    sum += term.second;
  if (sum <= bound)
    return;
  std::stable_sort(terms.begin(), terms.end(), [](auto &a, auto &b) { return a.second > b.second; });
  int s = static_cast<int>(sums.size());
  for (auto [lit, weight] : terms) {
    inSums[index(lit)].push_back({s, weight});
    summed[index(lit)] = 1;
  }
  rooms.push_back({bound, terms.empty() ? 0 : terms[0].second});
  sums.push_back({std::move(terms), bound, name, std::move(always)});
  if (bound < 0) {
    dead = true;
    if (log)
      log->add(RefutationLog::learned, {}, {lemma(s, {})});
    return;
  }
  for (auto [lit, weight] : sums.back().terms)
    if (weight > bound && value(lit) == 0) {
      assign(-lit);
      if (log)
        of(lit).step = log->add(RefutationLog::learned, {-lit}, {lemma(s, {-lit})});
    }
}

void DifferenceSolver::prefer(Lit lit) { of(lit).phase = lit > 0 ? 1 : -1; }

void DifferenceSolver::prefer(const std::vector<int64_t> &times) {
  for (Variable &variable : vars)
    if (variable.difference >= 0) {
      const Difference &d = differences[static_cast<size_t>(variable.difference)];
      int64_t apart = times[static_cast<size_t>(d.to)] - times[static_cast<size_t>(d.from)];
      variable.phase = apart >= d.implied ? 1 : -1;
    }
}

void DifferenceSolver::assign(Lit lit) {
  Variable &variable = of(lit);
  truth[index(lit)] = 1;
  truth[index(-lit)] = -1;
  variable.level = level();
  variable.clause = -1;
  variable.why = variable.whyEnd = 0;
  variable.sum = RefutationLog::cycle;
  variable.step = -1;
  trail.push_back(lit);
  __builtin_prefetch(&watches[index(lit)]);
  if (summed[index(lit)])
    for (auto [s, weight] : inSums[index(lit)])
      rooms[static_cast<size_t>(s)].room -= weight;
}

/// `lit` follows from the true literals in `scratch`, by differences or by a sum. False: it is false, and the conflict
/// is written down.
bool DifferenceSolver::imply(Lit lit, int sum) {
  if (value(lit) > 0)
    return true;
  if (value(lit) < 0) {
    conflict = scratch;
    conflict.push_back(-lit);
    if (log) {
      std::vector<Lit> lits = {lit};
      for (Lit other : scratch)
        lits.push_back(-other);
      conflictStep = lemma(sum, std::move(lits));
    }
    return false;
  }
  assign(lit);
  Variable &variable = of(lit);
  variable.sum = sum;
  variable.why = static_cast<int64_t>(reasons.size());
  reasons.insert(reasons.end(), scratch.begin(), scratch.end());
  variable.whyEnd = static_cast<int64_t>(reasons.size());
  if (log && level() == 0) {
    std::vector<Lit> lits = {lit};
    for (Lit other : scratch)
      lits.push_back(-other);
    int why = lemma(sum, std::move(lits));
    of(lit).step = unit(lit, {why}, scratch);
  }
  return true;
}

bool DifferenceSolver::propagateClauses(Lit lit) {
  std::vector<Watch> &list = watches[index(lit)];
  size_t kept = 0;
  work += static_cast<int64_t>(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    Watch w = list[i];
    if (value(w.other) > 0) {
      list[kept++] = w;
      continue;
    }
    if (w.pair && value(w.other) == 0 && !(log && level() == 0)) {
      list[kept++] = w;
      assign(w.other);
      of(w.other).clause = w.clause;
      continue;
    }
    std::vector<Lit> &lits = clauses[static_cast<size_t>(w.clause)].lits;
    if (lits[0] == -lit)
      std::swap(lits[0], lits[1]);
    Lit first = lits[0];
    if (value(first) > 0) {
      list[kept++] = {w.clause, first, w.pair};
      continue;
    }
    bool moved = false;
    for (size_t k = 2; k < lits.size() && !moved; ++k)
      if (value(lits[k]) >= 0) {
        std::swap(lits[1], lits[k]);
        watches[index(-lits[1])].push_back({w.clause, first, false});
        moved = true;
      }
    if (moved)
      continue;
    list[kept++] = {w.clause, first, w.pair};
    if (value(first) == 0) {
      assign(first);
      of(first).clause = w.clause;
      if (log && level() == 0)
        of(first).step = unit(first, {clauses[static_cast<size_t>(w.clause)].step}, lits);
      continue;
    }
    conflict.clear();
    for (Lit other : lits)
      conflict.push_back(-other);
    conflictStep = clauses[static_cast<size_t>(w.clause)].step;
    while (++i < list.size())
      list[kept++] = list[i];
    list.resize(kept);
    return false;
  }
  list.resize(kept);
  return true;
}

bool DifferenceSolver::propagateSums(Lit lit) {
  if (!summed[index(lit)])
    return true;
  for (auto [s, own] : inSums[index(lit)]) {
    auto [room, greatest] = rooms[static_cast<size_t>(s)];
    if (greatest <= room)
      continue;
    const Sum &sum = sums[static_cast<size_t>(s)];
    work += static_cast<int64_t>(sum.terms.size());
    auto holding = [&](int64_t need) { // true literals of at least `need` together
      scratch.clear();
      int64_t held = 0;
      for (auto [other, weight] : sum.terms)
        if (held < need && value(other) > 0) {
          scratch.push_back(other);
          held += weight;
        }
    };
    if (room < 0) {
      holding(sum.bound + 1);
      conflict = scratch;
      conflictStep = logConflict(s);
      return false;
    }
    for (size_t t = 0; t < sum.terms.size() && sum.terms[t].second > room; ++t) {
      auto [other, weight] = sum.terms[t];
      if (value(other) != 0)
        continue;
      holding(sum.bound + 1 - weight);
      if (!imply(-other, s))
        return false;
    }
  }
  return true;
}

/// The literals along the longest path from `u` to `v`.
void DifferenceSolver::explain(int u, int v, std::vector<Lit> &out) const {
  while (u != v) {
    const Arc &arc = arcs[static_cast<size_t>(via[cell(u, v)])];
    explain(u, arc.from, out);
    if (arc.lit)
      out.push_back(arc.lit);
    u = arc.to;
  }
}

bool DifferenceSolver::assertArc(int u, int v, int64_t w, Lit lit) {
  if (path[cell(u, v)] >= w)
    return true;
  if (int64_t back = path[cell(v, u)]; back != unreachable && back + w > 0) {
    conflict.clear();
    explain(v, u, conflict);
    if (lit)
      conflict.push_back(lit);
    conflictStep = logConflict(RefutationLog::cycle);
    return false;
  }
  rows.clear();
  columns.clear();
  for (int i = 0; i < n; ++i) {
    if (int64_t to = path[cell(i, u)]; to != unreachable && to + w > path[cell(i, v)])
      rows.push_back(i);
    if (int64_t from = path[cell(v, i)]; from != unreachable && from + w > path[cell(u, i)])
      columns.push_back(i);
  }
  int arc = static_cast<int>(arcs.size());
  arcs.push_back({u, v, lit});
  longer.clear();
  work += n + static_cast<int64_t>(rows.size() * columns.size());
  for (int i : rows) {
    int64_t before = path[cell(i, u)] + w;
    const int64_t *behind = &path[cell(v, 0)];
    for (int j : columns) {
      size_t c = cell(i, j);
      int64_t now = before + behind[j];
      if (now <= path[c])
        continue;
      changes.push_back({static_cast<int>(c), via[c], path[c], nearest[c]});
      if (nearest[c] <= now)
        longer.push_back({i, j, path[c]});
      path[c] = now;
      via[c] = arc;
    }
  }
  for (auto [i, j, before] : longer) {
    const std::vector<Threshold> &list = thresholds[cell(i, j)];
    int64_t now = path[cell(i, j)];
    auto it = std::upper_bound(list.begin(), list.end(), Threshold{before, 0});
    for (; it != list.end() && it->implied <= now; ++it) {
      if (value(it->lit) > 0)
        continue;
      scratch.clear();
      explain(i, j, scratch);
      work += static_cast<int64_t>(scratch.size());
      if (!imply(it->lit, RefutationLog::cycle))
        return false;
    }
    nearest[cell(i, j)] = it == list.end() ? INT64_MAX : it->implied;
  }
  return true;
}

bool DifferenceSolver::propagate() {
  for (;;) {
    if (clauseHead < trail.size()) {
      Lit lit = trail[clauseHead++];
      if (clauseHead < trail.size())
        __builtin_prefetch(watches[index(trail[clauseHead])].data());
      if (!propagateClauses(lit) || !propagateSums(lit))
        return false;
    } else if (differenceHead < trail.size()) {
      Lit lit = trail[differenceHead++];
      int d = of(lit).difference;
      if (d < 0)
        continue;
      const Difference &difference = differences[static_cast<size_t>(d + (lit < 0))];
      if (!assertArc(difference.from, difference.to, difference.weight, lit))
        return false;
    } else {
      return true;
    }
  }
}

void DifferenceSolver::backtrack(int to) {
  if (level() <= to)
    return;
  Level keep = levels[static_cast<size_t>(to)];
  while (trail.size() > keep.trail) {
    Lit lit = trail.back();
    trail.pop_back();
    if (summed[index(lit)])
      for (auto [s, weight] : inSums[index(lit)])
        rooms[static_cast<size_t>(s)].room += weight;
    Variable &variable = of(lit);
    variable.phase = lit > 0 ? 1 : -1;
    truth[index(lit)] = truth[index(-lit)] = 0;
    order.insert(lit < 0 ? -lit : lit);
  }
  while (changes.size() > keep.changes) {
    const Change &change = changes.back();
    const auto c = static_cast<size_t>(change.cell);
    path[c] = change.path;
    via[c] = change.via;
    nearest[c] = change.nearest;
    changes.pop_back();
  }
  arcs.resize(keep.arcs);
  reasons.resize(keep.reasons);
  levels.resize(static_cast<size_t>(to));
  clauseHead = std::min(clauseHead, trail.size());
  differenceHead = std::min(differenceHead, trail.size());
}

/// The most active variable without a value, as it is preferred; 0: every one has a value.
Lit DifferenceSolver::decide() {
  while (int v = order.pop())
    if (value(v) == 0)
      return vars[static_cast<size_t>(v)].phase > 0 ? v : -v;
  return 0;
}

/// Luby's sequence 1 1 2 1 1 2 4 ...
static int64_t luby(int64_t i) {
  int64_t k = 1;
  while ((int64_t(1) << k) - 1 < i + 1)
    ++k;
  while ((int64_t(1) << k) - 1 != i + 1) {
    i -= (int64_t(1) << (k - 1)) - 1;
    k = 1;
    while ((int64_t(1) << k) - 1 < i + 1)
      ++k;
  }
  return int64_t(1) << (k - 1);
}

SatAnswer DifferenceSolver::solve(const SearchLimits &limits) {
  int64_t most = limits.conflicts < 0 ? INT64_MAX : conflicts + limits.conflicts, restarts = 0;
  int64_t next = conflicts + restartConflicts, room = keptClauses, polled = 0;
  while (!dead) {
    if (work - polled >= workInPoll) {
      limits.deadline.spend((work - polled) / workInStep);
      polled = work;
      if (limits.deadline.passed())
        return SatAnswer::Unknown;
    }
    if (log && log->size > mostLogged)
      return SatAnswer::Unknown;
    if (!propagate()) {
      ++conflicts;
      work += 10;
      learn();
      continue;
    }
    if (level() == 0)
      changes.clear();
    if (conflicts >= most)
      return SatAnswer::Unknown;
    if (conflicts >= next) {
      backtrack(0);
      next = conflicts + restartConflicts * luby(++restarts);
      if (learned > room) {
        reduce();
        room += moreClauses;
      }
      continue;
    }
    Lit lit = decide();
    if (!lit)
      return SatAnswer::Sat;
    levels.push_back({trail.size(), changes.size(), arcs.size(), reasons.size()});
    assign(lit);
  }
  return SatAnswer::Unsat;
}

std::vector<int64_t> DifferenceSolver::times() const { return std::vector<int64_t>(path.begin(), path.begin() + n); }

} // namespace heddle
