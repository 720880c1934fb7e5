//===- StraightLine.cpp - Twill's formulation, repaired, row by row -------===//
//
// What:      see StraightLine.h. One function a condition, named as in the paper. Auxiliary variables are implied by
// what they
//            stand for; they occur in upper bounds only, so any legal schedule gives a solution and any solution
//            contains one.
// Limits:    no windows, no symmetry, no constant folding beyond cycles where nothing can start: written to be read.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Export/StraightLine.h"

#include "heddle/Scheduling/Problem/Budgets.h"

#include <algorithm>
#include <map>

namespace heddle {
namespace {

constexpr int always = INT32_MAX; ///< a literal that holds; -always does not

class Builder {
public:
  Builder(const Problem &p, const StraightLineOptions &o)
      : p(p), o(o), ii(o.ii), horizon(o.stages * o.ii), n(static_cast<int>(p.nodes.size())),
        groups(static_cast<int>(p.groups.size())) {}

  Result<LinearFormula> run() {
    f.title = "problem " + p.name + ", interval " + std::to_string(ii) + ", at most " + std::to_string(o.stages) +
              " stages: satisfiable if and only if a legal schedule exists";
    if (leastTerms() > o.maxTerms)
      return tooLarge();
    uniqueness();
    dependences();
    capacities();
    values();
    memories();
    registers();
    concurrency();
    issue();
    pins();
    if (f.terms > o.maxTerms)
      return tooLarge();
    return std::move(f);
  }

private:
  Error tooLarge() const {
    return Error(ErrorKind::Limit, "the formula of interval " + std::to_string(ii) + " has more than " +
                                       std::to_string(o.maxTerms) + " terms (--normalise=U makes it smaller)");
  }
  /// Terms of the starts and dependences alone, so that what is far too large is refused before it is built.
  int64_t leastTerms() const {
    int64_t sum = 0;
    for (int v = 0; v < n && sum <= o.maxTerms; ++v)
      sum += 10 * std::max<int64_t>(0, last(v) - 1);
    for (size_t k = 0; k < p.edges.size() && sum <= o.maxTerms && on(Constraint::Dependence); ++k)
      sum += std::max<int64_t>(0, last(p.edges[k].to) - p.edges[k].delay);
    return sum;
  }

  // --- Rows --------------------------------------------------------------------------------------------------------
  bool on(Constraint c) const { return o.constraints.has(c); }
  void say(const std::string &text) { f.headings.push_back({f.rows.size(), text}); }
  int family(const std::string &name, int64_t count, const std::string &meaning) {
    if (count > o.maxTerms || f.variables + count > o.maxTerms)
      f.terms = o.maxTerms + 1;
    if (f.terms > o.maxTerms || count <= 0)
      return 0;
    f.families.push_back({name, f.variables + 1, static_cast<int>(count), meaning});
    f.variables += static_cast<int>(count);
    return f.families.back().first;
  }
  void add(LinearRow row) {
    f.terms += 1 + static_cast<int64_t>(row.terms.size());
    if (f.terms <= o.maxTerms)
      f.rows.push_back(std::move(row));
  }
  /// Some literal holds.
  void clause(std::initializer_list<int> lits) { clause(lits.begin(), lits.end()); }
  void clause(const int *lit, const int *end) {
    LinearRow row;
    row.clause = true;
    row.terms.reserve(static_cast<size_t>(end - lit));
    for (; lit != end; ++lit) {
      if (*lit == always)
        return;
      if (*lit != -always)
        row.terms.push_back({std::abs(*lit), *lit < 0 ? -1 : 1});
    }
    add(std::move(row));
  }
  /// sum of weight * literal <= bound, over positive literals.
  void atMost(const std::vector<LinearTerm> &given, int64_t bound) {
    LinearRow row;
    int64_t most = 0;
    for (const LinearTerm &term : given) {
      if (term.variable == always)
        bound -= term.weight;
      else if (term.variable != -always && term.weight != 0)
        row.terms.push_back(term);
    }
    row.bound = bound;
    for (const LinearTerm &term : row.terms)
      most += std::max<int64_t>(0, term.weight);
    if (most > bound)
      add(std::move(row));
  }
  std::string nodeName(int v) const { return "node '" + p.nodes[v].name + "'"; }
  static std::string id(const char *name, int64_t a) { return name + ("_" + std::to_string(a)); }
  static std::string id(const char *name, int64_t a, int64_t b) { return id(name, a) + "_" + std::to_string(b); }

  // --- Variables ---------------------------------------------------------------------------------------------------
  int64_t last(int v) const { return horizon - p.nodes[v].latency; }
  int op(int v, int64_t t) const { return t < 0 || t > last(v) ? -always : ops[v] + static_cast<int>(t); }
  int begun(int v, int64_t t) const {
    return t < 0 ? -always : t >= last(v) ? always : begins[v] + static_cast<int>(t);
  }
  /// Cycles of iteration 0 in which the value of v may be alive: [0, reach).
  int64_t reach(int v) const {
    int64_t out = last(v) + p.nodes[v].minLive;
    for (const Edge &e : p.edges)
      if (e.from == v && !e.order)
        out = std::max(out, last(e.to) + e.distance * ii + e.hold);
    return out;
  }
  int live(int v, int64_t t) const {
    return t < 0 || t >= lives[v].second ? -always : lives[v].first + static_cast<int>(t);
  }
  int onGroup(int v, int g) const { return p.groups.empty() ? -always : assigned[v] + g; }

  /// UNIQUENESS and COMPLETION, of cycles and of groups (C5, C6).
  void uniqueness() {
    say("every node starts once, early enough to complete");
    for (int v = 0; v < n; ++v) {
      if (last(v) < 0)
        clause({});
      ops.push_back(family(id("op", v), last(v) + 1, nodeName(v) + " starts at cycle 0, 1, ..."));
      begins.push_back(family(id("begun", v), last(v), nodeName(v) + " has started at cycle 0, 1, ..."));
      std::vector<LinearTerm> all;
      for (int64_t t = 0; t <= last(v) && f.terms <= o.maxTerms; ++t) {
        all.push_back({op(v, t), 1});
        clause({-op(v, t), begun(v, t)});
        clause({-op(v, t), -begun(v, t - 1)});
        clause({-begun(v, t - 1), begun(v, t)});
        clause({-begun(v, t), begun(v, t - 1), op(v, t)});
      }
      atMost(all, 1);
    }
    if (groups == 0)
      return;
    say("every node runs on one group that may run it");
    for (int v = 0; v < n; ++v) {
      const Node &node = p.nodes[v];
      assigned.push_back(family(id("on", v), groups, nodeName(v) + " runs on group 0, 1, ..."));
      std::vector<int> some;
      std::vector<LinearTerm> all;
      for (int g = 0; g < groups; ++g) {
        some.push_back(onGroup(v, g));
        all.push_back({onGroup(v, g), 1});
        bool fits = p.groups[g].warps >= node.warps &&
                    (node.groups.empty() || std::count(node.groups.begin(), node.groups.end(), g));
        if ((on(Constraint::WarpAssignment) && !fits) ||
            (on(Constraint::VariableLatency) && p.groups[g].variable != node.variableLatency))
          clause({-onGroup(v, g)});
      }
      clause(some.data(), some.data() + some.size());
      atMost(all, 1);
    }
  }
  /// u and v run on different groups (both ways).
  int apart(int u, int v) {
    if (groups == 0 || u == v)
      return -always;
    auto [it, isNew] = aparts.try_emplace(std::minmax(u, v), 0);
    if (isNew) {
      int lit = it->second = family(id("apart", std::min(u, v), std::max(u, v)), 1,
                                    nodeName(u) + " and " + nodeName(v) + " run on different groups");
      for (int g = 0; g < groups; ++g) {
        clause({-onGroup(u, g), -onGroup(v, g), -lit});
        clause({-onGroup(u, g), onGroup(v, g), lit});
      }
    }
    return it->second;
  }
  /// Holds when v, started `length` or fewer cycles ago, is still under way in the slot.
  int covers(int v, int64_t length, int64_t slot) {
    if (length >= ii)
      return always;
    auto [it, isNew] = coverings.try_emplace({v, length}, 0);
    if (isNew) {
      int first = it->second =
          family(id("under_way", v, length), ii,
                 nodeName(v) + " started at most " + std::to_string(length - 1) + " cycles before slot 0, 1, ...");
      for (int64_t t = 0; t < last(v) + length && f.terms <= o.maxTerms; ++t)
        clause({-begun(v, t), begun(v, t - length), first + static_cast<int>(t % ii)});
    }
    return it->second + static_cast<int>(slot);
  }
  int both(int a, int b, int fresh) {
    clause({-a, -b, fresh});
    return fresh;
  }

  // --- Conditions --------------------------------------------------------------------------------------------------
  /// DEPENDENCE (C1) and CROSS-WARP SPILLS (C9).
  void dependences() {
    say("dependences, and transfers between groups");
    for (const Edge &e : p.edges) {
      auto after = [&](int condition, int64_t delay) {
        for (int64_t t = 0; t <= last(e.to) && f.terms <= o.maxTerms; ++t)
          clause({-condition, -begun(e.to, t), begun(e.from, t - delay + e.distance * ii)});
      };
      if (on(Constraint::Dependence))
        after(always, e.delay);
      if (!on(Constraint::Transfers) || e.transfer == 0 || groups == 0)
        continue;
      if (e.transfer == Edge::never)
        clause({-apart(e.from, e.to)});
      else
        after(apart(e.from, e.to), e.delay + e.transfer);
    }
  }
  /// CAPACITY (C2): in each cycle of the steady state, over all iterations.
  void capacities() {
    if (!on(Constraint::Capacity))
      return;
    for (int u = 0; u < static_cast<int>(p.units.size()); ++u) {
      say("capacity of unit '" + p.units[u].name + "' in each slot");
      for (int64_t slot = 0; slot < ii && f.terms <= o.maxTerms; ++slot) {
        std::vector<LinearTerm> items;
        for (int v = 0; v < n; ++v)
          for (int64_t t = 0; t <= last(v); ++t) {
            int64_t amount = 0;
            for (const Reservation &r : p.nodes[v].reservations)
              if (r.unit == u) // cycles of the reservation that fall into the slot
                amount += r.amount * (r.length / ii + (((slot - t - r.start) % ii + ii) % ii < r.length % ii));
            items.push_back({op(v, t), amount});
          }
        atMost(items, p.units[u].capacity);
      }
    }
  }
  /// LIVE: from the start until the last reader has let go.
  void values() {
    say("a value is alive from its start until its last read ends");
    lives.assign(static_cast<size_t>(n), {0, 0});
    for (int v = 0; v < n; ++v) {
      const Node &node = p.nodes[v];
      bool takes = node.regs > 0 || node.pinDepth > 0 || !node.footprints.empty() || !node.staging.empty();
      int64_t count = reach(v);
      if (!takes || count <= 0)
        continue;
      lives[v] = {family(id("live", v), count, "the value of " + nodeName(v) + " is alive at cycle 0, 1, ..."), count};
      for (int64_t t = 0; t < count && f.terms <= o.maxTerms; ++t) {
        if (node.minLive > 0)
          clause({-begun(v, t), begun(v, t - node.minLive), live(v, t)});
        for (const Edge &e : p.edges)
          if (e.from == v && !e.order)
            clause({-begun(v, t), begun(e.to, t - e.distance * ii - e.hold), live(v, t)});
      }
    }
  }
  /// The value of v leaves its group.
  int leaves(int v) {
    auto [it, isNew] = leaving.try_emplace(v, -always);
    if (isNew && groups > 0) {
      int lit = family(id("leaves", v), 1, "the value of " + nodeName(v) + " is read on another group");
      leaving[v] = lit;
      for (const Edge &e : p.edges)
        if (e.from == v && !e.order && e.to != v)
          clause({-apart(v, e.to), lit});
    }
    return leaving[v];
  }
  /// MEMORY CAPACITY (C3), and rings (C4).
  void memories() {
    for (int m = 0; m < static_cast<int>(p.memories.size()); ++m) {
      bool ring = p.memories[m].kind == MemoryKind::Ring;
      if (!on(ring ? Constraint::Rings : Constraint::Memory))
        continue;
      say(std::string(ring ? "rings" : "live values") + " in memory '" + p.memories[m].name + "'");
      std::vector<std::vector<LinearTerm>> slots(static_cast<size_t>(ring ? 1 : ii));
      for (int v = 0; v < n; ++v)
        for (bool staged : {false, true}) {
          int64_t amount = 0;
          for (const Footprint &item : staged ? p.nodes[v].staging : p.nodes[v].footprints)
            amount += item.memory == m ? item.amount : 0;
          if (amount == 0)
            continue;
          if (ring)
            ringOf(v, amount, m, staged, slots[0]);
          else if (int condition = staged ? leaves(v) : always; condition != -always)
            aliveIn(v, amount, condition, id("staged", v, m), slots);
        }
      for (auto &items : slots)
        atMost(items, p.memories[m].capacity);
    }
  }
  /// amount * (copies of the value of v alive), when `condition` holds, in every slot.
  void aliveIn(int v, int64_t amount, int condition, const std::string &name,
               std::vector<std::vector<LinearTerm>> &slots) {
    int64_t count = lives[v].second;
    int first = condition == always || count == 0 ? 0 : family(name, count, "the same, and it counts there");
    for (int64_t t = 0; t < count && f.terms <= o.maxTerms; ++t) {
      int lit = condition == always ? live(v, t) : both(live(v, t), condition, first + static_cast<int>(t));
      slots[static_cast<size_t>(t % ii)].push_back({lit, amount});
    }
  }
  void ringOf(int v, int64_t amount, int m, bool staged, std::vector<LinearTerm> &items) {
    int condition = staged ? leaves(v) : always;
    int64_t least = std::max<int64_t>(1, p.nodes[v].pinDepth);
    if (condition == -always)
      return;
    items.push_back({condition, amount * least});
    int64_t most = (lives[v].second + ii - 1) / ii;
    if (most <= least)
      return;
    int first = family(id(staged ? "staged_ring" : "ring", v, m), most - least,
                       "the value of " + nodeName(v) + " needs more than " + std::to_string(least) + ", ... slots");
    for (int64_t c = least; c < most; ++c) {
      int deeper = first + static_cast<int>(c - least);
      for (int64_t t = 0; t <= last(v) && f.terms <= o.maxTerms; ++t)
        clause({-condition, -op(v, t), -live(v, t + c * ii), deeper});
      items.push_back({deeper, amount});
    }
  }
  /// REGISTER LIMIT (C7), and budgets within the register file (C8).
  void registers() {
    bool file = p.registerFile > 0 && on(Constraint::RegisterFile);
    std::vector<LinearTerm> total;
    for (int g = 0; g < groups; ++g) {
      const Group &group = p.groups[g];
      int64_t limit = mostRegisters(group);
      bool limited = on(Constraint::Registers) && limitsRegisters(p, group);
      if (!limited && !file)
        continue;
      say("registers of group '" + group.name + "' in each slot");
      std::vector<std::vector<LinearTerm>> slots(static_cast<size_t>(ii));
      for (int v = 0; v < n; ++v) {
        if (p.nodes[v].regs == 0)
          continue;
        aliveIn(v, p.nodes[v].regs, onGroup(v, g), id("held", v, g), slots);
        if (p.consumerCopies)
          readers(v, g, slots);
      }
      if (limited)
        bounded(g, slots, {}, limit - p.regOverhead);
      if (!file)
        continue;
      int64_t first = (p.minRegs + p.regGranule - 1) / p.regGranule * p.regGranule,
              top = limit / p.regGranule * p.regGranule;
      int used = family(id("used", g), 1, "group '" + group.name + "' runs something");
      for (int v = 0; v < n; ++v)
        clause({-onGroup(v, g), used});
      if (top < first)
        clause({-used});
      int64_t steps = std::max<int64_t>(0, (top - first) / p.regGranule);
      int step = family(id("budget", g), steps,
                        "the budget of group '" + group.name + "' is " + std::to_string(first + p.regGranule) +
                            " at least, ... in steps of " + std::to_string(p.regGranule));
      int paid = family(id("paid", g), steps, "the same, and the group is used");
      std::vector<LinearTerm> granted;
      total.push_back({used, 32 * group.warps * first});
      for (int k = 0; k < steps; ++k) {
        clause({-(step + k), k ? step + k - 1 : always});
        granted.push_back({step + k, -p.regGranule});
        total.push_back({both(step + k, used, paid + k), 32 * group.warps * p.regGranule});
      }
      bounded(g, slots, granted, first - p.regOverhead);
    }
    if (file) {
      say("the register file");
      atMost(total, p.registerFile);
    }
  }
  /// Each slot, with `granted` added, is at most `bound`; below zero even an empty group with anything on it is too
  /// much.
  void bounded(int g, const std::vector<std::vector<LinearTerm>> &slots, const std::vector<LinearTerm> &granted,
               int64_t bound) {
    int64_t most = bound;
    for (const LinearTerm &term : granted)
      most -= term.weight;
    if (most < 0) {
      for (int v = 0; v < n; ++v)
        clause({-onGroup(v, g)});
      return;
    }
    for (std::vector<LinearTerm> items : slots) {
      items.insert(items.end(), granted.begin(), granted.end());
      atMost(items, bound);
    }
  }
  /// Registers on g of the value of v while readers on g read it from another group.
  void readers(int v, int g, std::vector<std::vector<LinearTerm>> &slots) {
    std::map<int, int64_t> holds;
    for (const Edge &e : p.edges)
      if (e.from == v && e.to != v && !e.order)
        holds[e.to] = std::max({holds[e.to], e.hold, int64_t(1)});
    for (auto [w, hold] : holds) {
      int first = family(id("copy", v, w) + "_" + std::to_string(g), ii + 1,
                         nodeName(w) + " on group " + std::to_string(g) + " reads the value of " + nodeName(v) +
                             " from another group; in slot 0, 1, ...");
      int reads = both(apart(v, w), onGroup(w, g), first + static_cast<int>(ii));
      for (int64_t slot = 0; slot < ii && f.terms <= o.maxTerms; ++slot) {
        std::vector<LinearTerm> &items = slots[static_cast<size_t>(slot)];
        items.push_back({reads, p.nodes[v].regs * (hold / ii)});
        if (hold % ii)
          items.push_back({both(reads, covers(w, hold % ii, slot), first + static_cast<int>(slot)), p.nodes[v].regs});
      }
    }
  }
  /// CONCURRENCY (C10), for blocking edges and for transfers.
  void concurrency() {
    if (!on(Constraint::Concurrency) || groups == 0)
      return;
    say("nothing executes on a group while a node there waits");
    for (int v = 0; v < n; ++v) {
      std::vector<int> causes;
      bool blocking = false;
      for (const Edge &e : p.edges)
        if (e.to == v && (e.blocking || e.transfer > 0)) {
          blocking |= e.blocking;
          causes.push_back(e.blocking ? always : apart(e.from, v));
        }
      if (causes.empty())
        continue;
      int waits = blocking ? always : family(id("waits", v), 1, nodeName(v) + " waits for another group");
      for (int cause : causes)
        clause({-cause, waits});
      for (int other = 0; other < n; ++other) {
        const Node &node = p.nodes[other];
        int64_t busy = node.async ? std::max<int64_t>(1, node.issue) : std::max(node.issue, node.latency);
        for (int64_t slot = 0; other != v && busy > 0 && slot < ii && f.terms <= o.maxTerms; ++slot)
          clause({-waits, -covers(v, 1, slot), -covers(other, busy, slot), apart(other, v)});
      }
    }
  }
  /// C11: a group issues one thing at a time.
  void issue() {
    if (!on(Constraint::Issue) || groups == 0)
      return;
    say("issue cycles on a group do not overlap");
    for (int v = 0; v < n; ++v) {
      int64_t cycles = p.nodes[v].issue;
      if (cycles > ii)
        clause({});
      for (int other = 0; other < v; ++other)
        for (int64_t slot = 0; cycles > 0 && p.nodes[other].issue > 0 && slot < ii && f.terms <= o.maxTerms; ++slot)
          clause({-covers(v, cycles, slot), -covers(other, p.nodes[other].issue, slot), apart(other, v)});
    }
  }
  /// C12.
  void pins() {
    if (!on(Constraint::Pins))
      return;
    say("pins");
    for (int v = 0; v < n; ++v) {
      const Node &node = p.nodes[v];
      if (node.pinStart >= 0)
        clause({op(v, node.pinStart)});
      if (node.pinStage >= 0) {
        clause({begun(v, node.pinStage * ii + ii - 1)});
        clause({-begun(v, node.pinStage * ii - 1)});
      }
      for (int64_t t = 0; node.pinDepth > 0 && t <= last(v) && f.terms <= o.maxTerms; ++t)
        clause({-op(v, t), -live(v, t + node.pinDepth * ii)});
    }
  }

  const Problem &p;
  const StraightLineOptions &o;
  int64_t ii, horizon;
  int n, groups;
  LinearFormula f;
  std::vector<int> ops, begins, assigned;
  std::vector<std::pair<int, int64_t>> lives; ///< first variable, count
  std::map<std::pair<int, int>, int> aparts;
  std::map<std::pair<int, int64_t>, int> coverings;
  std::map<int, int> leaving;
};

} // namespace

Result<LinearFormula> straightLineFormula(const Problem &problem, const StraightLineOptions &options) {
  return Builder(problem, options).run();
}

} // namespace heddle
