//===- OrderSearch.cpp - see OrderSearch.h --------------------------------===//
//
// Verifies:  every schedule by Certificate/Verify.
// Algorithm: literals say how far two starts are apart, with a number of intervals between them, and which group a node
//            is on. Of like parts, one node of each begins no later than its counterpart in the next. The literals of
//            groups are decided first. What may be held at once is OrderStores.cpp's.
//
//===----------------------------------------------------------------------===//
#include "OrderQuery.h"

#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Problem/Windows.h"

#include <algorithm>
#include <numeric>

namespace heddle {

OrderAnswer OrderQuery::run() {
  OrderAnswer out;
  if (options.slots)
    addSlots();
  else
    addTimes();
  addLeaders();
  if (!options.slots)
    orderParts();
  addLives();
  if (!addGroups()) {
    out.answer = SatAnswer::Unsat;
    return out;
  }
  addUnits();
  addIssue();
  if (!options.slots) {
    addTransfers();
    addRegisters();
    addMemories();
  }
  if (late())
    return out;
  preferNear();
  out.answer = solver.solve(options.limits);
  if (out.answer != SatAnswer::Sat)
    return out;
  out.answer = SatAnswer::Unknown;
  if (high > low || options.slots)
    return out;
  Schedule s;
  s.ii = low;
  std::vector<int64_t> times = solver.times();
  s.start.assign(times.begin() + 1, times.end());
  s.constraints = set;
  for (int v = 0; v < n; ++v) {
    s.group.push_back(-1);
    for (int g = 0; g < groups(); ++g)
      if (solver.holds(on[v][g]))
        s.group[v] = g;
  }
  finishSchedule(p, s);
  if (verifySchedule(p, s, set).empty()) {
    out.answer = SatAnswer::Sat;
    out.schedule = std::move(s);
  }
  return out;
}

void OrderQuery::addTimes() {
  if (far && options.leaders.empty()) {
    // First and last starts are sums of pins and multiples of the interval, so that those of a range are at its ends.
    auto near = nearWindows(p, set, low), wide = nearWindows(p, set, high);
    for (int v = 0; v < n; ++v) {
      require(-1, v, std::min(near[v].first, wide[v].first), 0);
      require(v, -1, -std::max(near[v].second, wide[v].second), 0);
    }
  }
  for (int v = 0; v < n; ++v) {
    const Node &node = p.nodes[v];
    require(-1, v, 0, 0);
    require(v, -1, node.latency, options.stages);
    if (options.stages * high > maxStart)
      require(v, -1, -maxStart, 0);
    if (node.pinDepth >= 0 && set.has(Constraint::Rings))
      for (const Span::End &end : lifetime(p, v, 1).ends)
        require(end.node, v, end.shift, node.pinDepth - end.distance);
    if (!set.has(Constraint::Pins))
      continue;
    if (node.pinStart >= 0) {
      require(-1, v, node.pinStart, 0);
      require(v, -1, -node.pinStart, 0);
    }
    if (node.pinStage >= 0) {
      require(-1, v, 0, -node.pinStage);
      require(v, -1, 1, node.pinStage + 1);
    }
  }
  for (const Edge &e : p.edges)
    if (set.has(Constraint::Dependence))
      require(e.from, e.to, e.delay + (crossesAnyway(e) ? e.transfer : 0), e.distance);
}

void OrderQuery::addLeaders() {
  for (int v = 0; v < n && !options.leaders.empty(); ++v)
    if (int leader = options.leaders[v]; leader >= 0) {
      require(leader, v, options.apart, 0);
      require(v, leader, -options.apart, 0);
    }
}

void OrderQuery::addSlots() {
  for (int v = 0; v < n; ++v) {
    require(-1, v, 0, 0);
    require(v, -1, 1, 1);
  }
  if (n)
    require(0, -1, 0, 0);
}

void OrderQuery::orderParts() {
  for (LikeParts &like : likeParts(p, options.limits.deadline)) {
    if (like.outermost && !options.leaders.empty())
      continue;
    std::map<std::vector<int>, std::vector<std::vector<int>>> same;
    for (std::vector<int> &part : like.parts) {
      std::vector<int> where;
      for (int v : part)
        where.push_back(options.group.empty() ? -1 : options.group[v]);
      same[where].push_back(std::move(part));
    }
    for (auto &[where, parts] : same) {
      for (size_t k = 1; k < parts.size(); ++k)
        require(parts[k - 1][like.place], parts[k][like.place], 0, 0);
      ordered.push_back({std::move(parts), like.place, like.outermost});
    }
  }
}

void OrderQuery::addLives() {
  for (int v = 0; v < n; ++v) {
    lives.push_back(lifetime(p, v, 1));
    std::vector<Span::End> &ends = lives.back().ends, all = ends;
    auto reaches = [&](const Span::End &x, const Span::End &y) { // y is never before x
      return solver.always(x.node + 1, y.node + 1, range(x.shift - y.shift, y.distance - x.distance).second);
    };
    ends.clear();
    for (size_t a = 0; a < all.size(); ++a) {
      bool needed = true;
      for (size_t b = 0; b < all.size() && needed; ++b)
        needed = a == b || !reaches(all[a], all[b]) || (a < b && reaches(all[b], all[a]));
      if (needed)
        ends.push_back(all[a]);
    }
  }
}

std::vector<int> OrderQuery::allowed(int v) const {
  if (!options.group.empty() && options.group[v] >= 0)
    return {options.group[v]};
  const Node &node = p.nodes[v];
  std::vector<int> out;
  for (int g = 0; g < groups(); ++g) {
    bool assigned = p.groups[g].warps >= node.warps &&
                    (node.groups.empty() || std::count(node.groups.begin(), node.groups.end(), g));
    if ((assigned || !set.has(Constraint::WarpAssignment)) &&
        (p.groups[g].variable == node.variableLatency || !set.has(Constraint::VariableLatency)))
      out.push_back(g);
  }
  return out;
}

bool OrderQuery::crossesAnyway(const Edge &e) const {
  if (p.groups.empty() || e.transfer <= 0 || !set.has(Constraint::Transfers))
    return false;
  std::vector<int> a = allowed(e.from), b = allowed(e.to);
  return std::none_of(a.begin(), a.end(), [&](int g) { return std::count(b.begin(), b.end(), g); });
}

bool OrderQuery::addGroups() {
  on.assign(n, std::vector<Lit>(p.groups.size(), no));
  for (int v = 0; v < n && groups(); ++v) {
    std::vector<int> list = allowed(v);
    if (list.empty())
      return false;
    if (list.size() == 1) {
      on[v][list[0]] = yes;
      continue;
    }
    std::vector<Lit> some;
    for (int g : list) {
      for (int h : list)
        if (h < g)
          some.push_back(on[v][h]);
      on[v][g] = solver.newLit();
      solver.first(on[v][g]);
      for (Lit other : some)
        solver.clause({-on[v][g], -other});
      some.clear();
    }
    for (int g : list)
      some.push_back(on[v][g]);
    solver.clause(some);
  }
  same.assign(n, std::vector<Lit>(n, 0));
  for (int g = 0; g < groups(); ++g)
    orderAfter(g);
  return true;
}

void OrderQuery::orderAfter(int g) {
  int before = -1;
  for (int h = 0; h < g; ++h) {
    bool alike = p.groups[h].warps == p.groups[g].warps && p.groups[h].regs == p.groups[g].regs;
    for (int v = 0; v < n && alike; ++v)
      alike = on[v][h] != yes && on[v][g] != yes && (on[v][h] == no) == (on[v][g] == no);
    before = alike ? h : before;
  }
  for (int v = 0; v < n && before >= 0; ++v) {
    std::vector<Lit> lits = {-on[v][g]};
    for (int u = 0; u < v; ++u)
      lits.push_back(on[u][before]);
    solver.clause(std::move(lits));
  }
}

Lit OrderQuery::together(int u, int v) {
  if (p.groups.empty() || u == v)
    return yes;
  if (u > v)
    std::swap(u, v);
  Lit &lit = same[u][v];
  if (lit)
    return lit;
  bool possible = false;
  for (int g = 0; g < groups(); ++g) {
    if (on[u][g] == yes || on[v][g] == yes)
      return lit = on[u][g] == yes ? on[v][g] : on[u][g];
    possible |= on[u][g] != no && on[v][g] != no;
  }
  if (!possible)
    return lit = no;
  lit = solver.newLit();
  for (int g = 0; g < groups(); ++g) {
    solver.clause({-on[u][g], -on[v][g], lit});
    solver.clause({-lit, -on[u][g], on[v][g]});
    solver.clause({-lit, -on[v][g], on[u][g]});
  }
  return lit;
}

Lit OrderQuery::any(const std::vector<Lit> &lits) {
  if (std::count(lits.begin(), lits.end(), yes))
    return yes;
  std::vector<Lit> open;
  for (Lit l : lits)
    if (l != no)
      open.push_back(l);
  if (open.size() < 2)
    return open.empty() ? no : open[0];
  Lit out = solver.newLit();
  for (Lit l : open)
    solver.clause({-l, out});
  return out;
}

Lit OrderQuery::both(Lit a, Lit b) {
  if (a == no || b == no)
    return no;
  if (a == yes || b == yes)
    return a == yes ? b : a;
  Lit out = solver.newLit();
  solver.clause({-a, -b, out});
  return out;
}

void OrderQuery::addTransfers() {
  for (const Edge &e : p.edges) {
    if (!e.transfer || p.groups.empty() || !set.has(Constraint::Transfers))
      continue;
    Lit one = together(e.from, e.to);
    if (e.transfer == Edge::never)
      solver.clause({one});
    else if (one != yes && set.has(Constraint::Dependence))
      solver.clause({one, later(e.from, e.to, e.delay + e.transfer, e.distance)});
  }
}

void OrderQuery::preferNear() {
  const Schedule *near = options.near;
  std::vector<int> of(n); // whose place in that schedule a node takes, so that like parts are in order
  std::iota(of.begin(), of.end(), 0);
  for (const LikeParts &like : ordered) {
    std::vector<std::vector<int>> were;
    for (const std::vector<int> &part : like.parts) {
      were.emplace_back();
      for (int v : part)
        were.back().push_back(of[v]);
    }
    if (near)
      std::stable_sort(were.begin(), were.end(),
                       [&](auto &a, auto &b) { return near->start[a[like.place]] < near->start[b[like.place]]; });
    for (size_t k = 0; k < were.size(); ++k)
      for (size_t i = 0; i < were[k].size(); ++i)
        of[like.parts[k][i]] = were[k][i];
  }
  std::vector<int64_t> times = solver.times(); // as early as may be
  for (int v = 0; v < n && near; ++v)
    times[static_cast<size_t>(v) + 1] = near->start[of[v]] * low / std::max<int64_t>(1, near->ii);
  solver.prefer(times);
  const std::vector<int> &likely = near ? near->group : options.likely;
  for (int v = 0; v < n && !likely.empty(); ++v)
    for (int g = 0; g < groups(); ++g)
      if (on[v][g] != no && on[v][g] != yes)
        solver.prefer(likely[of[v]] == g ? on[v][g] : -on[v][g]);
}

OrderAnswer searchOrders(const Problem &problem, const OrderOptions &options) {
  if (problem.nodes.size() > mostOrderNodes || options.limits.deadline.passed())
    return {};
  return OrderQuery(problem, options).run();
}

} // namespace heddle
