//===- Cnf.cpp - The formula "there is a legal schedule at this interval" -===//
//
// What:      see deriveCnf. Written for the reader who must trust it: one function a condition, no window analysis and
//            no constant propagation beyond dropping literals that are fixed by definition.
// Variables: before(v, t): start(v) <= t.  ended(v, t): some time >= the lifetime end of v is <= t.  on(v, g).
//            Auxiliary literals are implied by what they stand for; they occur in upper bounds only, so that suffices
//            both ways: any legal schedule extends to a model (set each to exactly what it stands for), and every model
//            contains one.
// Algorithm: sums by decision diagrams whose nodes are (term, largest reachable sum <= bound).
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Refutation.h"

#include "Symmetry.h"

#include "heddle/Scheduling/Problem/Budgets.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle {
namespace {

struct Item {
  int lit;
  int64_t weight;
};
using Slots = std::vector<int>;

class CnfDeriver {
public:
  CnfDeriver(const Problem &p, int64_t ii, int64_t stages)
      : p(p), ii(ii), horizon(stages * ii), n(static_cast<int>(p.nodes.size())) {}

  Result<Cnf> run() {
    variablesOf();
    dependences();
    units();
    memories();
    groups();
    registers();
    waits();
    pins();
    symmetry();
    if (tooLarge)
      return Error(ErrorKind::Limit, "the formula of interval " + std::to_string(ii) + " is too large");
    return std::move(cnf);
  }

private:
  // --- Clauses -----------------------------------------------------------------------------------------------------
  void clause(std::vector<int> lits) {
    if (std::count(lits.begin(), lits.end(), yes) || tooLarge)
      return;
    for (int lit : lits)
      if (lit != -yes)
        cnf.literals.push_back(lit);
    cnf.literals.push_back(0);
    ++cnf.clauses;
    tooLarge |= cnf.literals.size() > 1000000000;
  }
  /// Room for `count` more variables; otherwise the formula is too large, and what follows is not used.
  bool room(int64_t count) {
    tooLarge |= count > (1 << 28) - cnf.variables;
    return !tooLarge;
  }
  int fresh() { return room(1) ? ++cnf.variables : 1; }

  /// sum of weight * lit <= bound.
  void sumAtMost(const std::vector<Item> &given, int64_t bound) {
    std::vector<Item> items;
    for (const Item &item : given) {
      if (item.lit == yes)
        bound -= item.weight;
      else if (item.lit != -yes && item.weight > 0)
        items.push_back(item);
    }
    if (bound < 0)
      return clause({});
    std::stable_sort(items.begin(), items.end(), [](auto &a, auto &b) { return a.weight > b.weight; });
    // reachable[i]: all sums of items i, i+1, ... up to bound; above(i): whether the total exceeds the bound.
    std::vector<std::set<int64_t>> reachable(items.size() + 1, {0});
    std::vector<int64_t> total(items.size() + 1, 0);
    for (size_t i = items.size(); i-- > 0;) {
      total[i] = total[i + 1] + items[i].weight;
      reachable[i] = reachable[i + 1];
      for (int64_t sum : reachable[i + 1])
        if (sum + items[i].weight <= bound && reachable[i].size() < 100000)
          reachable[i].insert(sum + items[i].weight);
    }
    std::map<std::pair<size_t, int64_t>, int> nodes;
    auto build = [&](auto &self, size_t i, int64_t rest) -> int {
      if (rest < 0)
        return -yes;
      if (total[i] <= rest)
        return yes;
      if (reachable[i].size() < 100000)
        rest = *std::prev(reachable[i].upper_bound(rest));
      auto [it, isNew] = nodes.try_emplace({i, rest}, 0);
      if (!isNew)
        return it->second;
      int taken = self(self, i + 1, rest - items[i].weight), left = self(self, i + 1, rest);
      int node = fresh();
      clause({-node, -items[i].lit, taken});
      clause({-node, left});
      nodes[{i, rest}] = node;
      return node;
    };
    clause({build(build, 0, bound)});
  }
  int conjunction(int a, int b) {
    if (a == yes)
      return b;
    if (b == yes)
      return a;
    if (a == -yes || b == -yes)
      return -yes;
    auto [it, isNew] = conjunctions.try_emplace({a, b}, 0);
    if (isNew) {
      it->second = fresh();
      clause({-a, -b, it->second});
    }
    return it->second;
  }

  // --- Variables ---------------------------------------------------------------------------------------------------
  int64_t last(int v) const { return horizon - p.nodes[v].latency; }
  int before(int v, int64_t t) const { return t < 0 ? -yes : t >= last(v) ? yes : starts[v] + static_cast<int>(t); }
  int64_t endBound(int v) const {
    int64_t bound = last(v) + p.nodes[v].minLive;
    for (const Edge &e : p.edges)
      if (e.from == v && !e.order)
        bound = std::max(bound, last(e.to) + e.distance * ii + e.hold);
    return bound;
  }
  int ended(int v, int64_t t) {
    int64_t bound = endBound(v);
    if (t < 0 || t >= bound)
      return t < 0 ? -yes : yes;
    if (!ends[v]) {
      if (!room(bound))
        return yes;
      ends[v] = cnf.variables + 1;
      cnf.variables += static_cast<int>(bound);
      for (int64_t s = 0; s < bound; ++s) {
        int lit = ends[v] + static_cast<int>(s);
        if (s)
          clause({-(lit - 1), lit});
        clause({-lit, before(v, s - p.nodes[v].minLive)});
        for (const Edge &e : p.edges)
          if (e.from == v && !e.order)
            clause({-lit, before(e.to, s - e.distance * ii - e.hold)});
      }
    }
    return ends[v] + static_cast<int>(t);
  }
  void variablesOf() {
    starts.resize(n);
    ends.assign(n, 0);
    for (int v = 0; v < n; ++v) {
      if (last(v) < 0) // cannot complete in time
        clause({});
      starts[v] = cnf.variables + 1;
      int64_t count = std::max<int64_t>(0, last(v));
      if (!room(count))
        return;
      cnf.variables += static_cast<int>(count);
      for (int64_t t = 1; t < count; ++t)
        clause({-before(v, t - 1), before(v, t)});
    }
    on.assign(n, std::vector<int>(p.groups.size(), -yes));
    for (int v = 0; v < n && !p.groups.empty(); ++v) {
      std::vector<int> some, allowed = p.allowedGroups(v);
      for (int g : allowed) {
        on[v][g] = allowed.size() == 1 ? yes : fresh();
        for (int other : some)
          clause({-other, -on[v][g]});
        some.push_back(on[v][g]);
      }
      clause(some);
    }
  }
  /// u and v run on different groups.
  int apart(int u, int v) {
    if (p.groups.empty() || u == v)
      return -yes;
    auto [it, isNew] = aparts.try_emplace(std::minmax(u, v), 0);
    if (isNew) {
      it->second = fresh();
      for (size_t g = 0; g < p.groups.size(); ++g) {
        clause({-on[u][g], -on[v][g], -it->second});
        clause({-on[u][g], on[v][g], it->second});
      }
    }
    return it->second;
  }
  /// Per slot: covered by [start(v) + offset, + length), which is shorter than the interval.
  const Slots &covered(int v, int64_t offset, int64_t length) {
    auto [it, isNew] = coverings.try_emplace({v, {offset % ii, length}});
    Slots &slots = it->second;
    if (!isNew)
      return slots;
    slots.assign(static_cast<size_t>(ii), -yes);
    int64_t shift = offset % ii;
    for (int64_t t = shift; length > 0 && t < last(v) + shift + length; ++t) {
      int &slot = slots[static_cast<size_t>(t % ii)];
      if (slot == -yes)
        slot = fresh();
      clause({-before(v, t - shift), before(v, t - shift - length), slot});
    }
    return slots;
  }
  /// [c][slot]: more than c copies of the value of v are alive.
  const std::vector<Slots> &alive(int v) {
    auto [it, isNew] = lives.try_emplace(v);
    if (!isNew)
      return it->second;
    bool any = p.nodes[v].minLive > 0;
    for (const Edge &e : p.edges)
      any |= e.from == v && !e.order;
    for (int64_t c = 0; any && !tooLarge && c * ii < endBound(v); ++c) {
      it->second.emplace_back(static_cast<size_t>(ii), -yes);
      for (int64_t t = 0; !tooLarge && t + c * ii < endBound(v); ++t) {
        int &slot = it->second.back()[static_cast<size_t>(t % ii)];
        if (slot == -yes)
          slot = fresh();
        clause({-before(v, t), ended(v, t + c * ii), slot});
      }
    }
    return it->second;
  }
  int leaves(int v) {
    auto [it, isNew] = leaving.try_emplace(v, -yes);
    if (isNew && !p.groups.empty()) {
      int lit = fresh();
      for (const Edge &e : p.edges)
        if (e.from == v && !e.order)
          clause({-apart(v, e.to), lit});
      leaving[v] = lit;
    }
    return leaving[v];
  }

  // --- Conditions --------------------------------------------------------------------------------------------------
  void dependences() { // C1, C9
    for (const Edge &e : p.edges)
      for (int kind = 0; kind < 2; ++kind) {
        int condition = kind ? apart(e.from, e.to) : yes;
        if (kind && e.transfer == Edge::never)
          clause({-condition});
        if (kind && e.transfer <= 0)
          continue;
        int64_t gap = e.delay + (kind ? e.transfer : 0) - e.distance * ii;
        for (int64_t t = 0; t <= last(e.to); ++t)
          clause({-condition, -before(e.to, t), before(e.from, t - gap)});
      }
  }
  void units() { // C2
    for (int u = 0; u < static_cast<int>(p.units.size()); ++u)
      for (size_t s = 0; s < static_cast<size_t>(ii); ++s) {
        std::vector<Item> items;
        for (int v = 0; v < n; ++v)
          for (const Reservation &r : p.nodes[v].reservations)
            if (r.unit == u) {
              items.push_back({yes, r.amount * (r.length / ii)});
              items.push_back({covered(v, r.start, r.length % ii)[s], r.amount});
            }
        sumAtMost(items, p.units[u].capacity);
      }
  }
  void memories() { // C3, C4
    for (int m = 0; m < static_cast<int>(p.memories.size()); ++m) {
      bool ring = p.memories[m].kind == MemoryKind::Ring;
      // (value, amount, condition)
      std::vector<std::tuple<int, int64_t, int>> values;
      for (int v = 0; v < n; ++v) {
        for (const Footprint &f : p.nodes[v].footprints)
          if (f.memory == m)
            values.push_back({v, f.amount, yes});
        for (const Footprint &f : p.nodes[v].staging)
          if (f.memory == m)
            values.push_back({v, f.amount, leaves(v)});
      }
      if (ring) {
        std::vector<Item> items;
        for (auto [v, amount, condition] : values) {
          int64_t pinned = std::max<int64_t>(1, p.nodes[v].pinDepth);
          items.push_back({condition, amount * pinned});
          for (int64_t c = pinned; c * ii < endBound(v); ++c) { // the lifetime exceeds c intervals
            int deeper = fresh();
            for (int64_t t = 0; t <= last(v); ++t)
              clause({-before(v, t), ended(v, t + c * ii), deeper});
            items.push_back({conjunction(deeper, condition), amount});
          }
        }
        sumAtMost(items, p.memories[m].capacity);
        continue;
      }
      for (size_t s = 0; s < static_cast<size_t>(ii); ++s) {
        std::vector<Item> items;
        for (auto [v, amount, condition] : values)
          for (const Slots &copy : alive(v))
            items.push_back({conjunction(copy[s], condition), amount});
        sumAtMost(items, p.memories[m].capacity);
      }
    }
  }
  void groups() { // C5, C6 hold by construction of on(v, g); C11
    for (int v = 0; v < n && !p.groups.empty(); ++v) {
      if (p.nodes[v].issue > ii)
        clause({});
      for (int o = 0; o < v; ++o) {
        int64_t a = p.nodes[v].issue, b = p.nodes[o].issue;
        if (a == 0 || b == 0)
          continue;
        if (a >= ii || b >= ii)
          clause({apart(o, v)});
        for (size_t s = 0; a < ii && b < ii && s < static_cast<size_t>(ii); ++s)
          clause({-covered(v, 0, a)[s], -covered(o, 0, b)[s], apart(o, v)});
      }
    }
  }
  void registers() { // C7, C8
    bool file = p.registerFile > 0;
    int64_t first = (p.minRegs + p.regGranule - 1) / p.regGranule * p.regGranule;
    std::vector<Item> budget;
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
      if (!limitsRegisters(p, p.groups[g]))
        continue;
      int64_t limit = mostRegisters(p.groups[g]);
      std::vector<Item> unused; // budget steps the group does without
      if (file) {
        limit = limit / p.regGranule * p.regGranule;
        int used = fresh();
        for (int v = 0; v < n; ++v)
          clause({-on[v][g], used});
        if (limit < first)
          clause({-used});
        budget.push_back({used, 32 * p.groups[g].warps * first});
        int previous = yes;
        for (int64_t b = first; b < limit; b += p.regGranule) {
          int step = fresh();
          clause({-step, previous});
          budget.push_back({conjunction(step, used), 32 * p.groups[g].warps * p.regGranule});
          unused.push_back({-step, p.regGranule});
          previous = step;
        }
      }
      for (int v = 0; limit < p.regOverhead && v < n; ++v)
        clause({-on[v][g]});
      for (size_t s = 0; limit >= p.regOverhead && s < static_cast<size_t>(ii); ++s) {
        std::vector<Item> items = unused;
        for (int v = 0; v < n; ++v) {
          if (p.nodes[v].regs == 0)
            continue;
          if (on[v][g] != -yes)
            for (const Slots &copy : alive(v))
              items.push_back({conjunction(copy[s], on[v][g]), p.nodes[v].regs});
          if (p.consumerCopies)
            readers(v, g, s, items);
        }
        sumAtMost(items, std::max(limit, file ? first : limit) - p.regOverhead);
      }
    }
    if (file)
      sumAtMost(budget, p.registerFile);
  }
  /// Registers on g of the value of v while consumers on g read it from another group.
  void readers(int v, int g, size_t s, std::vector<Item> &items) {
    for (int w = 0; w < n; ++w) {
      int64_t hold = 0;
      for (const Edge &e : p.edges)
        if (e.from == v && e.to == w && !e.order)
          hold = std::max({hold, e.hold, int64_t(1)});
      if (hold == 0 || on[w][g] == -yes)
        continue;
      int condition = conjunction(apart(v, w), on[w][g]);
      items.push_back({condition, p.nodes[v].regs * (hold / ii)});
      items.push_back({conjunction(covered(w, 0, hold % ii)[s], condition), p.nodes[v].regs});
    }
  }
  void waits() { // C10
    for (int v = 0; v < n && !p.groups.empty(); ++v) {
      int blocks = fresh();
      bool any = false;
      for (const Edge &e : p.edges)
        if (e.to == v && (e.blocking || e.transfer > 0)) {
          clause({-(e.blocking ? yes : apart(e.from, v)), blocks});
          any = true;
        }
      for (int o = 0; any && o < n; ++o) {
        const Node &other = p.nodes[o];
        int64_t busy = other.async ? std::max<int64_t>(1, other.issue) : std::max(other.issue, other.latency);
        if (o == v || busy == 0)
          continue;
        if (busy >= ii)
          clause({-blocks, apart(o, v)});
        for (size_t s = 0; busy < ii && s < static_cast<size_t>(ii); ++s)
          clause({-blocks, -covered(v, 0, 1)[s], -covered(o, 0, busy)[s], apart(o, v)});
      }
    }
  }
  void pins() { // C12; pinned groups are in on(v, g)
    for (int v = 0; v < n; ++v) {
      const Node &node = p.nodes[v];
      auto between = [&](int64_t low, int64_t high) {
        clause({before(v, high)});
        clause({-before(v, low - 1)});
      };
      if (node.pinStart >= 0)
        between(node.pinStart, node.pinStart);
      if (node.pinStage >= 0)
        between(node.pinStage * ii, node.pinStage * ii + ii - 1);
      for (int64_t t = 0; node.pinDepth >= 0 && t <= last(v); ++t)
        clause({-before(v, t), ended(v, t + node.pinDepth * ii)});
    }
  }
  /// Groups alike in warps, registers, kind and possible nodes: the second is used only after the first.
  void symmetry() {
    alikeGroupsInOrder(p, on, [&](std::vector<int> lits) { clause(std::move(lits)); });
  }

  const Problem &p;
  int64_t ii, horizon;
  int n;
  Cnf cnf;
  bool tooLarge = false;
  std::vector<int> starts, ends;
  std::vector<std::vector<int>> on;
  std::map<std::pair<int, int>, int> conjunctions, aparts;
  std::map<std::pair<int, std::pair<int64_t, int64_t>>, Slots> coverings;
  std::map<int, std::vector<Slots>> lives;
  std::map<int, int> leaving;
};

} // namespace

Result<Cnf> deriveCnf(const Problem &problem, int64_t ii, int64_t stages) {
  if (ii < 1 || stages < 1 || ii > (1 << 22) || stages > (1 << 20) || ii * stages > (1 << 26))
    return Error(ErrorKind::Limit, "expected an interval and stages within limits, got " + std::to_string(ii) +
                                       " and " + std::to_string(stages));
  return CnfDeriver(problem, ii, stages).run();
}

} // namespace heddle
