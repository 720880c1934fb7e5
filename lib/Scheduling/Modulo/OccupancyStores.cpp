//===- OccupancyStores.cpp - registers and memories of a partial schedule ----===//
//
// What:      what the values of each group's registers and of each memory take at once, and which placed nodes have to
//            go so that another one has room.
// Trusts:    problem.check(). Verifies nothing: what is made with it is verified by Certificate/Verify.
//
//===----------------------------------------------------------------------===//
#include "Occupancy.h"

#include "Place.h"
#include "heddle/Scheduling/Problem/Budgets.h"
#include "heddle/Support/Integers.h"

#include <algorithm>

namespace heddle {

void OccupancyTable::findStores() {
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

int64_t OccupancyTable::ringUse(const Store &store) const {
  int64_t sum = 0;
  for (const Value &value : store.values) {
    int64_t life = endOf(value.node) - start[value.node]; // also of what is not placed: its least one
    sum += value.amount * std::max({int64_t(1), p.nodes[value.node].pinDepth, ceilDiv(life, ii)});
  }
  return sum;
}

/// The most that a store holds, in which slot, and which values are there.
int64_t OccupancyTable::peakOf(const Store &store, int64_t *slot, std::vector<int> *held) const {
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

int64_t OccupancyTable::budgetOf(int64_t peak) const {
  int64_t need = std::max(peak + p.regOverhead, p.minRegs);
  return ceilDiv(need, p.regGranule) * p.regGranule;
}

/// What a store may hold: of a register file what the peaks of the other groups leave.
int64_t OccupancyTable::capacityOf(const Store &store) const {
  if (store.kind != Store::Registers || !p.registerFile || !set.has(Constraint::RegisterFile))
    return store.capacity;
  int64_t left = p.registerFile;
  for (const Store &other : stores)
    if (other.kind == Store::Registers && other.group != store.group)
      left -= 32 * p.groups[other.group].warps * budgetOf(other.peak);
  int64_t most = floorDiv(left, 32 * p.groups[store.group].warps * p.regGranule) * p.regGranule;
  return std::min(most, mostRegisters(p.groups[store.group]) / p.regGranule * p.regGranule) - p.regOverhead;
}

bool OccupancyTable::roomFor(int v, int64_t t) {
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

bool OccupancyTable::makeRoom(int v, int64_t t, const std::vector<int64_t> &penalty, std::vector<int> &gone,
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

} // namespace heddle
