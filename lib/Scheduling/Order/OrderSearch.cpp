//===- OrderSearch.cpp - see OrderSearch.h --------------------------------===//
//
// Verifies:  every schedule by Certificate/Verify.
// Algorithm: literals say how far two starts are apart, with a number of intervals between them, and which group a node
//            is on. Of two spans that may not overlap, every instance of the one is before or behind every instance of
//            the other. Of like parts, one node of each begins no later than its counterpart in the next. What a store
//            holds is counted where a span begins, since it grows nowhere else: a literal for each instance of another
//            span that is there, and one weighted sum. Only instances that the longest paths do not decide get
//            literals. The literals of groups are decided first.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Order/OrderSearch.h"

#include "DifferenceSolver.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/Span.h"
#include "heddle/Scheduling/Order/LikeParts.h"
#include "heddle/Scheduling/Problem/Budgets.h"
#include "heddle/Support/Integers.h"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

constexpr Lit yes = DifferenceSolver::yes, no = DifferenceSolver::no;

/// A span that is taken only if `where` holds.
struct Taken : Span {
  Lit where = yes;
  bool isValue = false; ///< the life of its node's result
};

class Orders {
public:
  Orders(const Problem &p, const OrderOptions &options)
      : p(p), options(options), set(options.constraints), low(options.ii), high(std::max(options.ii, options.last)),
        n(static_cast<int>(p.nodes.size())), reach(options.stages + 1), solver(n + 1) {
    for (const Edge &e : p.edges)
      reach = std::max(reach, options.stages + e.distance + 1);
    if (options.slots)
      reach = 2;
  }

  OrderAnswer run() {
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

private:
  /// The query is given up while it is set up: `run` asks once more before it looks for an answer.
  bool late() const { return options.limits.deadline.passed(); }
  int groups() const { return static_cast<int>(p.groups.size()); }

  /// The least and the largest of c - k * ii.
  std::pair<int64_t, int64_t> range(int64_t c, int64_t k) const { return std::minmax({c - k * low, c - k * high}); }
  /// start(v) + k * ii >= start(u) + c; -1 is the beginning of all.
  Lit later(int u, int v, int64_t c, int64_t k) {
    auto [least, most] = range(c, k);
    return solver.atLeast(u + 1, v + 1, least, most);
  }
  void require(int u, int v, int64_t c, int64_t k) { solver.require(u + 1, v + 1, range(c, k).first); }

  /// What holds whatever is decided.
  void addTimes() {
    for (int v = 0; v < n; ++v) {
      const Node &node = p.nodes[v];
      require(-1, v, 0, 0);
      require(v, -1, node.latency, options.stages);
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

  void addLeaders() {
    for (int v = 0; v < n && !options.leaders.empty(); ++v)
      if (int leader = options.leaders[v]; leader >= 0) {
        require(leader, v, options.apart, 0);
        require(v, leader, -options.apart, 0);
      }
  }

  /// Every node begins in one interval, which begins with the first node.
  void addSlots() {
    for (int v = 0; v < n; ++v) {
      require(-1, v, 0, 0);
      require(v, -1, 1, 1);
    }
    if (n)
      require(0, -1, 0, 0);
  }

  /// Exchanging like parts on the same groups turns schedules into schedules, so that of each a node that no exchange
  /// inside it moves may begin no later than its counterpart in the next.
  void orderParts() {
    for (LikeParts &like : likeParts(p)) {
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

  /// The ends of each life that no other end of it always reaches.
  void addLives() {
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

  /// Groups that the constraints asked for let a node run on.
  std::vector<int> allowed(int v) const {
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
  /// Whether an edge pays its transfer on any groups that its ends may have.
  bool crossesAnyway(const Edge &e) const {
    if (p.groups.empty() || e.transfer <= 0 || !set.has(Constraint::Transfers))
      return false;
    std::vector<int> a = allowed(e.from), b = allowed(e.to);
    return std::none_of(a.begin(), a.end(), [&](int g) { return std::count(b.begin(), b.end(), g); });
  }

  /// False: some node fits no group.
  bool addGroups() {
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

  /// Groups that are alike are used in the order of their first nodes.
  void orderAfter(int g) {
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

  /// Whether two nodes are on one group.
  Lit together(int u, int v) {
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

  /// True where one of the literals is: implied by each.
  Lit any(const std::vector<Lit> &lits) {
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
  /// True where both are: implied by both together.
  Lit both(Lit a, Lit b) {
    if (a == no || b == no)
      return no;
    if (a == yes || b == yes)
      return a == yes ? b : a;
    Lit out = solver.newLit();
    solver.clause({-a, -b, out});
    return out;
  }

  void addTransfers() {
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

  Taken value(int v, int64_t amount, Lit where = yes) const {
    Taken out{lives[v], where, true};
    out.amount = amount;
    return out;
  }

  /// Unless one of two literals holds, every instance of `b` is before or behind `a`; both end with their own nodes, in
  /// the same iteration.
  void apart(const Span &a, const Span &b, Lit unless = no, Lit orElse = no) {
    for (int64_t k = -reach; k <= reach && unless != yes && orElse != yes; ++k) {
      Lit behind = later(a.node, b.node, a.ends[0].shift - b.begin, k);
      if (behind == yes)
        continue;
      solver.clause({unless, orElse, behind, later(b.node, a.node, b.ends[0].shift - a.begin, -k)});
    }
  }

  /// At most `capacity` is taken at once, or at most what `levels` say: each pair is a literal and the capacity as long
  /// as that literal is false.
  using Levels = std::vector<std::pair<Lit, int64_t>>;
  void limit(const std::vector<Taken> &spans, int64_t capacity, const Levels &levels = {}) {
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

  /// Literals for the instances of `y` that are there where `x` begins.
  std::vector<Lit> instances(const Taken &x, const Taken &y) {
    bool shared = x.begin == 0 && y.isValue; // by the groups that a value may be on
    if (auto it = beside.find({x.node, y.node}); shared && it != beside.end())
      return it->second;
    std::vector<Lit> out;
    for (int64_t k = -reach; k <= reach; ++k) {
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

  /// What the store holds where span `a` begins.
  void countAt(const std::vector<Taken> &spans, size_t a, int64_t capacity, const Levels &levels) {
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

  void addUnits() {
    for (int u = 0; set.has(Constraint::Capacity) && u < static_cast<int>(p.units.size()); ++u) {
      std::vector<Taken> spans;
      for (int v = 0; v < n; ++v)
        for (const Reservation &r : p.nodes[v].reservations)
          if (r.unit == u && r.length > 0)
            spans.push_back({{v, r.start, r.amount, {{v, r.start + r.length, 0}}}});
      limit(spans, p.units[u].capacity);
    }
  }

  void addIssue() {
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

  /// Values in registers of one group.
  std::vector<Taken> registersOf(int g) {
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

  void addRegisters() {
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

  void addMemories() {
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

  /// Each value owns as many slots as its life has intervals.
  void addRings(const std::vector<Taken> &spans, int64_t capacity) {
    std::vector<std::pair<Lit, int64_t>> terms;
    for (const Taken &span : spans) {
      int64_t depth = std::max<int64_t>(1, p.nodes[span.node].pinDepth);
      terms.push_back({span.where, depth * span.amount});
      for (;; ++depth) {
        std::vector<Lit> longer;
        for (const Span::End &end : span.ends)
          longer.push_back(later(span.node, end.node, 1 - end.shift, end.distance - depth));
        Lit deeper = any(longer);
        if (deeper == no || depth > 4 * reach)
          break;
        terms.push_back({both(span.where, deeper), span.amount});
      }
    }
    solver.atMost(std::move(terms), capacity);
  }

  void preferNear() {
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

  const Problem &p;
  const OrderOptions &options;
  ConstraintSet set;
  int64_t low, high;
  int n;
  int64_t reach; ///< instances further apart than this never meet
  DifferenceSolver solver;
  std::vector<LikeParts> ordered;
  std::vector<Span> lives;
  std::vector<std::vector<Lit>> on, same;
  std::map<std::pair<int, int>, std::vector<Lit>> beside; ///< instances of a value where a node starts
};

} // namespace

OrderAnswer searchOrders(const Problem &problem, const OrderOptions &options) { return Orders(problem, options).run(); }

} // namespace heddle
