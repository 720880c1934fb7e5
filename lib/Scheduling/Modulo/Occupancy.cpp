//===- Occupancy.cpp - see Occupancy.h ---------------------------------------===//
//
// Trusts:    problem.check(). Verifies nothing: what is made with it is verified by Certificate/Verify.
//
//===----------------------------------------------------------------------===//
#include "Occupancy.h"

#include "Place.h"
#include "heddle/Scheduling/Problem/Budgets.h"
#include "heddle/Support/Integers.h"

#include <algorithm>

namespace heddle {

OccupancyTable::OccupancyTable(const Problem &p, const std::vector<int> &groups, ConstraintSet set, int64_t ii,
                               int64_t stages)
    : group(groups), p(p), set(set), ii(ii), n(static_cast<int>(p.nodes.size())) {
  start.assign(n, 0);
  placed.assign(n, 0);
  in.resize(n);
  out.resize(n);
  blocks.assign(n, 0);
  uses.resize(n);
  members.resize(std::max<size_t>(1, p.groups.size()));
  for (int k = 0; k < static_cast<int>(p.edges.size()); ++k) {
    const Edge &e = p.edges[k];
    out[e.from].push_back(k);
    in[e.to].push_back(k);
    bool crosses = !p.groups.empty() && group[e.from] != group[e.to];
    if (crosses && e.transfer == Edge::never && set.has(Constraint::Transfers))
      possible = false;
    if (!p.groups.empty() && set.has(Constraint::Concurrency) && (e.blocking || (crosses && e.transfer > 0)))
      blocks[e.to] = 1;
  }
  int units = static_cast<int>(p.units.size());
  for (const Unit &unit : p.units)
    resources.push_back({set.has(Constraint::Capacity) ? unit.capacity : INT64_MAX, 0, {}});
  for (size_t g = 0; g < p.groups.size(); ++g)
    resources.push_back({set.has(Constraint::Issue) ? 1 : INT64_MAX, 0, {}});
  int64_t longest = 1;
  for (int v = 0; v < n; ++v) {
    const Node &node = p.nodes[v];
    members[p.groups.empty() ? 0 : static_cast<size_t>(group[v])].push_back(v);
    busy.push_back(node.async ? std::max<int64_t>(1, node.issue) : std::max(node.issue, node.latency));
    longest = std::max(longest, node.latency);
    for (const Reservation &r : node.reservations) {
      if (r.length > 0 && resources[r.unit].capacity != INT64_MAX)
        uses[v].push_back({r.unit, r.start, r.length % ii, r.amount, r.length / ii});
    }
    if (!p.groups.empty() && node.issue > 0 && set.has(Constraint::Issue))
      uses[v].push_back({units + group[v], 0, node.issue % ii, 1, node.issue / ii});
  }
  int64_t horizon = stages * ii;
  release.assign(n, 0);
  if (!stages) { // room for every chain, and for waiting as long again
    horizon = longest;
    for (const Edge &e : p.edges)
      horizon += e.delay + std::max<int64_t>(0, e.transfer);
    horizon = 2 * std::max(horizon, ii);
  }
  for (int v = 0; v < n; ++v) {
    const Node &node = p.nodes[v];
    due.push_back(horizon - node.latency);
    if (!set.has(Constraint::Pins))
      continue;
    if (node.pinStart >= 0) {
      release[v] = node.pinStart;
      due[v] = std::min(due[v], node.pinStart);
    }
    if (node.pinStage >= 0) {
      release[v] = std::max(release[v], node.pinStage * ii);
      due[v] = std::min(due[v], node.pinStage * ii + ii - 1);
    }
  }
  possible = possible && findPaths();
  if (possible)
    findStores();
}

/// Longest paths between all nodes, and the windows that they leave. False: some cycle or window is impossible.
bool OccupancyTable::findPaths() {
  struct Arc {
    int from, to;
    int64_t weight;
  };
  std::vector<Arc> arcs;
  std::vector<int> order, waiting(n, 0), rank(n, 0);
  for (const Edge &e : p.edges)
    waiting[e.to] += e.distance == 0;
  for (int v = 0; v < n; ++v)
    if (!waiting[v])
      order.push_back(v);
  for (size_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = static_cast<int>(i);
    for (int k : out[order[i]])
      if (p.edges[k].distance == 0 && --waiting[p.edges[k].to] == 0)
        order.push_back(p.edges[k].to);
  }
  for (const Edge &e : p.edges) {
    if (set.has(Constraint::Dependence))
      arcs.push_back({e.from, e.to, delayUnder(p, e, group, set) - e.distance * ii});
    // A value with a pinned depth is gone after so many intervals.
    if (int64_t depth = p.nodes[e.from].pinDepth; depth >= 0 && !e.order)
      arcs.push_back({e.to, e.from, e.hold + (e.distance - depth) * ii});
  }
  std::stable_sort(arcs.begin(), arcs.end(), [&](const Arc &a, const Arc &b) { return rank[a.from] < rank[b.from]; });
  paths.assign(static_cast<size_t>(n) * static_cast<size_t>(n), none);
  for (int s = 0; s < n; ++s) {
    int64_t *row = &paths[static_cast<size_t>(s) * static_cast<size_t>(n)];
    row[s] = 0;
    bool changed = true;
    for (int round = 0; changed; ++round) {
      if (round > n)
        return false;
      changed = false;
      for (const Arc &a : arcs)
        if (row[a.from] != none && row[a.from] + a.weight > row[a.to]) {
          row[a.to] = row[a.from] + a.weight;
          changed = true;
        }
      if (row[s] > 0)
        return false;
    }
  }
  std::vector<int64_t> first = release, last = due;
  for (int u = 0; u < n; ++u)
    for (int v = 0; v < n; ++v)
      if (int64_t d = path(u, v); d != none) {
        release[v] = std::max(release[v], first[u] + d);
        due[u] = std::min(due[u], last[v] - d);
      }
  windows.resize(n);
  for (int v = 0; v < n; ++v) {
    if (release[v] > due[v])
      return false;
    windows[v] = {release[v], due[v]};
  }
  return true;
}

void OccupancyTable::findWindow(int v) {
  windows[v] = {release[v], due[v]};
  auto &[early, late] = windows[v];
  const int64_t *row = &paths[static_cast<size_t>(v) * static_cast<size_t>(n)];
  for (int u = 0; u < n; ++u) {
    if (!placed[u])
      continue;
    if (int64_t d = path(u, v); d != none)
      early = std::max(early, start[u] + d);
    if (row[u] != none)
      late = std::min(late, start[u] - row[u]);
  }
}

std::vector<int64_t> OccupancyTable::candidates(int v, int64_t from, int64_t to) const {
  std::vector<int64_t> times;
  if (from > to)
    return times;
  times.push_back(from);
  times.push_back(to);
  auto add = [&](int64_t t) { // every start in the range that is `t` in its interval
    for (int64_t at = from + wrap(t - from); at <= to; at += ii)
      times.push_back(at);
  };
  for (const Use &use : uses[v])
    for (const Item &item : resources[use.resource].items) {
      add(item.begin + item.length - use.begin);
      add(item.begin - use.begin - use.length);
    }
  if (!p.groups.empty() && set.has(Constraint::Concurrency))
    for (int w : members[static_cast<size_t>(group[v])])
      if (w != v && placed[w]) {
        if (blocks[v])
          add(start[w] + busy[w]);
        if (blocks[w]) {
          add(start[w] + 1);
          add(start[w] - busy[v]);
        }
        if (blocks[v])
          add(start[w] - 1);
      }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

int64_t OccupancyTable::firstFree(int v, int64_t from, int64_t to, bool backward) const {
  int64_t t = backward ? to : from, nowhere = backward ? from - 1 : to + 1;
  bool concurrent = !p.groups.empty() && set.has(Constraint::Concurrency);
  for (bool moved = true; moved && t >= from && t <= to;) {
    moved = false;
    for (const Use &use : uses[v]) {
      const Resource &r = resources[use.resource];
      int64_t room = r.capacity - r.base - use.amount * use.whole - (use.length ? use.amount : 0);
      if (room < 0)
        return nowhere;
      for (const Item &item : r.items) {
        if (item.amount <= room && r.capacity > 1)
          continue; // may be beside it: `free` tells
        if (!overlaps(t + use.begin, use.length, item.begin, item.length))
          continue;
        if (use.length + item.length > ii)
          return nowhere;
        // To where this one ends, or begins.
        t += backward ? -wrap(t + use.begin + use.length - item.begin) : wrap(item.begin + item.length - t - use.begin);
        moved = true;
      }
    }
    for (size_t k = 0; concurrent && k < members[static_cast<size_t>(group[v])].size(); ++k) {
      int w = members[static_cast<size_t>(group[v])][k];
      if (w == v || !placed[w])
        continue;
      if ((blocks[v] && busy[w] >= ii) || (blocks[w] && busy[v] >= ii))
        return nowhere;
      if (blocks[v] && wrap(t - start[w]) < busy[w]) {
        t += backward ? -wrap(t - start[w]) - 1 : wrap(start[w] + busy[w] - t);
        moved = true;
      }
      if (blocks[w] && wrap(start[w] - t) < busy[v]) {
        t += backward ? -wrap(t + busy[v] - start[w]) : wrap(start[w] - t) + 1;
        moved = true;
      }
    }
  }
  return t;
}

bool OccupancyTable::disturbs(int v, int64_t t, int w) const {
  return (blocks[v] && wrap(t - start[w]) < busy[w]) || (blocks[w] && wrap(start[w] - t) < busy[v]);
}

/// Items that `use` at `t` cannot be beside. Without penalties the first one is enough.
void OccupancyTable::clash(const Use &use, int64_t t, const std::vector<int64_t> *penalty, std::vector<int> &out,
                           bool &never) const {
  const Resource &r = resources[use.resource];
  int64_t room = r.capacity - r.base - use.amount * use.whole;
  int64_t mine = use.length ? use.amount : 0;
  std::vector<const Item *> beside;
  int64_t sum = mine;
  for (const Item &item : r.items)
    if ((use.whole && item.length) || overlaps(t + use.begin, use.length, item.begin, item.length)) {
      beside.push_back(&item);
      sum += item.amount;
    }
  if (sum <= room)
    return;
  if (mine > room) {
    never = true;
    return;
  }
  // The greatest penalty first stays as long as the use at every beginning fits.
  if (penalty)
    std::stable_sort(beside.begin(), beside.end(),
                     [&](const Item *a, const Item *b) { return (*penalty)[a->node] > (*penalty)[b->node]; });
  std::vector<const Item *> kept;
  for (const Item *item : beside) {
    kept.push_back(item);
    bool fits = true;
    for (size_t k = 0; k <= kept.size() && fits; ++k) {
      int64_t at = k < kept.size() ? kept[k]->begin : t + use.begin;
      int64_t here = use.length && wrap(at - t - use.begin) < use.length ? mine : 0;
      for (const Item *other : kept)
        here += wrap(at - other->begin) < other->length ? other->amount : 0;
      fits = here <= room;
    }
    if (fits)
      continue;
    kept.pop_back();
    out.push_back(item->node);
    if (!penalty)
      return;
  }
}

bool OccupancyTable::free(int v, int64_t t) const {
  std::vector<int> in;
  bool never = false;
  for (const Use &use : uses[v]) {
    clash(use, t, nullptr, in, never);
    if (never || !in.empty())
      return false;
  }
  if (!p.groups.empty() && set.has(Constraint::Concurrency))
    for (int w : members[static_cast<size_t>(group[v])])
      if (w != v && placed[w] && disturbs(v, t, w))
        return false;
  return true;
}

void OccupancyTable::inTheWay(int v, int64_t t, const std::vector<int64_t> &penalty, std::vector<int> &gone) const {
  bool never = false;
  for (const Use &use : uses[v])
    clash(use, t, &penalty, gone, never);
  const int64_t *row = &paths[static_cast<size_t>(v) * static_cast<size_t>(n)];
  for (int u = 0; u < n; ++u)
    if (placed[u] && ((path(u, v) != none && start[u] + path(u, v) > t) || (row[u] != none && t + row[u] > start[u])))
      gone.push_back(u);
  if (!p.groups.empty() && set.has(Constraint::Concurrency))
    for (int w : members[static_cast<size_t>(group[v])])
      if (w != v && placed[w] && disturbs(v, t, w))
        gone.push_back(w);
  std::sort(gone.begin(), gone.end());
  gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
}

/// End of the value of a placed node; readers that are not placed read as early as they can.
int64_t OccupancyTable::endOf(int u) const {
  int64_t end = start[u] + p.nodes[u].minLive;
  for (int k : out[u]) {
    const Edge &e = p.edges[k];
    if (e.order)
      continue;
    int64_t at = placed[e.to]            ? start[e.to]
                 : path(u, e.to) == none ? start[u] + e.delay - e.distance * ii
                                         : start[u] + path(u, e.to);
    end = std::max(end, at + e.distance * ii + e.hold);
  }
  return end;
}

void OccupancyTable::place(int v, int64_t t) {
  placed[v] = 1;
  start[v] = t;
  for (const Use &use : uses[v]) {
    Resource &r = resources[use.resource];
    r.base += use.whole * use.amount;
    if (use.length)
      r.items.push_back({v, wrap(t + use.begin), use.length, use.amount});
  }
  for (int s : touched[v])
    stores[s].peak = peakOf(stores[s], nullptr, nullptr);
  const int64_t *row = &paths[static_cast<size_t>(v) * static_cast<size_t>(n)];
  for (int w = 0; w < n; ++w) {
    auto &[early, late] = windows[w];
    if (row[w] != none)
      early = std::max(early, t + row[w]);
    if (int64_t d = path(w, v); d != none)
      late = std::min(late, t - d);
  }
}

void OccupancyTable::eject(int v) {
  if (!placed[v])
    return;
  placed[v] = 0;
  const int64_t *row = &paths[static_cast<size_t>(v) * static_cast<size_t>(n)];
  for (int w = 0; w < n; ++w)
    if (int64_t d = path(w, v);
        (row[w] != none && windows[w].first == start[v] + row[w]) || (d != none && windows[w].second == start[v] - d))
      findWindow(w);
  for (const Use &use : uses[v]) {
    Resource &r = resources[use.resource];
    r.base -= use.whole * use.amount;
    std::erase_if(r.items, [&](const Item &item) { return item.node == v; });
  }
  for (int s : touched[v])
    stores[s].peak = peakOf(stores[s], nullptr, nullptr);
}

} // namespace heddle
