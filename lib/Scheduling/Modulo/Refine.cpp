//===- Refine.cpp - The best times for the order of a schedule ------------===//
//
// What:      see Refine.h.
// Verifies:  every result by Certificate/Verify.
// Algorithm: with groups and orders fixed all conditions are differences: start(to) + distance * ii >= start(from) +
//            weight. The least interval is the largest ratio of weights to distances over the cycles, found by raising
//            the interval to the ratio of a violated cycle until none is left; the earliest starts follow. What lives
//            beside what (registers, memories) is kept as well where room is short. Exchanges: neighbours on the cycle
//            that binds change places, best first, with a list of exchanges not to be taken back (tabu search as for
//            job shops: E. Nowicki and C. Smutnicki, Management Science 42 (1996)).
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Modulo/Refine.h"

#include "Differences.h"
#include "Place.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/Span.h"
#include "heddle/Scheduling/Problem/Budgets.h"
#include "heddle/Support/Integers.h"

#include <algorithm>
#include <set>

namespace heddle {
namespace {

/// Values in a place that does not hold all of them at once.
struct Store {
  std::vector<Span> spans, rounded;
  int64_t capacity;
};

/// Spans of which no two overlap, in their cyclic order: each begins in the interval number `shift` of its iteration.
struct Line {
  struct Place {
    size_t span;
    int64_t shift;
  };
  std::vector<Span> spans;
  std::vector<Place> order;

  int nodeAt(size_t i) const { return spans[order[i].span].node; }
  /// Exchanges the spans at `i` and after it.
  void exchange(size_t i) {
    size_t j = (i + 1) % order.size();
    std::swap(order[i], order[j]);
    if (j == 0) { // the last one goes before the first of the next interval
      ++order[0].shift;
      --order[i].shift;
    }
  }
};

/// Repairs of one order, and pairs that are compared for each.
constexpr int maxRepairs = 80, maxRepairTries = 4;

class Orders {
public:
  Orders(const Problem &p, const Problem &roughProblem, const Schedule &rough, const RefineOptions &options)
      : p(p), q(roughProblem), rough(rough), options(options), set(options.constraints),
        n(static_cast<int>(p.nodes.size())) {
    rankNodes();
    addDependences();
    for (int u = 0; set.has(Constraint::Capacity) && u < static_cast<int>(p.units.size()); ++u)
      addUnit(u);
    for (int g = 0; set.has(Constraint::Issue) && g < static_cast<int>(p.groups.size()); ++g)
      addIssue(g);
    if (set.has(Constraint::Concurrency) && !p.groups.empty())
      addBlocking();
    if (set.has(Constraint::Rings))
      addRings();
    for (int g = 0; g < static_cast<int>(p.groups.size()); ++g)
      addRegisters(g);
    for (int m = 0; set.has(Constraint::Memory) && m < static_cast<int>(p.memories.size()); ++m)
      if (p.memories[m].kind == MemoryKind::Modular)
        addMemory(m);
  }

  /// The least interval from `ii` up at which the arcs can be met, with earliest starts; 0: none. A cycle that is
  /// violated just below it is left in `cycle`.
  int64_t least(int64_t ii, int64_t most) {
    std::vector<Arc> all = arcs;
    for (size_t l = 0; l < lines.size(); ++l)
      addOrder(static_cast<int>(l), all);
    return leastInterval(all, n + 1, ii, most, options.deadline, time, cycle);
  }

  Schedule schedule(int64_t ii) const {
    Schedule s;
    s.ii = ii;
    s.start.assign(time.begin(), time.begin() + n);
    s.group = rough.group;
    s.constraints = set;
    finishSchedule(p, s);
    return s;
  }
  bool legal(const Schedule &s) const { return verifySchedule(p, s, set).empty(); }

  /// A legal schedule of the least interval up to `most`: while a store holds too much, one of two values that are in
  /// it together is made to wait for the other: pairs that are apart in the rough schedule first, and of those tried
  /// the one that costs least.
  std::optional<Schedule> repaired(int64_t most) {
    int64_t ii = least(options.minII, most);
    for (int round = 0; ii && round < maxRepairs; ++round) {
      std::vector<Together> pairs = tooMuch(ii);
      if (pairs.empty()) {
        Schedule s = schedule(ii);
        return legal(s) ? std::optional<Schedule>(std::move(s)) : std::nullopt;
      }
      size_t given = arcs.size();
      std::vector<Arc> chosen;
      int64_t bestII = 0;
      int possible = 0;
      for (size_t k = 0; k < pairs.size() && possible < maxRepairTries && bestII != ii; ++k) {
        after(*pairs[k].first, *pairs[k].second, pairs[k].distance, arcs);
        int64_t now = least(ii, bestII ? bestII - 1 : most);
        possible += now != 0;
        if (now && (!bestII || now < bestII)) {
          bestII = now;
          chosen.assign(arcs.begin() + static_cast<long>(given), arcs.end());
        }
        arcs.resize(given);
      }
      arcs.insert(arcs.end(), chosen.begin(), chosen.end());
      ii = bestII ? least(bestII, most) : 0;
    }
    return std::nullopt;
  }

  /// The node at `at` of line `l` and the one after it.
  std::pair<int, int> nodesAt(int l, int at) const {
    const Line &line = lines[static_cast<size_t>(l)];
    return {line.nodeAt(static_cast<size_t>(at)), line.nodeAt((static_cast<size_t>(at) + 1) % line.order.size())};
  }

  /// Exchanges two nodes that follow each other in line `l` wherever one follows the other.
  void exchange(int l, int at) {
    auto [first, second] = nodesAt(l, at);
    for (Line &line : lines)
      for (size_t i = 0; i < line.order.size(); ++i)
        if (line.nodeAt(i) == first && line.nodeAt((i + 1) % line.order.size()) == second) {
          line.exchange(i);
          break;
        }
  }

  std::vector<Line> lines;
  std::vector<Arc> cycle;

private:
  /// Rounded times are often equal. An order among the nodes that start in one slot: by dependences, and readers of a
  /// value before what takes its registers. What contradicts itself is broken at the first node.
  void rankNodes() {
    std::vector<std::vector<int>> next(n);
    std::vector<int> waiting(n, 0);
    auto before = [&](int u, int v) {
      next[u].push_back(v);
      ++waiting[v];
    };
    for (const Edge &e : p.edges)
      if (e.from != e.to && rough.start[e.to] + e.distance * rough.ii == rough.start[e.from])
        before(e.from, e.to);
    for (int v = 0; v < n && !options.deadline.passed(); ++v) {
      if (p.nodes[v].regs <= 0)
        continue;
      int64_t end = endOf(lifetime(q, v, 1));
      for (const Edge &e : p.edges)
        if (int64_t at = rough.start[e.to] + e.distance * rough.ii; e.from == v && !e.order && at == end)
          for (int w = 0; w < n; ++w)
            if (w != e.to && p.nodes[w].regs > 0 && rough.group[w] == rough.group[v] &&
                (rough.start[w] - at) % rough.ii == 0)
              before(e.to, w);
    }
    rank.assign(n, -1);
    std::set<int> ready, left;
    for (int v = 0; v < n; ++v) {
      left.insert(v);
      if (!waiting[v])
        ready.insert(v);
    }
    for (int count = 0; count < n; ++count) {
      int v = *(ready.empty() ? left : ready).begin();
      ready.erase(v);
      left.erase(v);
      rank[v] = count;
      for (int w : next[v])
        if (--waiting[w] == 0 && rank[w] < 0)
          ready.insert(w);
    }
  }

  void addDependences() {
    for (const Edge &e : p.edges)
      if (set.has(Constraint::Dependence))
        arcs.push_back({e.from, e.to, delayUnder(p, e, rough.group, set), e.distance});
    for (int v = 0; v < n; ++v) {
      const Node &node = p.nodes[v];
      arcs.push_back({n, v, 0, 0});
      if (options.stages)
        arcs.push_back({v, n, node.latency, options.stages});
      if (!set.has(Constraint::Pins))
        continue;
      if (node.pinStart >= 0) {
        arcs.push_back({n, v, node.pinStart, 0});
        arcs.push_back({v, n, -node.pinStart, 0});
      }
      if (node.pinStage >= 0) {
        arcs.push_back({n, v, 0, -node.pinStage});
        arcs.push_back({v, n, 1, node.pinStage + 1});
      }
    }
  }

  int64_t beginOf(const Span &span) const { return rough.start[span.node] + span.begin; }
  int64_t endOf(const Span &span) const {
    int64_t end = beginOf(span);
    for (const Span::End &e : span.ends)
      end = std::max(end, rough.start[e.node] + e.shift + e.distance * rough.ii);
    return end;
  }

  /// `b` begins, `distance` intervals later, after `a` ended.
  void after(const Span &a, const Span &b, int64_t distance, std::vector<Arc> &out, int line = -1, int at = -1) const {
    for (const Span::End &e : a.ends)
      out.push_back({e.node, b.node, e.shift - b.begin, distance - e.distance, line, at});
  }

  void addOrder(int l, std::vector<Arc> &out) const {
    const Line &line = lines[static_cast<size_t>(l)];
    for (size_t i = 0; i < line.order.size(); ++i) {
      size_t j = (i + 1) % line.order.size();
      auto [a, shiftA] = line.order[i];
      auto [b, shiftB] = line.order[j];
      after(line.spans[a], line.spans[b], shiftA - shiftB + (j == 0), out, l, static_cast<int>(i));
    }
  }

  /// Spans of which no two overlap become a line in the order of the rough schedule; others keep what overlaps.
  void keepApart(const std::vector<Span> &spans, const std::vector<Span> &rounded, int64_t capacity) {
    if (spans.empty())
      return;
    auto least =
        std::min_element(spans.begin(), spans.end(), [](const Span &a, const Span &b) { return a.amount < b.amount; });
    if (2 * least->amount <= capacity)
      return keepPairs(spans, rounded);
    Line line;
    line.spans = spans;
    std::vector<int64_t> slot;
    for (size_t a = 0; a < spans.size(); ++a) {
      line.order.push_back({a, floorDiv(beginOf(rounded[a]), rough.ii)});
      slot.push_back(beginOf(rounded[a]) - line.order[a].shift * rough.ii);
    }
    std::stable_sort(line.order.begin(), line.order.end(), [&](auto &x, auto &y) {
      return std::pair(slot[x.span], rank[spans[x.span].node]) < std::pair(slot[y.span], rank[spans[y.span].node]);
    });
    lines.push_back(std::move(line));
  }

  /// What ends before another begins in the rough schedule does so here.
  void keepPairs(const std::vector<Span> &spans, const std::vector<Span> &rounded) {
    for (size_t a = 0; a < spans.size(); ++a)
      for (size_t b = a; b < spans.size(); ++b) {
        int64_t there = ceilDiv(endOf(rounded[a]) - beginOf(rounded[b]), rough.ii);
        int64_t back = ceilDiv(endOf(rounded[b]) - beginOf(rounded[a]), rough.ii);
        if (a == b) {
          after(spans[a], spans[a], std::max<int64_t>(1, there), arcs);
          continue;
        }
        if (there + back < 1)
          ++(rank[spans[a].node] < rank[spans[b].node] ? back : there);
        after(spans[a], spans[b], there, arcs);
        after(spans[b], spans[a], back, arcs);
      }
  }

  void addUnit(int u) {
    std::vector<Span> spans, rounded;
    for (int v = 0; v < n; ++v)
      for (size_t i = 0; i < p.nodes[v].reservations.size(); ++i)
        if (const Reservation &r = p.nodes[v].reservations[i], &s = q.nodes[v].reservations[i];
            r.unit == u && r.length > 0) {
          spans.push_back({v, r.start, r.amount, {{v, r.start + r.length, 0}}});
          rounded.push_back({v, s.start, s.amount, {{v, s.start + s.length, 0}}});
        }
    keepApart(spans, rounded, p.units[u].capacity);
  }

  void addIssue(int g) {
    std::vector<Span> spans, rounded;
    for (int v = 0; v < n; ++v)
      if (rough.group[v] == g && p.nodes[v].issue > 0) {
        spans.push_back({v, 0, 1, {{v, p.nodes[v].issue, 0}}});
        rounded.push_back({v, 0, 1, {{v, q.nodes[v].issue, 0}}});
      }
    keepApart(spans, rounded, 1);
  }

  /// What waits with blocking synchronisation starts before or after what executes on its group.
  void addBlocking() {
    std::vector<char> waits(n, 0);
    for (const Edge &e : p.edges)
      if (e.blocking || (e.transfer > 0 && rough.group[e.from] != rough.group[e.to]))
        waits[e.to] = 1;
    for (int v = 0; v < n; ++v)
      for (int o = 0; waits[v] && o < n; ++o) {
        if (o == v || rough.group[o] != rough.group[v])
          continue;
        int64_t later = ceilDiv(rough.start[o] + busyTime(q.nodes[o]) - rough.start[v], rough.ii);
        if (rough.start[v] + (later - 1) * rough.ii >= rough.start[o])
          --later; // of no rounded length: by the order of the program
        if (rough.start[v] + later * rough.ii == rough.start[o] && rank[v] < rank[o])
          ++later;
        arcs.push_back({o, v, busyTime(p.nodes[o]), later});
        arcs.push_back({v, o, 1, 1 - later});
      }
  }

  int64_t copies(const Span &rounded) const {
    return std::max<int64_t>(1, ceilDiv(endOf(rounded) - beginOf(rounded), rough.ii));
  }

  void addRings() {
    for (int v = 0; v < n; ++v) {
      bool ring = p.nodes[v].pinDepth >= 0;
      for (const auto *list : {&p.nodes[v].footprints, &p.nodes[v].staging})
        for (const Footprint &f : *list)
          ring |= p.memories[f.memory].kind == MemoryKind::Ring;
      if (ring) {
        Span span = lifetime(p, v, 1);
        int64_t depth = std::max(p.nodes[v].pinDepth, copies(lifetime(q, v, 1)));
        after(span, span, depth, arcs);
      }
    }
  }

  void addRegisters(int g) {
    bool coupled = p.registerFile > 0 && set.has(Constraint::RegisterFile);
    int64_t limit = limitsRegisters(p, p.groups[g]) ? mostRegisters(p.groups[g]) : 0;
    if (coupled) { // the budgets of the rough schedule, or equal ones where those are too much
      int64_t total = 0, warps = 0;
      for (size_t h = 0; h < p.groups.size(); ++h)
        if (std::count(rough.group.begin(), rough.group.end(), static_cast<int>(h))) {
          total += 32 * p.groups[h].warps * (h < rough.groupRegs.size() ? std::max<int64_t>(0, rough.groupRegs[h]) : 0);
          warps += p.groups[h].warps;
        }
      bool fits = static_cast<size_t>(g) < rough.groupRegs.size() && total <= p.registerFile;
      int64_t share = warps ? p.registerFile / (32 * warps) / p.regGranule * p.regGranule : limit;
      int64_t budget = fits ? rough.groupRegs[static_cast<size_t>(g)] : share;
      limit = std::min(limit, budget);
    }
    if (!limit || !(coupled || set.has(Constraint::Registers)))
      return;
    std::vector<Span> spans, rounded;
    for (int v = 0; v < n; ++v) {
      if (p.nodes[v].regs <= 0)
        continue;
      if (rough.group[v] == g) {
        spans.push_back(lifetime(p, v, p.nodes[v].regs));
        rounded.push_back(lifetime(q, v, p.nodes[v].regs));
        continue;
      }
      if (!p.consumerCopies)
        continue;
      for (const Edge &e : p.edges) // read here, made elsewhere: held while it is read
        if (e.from == v && !e.order && rough.group[e.to] == g)
          for (auto *list : {&spans, &rounded})
            list->push_back({e.to, 0, p.nodes[v].regs, {{e.to, std::max<int64_t>(1, e.hold), 0}}});
    }
    stores.push_back({std::move(spans), std::move(rounded), limit - p.regOverhead});
  }

  void addMemory(int m) {
    std::vector<Span> spans, rounded;
    for (int v = 0; v < n; ++v) {
      int64_t amount = 0;
      for (const Footprint &f : p.nodes[v].footprints)
        amount += f.memory == m ? f.amount : 0;
      for (const Footprint &f : p.nodes[v].staging)
        amount += f.memory == m ? f.amount : 0; // though it may not leave its group
      if (amount > 0) {
        spans.push_back(lifetime(p, v, amount));
        rounded.push_back(lifetime(q, v, amount));
      }
    }
    stores.push_back({std::move(spans), std::move(rounded), p.memories[m].capacity});
  }

  /// Two values that a store holds at once.
  struct Together {
    const Span *first, *second; ///< the second has to begin `distance` intervals later, after the first ended
    int64_t distance, overlap;
    bool apart; ///< in the rough schedule they are not there at once
  };

  /// Pairs in the fullest slot of a store that holds too much under the starts of the last try.
  std::vector<Together> tooMuch(int64_t ii) const {
    std::vector<Together> out;
    auto begin = [&](const Span &span) { return time[span.node] + span.begin; };
    auto end = [&](const Span &span) {
      int64_t last = begin(span);
      for (const Span::End &e : span.ends)
        last = std::max(last, time[e.node] + e.shift + e.distance * ii);
      return last;
    };
    for (const Store &store : stores) {
      std::vector<std::pair<int64_t, int64_t>> events; // in one interval
      int64_t held = 0;
      for (const Span &span : store.spans) {
        int64_t from = begin(span), length = end(span) - from, part = length % ii;
        held += span.amount * (length / ii);
        if (!part)
          continue;
        from -= floorDiv(from, ii) * ii;
        events.push_back({from, span.amount});
        events.push_back({(from + part) % ii, -span.amount});
        held += from + part > ii ? span.amount : 0;
      }
      std::sort(events.begin(), events.end());
      int64_t most = held, slot = 0;
      for (size_t k = 0; k < events.size(); ++k) {
        held += events[k].second;
        if ((k + 1 == events.size() || events[k + 1].first != events[k].first) && held > most) {
          most = held;
          slot = events[k].first;
        }
      }
      if (most <= store.capacity)
        continue;
      for (size_t a = 0; a < store.spans.size(); ++a)
        for (size_t b = 0; b < store.spans.size(); ++b) {
          const Span &x = store.spans[a], &y = store.spans[b];
          // Instances of both that are held in the slot; the earlier ones of the first, the later ones of the second.
          int64_t i = ceilDiv(slot - end(x) + 1, ii), j = floorDiv(slot - begin(y), ii);
          if (end(x) + i * ii <= slot || begin(x) + i * ii > slot || end(y) + j * ii <= slot)
            continue;
          int64_t distance = j - i;
          if (a == b && distance < 1)
            continue;
          bool apart = endOf(store.rounded[a]) <= beginOf(store.rounded[b]) + distance * rough.ii;
          if (apart || a != b)
            out.push_back({&x, &y, distance, end(x) - begin(y) - distance * ii, apart});
        }
      std::stable_sort(out.begin(), out.end(), [](auto &l, auto &r) {
        return std::pair(!l.apart, l.overlap) < std::pair(!r.apart, r.overlap);
      });
      if (out.empty()) // nothing to be done here
        continue;
      return out;
    }
    return out;
  }

  const Problem &p, &q;
  const Schedule &rough;
  const RefineOptions &options;
  ConstraintSet set;
  int n;
  std::vector<int> rank;
  std::vector<Arc> arcs;
  std::vector<Store> stores;
  std::vector<int64_t> time; ///< of the last try; the origin comes last
};

/// Exchanges on the cycle that binds. `best` is a legal schedule or none; becomes a better one.
void improve(Orders orders, const RefineOptions &options, int64_t most, std::optional<Schedule> &best) {
  struct Taboo {
    std::pair<int, int> first; ///< the two nodes, in an order that is not to be made
    int64_t until;
  };
  std::vector<Taboo> taboo;
  int64_t value = orders.least(options.minII, most), tried = 0;
  for (int64_t step = 0; value && tried < options.moves && !options.deadline.passed(); ++step) {
    if (value <= options.minII || orders.cycle.empty())
      return;
    std::vector<Arc> binding = orders.cycle;
    int64_t bestValue = 0;
    const Arc *bestArc = nullptr;
    for (const Arc &arc : binding) {
      if (arc.line < 0 || orders.lines[static_cast<size_t>(arc.line)].order.size() < 2)
        continue;
      bool barred = std::any_of(taboo.begin(), taboo.end(), [&](const Taboo &t) {
        return t.first == orders.nodesAt(arc.line, arc.at) && t.until > step;
      });
      std::vector<Line> before = orders.lines;
      orders.exchange(arc.line, arc.at);
      ++tried;
      int64_t now = orders.least(options.minII, most);
      if (now && (!barred || (best && now < best->ii)) && (!bestArc || now < bestValue)) {
        bestValue = now;
        bestArc = &arc;
      }
      orders.lines = std::move(before);
    }
    if (!bestArc)
      return;
    auto [first, second] = orders.nodesAt(bestArc->line, bestArc->at);
    taboo.push_back({{second, first}, step + 8});
    if (taboo.size() > 64)
      taboo.erase(taboo.begin());
    orders.exchange(bestArc->line, bestArc->at);
    value = orders.least(options.minII, most);
    if (value && (!best || value < best->ii))
      if (std::optional<Schedule> s = Orders(orders).repaired(best ? best->ii - 1 : most))
        best = std::move(s);
  }
}

} // namespace

std::optional<Schedule> refineSchedule(const Problem &problem, const Problem &roughProblem, const Schedule &rough,
                                       const RefineOptions &options) {
  Orders orders(problem, roughProblem, rough, options);
  int64_t most = options.maxII ? options.maxII : maxInterval;
  std::optional<Schedule> best = Orders(orders).repaired(most);
  if (options.moves > 0)
    improve(orders, options, most, best);
  return best;
}

} // namespace heddle
