//===- PaperFormulation.h - Twill's straight-line formulation (a), repaired ===//
//
// What:   Figures 4 to 6 of Twill as the paper states them: op[v, i, t] over all iterations that overlap and all cycles of a
//         straight-line program, live[v, i, t] along it. For tests only: slow, and independent of the modular encoding.
//         Repaired as the solver study says: the program is long enough to hold a full steady-state interval with every iteration
//         that touches it (points 1, 2: all distances are emitted), lifetimes end at the last operand hold (3, 7), reservations are
//         segments (12). Groups: warp uniqueness, variable latency, register limit, spills and concurrency of Figure 6.
// Limits: modular memories, group register limits without a register file, no rings, staging, issue or pins: `supports` tells.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_UNITTESTS_SCHEDULING_PAPERFORMULATION_H
#define HEDDLE_UNITTESTS_SCHEDULING_PAPERFORMULATION_H

#include "heddle/Scheduling/Joint/Encoder.h"
#include "heddle/Scheduling/Problem/Problem.h"

#include <algorithm>

namespace heddle::test {

class PaperFormulation {
public:
  static bool supports(const Problem &p) {
    bool ok = p.registerFile == 0 && !p.consumerCopies;
    for (const Memory &m : p.memories)
      ok &= m.kind == MemoryKind::Modular;
    for (const Node &n : p.nodes)
      ok &= n.staging.empty() && n.issue == 0 && n.pinStart < 0 && n.pinStage < 0 && n.pinDepth < 0;
    return ok;
  }

  PaperFormulation(const Problem &p, int64_t ii, int64_t stages) : p(p), ii(ii), n(static_cast<int>(p.nodes.size())) {
    horizon = stages * ii;
    int64_t reach = horizon, tail = 0, before = 0;
    for (const Node &node : p.nodes) {
      tail = std::max(tail, node.minLive);
      for (const Reservation &r : node.reservations)
        tail = std::max(tail, r.start + r.length);
    }
    for (const Edge &e : p.edges)
      tail = std::max(tail, e.distance * ii + e.hold);
    reach += tail; // nothing of an iteration touches later cycles
    before = (reach + ii - 1) / ii;
    iterations = 2 * before + 1; // those that touch the interval in the middle, and those after it their values reach
    middle = before * ii;
  }

  SatAnswer solve() {
    sat = createCadical();
    variables();
    dependences();
    capacities();
    memories();
    warps();
    return sat->solve({}, {});
  }

private:
  void clause(const std::vector<Lit> &lits) { sat->addClause(lits.data(), lits.data() + lits.size()); }
  Lit fresh() { return sat->newVar(); }
  bool mayStart(int v, int64_t i, int64_t t) const {
    return t >= i * ii && t + p.nodes[v].latency <= i * ii + horizon && i >= 0 && i < iterations;
  }
  Lit op(int v, int64_t i, int64_t t) const { return mayStart(v, i, t) ? ops[v] + static_cast<Lit>(t - i * ii) : 0; }

  void variables() {
    // UNIQUENESS, COMPLETION and CONSISTENCY: one array for iteration 0, read shifted by the others.
    for (int v = 0; v < n; ++v) {
      std::vector<Lit> all;
      for (int64_t t = 0; mayStart(v, 0, t); ++t) {
        all.push_back(fresh());
        for (size_t k = 0; k + 1 < all.size(); ++k)
          clause({-all[k], -all.back()});
      }
      clause(all);
      ops.push_back(all.empty() ? 0 : all[0]);
    }
    for (int v = 0; v < n && !p.groups.empty(); ++v) {
      std::vector<Lit> all;
      for (size_t g = 0; g < p.groups.size(); ++g) {
        all.push_back(fresh());
        for (size_t k = 0; k < g; ++k)
          clause({-all[k], -all.back()});
        const Node &node = p.nodes[v];
        if (p.groups[g].warps < node.warps || p.groups[g].variable != node.variableLatency ||
            (!node.groups.empty() && !std::count(node.groups.begin(), node.groups.end(), static_cast<int>(g))))
          clause({-all.back()});
      }
      clause(all);
      opw.push_back(all);
    }
  }
  void dependences() { // DEPENDENCE and CROSS-WARP SPILLS, pair by pair of start cycles
    for (const Edge &e : p.edges)
      for (int64_t t = 0; mayStart(e.from, 0, t); ++t)
        for (int64_t s = e.distance * ii; mayStart(e.to, e.distance, s); ++s) {
          if (s < t + e.delay)
            clause({-op(e.from, 0, t), -op(e.to, e.distance, s)});
          if (p.groups.empty())
            continue;
          if (e.transfer == Edge::never || s < t + e.delay + e.transfer)
            for (size_t g = 0; e.transfer != 0 && g < p.groups.size(); ++g)
              clause({-op(e.from, 0, t), -op(e.to, e.distance, s), -opw[e.from][g], opw[e.to][g]});
        }
  }
  void sum(std::vector<std::pair<Lit, int64_t>> items, int64_t bound) { // plain enumeration of minimal violations
    std::vector<Lit> chosen;
    auto walk = [&](auto &self, size_t i, int64_t left) -> void {
      if (left < 0) {
        clause(chosen);
        return;
      }
      if (i == items.size())
        return;
      chosen.push_back(-items[i].first);
      self(self, i + 1, left - items[i].second);
      chosen.pop_back();
      self(self, i + 1, left);
    };
    std::stable_sort(items.begin(), items.end(), [](auto &a, auto &b) { return a.second > b.second; });
    walk(walk, 0, bound);
  }
  void capacities() {
    for (int u = 0; u < static_cast<int>(p.units.size()); ++u)
      for (int64_t t = middle; t < middle + ii; ++t) {
        std::vector<std::pair<Lit, int64_t>> items;
        for (int v = 0; v < n; ++v)
          for (int64_t i = 0; i < iterations; ++i) {
            int64_t most = 0; // starts that occupy cycle t, with the amount each takes
            std::vector<std::pair<Lit, int64_t>> starts;
            for (int64_t s = i * ii; mayStart(v, i, s); ++s) {
              int64_t amount = 0;
              for (const Reservation &r : p.nodes[v].reservations)
                amount += r.unit == u && s + r.start <= t && t < s + r.start + r.length ? r.amount : 0;
              if (amount)
                starts.push_back({op(v, i, s), amount});
              most = std::max(most, amount);
            }
            for (int64_t a = 1; a <= most; ++a) { // "takes at least a"
              Lit lit = fresh();
              for (auto [start, amount] : starts)
                if (amount >= a)
                  clause({-start, lit});
              items.push_back({lit, 1});
            }
          }
        sum(items, p.units[u].capacity);
      }
  }
  /// live[v, i, t] for cycles of the middle interval: started by t, and some read or hold still to come.
  Lit live(int v, int64_t i, int64_t t) {
    auto [it, isNew] = lives.try_emplace({v, i, t}, 0);
    if (!isNew)
      return it->second;
    Lit lit = 0; // stays 0 when iteration i cannot be alive at t
    auto alive = [&](std::vector<Lit> because) {
      lit = lit ? lit : fresh();
      because.push_back(lit);
      clause(because);
    };
    for (int64_t s = i * ii; mayStart(v, i, s); ++s) {
      if (s > t)
        continue;
      if (t < s + p.nodes[v].minLive)
        alive({-op(v, i, s)});
      for (const Edge &e : p.edges) {
        if (e.from != v || e.order)
          continue;
        for (int64_t r = (i + e.distance) * ii; r <= (i + e.distance) * ii + horizon; ++r)
          if (t < r + e.hold && r + p.nodes[e.to].latency <= (i + e.distance) * ii + horizon)
            alive({-op(v, i, s), -(ops[e.to] + static_cast<Lit>(r - (i + e.distance) * ii))});
      }
    }
    return lives[{v, i, t}] = lit;
  }
  void memories() {
    for (int m = 0; m < static_cast<int>(p.memories.size()); ++m)
      for (int64_t t = middle; t < middle + ii; ++t) {
        std::vector<std::pair<Lit, int64_t>> items;
        for (int v = 0; v < n; ++v) {
          int64_t amount = 0;
          for (const Footprint &f : p.nodes[v].footprints)
            amount += f.memory == m ? f.amount : 0;
          for (int64_t i = 0; amount && i < iterations; ++i)
            if (Lit lit = live(v, i, t))
              items.push_back({lit, amount});
        }
        sum(items, p.memories[m].capacity);
      }
  }
  void warps() {
    if (p.groups.empty())
      return;
    for (size_t g = 0; g < p.groups.size(); ++g)
      for (int64_t t = middle; p.groups[g].regs && t < middle + ii; ++t) { // REGISTER LIMIT
        std::vector<std::pair<Lit, int64_t>> items;
        for (int v = 0; v < n; ++v)
          for (int64_t i = 0; p.nodes[v].regs && i < iterations; ++i) {
            Lit alive = live(v, i, t);
            if (!alive)
              continue;
            Lit lit = fresh();
            clause({-alive, -opw[v][g], lit});
            items.push_back({lit, p.nodes[v].regs});
          }
        if (p.groups[g].regs < p.regOverhead)
          for (int v = 0; v < n; ++v)
            clause({-opw[v][g]});
        else
          sum(items, p.groups[g].regs - p.regOverhead);
      }
    for (const Edge &e : p.edges) { // CONCURRENCY, for blocking edges and for spills
      if (!e.blocking && e.transfer <= 0)
        continue;
      for (int o = 0; o < n; ++o) {
        int64_t busy = p.nodes[o].async ? 1 : p.nodes[o].latency;
        if (o == e.to || busy == 0)
          continue;
        for (int64_t t = 0; mayStart(e.to, 0, t); ++t)
          for (int64_t s = 0; mayStart(o, 0, s); ++s) {
            int64_t ahead = ((t - s) % ii + ii) % ii; // some iteration of o started so long before
            if (ahead >= busy)
              continue;
            for (size_t g = 0; g < p.groups.size(); ++g) {
              std::vector<Lit> lits{-op(e.to, 0, t), -op(o, 0, s), -opw[e.to][g], -opw[o][g]};
              if (!e.blocking)
                lits.push_back(opw[e.from][g]); // only when the operand comes from another group
              clause(lits);
            }
          }
      }
    }
  }

  const Problem &p;
  int64_t ii;
  int n;
  int64_t horizon, iterations, middle;
  std::unique_ptr<SatSolver> sat;
  std::vector<Lit> ops;
  std::vector<std::vector<Lit>> opw;
  std::map<std::tuple<int, int64_t, int64_t>, Lit> lives;
};

} // namespace heddle::test

#endif // HEDDLE_UNITTESTS_SCHEDULING_PAPERFORMULATION_H
