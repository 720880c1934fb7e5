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

Occupancy::Occupancy(const Problem &p, const std::vector<int> &groups, ConstraintSet set, int64_t ii, int64_t stages)
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
bool Occupancy::findPaths() {
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

void Occupancy::findStores() {
  touched.resize(n);
  std::vector<char> leaves(n, 0);
  for (const Edge &e : p.edges)
    if (!e.order && !p.groups.empty() && group[e.from] != group[e.to])
      leaves[e.from] = 1;
  bool file = p.registerFile > 0 && set.has(Constraint::RegisterFile);
  for (int g = 0; g < static_cast<int>(p.groups.size()); ++g) {
    Store store{Store::Registers, -1, g, {}, 0};
    if (limitsRegisters(p, p.groups[g]))
      store.capacity = mostRegisters(p.groups[g]) - p.regOverhead;
    if (!set.has(Constraint::Registers) && !file)
      store.capacity = -1;
    for (int v : members[static_cast<size_t>(g)])
      if (p.nodes[v].regs > 0)
        store.values.push_back({v, p.nodes[v].regs, 0});
    for (const Edge &e : p.edges)
      if (p.consumerCopies && !e.order && group[e.to] == g && group[e.from] != g && p.nodes[e.from].regs > 0)
        store.values.push_back({e.to, p.nodes[e.from].regs, std::max<int64_t>(1, e.hold)});
    if (!members[static_cast<size_t>(g)].empty() && (file || store.capacity >= 0))
      stores.push_back(std::move(store));
  }
  for (int m = 0; m < static_cast<int>(p.memories.size()); ++m) {
    bool ring = p.memories[m].kind == MemoryKind::Ring;
    if (!set.has(ring ? Constraint::Rings : Constraint::Memory))
      continue;
    Store store{ring ? Store::Ring : Store::Modular, p.memories[m].capacity, -1, {}, 0};
    for (int v = 0; v < n; ++v) {
      int64_t amount = 0;
      for (const Footprint &f : p.nodes[v].footprints)
        amount += f.memory == m ? f.amount : 0;
      for (const Footprint &f : p.nodes[v].staging)
        amount += f.memory == m && leaves[v] ? f.amount : 0;
      if (amount)
        store.values.push_back({v, amount, 0});
    }
    if (!store.values.empty())
      stores.push_back(std::move(store));
  }
  for (int s = 0; s < static_cast<int>(stores.size()); ++s)
    for (const Value &value : stores[s].values) {
      touched[value.node].push_back(s);
      for (int k : out[value.node])
        if (!p.edges[k].order && !value.read)
          touched[p.edges[k].to].push_back(s);
    }
  for (std::vector<int> &list : touched) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  for (Store &store : stores)
    store.peak = peakOf(store, nullptr, nullptr);
}

void Occupancy::findWindow(int v) {
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

std::vector<int64_t> Occupancy::candidates(int v, int64_t from, int64_t to) const {
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

int64_t Occupancy::firstFree(int v, int64_t from, int64_t to, bool backward) const {
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

bool Occupancy::disturbs(int v, int64_t t, int w) const {
  return (blocks[v] && wrap(t - start[w]) < busy[w]) || (blocks[w] && wrap(start[w] - t) < busy[v]);
}

/// Items that `use` at `t` cannot be beside. Without penalties the first one is enough.
void Occupancy::clash(const Use &use, int64_t t, const std::vector<int64_t> *penalty, std::vector<int> &out,
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

bool Occupancy::free(int v, int64_t t) const {
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

void Occupancy::inTheWay(int v, int64_t t, const std::vector<int64_t> &penalty, std::vector<int> &gone) const {
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
int64_t Occupancy::endOf(int u) const {
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

int64_t Occupancy::ringUse(const Store &store) const {
  int64_t sum = 0;
  for (const Value &value : store.values) {
    int64_t life = endOf(value.node) - start[value.node]; // also of what is not placed: its least one
    sum += value.amount * std::max({int64_t(1), p.nodes[value.node].pinDepth, ceilDiv(life, ii)});
  }
  return sum;
}

/// The most that a store holds, in which slot, and which values are there.
int64_t Occupancy::peakOf(const Store &store, int64_t *slot, std::vector<int> *held) const {
  if (store.kind == Store::Ring)
    return ringUse(store);
  struct Life {
    int node;
    int64_t begin, length, amount;
  };
  static thread_local std::vector<Life> lives;
  static thread_local std::vector<std::pair<int64_t, int64_t>> events;
  lives.clear();
  events.clear();
  int64_t always = 0, level = 0;
  for (const Value &value : store.values) {
    if (!placed[value.node])
      continue;
    int64_t length = value.read ? value.read : endOf(value.node) - start[value.node];
    if (length <= 0)
      continue;
    int64_t begin = wrap(start[value.node]), part = length % ii;
    always += value.amount * (length / ii);
    lives.push_back({value.node, begin, length, value.amount});
    if (!part)
      continue;
    events.push_back({begin, value.amount});
    if (begin + part > ii)
      level += value.amount;
    events.push_back({(begin + part) % ii, -value.amount});
    if (begin + part == ii)
      level += value.amount; // taken back at slot 0
  }
  std::sort(events.begin(), events.end());
  int64_t peak = level, where = 0;
  if (!events.empty() && events[0].first == 0)
    peak = 0; // slot 0 is counted with its events
  for (size_t k = 0; k < events.size(); ++k) {
    level += events[k].second;
    if ((k + 1 == events.size() || events[k + 1].first != events[k].first) && level > peak) {
      peak = level;
      where = events[k].first;
    }
  }
  if (slot)
    *slot = where;
  if (held)
    for (const Life &life : lives)
      if (life.length >= ii || wrap(where - life.begin) < life.length)
        held->push_back(life.node);
  return peak + always;
}

int64_t Occupancy::budgetOf(int64_t peak) const {
  int64_t need = std::max(peak + p.regOverhead, p.minRegs);
  return ceilDiv(need, p.regGranule) * p.regGranule;
}

/// What a store may hold: of a register file what the peaks of the other groups leave.
int64_t Occupancy::capacityOf(const Store &store) const {
  if (store.kind != Store::Registers || !p.registerFile || !set.has(Constraint::RegisterFile))
    return store.capacity;
  int64_t left = p.registerFile;
  for (const Store &other : stores)
    if (other.kind == Store::Registers && other.group != store.group)
      left -= 32 * p.groups[other.group].warps * budgetOf(other.peak);
  int64_t most = floorDiv(left, 32 * p.groups[store.group].warps * p.regGranule) * p.regGranule;
  return std::min(most, mostRegisters(p.groups[store.group]) / p.regGranule * p.regGranule) - p.regOverhead;
}

bool Occupancy::roomFor(int v, int64_t t) {
  int64_t before = start[v];
  placed[v] = 1;
  start[v] = t;
  bool fits = true;
  std::vector<std::pair<int, int64_t>> peaks;
  for (int s : touched[v]) {
    int64_t peak = peakOf(stores[s], nullptr, nullptr);
    fits = fits && peak <= capacityOf(stores[s]);
    if (!fits)
      break;
    peaks.push_back({s, stores[s].peak});
    stores[s].peak = peak; // the next store of a register file is measured beside it
  }
  for (auto [s, peak] : peaks)
    stores[s].peak = peak;
  placed[v] = 0;
  start[v] = before;
  return fits;
}

bool Occupancy::makeRoom(int v, int64_t t, const std::vector<int64_t> &penalty, std::vector<int> &gone,
                         uint64_t chance) {
  int64_t before = start[v];
  std::vector<char> stays = placed;
  std::vector<std::pair<int, int64_t>> peaks;
  for (size_t s = 0; s < stores.size(); ++s)
    peaks.push_back({static_cast<int>(s), stores[s].peak});
  for (int w : gone)
    placed[w] = 0;
  placed[v] = 1;
  start[v] = t;
  bool fits = true;
  std::vector<int> concerned = touched[v];
  for (int w : gone)
    concerned.insert(concerned.end(), touched[w].begin(), touched[w].end());
  std::sort(concerned.begin(), concerned.end());
  concerned.erase(std::unique(concerned.begin(), concerned.end()), concerned.end());
  for (int s : concerned)
    stores[s].peak = peakOf(stores[s], nullptr, nullptr);
  std::vector<int> held;
  for (size_t k = 0; k < concerned.size() && fits; ++k) {
    Store &store = stores[concerned[k]];
    for (int round = 0; fits; ++round) {
      int64_t slot = 0;
      held.clear();
      store.peak = peakOf(store, &slot, &held);
      if (store.peak <= capacityOf(store))
        break;
      if (store.kind == Store::Ring) {
        held.clear();
        for (const Value &value : store.values)
          if (placed[value.node])
            held.push_back(value.node);
      }
      // A value there, or the reader that keeps it there.
      int victim = -1;
      auto offer = [&](int w) {
        if (w == v || !placed[w])
          return;
        chance = chance * 6364136223846793005ull + 1442695040888963407ull;
        if (victim < 0 || penalty[w] < penalty[victim] || (penalty[w] == penalty[victim] && chance >> 63))
          victim = w;
      };
      for (int u : held) {
        if (store.kind != Store::Ring)
          offer(u);
        int64_t end = endOf(u);
        if (store.kind == Store::Ring && end - start[u] <= ii)
          continue;
        for (int e : out[u])
          if (!p.edges[e].order && p.edges[e].to != u && placed[p.edges[e].to] &&
              start[p.edges[e].to] + p.edges[e].distance * ii + p.edges[e].hold == end) {
            offer(p.edges[e].to);
            if (p.edges[e].to == v)
              offer(u);
          }
      }
      if (victim < 0 || round > n) {
        fits = false;
        break;
      }
      placed[victim] = 0;
      gone.push_back(victim);
    }
  }
  placed = stays;
  placed[v] = 0;
  start[v] = before;
  for (auto [s, peak] : peaks)
    stores[s].peak = peak;
  return fits;
}

void Occupancy::place(int v, int64_t t) {
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

void Occupancy::eject(int v) {
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
