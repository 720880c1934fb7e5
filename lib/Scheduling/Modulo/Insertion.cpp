//===- Insertion.cpp - see Insertion.h --------------------------------------===//
//
// Verifies:  the result by Certificate/Verify.
// Algorithm: a partial schedule is legal at all times. The node with the least slack is inserted at a time where
//            nothing is in its way, near its neighbours, so that values live short (R. A. Huff, "Lifetime-sensitive
//            modulo scheduling", PLDI 1993). Where there is no such time, what is in the way is ejected: the set whose
//            nodes were hardest to insert so far costs most and stays (ejection search with learned penalties: Y.
//            Nagata and O. Braeysy, Operations Research Letters 37 (2009)). Times are kept as numbers, never as slots.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Modulo/Insertion.h"

#include "Occupancy.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

/// Ejections that are looked at closely for one insertion.
constexpr size_t maxTries = 6;
/// Times that are looked at for one ejection.
constexpr size_t maxTimes = 32;

class Inserter {
public:
  Inserter(const Problem &p, const std::vector<int> &group, const InsertionOptions &options)
      : p(p), options(options), o(p, group, options.constraints, options.ii, options.stages),
        n(static_cast<int>(p.nodes.size())), state(options.seed * 0x9e3779b97f4a7c15ull + 0x2545f4914f6cdd1dull) {
    penalty.assign(n, 1);
    weight.assign(n, 1);
    std::vector<double> load(p.units.size(), 0);
    for (const Node &node : p.nodes)
      for (const Reservation &r : node.reservations)
        load[r.unit] += static_cast<double>(r.length * r.amount) / static_cast<double>(p.units[r.unit].capacity);
    if (options.follow)
      for (int64_t t : options.follow->start)
        wanted.push_back(t * options.ii / options.follow->ii);
    for (int v = 0; v < n; ++v)
      for (const Reservation &r : p.nodes[v].reservations)
        if (options.seed % 3 == 0 && load[r.unit] > 0.9 * static_cast<double>(options.ii))
          weight[v] = 0.1;
  }

  std::optional<Schedule> run() {
    if (!o.possible)
      return std::nullopt;
    int left = n;
    for (int64_t count = 0; left && count < options.insertions && !options.deadline.passed(); ++count) {
      int v = next();
      left += insert(v) - 1;
      options.deadline.spend(2 + n / 16);
    }
    if (left)
      return std::nullopt;
    Schedule s;
    s.ii = options.ii;
    s.start = o.start;
    s.group = o.group;
    s.constraints = options.constraints;
    finishSchedule(p, s);
    options.deadline.spend(n * options.ii / 500);
    return verifySchedule(p, s, options.constraints).empty() ? std::optional<Schedule>(std::move(s)) : std::nullopt;
  }

private:
  uint64_t random() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  }

  /// The node to insert: the first of the schedule to follow or of the program, or that with the least slack, where
  /// scarce units count more.
  int next() {
    int best = -1;
    if (!wanted.empty()) {
      for (int v = 0; v < n; ++v)
        if (!o.placed[v] && (best < 0 || wanted[v] < wanted[best]))
          best = v;
      return best;
    }
    if (options.seed % 3 == 1)
      return static_cast<int>(std::find(o.placed.begin(), o.placed.end(), 0) - o.placed.begin());
    double least = 0;
    for (int v = 0; v < n; ++v) {
      if (o.placed[v])
        continue;
      auto [early, late] = o.window(v);
      double slack = static_cast<double>(late - early) * weight[v] / static_cast<double>(1 + penalty[v] / 8);
      if (best < 0 || slack < least) {
        best = v;
        least = slack;
      }
    }
    return best;
  }

  /// Whether the value that `v` makes is larger than those that end with it: then it is better placed late.
  bool rather(int v) const {
    int64_t in = 0, out = p.nodes[v].regs;
    bool before = false, behind = false;
    for (int k : o.in[v])
      if (const Edge &e = p.edges[k]; e.from != v && o.placed[e.from]) {
        before = true;
        in += e.order ? 0 : p.nodes[e.from].regs;
      }
    for (int k : o.out[v])
      behind |= p.edges[k].to != v && o.placed[p.edges[k].to];
    return behind && (!before || out > in);
  }

  /// The first time for `v` at which nothing is in its way: from the early end of its window, from the late end, or
  /// around where it is in the schedule to follow.
  std::optional<int64_t> freeTime(int v) {
    auto [early, late] = o.window(v);
    if (early > late)
      return std::nullopt;
    bool backward = rather(v);
    int64_t from = early, to = std::min(late, early + options.ii - 1), wish = early;
    if (!wanted.empty()) {
      wish = std::clamp(wanted[v], early, late);
      from = std::max(early, wish - options.ii / 2);
      to = std::min(late, wish + options.ii / 2);
    } else if (backward) {
      from = std::max(early, late - options.ii + 1);
      to = wish = late;
    }
    auto distance = [&](int64_t t) { return t < wish ? wish - t : t - wish; };
    std::vector<int64_t> first;
    if (!backward || !wanted.empty())
      first.push_back(o.firstFree(v, wish, to, false));
    if (backward || !wanted.empty())
      first.push_back(o.firstFree(v, from, wish, true));
    std::erase_if(first, [&](int64_t t) { return t < from || t > to; });
    if (first.empty())
      return std::nullopt;
    auto nearer = [&](int64_t a, int64_t b) { return std::pair(distance(a), a) < std::pair(distance(b), b); };
    std::sort(first.begin(), first.end(), nearer);
    for (int64_t t : first)
      if (o.free(v, t) && o.roomFor(v, t))
        return t;
    std::vector<int64_t> times = o.candidates(v, from, to);
    std::sort(times.begin(), times.end(), nearer);
    for (int64_t t : times) {
      if (distance(t) <= distance(first.front()))
        continue;
      options.deadline.spend(1);
      if (o.free(v, t) && o.roomFor(v, t))
        return t;
    }
    return std::nullopt;
  }

  /// Places `v`; how many nodes were ejected for it.
  int insert(int v) {
    if (std::optional<int64_t> t = freeTime(v)) {
      o.place(v, *t);
      return 0;
    }
    auto [early, late] = o.window(v);
    // Something has to go.
    penalty[v] += 1;
    auto [first, last] = o.outerWindow(v);
    std::vector<int64_t> all = o.candidates(v, std::clamp(early, first, last),
                                            std::min(last, std::clamp(early, first, last) + options.ii - 1));
    std::vector<int64_t> back =
        o.candidates(v, std::max(first, std::clamp(late, first, last) - options.ii + 1), std::clamp(late, first, last));
    all.insert(all.end(), back.begin(), back.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    struct Way {
      int64_t cost, t;
      uint64_t tie;
    };
    while (all.size() > maxTimes) { // any of them may do
      std::swap(all[random() % all.size()], all.back());
      all.pop_back();
    }
    std::vector<Way> ways;
    std::vector<int> out;
    options.deadline.spend(static_cast<int64_t>(all.size()) / 2);
    for (int64_t t : all) {
      out.clear();
      o.inTheWay(v, t, penalty, out);
      ways.push_back({costOf(out), t, random()});
    }
    std::sort(ways.begin(), ways.end(),
              [](const Way &a, const Way &b) { return std::tie(a.cost, a.tie) < std::tie(b.cost, b.tie); });
    int64_t bestCost = -1, bestTime = 0;
    std::vector<int> best;
    for (size_t k = 0; k < std::min(ways.size(), maxTries); ++k) {
      if (bestCost >= 0 && ways[k].cost >= bestCost)
        break;
      out.clear();
      o.inTheWay(v, ways[k].t, penalty, out);
      if (!o.makeRoom(v, ways[k].t, penalty, out, random()))
        continue;
      options.deadline.spend(4);
      if (int64_t cost = costOf(out); bestCost < 0 || cost < bestCost) {
        bestCost = cost;
        bestTime = ways[k].t;
        best = out;
      }
    }
    if (bestCost < 0) { // it does not fit even alone with what it must be beside: make room by chance
      if (ways.empty())
        return 1;
      for (int w = 0; w < n; ++w)
        if (o.placed[w] && random() % 4 == 0)
          best.push_back(w);
      for (int w : best)
        o.eject(w);
      return static_cast<int>(best.size()) + 1;
    }
    for (int w : best)
      o.eject(w);
    o.place(v, bestTime);
    return static_cast<int>(best.size());
  }

  int64_t costOf(const std::vector<int> &nodes) const {
    int64_t sum = 0;
    for (int w : nodes)
      sum += penalty[w];
    return sum;
  }

  const Problem &p;
  const InsertionOptions &options;
  OccupancyTable o;
  int n;
  uint64_t state;
  std::vector<int64_t> penalty; ///< how often a node could not be inserted freely
  std::vector<double> weight;
  std::vector<int64_t> wanted; ///< times in the schedule to follow; empty: none
};

} // namespace

std::optional<Schedule> scheduleByInsertion(const Problem &problem, const std::vector<int> &group,
                                            const InsertionOptions &options) {
  constexpr size_t mostNodes = 4096; // longest paths between all of them take 128 MiB
  if (problem.nodes.size() > mostNodes)
    return std::nullopt;
  return Inserter(problem, group, options).run();
}

} // namespace heddle
