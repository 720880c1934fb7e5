//===- LikeParts.cpp - see LikeParts.h ------------------------------------===//
//
// Verifies:  that the exchange maps every edge to an edge with the same attributes; otherwise there is none.
// Algorithm: refinement of node colours by those of their neighbours; connected parts of the nodes that are not alone
//            in their class are paired where their colours agree.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Order/LikeParts.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace heddle {

std::vector<int> likeParts(const Problem &p) {
  int n = static_cast<int>(p.nodes.size());
  using Key = std::vector<int64_t>;
  std::vector<int64_t> colour(n);
  auto recolour = [&](auto keyOf) {
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
  };
  auto attributes = [](const Edge &e) { return Key{e.delay, e.distance, e.transfer, e.hold, e.blocking, e.order}; };
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
  for (int64_t before = 0; classes != before;) {
    before = classes;
    classes = recolour([&](int v) {
      std::vector<Key> around;
      for (const Edge &e : p.edges)
        for (int end = 0; end < 2; ++end)
          if ((end ? e.to : e.from) == v) {
            Key key = attributes(e);
            key.insert(key.end(), {end, colour[end ? e.from : e.to]});
            around.push_back(key);
          }
      std::sort(around.begin(), around.end());
      Key key{colour[v]};
      for (const Key &k : around)
        key.insert(key.end(), k.begin(), k.end());
      return key;
    });
  }
  std::vector<std::vector<int>> members(static_cast<size_t>(classes));
  for (int v = 0; v < n; ++v)
    members[static_cast<size_t>(colour[v])].push_back(v);
  std::vector<int> twin(n), part(n), none(n, -1), leader(n, -1);
  std::iota(twin.begin(), twin.end(), 0);
  std::iota(part.begin(), part.end(), 0);
  auto find = [&](int v) {
    while (part[v] != v)
      v = part[v] = part[part[v]];
    return v;
  };
  auto shared = [&](int v) { return members[static_cast<size_t>(colour[v])].size() == 1; };
  for (const Edge &e : p.edges)
    if (!shared(e.from) && !shared(e.to)) {
      int a = find(e.from), b = find(e.to);
      part[std::max(a, b)] = std::min(a, b);
    }
  // Parts of the same colours, in pairs by their first nodes; their nodes of one colour in order.
  std::map<int, std::vector<std::pair<int64_t, int>>> parts; // root -> (colour, node)
  for (int v = 0; v < n; ++v)
    if (!shared(v))
      parts[find(v)].push_back({colour[v], v});
  std::map<Key, std::vector<int>> alike;
  for (auto &[root, list] : parts) {
    std::sort(list.begin(), list.end());
    Key key;
    for (auto &[c, v] : list)
      key.push_back(c);
    alike[key].push_back(root);
  }
  bool any = false;
  for (auto &[key, roots] : alike)
    for (size_t k = 0; k + 1 < roots.size(); k += 2)
      for (size_t i = 0; i < key.size(); ++i) {
        int a = parts[roots[k]][i].second, b = parts[roots[k + 1]][i].second;
        twin[a] = b;
        twin[b] = a;
        leader[b] = a;
        any = true;
      }
  if (!any)
    return none;
  std::map<std::pair<int, int>, std::vector<Key>> between, mapped;
  for (const Edge &e : p.edges) {
    between[{e.from, e.to}].push_back(attributes(e));
    mapped[{twin[e.from], twin[e.to]}].push_back(attributes(e));
  }
  for (auto *edges : {&between, &mapped})
    for (auto &[ends, list] : *edges)
      std::sort(list.begin(), list.end());
  if (between != mapped)
    return none;
  return leader;
}

} // namespace heddle
