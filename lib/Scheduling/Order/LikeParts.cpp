//===- LikeParts.cpp - see LikeParts.h ------------------------------------===//
//
// Verifies:  that each exchange of two neighbouring parts maps every edge to an edge with the same attributes; others
//            are left out. These exchanges make all others.
// Algorithm: refinement of node colours by those of their neighbours. Of a set of nodes, those that are alone in their
//            colour stay where they are; connected parts of the others are alike where their colours agree, and are
//            such sets themselves.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Order/LikeParts.h"
#include "heddle/Support/DisjointSets.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace heddle {
namespace {

using Key = std::vector<int64_t>;

class Finder {
public:
  Finder(const Problem &p, const Deadline &deadline)
      : p(p), deadline(deadline), n(static_cast<int>(p.nodes.size())), colour(n), repeated(n), sets(n), twin(n),
        around(n) {
    std::iota(twin.begin(), twin.end(), 0);
    for (const Edge &e : p.edges) {
      around[e.from].push_back(&e);
      if (e.to != e.from)
        around[e.to].push_back(&e);
    }
    refine();
  }

  /// Like parts among `nodes`, then those inside each part, in a time that grows with these nodes and their edges.
  void among(const std::vector<int> &nodes, bool outermost) {
    if (late |= deadline.passed())
      return;
    std::map<int64_t, int> count;
    for (int v : nodes)
      ++count[colour[v]];
    std::map<int, std::vector<std::pair<int64_t, int>>> parts; // by first node: (colour, node)
    for (int v : nodes)
      repeated[v] = count[colour[v]] > 1;
    for (int v : nodes)
      for (const Edge *e : around[v])
        if (repeated[e->from] && repeated[e->to]) {
          auto [first, last] = std::minmax({sets.find(e->from), sets.find(e->to)});
          sets.join(last, first);
        }
    for (int v : nodes)
      if (repeated[v])
        parts[sets.find(v)].push_back({colour[v], v});
    for (int v : nodes) {
      repeated[v] = false;
      sets.leave(v);
    }
    std::map<Key, std::vector<std::vector<int>>> alike;
    std::vector<std::vector<int>> inside;
    for (auto &[root, list] : parts) {
      std::sort(list.begin(), list.end());
      Key key;
      std::vector<int> members;
      for (auto &[c, v] : list) {
        key.push_back(c);
        members.push_back(v);
      }
      if (members.size() < nodes.size())
        inside.push_back(members);
      alike[key].push_back(std::move(members));
    }
    for (auto &[key, list] : alike)
      for (size_t k = 0; k < list.size();) {
        LikeParts found{{list[k]}, placeOf(list[k]), outermost};
        while (++k < list.size() && !(late |= deadline.passed()) && canExchange(found.parts.back(), list[k]))
          found.parts.push_back(list[k]);
        if (found.parts.size() > 1)
          out.push_back(std::move(found));
      }
    for (const std::vector<int> &members : inside)
      among(members, false);
  }

  std::vector<LikeParts> out;
  bool late = false; ///< the deadline passed: `out` may lack parts

private:
  template <typename KeyOf> int64_t recolour(KeyOf keyOf) {
    std::map<Key, int64_t> numbers;
    std::vector<Key> keys;
    for (int v = 0; v < n; ++v)
      numbers.try_emplace(keys.emplace_back(keyOf(v)), 0);
    int64_t count = 0;
    for (auto &[key, number] : numbers)
      number = count++;
    for (int v = 0; v < n; ++v)
      colour[v] = numbers[keys[v]];
    return count;
  }
  static Key attributes(const Edge &e) { return {e.delay, e.distance, e.transfer, e.hold, e.blocking, e.order}; }

  void refine() {
    int64_t classes = recolour([&](int v) {
      const Node &x = p.nodes[v];
      Key key{x.latency, x.issue,   x.async,    x.variableLatency, x.warps,
              x.regs,    x.minLive, x.pinStart, x.pinStage,        x.pinDepth};
      for (const Reservation &r : x.reservations)
        key.insert(key.end(), {-1, r.unit, r.start, r.length, r.amount});
      for (const Footprint &f : x.footprints)
        key.insert(key.end(), {-2, f.memory, f.amount});
      for (const Footprint &f : x.staging)
        key.insert(key.end(), {-3, f.memory, f.amount});
      for (int g : x.groups)
        key.insert(key.end(), {-4, g});
      return key;
    });
    // Colours that are not final only make more parts look alike, of which canExchange leaves out those that are not:
    // a long chain would take a round for each two nodes.
    constexpr int mostRounds = 64;
    int rounds = 0;
    for (int64_t before = 0; classes != before && rounds < mostRounds && !(late |= deadline.passed()); ++rounds) {
      before = classes;
      std::vector<std::vector<Key>> beside(n);
      for (const Edge &e : p.edges)
        for (int end = 0; end < 2; ++end) {
          Key key = attributes(e);
          key.insert(key.end(), {end, colour[end ? e.from : e.to]});
          beside[end ? e.to : e.from].push_back(std::move(key));
        }
      classes = recolour([&](int v) {
        std::sort(beside[v].begin(), beside[v].end());
        Key key{colour[v]};
        for (const Key &k : beside[v])
          key.insert(key.end(), k.begin(), k.end());
        return key;
      });
    }
  }

  /// The place of a node whose colour no other of its part has, where there is one: of those whose values take most
  /// registers the first.
  size_t placeOf(const std::vector<int> &part) const {
    std::map<int64_t, int> count;
    for (int v : part)
      ++count[colour[v]];
    auto alone = [&](int v) { return count[colour[v]] == 1; };
    bool any = std::any_of(part.begin(), part.end(), alone);
    int best = -1;
    for (int v : part)
      if (!any || alone(v))
        if (best < 0 || p.nodes[v].regs > p.nodes[best].regs || (p.nodes[v].regs == p.nodes[best].regs && v < best))
          best = v;
    return static_cast<size_t>(std::find(part.begin(), part.end(), best) - part.begin());
  }

  bool canExchange(const std::vector<int> &a, const std::vector<int> &b) {
    for (size_t i = 0; i < a.size(); ++i)
      std::swap(twin[a[i]], twin[b[i]]);
    std::vector<Key> given, mapped;
    for (const std::vector<int> *part : {&a, &b})
      for (int v : *part)
        for (const Edge *e : around[v]) {
          if (e->from != v && twin[e->from] != e->from)
            continue; // once is enough
          Key key = attributes(*e);
          key.insert(key.end(), {e->from, e->to});
          given.push_back(key);
          key[key.size() - 2] = twin[e->from];
          key[key.size() - 1] = twin[e->to];
          mapped.push_back(std::move(key));
        }
    for (const std::vector<int> *part : {&a, &b})
      for (int v : *part)
        twin[v] = v;
    std::sort(given.begin(), given.end());
    std::sort(mapped.begin(), mapped.end());
    return given == mapped;
  }

  const Problem &p;
  const Deadline &deadline;
  int n;
  std::vector<int64_t> colour;
  std::vector<char> repeated; ///< of a colour that others have; false but where it is used
  DisjointSets sets;          ///< of one node each but where they are used
  std::vector<int> twin;      ///< each node itself but where it is used
  std::vector<std::vector<const Edge *>> around;
};

} // namespace

std::vector<LikeParts> likeParts(const Problem &p, const Deadline &deadline) {
  Finder finder(p, deadline);
  std::vector<int> all(p.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  finder.among(all, true);
  return finder.late ? std::vector<LikeParts>() : std::move(finder.out);
}

std::vector<int> secondParts(const Problem &p, const Deadline &deadline) {
  std::vector<int> leader(p.nodes.size(), -1);
  for (const LikeParts &like : likeParts(p, deadline))
    for (size_t k = 0; like.outermost && k + 1 < like.parts.size(); k += 2)
      for (size_t i = 0; i < like.parts[k].size(); ++i)
        leader[like.parts[k + 1][i]] = like.parts[k][i];
  return leader;
}

} // namespace heddle
