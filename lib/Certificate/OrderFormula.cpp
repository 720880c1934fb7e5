//===- OrderFormula.cpp - The formula over orders -------------------------===//
//
// What:      see deriveOrders. Written for the reader who must trust it: one function a condition.
// Literals:  differences of two starts; on(v, g). Auxiliary literals are implied by what they stand for; they occur in
//            upper bounds and negated in clauses only, so that suffices: a legal schedule sets each to exactly what it
//            stands for. A literal that the required differences decide is a constant.
// Algorithm: longest paths of the required differences, by which every node is bounded on both sides. Of two
//            reservations that do not fit a unit together, every instance of the one ends before the other begins, or
//            the other way round. What a store holds grows only where something begins, and is counted there.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Orders.h"

#include "Symmetry.h"

#include "heddle/Scheduling/Problem/Budgets.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace heddle {
namespace {

constexpr int64_t apartForEver = INT64_MIN / 4;
constexpr size_t mostNodes = 1000, mostLiterals = 200'000'000;

int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
int64_t upDiv(int64_t a, int64_t b) { return -floorDiv(-a, b); }

/// Something that takes `amount` from start(node) + begin until the last of its ends, where `where` holds.
struct Use {
  struct End { ///< start(node) + after + intervals * ii
    int node;
    int64_t after, intervals;
  };
  int node;
  int64_t begin, amount;
  std::vector<End> ends;
  int where = yes;
  bool isLife = false; ///< of the result of `node`
};

class OrderDeriver {
public:
  OrderDeriver(const Problem &p, int64_t ii, int64_t stages)
      : p(p), ii(ii), stages(stages), n(static_cast<int>(p.nodes.size())) {
    out.times = n + 1;
    out.means.emplace_back();
  }

  Result<OrderFormula> run(const std::vector<Exchange> &exchanges) {
    groups();
    starts();
    if (Status valid = checkExchanges(p, exchanges); !valid)
      return valid.error();
    for (const Exchange &exchange : exchanges)
      require(exchange[0].first + 1, exchange[0].second + 1, 0);
    if (!close()) {
      clause({});
      return std::move(out);
    }
    lives();
    units();
    warps();
    transfers();
    registers();
    memories();
    if (tooLarge)
      return Error(ErrorKind::Limit, "the formula of interval " + std::to_string(ii) + " is too large");
    return std::move(out);
  }

private:
  // --- Clauses, sums, differences ----------------------------------------------------------------------------------
  int fresh(TimeDifference meaning = {}) {
    out.means.push_back(meaning);
    tooLarge |= out.means.size() > mostLiterals;
    return ++out.clauses.variables;
  }
  void clause(const std::vector<int> &lits) {
    if (std::count(lits.begin(), lits.end(), yes) || tooLarge)
      return;
    for (int lit : lits)
      if (lit != -yes)
        out.clauses.literals.push_back(lit);
    out.clauses.literals.push_back(0);
    ++out.clauses.clauses;
    tooLarge |= out.clauses.literals.size() > mostLiterals;
  }
  /// The weights of true literals are at most `bound` together.
  void atMost(const std::vector<std::pair<int, int64_t>> &given, int64_t bound) {
    OrderFormula::Sum sum;
    int64_t all = 0;
    for (auto [lit, weight] : given) {
      if (lit == yes)
        bound -= weight;
      if (lit == yes || lit == -yes || weight <= 0)
        continue;
      sum.terms.push_back({lit, weight});
      all += weight;
    }
    if (bound < 0)
      return clause({});
    if (all <= bound || tooLarge)
      return;
    sum.bound = bound;
    terms += sum.terms.size();
    tooLarge |= terms > mostLiterals;
    out.sums.push_back(std::move(sum));
  }
  /// True where all are.
  int both(int a, int b) {
    if (a == -yes || b == -yes)
      return -yes;
    if (a == yes || b == yes)
      return a == yes ? b : a;
    auto [it, isNew] = conjunctions.try_emplace(std::minmax(a, b), 0);
    if (isNew) {
      it->second = fresh();
      clause({-a, -b, it->second});
    }
    return it->second;
  }
  /// True where one is.
  int any(const std::vector<int> &lits) {
    std::vector<int> open;
    for (int lit : lits) {
      if (lit == yes)
        return yes;
      if (lit != -yes)
        open.push_back(lit);
    }
    if (open.size() < 2)
      return open.empty() ? -yes : open[0];
    int lit = fresh();
    for (int other : open)
      clause({-other, lit});
    return lit;
  }

  int64_t &path(int u, int v) { return out.path[static_cast<size_t>(u * out.times + v)]; }
  int64_t path(int u, int v) const { return out.path[static_cast<size_t>(u * out.times + v)]; }
  void require(int from, int to, int64_t least) { out.required.push_back({from, to, least}); }
  /// start(to) - start(from) >= least, of nodes.
  int later(int from, int to, int64_t least) {
    int u = from + 1, v = to + 1;
    if (path(u, v) >= least)
      return yes;
    if (path(v, u) > -least)
      return -yes;
    bool turned = u > v;
    TimeDifference meaning = turned ? TimeDifference{v, u, 1 - least} : TimeDifference{u, v, least};
    auto [it, isNew] = differences.try_emplace({meaning.from, meaning.to, meaning.least}, 0);
    if (isNew)
      it->second = fresh(meaning);
    return turned ? -it->second : it->second;
  }
  /// Longest paths; false where they contradict each other.
  bool close() {
    out.path.assign(static_cast<size_t>(out.times) * static_cast<size_t>(out.times), apartForEver);
    for (int u = 0; u < out.times; ++u)
      path(u, u) = 0;
    for (const TimeDifference &d : out.required)
      path(d.from, d.to) = std::max(path(d.from, d.to), d.least);
    for (int m = 0; m < out.times; ++m)
      for (int u = 0; u < out.times; ++u)
        if (int64_t first = path(u, m); first != apartForEver)
          for (int v = 0; v < out.times; ++v)
            if (int64_t second = path(m, v); second != apartForEver && first + second > path(u, v)) {
              if (u == v)
                return false;
              path(u, v) = first + second;
            }
    for (int u = 0; u < out.times; ++u)
      if (path(u, u) > 0)
        return false;
    return true;
  }

  // --- Conditions --------------------------------------------------------------------------------------------------
  void groups() { // C5, C6, C12 of groups
    int count = static_cast<int>(p.groups.size());
    on.assign(static_cast<size_t>(n), std::vector<int>(p.groups.size(), -yes));
    for (int v = 0; v < n && count; ++v) {
      std::vector<int> some, allowed = p.allowedGroups(v);
      for (int g : allowed) {
        on[v][g] = allowed.size() == 1 ? yes : fresh();
        if (on[v][g] != yes)
          out.groups.push_back(on[v][g]);
        for (int other : some)
          clause({-other, -on[v][g]});
        some.push_back(on[v][g]);
      }
      clause(some);
    }
    alikeGroupsInOrder(p, on, [&](const std::vector<int> &lits) { clause(lits); });
  }
  /// u and v run on different groups.
  int apart(int u, int v) {
    if (p.groups.empty() || u == v)
      return -yes;
    if (u > v)
      std::swap(u, v);
    auto [it, isNew] = aparts.try_emplace({u, v}, yes);
    if (!isNew)
      return it->second;
    bool possible = false;
    for (size_t g = 0; g < p.groups.size(); ++g) {
      if (on[u][g] == yes || on[v][g] == yes) {
        int other = on[u][g] == yes ? on[v][g] : on[u][g];
        return it->second = -other;
      }
      possible |= on[u][g] != -yes && on[v][g] != -yes;
    }
    if (!possible)
      return yes;
    int lit = it->second = fresh();
    for (size_t g = 0; g < p.groups.size(); ++g) {
      clause({-on[u][g], -on[v][g], -lit});
      clause({-on[u][g], on[v][g], lit});
      clause({on[u][g], -on[v][g], lit});
    }
    return lit;
  }

  void starts() { // C1, C9 where an edge crosses in any case, C12
    for (int v = 0; v < n; ++v) {
      const Node &node = p.nodes[v];
      require(0, v + 1, 0);
      require(v + 1, 0, node.latency - stages * ii);
      if (node.pinStart >= 0) {
        require(0, v + 1, node.pinStart);
        require(v + 1, 0, -node.pinStart);
      }
      if (node.pinStage >= 0) {
        require(0, v + 1, node.pinStage * ii);
        require(v + 1, 0, 1 - (node.pinStage + 1) * ii);
      }
      for (const Use::End &end : lifeOf(v).ends)
        if (node.pinDepth >= 0)
          require(end.node + 1, v + 1, end.after + (end.intervals - node.pinDepth) * ii);
    }
    for (const Edge &e : p.edges)
      require(e.from + 1, e.to + 1,
              e.delay - e.distance * ii + (apart(e.from, e.to) == yes && e.transfer > 0 ? e.transfer : 0));
  }

  Use lifeOf(int v) const {
    Use use{v, 0, 1, {{v, p.nodes[v].minLive, 0}}, yes, true};
    for (const Edge &e : p.edges)
      if (e.from == v && !e.order)
        use.ends.push_back({e.to, e.hold, e.distance});
    return use;
  }
  /// Lives, without ends that another end never comes before.
  void lives() {
    for (int v = 0; v < n; ++v) {
      Use use = lifeOf(v);
      std::vector<Use::End> all = std::move(use.ends);
      auto reaches = [&](const Use::End &x, const Use::End &y) {
        return path(x.node + 1, y.node + 1) >= x.after - y.after + (x.intervals - y.intervals) * ii;
      };
      use.ends.clear();
      for (size_t a = 0; a < all.size(); ++a) {
        bool needed = true;
        for (size_t b = 0; b < all.size() && needed; ++b)
          needed = a == b || !reaches(all[a], all[b]) || (a < b && reaches(all[b], all[a]));
        if (needed)
          use.ends.push_back(all[a]);
      }
      life.push_back(std::move(use));
    }
  }
  Use lifeOf(int v, int64_t amount, int where) const {
    Use use = life[v];
    use.amount = amount;
    use.where = where;
    return use;
  }

  /// Unless one of the literals holds, no instance of [a.begin, a's end) meets one of [b.begin, b's end); both end a
  /// fixed time after their starts, and are of different nodes or of one unit.
  void exclude(const Use &a, const Use &b, std::vector<int> unless = {}) {
    // Instance 0 of a ends before instance k of b begins: start(b) - start(a) >= before - k * ii; the other way round:
    // start(a) - start(b) >= behind + k * ii.
    int64_t before = a.ends[0].after - b.begin, behind = b.ends[0].after - a.begin;
    int u = a.node + 1, v = b.node + 1;
    int64_t first = floorDiv(path(v, u) - behind, ii) + 1, last = upDiv(before - path(u, v), ii) - 1;
    for (int64_t k = first; k <= last && !tooLarge; ++k) {
      std::vector<int> lits = unless;
      lits.push_back(later(a.node, b.node, before - k * ii));
      lits.push_back(later(b.node, a.node, behind + k * ii));
      clause(lits);
    }
  }

  /// Literals that are true where an instance of `y` is there when `x` begins.
  const std::vector<int> &instances(const Use &x, const Use &y, std::vector<int> &own) {
    bool shared = x.begin == 0 && y.isLife;
    std::vector<int> &lits = shared ? there[{x.node, y.node}] : own;
    if (shared && !lits.empty())
      return lits;
    int64_t most = floorDiv(x.begin - y.begin - path(x.node + 1, y.node + 1), ii), least = most + 1;
    for (const Use::End &end : y.ends)
      least = std::min(least, upDiv(x.begin + 1 - end.after - end.intervals * ii + path(end.node + 1, x.node + 1), ii));
    for (int64_t k = least; k <= most && !tooLarge; ++k) { // y of k iterations later
      int begun = later(y.node, x.node, y.begin - x.begin + k * ii);
      std::vector<int> lasting;
      for (const Use::End &end : y.ends)
        lasting.push_back(later(x.node, end.node, x.begin + 1 - end.after - (end.intervals + k) * ii));
      if (int held = both(begun, any(lasting)); held != -yes)
        lits.push_back(held);
    }
    if (lits.empty())
      lits.push_back(-yes);
    return lits;
  }

  /// At most `capacity` is taken at once. Levels: as long as a literal is false, at most so much.
  using Levels = std::vector<std::pair<int, int64_t>>;
  void limit(const std::vector<Use> &uses, int64_t capacity, const Levels &levels = {}) {
    for (const Use &x : uses) {
      std::vector<std::pair<int, int64_t>> held;
      int64_t all = 0;
      for (const Use &y : uses) {
        std::vector<int> own;
        for (int lit : instances(x, y, own))
          if (int here = both(y.where, lit); here != -yes && y.amount > 0) {
            held.push_back({here, y.amount});
            all += y.amount;
          }
      }
      atMost(held, capacity);
      for (auto [more, size] : levels)
        if (size < all) {
          held.push_back({-more, all - size});
          atMost(held, all);
          held.pop_back();
        }
    }
  }

  void units() { // C2
    for (int u = 0; u < static_cast<int>(p.units.size()); ++u) {
      std::vector<Use> uses;
      for (int v = 0; v < n; ++v)
        for (const Reservation &r : p.nodes[v].reservations)
          if (r.unit == u && r.length > 0)
            uses.push_back({v, r.start, r.amount, {{v, r.start + r.length, 0}}});
      bool oneByOne = true; // no two of them fit
      for (size_t a = 0; a < uses.size(); ++a)
        for (size_t b = 0; b < a; ++b)
          oneByOne &= uses[a].amount + uses[b].amount > p.units[u].capacity && uses[a].node != uses[b].node;
      for (size_t a = 0; a < uses.size() && oneByOne; ++a) {
        if (upDiv(uses[a].ends[0].after - uses[a].begin, ii) * uses[a].amount > p.units[u].capacity)
          clause({}); // beside its own later instances
        for (size_t b = 0; b < a; ++b)
          exclude(uses[a], uses[b]);
      }
      if (!oneByOne)
        limit(uses, p.units[u].capacity);
    }
  }

  void warps() { // C10, C11
    for (int v = 0; v < n && !p.groups.empty(); ++v) {
      if (p.nodes[v].issue > ii)
        clause({});
      std::vector<int> blocked;
      for (const Edge &e : p.edges)
        if (e.to == v && (e.blocking || e.transfer > 0))
          blocked.push_back(e.blocking ? yes : apart(e.from, v));
      int waits = any(blocked);
      for (int o = 0; o < n; ++o) {
        const Node &other = p.nodes[o];
        int64_t busy = other.async ? std::max<int64_t>(1, other.issue) : std::max(other.issue, other.latency);
        if (o < v && p.nodes[v].issue > 0 && other.issue > 0)
          exclude({v, 0, 1, {{v, p.nodes[v].issue, 0}}}, {o, 0, 1, {{o, other.issue, 0}}}, {apart(v, o)});
        if (o != v && waits != -yes && busy > 0)
          exclude({v, 0, 1, {{v, 1, 0}}}, {o, 0, 1, {{o, busy, 0}}}, {-waits, apart(v, o)});
      }
    }
  }

  void transfers() { // C9
    for (const Edge &e : p.edges) {
      int crossing = apart(e.from, e.to);
      if (e.transfer == Edge::never)
        clause({-crossing});
      if (e.transfer > 0 && crossing != -yes)
        clause({-crossing, later(e.from, e.to, e.delay + e.transfer - e.distance * ii)});
    }
  }

  /// Values in registers of group g.
  std::vector<Use> valuesOn(int g) {
    std::vector<Use> uses;
    std::map<std::pair<int, int>, int64_t> reads; // of a value by a node of another group, how long
    for (int v = 0; v < n; ++v)
      if (on[v][g] != -yes && p.nodes[v].regs > 0)
        uses.push_back(lifeOf(v, p.nodes[v].regs, on[v][g]));
    for (const Edge &e : p.edges)
      if (p.consumerCopies && !e.order && p.nodes[e.from].regs > 0)
        if (int64_t &hold = reads[{e.from, e.to}]; hold < std::max<int64_t>(1, e.hold))
          hold = std::max<int64_t>(1, e.hold);
    for (auto [ends, hold] : reads)
      if (int here = both(on[ends.second][g], apart(ends.first, ends.second)); here != -yes)
        uses.push_back({ends.second, 0, p.nodes[ends.first].regs, {{ends.second, hold, 0}}, here});
    return uses;
  }

  void registers() { // C7, C8
    bool file = p.registerFile > 0;
    int64_t together = 0, least = upDiv(p.minRegs, p.regGranule) * p.regGranule;
    size_t count = p.groups.size();
    std::vector<int64_t> most(count, 0);
    std::vector<int> used(count, -yes);
    std::vector<std::vector<Use>> uses(count);
    for (int g = 0; g < static_cast<int>(count); ++g) {
      std::vector<int> some;
      for (int v = 0; v < n; ++v)
        some.push_back(on[v][g]);
      used[g] = any(some);
      if (!limitsRegisters(p, p.groups[g]) || used[g] == -yes)
        continue;
      uses[g] = valuesOn(g);
      most[g] = mostRegisters(p.groups[g]);
      if (file)
        most[g] = most[g] / p.regGranule * p.regGranule;
      if (most[g] < p.regOverhead || (file && most[g] < least))
        clause({-used[g]});
      int64_t need = uses[g].empty() ? upDiv(std::max(p.minRegs, p.regOverhead), p.regGranule) * p.regGranule : most[g];
      together += 32 * p.groups[g].warps * std::min(most[g], need);
    }
    // Budgets matter only where the largest ones do not fit the file together.
    bool coupled = file && together > p.registerFile;
    std::vector<std::pair<int, int64_t>> budgets;
    for (int g = 0; g < static_cast<int>(count); ++g) {
      if (!most[g] || most[g] < p.regOverhead || (file && most[g] < least))
        continue;
      Levels levels;
      int64_t weight = 32 * p.groups[g].warps;
      int before = used[g];
      budgets.push_back({used[g], weight * least});
      for (int64_t budget = least; coupled && budget < most[g]; budget += p.regGranule) {
        int more = budget < p.regOverhead ? used[g] : fresh(); // the budget is larger
        clause({-more, before});
        before = more;
        if (budget >= p.regOverhead)
          levels.push_back({more, budget - p.regOverhead});
        budgets.push_back({more, weight * p.regGranule});
      }
      limit(uses[g], most[g] - p.regOverhead, levels);
    }
    if (coupled)
      atMost(budgets, p.registerFile);
  }

  void memories() { // C3, C4
    for (int m = 0; m < static_cast<int>(p.memories.size()); ++m) {
      std::vector<Use> uses;
      for (int v = 0; v < n; ++v) {
        for (const Footprint &f : p.nodes[v].footprints)
          if (f.memory == m && f.amount > 0)
            uses.push_back(lifeOf(v, f.amount, yes));
        for (const Footprint &f : p.nodes[v].staging)
          if (f.memory == m && f.amount > 0 && leaves(v) != -yes)
            uses.push_back(lifeOf(v, f.amount, leaves(v)));
      }
      if (p.memories[m].kind == MemoryKind::Modular)
        limit(uses, p.memories[m].capacity);
      else
        rings(uses, p.memories[m].capacity);
    }
  }
  /// Some reader of the value of v runs on another group.
  int leaves(int v) {
    auto [it, isNew] = leaving.try_emplace(v, -yes);
    if (isNew) {
      std::vector<int> crossing;
      for (const Edge &e : p.edges)
        if (e.from == v && !e.order)
          crossing.push_back(apart(v, e.to));
      it->second = any(crossing);
    }
    return it->second;
  }
  /// Each value owns as many slots as its life has intervals.
  void rings(const std::vector<Use> &uses, int64_t capacity) {
    std::vector<std::pair<int, int64_t>> slots;
    for (const Use &use : uses) {
      int64_t depth = std::max<int64_t>(1, p.nodes[use.node].pinDepth);
      slots.push_back({use.where, depth * use.amount});
      for (;; ++depth) {
        std::vector<int> longer; // than `depth` intervals
        for (const Use::End &end : use.ends)
          longer.push_back(later(use.node, end.node, 1 - end.after + (depth - end.intervals) * ii));
        int deeper = any(longer);
        if (deeper == -yes || tooLarge)
          break;
        slots.push_back({both(use.where, deeper), use.amount});
      }
    }
    atMost(slots, capacity);
  }

  const Problem &p;
  int64_t ii, stages;
  int n;
  OrderFormula out;
  bool tooLarge = false;
  size_t terms = 0;
  std::vector<std::vector<int>> on;
  std::vector<Use> life;
  std::map<std::pair<int, int>, int> conjunctions, aparts;
  std::map<std::tuple<int, int, int64_t>, int> differences;
  std::map<std::pair<int, int>, std::vector<int>> there;
  std::map<int, int> leaving;
};

} // namespace

Result<OrderFormula> deriveOrders(const Problem &problem, int64_t ii, int64_t stages,
                                  const std::vector<Exchange> &exchanges) {
  if (ii < 1 || stages < 1 || ii > maxInterval || stages > (1 << 20) || problem.nodes.size() > mostNodes)
    return Error(ErrorKind::Limit, "expected an interval, stages and nodes within limits, got " + std::to_string(ii) +
                                       ", " + std::to_string(stages) + " and " + std::to_string(problem.nodes.size()));
  return OrderDeriver(problem, ii, stages).run(exchanges);
}

} // namespace heddle
