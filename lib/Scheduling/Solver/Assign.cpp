//===- Assign.cpp - Likely assignments of nodes to warp groups ------------===//
//
// What:      a few complete group assignments that a schedule may well have. With the groups fixed, the query over
//            start times is an order of magnitude smaller, and usually satisfiable for one of them.
// Verifies:  nothing: an assignment here is a guess; only a complete query refutes an interval.
// Algorithm: simulated annealing of single nodes from several starts with an own generator (same result everywhere).
//            The cost: transfers paid, forbidden crossings, and per group the issue cycles, execution and least
//            register use against the interval and the limit.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "heddle/Scheduling/Problem/Budgets.h"
#include "heddle/Support/DisjointSets.h"

#include <cmath>
#include <numeric>

namespace heddle {
namespace {

struct Assigner {
  Assigner(const Problem &p, ConstraintSet set, int64_t ii)
      : p(p), set(set), ii(static_cast<double>(std::max<int64_t>(1, ii))) {
    int n = static_cast<int>(p.nodes.size());
    around.resize(n);
    std::vector<double> live(n), carried(n, 0);
    for (int v = 0; v < n; ++v)
      live[v] = static_cast<double>(p.nodes[v].minLive);
    for (const Edge &e : p.edges) {
      if (!e.order) {
        live[e.from] = std::max(live[e.from], static_cast<double>(e.delay + e.hold));
        if (e.to == e.from)
          carried[e.from] = std::max(carried[e.from], static_cast<double>(e.distance));
      }
      if (e.from != e.to) {
        bool never = e.transfer == Edge::never;
        if (!set.has(Constraint::Transfers) || e.transfer == 0)
          continue;
        double cost = never ? 1e4 : 0.1 + static_cast<double>(e.transfer) / this->ii;
        around[e.from].push_back({e.to, cost});
        around[e.to].push_back({e.from, cost});
      }
    }
    for (int v = 0; v < n; ++v) {
      const Node &node = p.nodes[v];
      allowed.push_back(p.allowedGroups(v));
      issue.push_back(static_cast<double>(node.issue));
      busy.push_back(
          static_cast<double>(node.async ? std::max<int64_t>(1, node.issue) : std::max(node.issue, node.latency)));
      regs.push_back(static_cast<double>(node.regs) * std::max(live[v] / this->ii, carried[v]));
      if (allowed.back().size() > 1)
        movable.push_back(v);
    }
    for (const Group &g : p.groups)
      limit.push_back(
          limitsRegisters(p, g) ? static_cast<double>(std::max<int64_t>(1, mostRegisters(g) - p.regOverhead)) : 1e9);
  }

  double groupCost(int g) const {
    double over = std::max(0.0, load[g].issue - ii) / ii, full = load[g].busy / ii, use = load[g].regs / limit[g];
    return 50 * over + 0.5 * full * full + 4 * std::max(0.0, full - 1) + 0.5 * use * use + 50 * std::max(0.0, use - 1);
  }
  void put(int v, int g, double sign) {
    load[g].issue += sign * issue[v];
    load[g].busy += sign * busy[v];
    load[g].regs += sign * regs[v];
  }
  /// What changes when v moves to g.
  double gain(int v, int g, double crossing) {
    int old = group[v];
    double before = groupCost(old) + groupCost(g), after;
    put(v, old, -1);
    put(v, g, 1);
    after = groupCost(old) + groupCost(g);
    put(v, old, 1);
    put(v, g, -1);
    for (auto [w, cost] : around[v])
      after += crossing * cost * ((group[w] != g) - (group[w] != old));
    return after - before;
  }
  void anneal(uint64_t seed, double crossing, bool hot) {
    load.assign(p.groups.size(), {});
    for (size_t v = 0; v < p.nodes.size(); ++v)
      put(static_cast<int>(v), group[v], 1);
    uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
    auto next = [&] {
      state ^= state << 13;
      state ^= state >> 7;
      return state ^= state << 17;
    };
    int steps = static_cast<int>(movable.size()) * 200;
    for (int i = 0; i < steps && !movable.empty(); ++i) {
      double heat = (hot ? 2.0 : 0.3) * std::pow(1 - static_cast<double>(i) / steps, 2);
      int v = movable[next() % movable.size()], g = allowed[v][next() % allowed[v].size()];
      double uniform = static_cast<double>(next() >> 11) / static_cast<double>(uint64_t(1) << 53);
      if (g == group[v])
        continue;
      double change = gain(v, g, crossing);
      if (change <= 0 || uniform < std::exp(-change / std::max(heat, 1e-6))) {
        put(v, group[v], -1);
        put(v, g, 1);
        group[v] = g;
      }
    }
    for (bool moved = true; moved;) { // down to a local minimum
      moved = false;
      for (int v : movable)
        for (int g : allowed[v])
          if (g != group[v] && gain(v, g, crossing) < -1e-9) {
            put(v, group[v], -1);
            put(v, g, 1);
            group[v] = g;
            moved = true;
          }
    }
  }
  /// Connected parts of the graph without variable-latency nodes, the heaviest first to the least busy group.
  void byParts() {
    int n = static_cast<int>(p.nodes.size());
    DisjointSets parts(n);
    for (const Edge &e : p.edges)
      if (!p.nodes[e.from].variableLatency && !p.nodes[e.to].variableLatency)
        parts.join(e.from, e.to);
    std::vector<double> weight(n, 0), taken(p.groups.size(), 0);
    for (int v = 0; v < n; ++v)
      weight[parts.find(v)] += busy[v];
    std::vector<int> order(n), home(n, -1);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return weight[parts.find(a)] > weight[parts.find(b)]; });
    group.assign(n, -1);
    std::vector<std::vector<int>> takes(n, std::vector<int>(p.groups.size(), 0));
    for (int v = 0; v < n; ++v)
      for (int g : allowed[v])
        ++takes[parts.find(v)][g];
    for (int v : order) {
      int root = parts.find(v);
      if (home[root] < 0) { // a group that takes most of the part
        auto rather = [&](int g, int h) {
          return std::pair(-takes[root][g], taken[g]) < std::pair(-takes[root][h], taken[h]);
        };
        home[root] = 0;
        for (int g = 1; g < static_cast<int>(p.groups.size()); ++g)
          if (rather(g, home[root]))
            home[root] = g;
        taken[home[root]] += weight[root];
      }
      group[v] = home[root];
      if (std::count(allowed[v].begin(), allowed[v].end(), group[v]))
        continue;
      group[v] = allowed[v][0];
      for (int g : allowed[v])
        if (taken[g] < taken[group[v]])
          group[v] = g;
    }
  }

  const Problem &p;
  ConstraintSet set;
  double ii;
  struct Load {
    double issue = 0, busy = 0, regs = 0;
  };
  std::vector<Load> load;
  std::vector<std::vector<std::pair<int, double>>> around;
  std::vector<std::vector<int>> allowed;
  std::vector<double> issue, busy, regs, limit;
  std::vector<int> movable, group;
};

/// Whether dependences with these groups fit an interval and a number of stages.
bool fitsInTime(const Problem &p, ConstraintSet set, const std::vector<int> &group, int64_t ii, int64_t stages) {
  int n = static_cast<int>(p.nodes.size());
  std::vector<int64_t> start(n, 0);
  bool changed = true;
  for (int round = 0; changed; ++round) {
    if (round > n)
      return false;
    changed = false;
    for (const Edge &e : p.edges) {
      bool pays = set.has(Constraint::Transfers) && e.transfer > 0 && group[e.from] != group[e.to];
      int64_t next = start[e.from] + e.delay + (pays ? e.transfer : 0) - e.distance * ii;
      if (next > start[e.to])
        start[e.to] = next, changed = true;
    }
  }
  for (int v = 0; v < n; ++v)
    if (start[v] + p.nodes[v].latency > stages * ii)
      return false;
  return true;
}

} // namespace

std::vector<std::vector<int>> likelyGroups(const Problem &p, ConstraintSet set, int64_t ii, int64_t stages, int most) {
  std::vector<std::vector<int>> out;
  if (p.groups.empty())
    return out;
  Assigner a(p, set, ii);
  for (const std::vector<int> &groups : a.allowed)
    if (groups.empty())
      return out;
  auto take = [&] {
    if (static_cast<int>(out.size()) < most && !std::count(out.begin(), out.end(), a.group) &&
        (!set.has(Constraint::Dependence) || fitsInTime(p, set, a.group, ii, stages)))
      out.push_back(a.group);
  };
  if (a.movable.empty()) {
    a.byParts();
    take();
    return out;
  }
  for (int k = 0; k < 2 * most && static_cast<int>(out.size()) < most; ++k) {
    static constexpr double crossings[] = {1, 0.3, 3};
    a.byParts();
    if (k == 0)
      take();
    a.anneal(static_cast<uint64_t>(k) + 1, crossings[k % 3], k >= 3);
    take();
  }
  return out;
}

} // namespace heddle
