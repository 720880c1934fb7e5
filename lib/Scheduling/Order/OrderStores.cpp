//===- OrderStores.cpp - What a query over orders lets be held at once ------===//
//
// What:      the part of OrderQuery.h about units, issue slots, registers and memories.
// Verifies:  nothing: a schedule that is found is verified by Certificate/Verify (OrderSearch.cpp).
// Algorithm: of two spans that may not overlap, every instance of the one is before or behind every instance of the
//            other. What a store holds is counted where a span begins, since it grows nowhere else: a literal for each
//            instance of another span that is there, and one weighted sum. Only instances that the longest paths do
//            not decide get literals.
//
//===----------------------------------------------------------------------===//
#include "OrderQuery.h"

#include "heddle/Scheduling/Problem/Budgets.h"
#include "heddle/Support/Integers.h"

#include <algorithm>

namespace heddle {

OrderQuery::Taken OrderQuery::value(int v, int64_t amount, Lit where) const {
  Taken out{lives[v], where, true};
  out.amount = amount;
  return out;
}

/// Whether `span` is over as it begins, whatever the times are: it takes nothing, from nobody.
static bool isEmpty(const Span &span) {
  return span.ends.size() == 1 && span.ends[0].node == span.node && span.ends[0].distance == 0 &&
         span.ends[0].shift <= span.begin;
}

void OrderQuery::apart(const Span &a, const Span &b, Lit unless, Lit orElse) {
  if (isEmpty(a) || isEmpty(b))
    return;
  int64_t first = -reach, last = reach;
  if (far) { // those below `first` are always before `a`, those above `last` behind it
    auto before = [&](int64_t k) { return always(b.node, a.node, b.ends[0].shift - a.begin, -k); };
    first = firstInstance([&](int64_t k) { return !before(k); });
    last = firstInstance([&](int64_t k) { return always(a.node, b.node, a.ends[0].shift - b.begin, k); }) - 1;
  }
  for (int64_t k = first; k <= last && unless != yes && orElse != yes && !lateAfter(k); ++k) {
    Lit behind = later(a.node, b.node, a.ends[0].shift - b.begin, k);
    if (behind == yes)
      continue;
    solver.clause({unless, orElse, behind, later(b.node, a.node, b.ends[0].shift - a.begin, -k)});
  }
}

void OrderQuery::limit(const std::vector<Taken> &spans, int64_t capacity, const Levels &levels) {
  bool exclusive = levels.empty();
  for (size_t a = 0; a < spans.size() && exclusive; ++a) {
    const Taken &x = spans[a];
    exclusive = x.ends.size() == 1 && x.ends[0].node == x.node && x.ends[0].distance == 0 && x.amount <= capacity &&
                x.where == yes;
    for (size_t b = 0; b < a; ++b)
      exclusive = exclusive && x.amount + spans[b].amount > capacity;
  }
  for (size_t a = 0; a < spans.size() && !late(); ++a) {
    if (!exclusive) {
      countAt(spans, a, capacity, levels);
      continue;
    }
    if (2 * spans[a].amount > capacity && spans[a].ends[0].shift - spans[a].begin > high)
      solver.clause({}); // longer than the interval
    for (size_t b = 0; b < a; ++b)
      apart(spans[a], spans[b]);
  }
}

std::vector<Lit> OrderQuery::instances(const Taken &x, const Taken &y) {
  bool shared = x.begin == 0 && y.isValue; // by the groups that a value may be on
  if (auto it = beside.find({x.node, y.node}); shared && it != beside.end())
    return it->second;
  std::vector<Lit> out;
  int64_t first = -reach, last = reach;
  if (far) { // those below `first` are always over, those above `last` have never begun
    first = firstInstance([&](int64_t k) {
      return std::any_of(y.ends.begin(), y.ends.end(), [&](const Span::End &end) {
        return !never(x.node, end.node, x.begin + 1 - end.shift, end.distance + k);
      });
    });
    last = firstInstance([&](int64_t k) { return never(y.node, x.node, y.begin - x.begin, -k); }) - 1;
  }
  for (int64_t k = first; k <= last && !lateAfter(k); ++k) {
    Lit begun = later(y.node, x.node, y.begin - x.begin, -k);
    if (begun == no)
      continue;
    std::vector<Lit> lasting;
    for (const Span::End &end : y.ends)
      lasting.push_back(later(x.node, end.node, x.begin + 1 - end.shift, end.distance + k));
    if (Lit held = both(begun, any(lasting)); held != no)
      out.push_back(held);
    options.limits.deadline.spend(1);
  }
  if (shared)
    beside[{x.node, y.node}] = out;
  return out;
}

void OrderQuery::countAt(const std::vector<Taken> &spans, size_t a, int64_t capacity, const Levels &levels) {
  std::vector<std::pair<Lit, int64_t>> terms;
  for (const Taken &y : spans)
    for (Lit held : instances(spans[a], y))
      if (Lit here = both(y.where, held); here != no)
        terms.push_back({here, y.amount});
  if (levels.empty())
    return solver.atMost(std::move(terms), capacity);
  int64_t all = 0;
  for (auto &term : terms)
    all += term.second;
  for (auto [more, size] : levels) {
    if (size >= all)
      continue;
    std::vector<std::pair<Lit, int64_t>> guarded = terms;
    if (more != no)
      guarded.push_back({-more, all - size});
    solver.atMost(std::move(guarded), more != no ? all : size);
  }
}

void OrderQuery::addUnits() {
  for (int u = 0; set.has(Constraint::Capacity) && u < static_cast<int>(p.units.size()); ++u) {
    std::vector<Taken> spans;
    for (int v = 0; v < n; ++v)
      for (const Reservation &r : p.nodes[v].reservations)
        if (r.unit == u && r.length > 0)
          spans.push_back({{v, r.start, r.amount, {{v, r.start + r.length, 0}}}});
    limit(spans, p.units[u].capacity);
  }
}

void OrderQuery::addIssue() {
  std::vector<std::vector<Lit>> crossing(n);
  for (const Edge &e : p.edges)
    if (e.blocking || e.transfer > 0)
      crossing[e.to].push_back(e.blocking ? yes : -together(e.from, e.to));
  for (int v = 0; v < n && groups() && !late(); ++v) {
    Span issue{v, 0, 1, {{v, p.nodes[v].issue, 0}}}, start{v, 0, 1, {{v, 1, 0}}};
    if (set.has(Constraint::Issue) && p.nodes[v].issue > high)
      solver.clause({});
    Lit waits = set.has(Constraint::Concurrency) ? any(crossing[v]) : no;
    for (int o = 0; o < n; ++o) {
      const Node &other = p.nodes[o];
      if (o < v && set.has(Constraint::Issue) && issue.ends[0].shift > 0 && other.issue > 0)
        apart(issue, {o, 0, 1, {{o, other.issue, 0}}}, -together(v, o));
      if (o != v && waits != no) // nothing executes on the group when what waits starts
        apart(start, {o, 0, 1, {{o, busyTime(other), 0}}}, -waits, -together(v, o));
    }
  }
}

std::vector<OrderQuery::Taken> OrderQuery::registersOf(int g) {
  std::vector<Taken> spans;
  for (int v = 0; v < n; ++v)
    if (on[v][g] != no && p.nodes[v].regs > 0)
      spans.push_back(value(v, p.nodes[v].regs, on[v][g]));
  std::map<std::pair<int, int>, int64_t> reads; // one copy for a reader, be it of several iterations' values
  for (const Edge &e : p.edges)
    if (p.consumerCopies && !e.order && p.nodes[e.from].regs > 0)
      reads[{e.from, e.to}] = std::max({reads[{e.from, e.to}], int64_t(1), e.hold});
  for (auto &[edge, hold] : reads)
    if (Lit here = both(on[edge.second][g], -together(edge.first, edge.second)); here != no)
      spans.push_back({{edge.second, 0, p.nodes[edge.first].regs, {{edge.second, hold, 0}}}, here});
  return spans;
}

void OrderQuery::addRegisters() {
  bool file = p.registerFile > 0 && set.has(Constraint::RegisterFile);
  if (!file && !set.has(Constraint::Registers))
    return;
  int64_t together = 0, least = ceilDiv(p.minRegs, p.regGranule) * p.regGranule;
  std::vector<int64_t> most(p.groups.size(), 0);
  std::vector<std::vector<Taken>> spans;
  std::vector<Lit> used;
  for (int g = 0; g < groups(); ++g) {
    std::vector<Lit> some;
    for (int v = 0; v < n; ++v)
      some.push_back(on[v][g]);
    used.push_back(any(some));
    spans.push_back(registersOf(g));
    most[g] = limitsRegisters(p, p.groups[g]) ? mostRegisters(p.groups[g]) : 0;
    if (!file || used[g] == no)
      continue;
    most[g] = most[g] / p.regGranule * p.regGranule;
    if (most[g] < least)
      solver.clause({-used[g]});
    int64_t need =
        spans[g].empty() ? ceilDiv(std::max(p.minRegs, p.regOverhead), p.regGranule) * p.regGranule : most[g];
    together += 32 * p.groups[g].warps * std::min(most[g], need);
  }
  bool coupled = file && together > p.registerFile;
  std::vector<std::pair<Lit, int64_t>> budgets;
  for (int g = 0; g < groups(); ++g) {
    if (used[g] == no)
      continue;
    Levels levels; // beyond each budget, and what it holds
    Lit before = used[g];
    int64_t weight = 32 * p.groups[g].warps;
    budgets.push_back({used[g], weight * least});
    for (int64_t budget = least; coupled && budget < most[g]; budget += p.regGranule) {
      Lit more = budget < p.regOverhead ? used[g] : solver.newLit();
      solver.clause({-more, before});
      before = more;
      if (budget >= p.regOverhead)
        levels.push_back({more, budget - p.regOverhead});
      budgets.push_back({more, weight * p.regGranule});
    }
    if (coupled)
      levels.push_back({no, most[g] - p.regOverhead});
    if (most[g] && most[g] < p.regOverhead)
      solver.clause({-used[g]});
    else if (most[g])
      limit(spans[g], most[g] - p.regOverhead, levels);
  }
  if (coupled)
    solver.atMost(std::move(budgets), p.registerFile);
}

void OrderQuery::addMemories() {
  std::vector<std::vector<Lit>> crossing(n);
  for (const Edge &e : p.edges)
    if (!e.order && groups())
      crossing[e.from].push_back(-together(e.from, e.to));
  for (int m = 0; m < static_cast<int>(p.memories.size()); ++m) {
    bool ring = p.memories[m].kind == MemoryKind::Ring;
    if (!set.has(ring ? Constraint::Rings : Constraint::Memory))
      continue;
    std::vector<Taken> spans;
    auto add = [&](int v, const std::vector<Footprint> &list, Lit where) {
      for (const Footprint &f : list)
        if (f.memory == m && f.amount > 0 && where != no)
          spans.push_back(value(v, f.amount, where));
    };
    for (int v = 0; v < n; ++v) {
      add(v, p.nodes[v].footprints, yes);
      add(v, p.nodes[v].staging, p.nodes[v].staging.empty() ? no : any(crossing[v]));
    }
    if (ring)
      addRings(spans, p.memories[m].capacity);
    else
      limit(spans, p.memories[m].capacity);
  }
}

void OrderQuery::addRings(const std::vector<Taken> &spans, int64_t capacity) {
  std::vector<std::pair<Lit, int64_t>> terms;
  for (const Taken &span : spans) {
    int64_t depth = std::max<int64_t>(1, p.nodes[span.node].pinDepth);
    terms.push_back({span.where, depth * span.amount});
    for (;; ++depth) {
      std::vector<Lit> longer;
      for (const Span::End &end : span.ends)
        longer.push_back(later(span.node, end.node, 1 - end.shift, end.distance - depth));
      Lit deeper = any(longer);
      if (deeper == no || depth > 4 * reach || lateAfter(depth))
        break;
      terms.push_back({both(span.where, deeper), span.amount});
    }
  }
  solver.atMost(std::move(terms), capacity);
}

} // namespace heddle
