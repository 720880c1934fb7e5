//===- Encoder.cpp - Variables of the joint problem -----------------------===//
//
// What:      windows, order-encoded starts and lifetime ends, group literals, occupancies and live copies.
// Verifies:  nothing; requires problem.check().
// Algorithm: windows by Bellman-Ford over dependences and forced transfers (not with selectors, so that cores see
//            them).
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

#include "heddle/Scheduling/Problem/Budgets.h"
#include "heddle/Scheduling/Problem/Windows.h"

#include <algorithm>

namespace heddle {

Encoder::Encoder(const Problem &problem, SatSolver &sat, const Options &options)
    : problem(problem), options(options), ii(options.ii), sat(sat) {
  Lit one = sat.newVar();
  sat.addClause(&one, &one + 1);
  createGroups();
  computeWindows();
  createStarts();
  collectEnds();
}

void Encoder::encode() {
  const ConstraintSet &set = options.constraints;
  using Entry = std::pair<Constraint, void (*)(Encoder &)>;
  static constexpr Entry table[] = {{Constraint::Pins, encodePins},
                                    {Constraint::WarpAssignment, encodeWarpAssignment},
                                    {Constraint::VariableLatency, encodeVariableLatency},
                                    {Constraint::Dependence, encodeDependence},
                                    {Constraint::Transfers, encodeTransfers},
                                    {Constraint::Capacity, encodeCapacity},
                                    {Constraint::Issue, encodeIssue},
                                    {Constraint::Concurrency, encodeConcurrency},
                                    {Constraint::Rings, encodeRings},
                                    {Constraint::Memory, encodeMemory},
                                    {Constraint::RegisterFile, encodeRegisterFile},
                                    {Constraint::Registers, encodeRegisters}};
  for (auto [constraint, function] : table)
    if (set.has(constraint) && !stopped) {
      begin(constraint);
      function(*this);
      endConstraint();
    }
  if (!options.selectors)
    breakGroupSymmetry(*this);
}

void Encoder::begin(Constraint constraint) {
  if (!options.selectors)
    return;
  Lit &lit = selectors[static_cast<unsigned>(constraint)];
  if (!lit)
    lit = sat.newVar();
  guard = lit;
}

std::vector<Lit> Encoder::assumptions() const {
  std::vector<Lit> out;
  for (auto [constraint, lit] : selectors)
    out.push_back(lit);
  return out;
}

std::vector<Constraint> Encoder::core() {
  std::vector<Constraint> out;
  for (auto [constraint, lit] : selectors)
    if (sat.failed(lit))
      out.push_back(static_cast<Constraint>(constraint));
  return out;
}

void Encoder::clause(std::vector<Lit> lits) {
  if (expired())
    return;
  size_t kept = 0;
  for (Lit lit : lits) {
    if (lit == yes())
      return;
    if (lit != no())
      lits[kept++] = lit;
  }
  lits.resize(kept);
  if (guard)
    lits.push_back(-guard);
  sat.addClause(lits.data(), lits.data() + lits.size());
}

void Encoder::createGroups() {
  if (problem.groups.empty() || !options.groupsFree)
    return;
  int groups = static_cast<int>(problem.groups.size());
  groupLits.resize(problem.nodes.size());
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v) {
    std::vector<int> possible;
    const Node &node = problem.nodes[v];
    for (int g = 0; g < groups; ++g) {
      bool fits = problem.groups[g].warps >= node.warps &&
                  (node.groups.empty() || std::count(node.groups.begin(), node.groups.end(), g));
      bool kind = problem.groups[g].variable == node.variableLatency;
      if (options.selectors || ((fits || !options.constraints.has(Constraint::WarpAssignment)) &&
                                (kind || !options.constraints.has(Constraint::VariableLatency))))
        possible.push_back(g);
    }
    if (options.guide && std::count(possible.begin(), possible.end(), options.guide->group[v]))
      possible = {options.guide->group[v]};
    groupLits[v].assign(groups, no());
    if (possible.size() == 1) {
      groupLits[v][possible[0]] = yes();
      continue;
    }
    std::vector<Lit> some;
    for (int g : possible) {
      groupLits[v][g] = newLit();
      for (Lit other : some)
        clause({-other, -groupLits[v][g]});
      some.push_back(groupLits[v][g]);
    }
    clause(some);
  }
}

void Encoder::computeWindows() {
  int n = static_cast<int>(problem.nodes.size());
  int64_t horizon = options.horizon ? std::min(options.horizon, options.stages * ii) : options.stages * ii;
  window.resize(n);
  for (int v = 0; v < n; ++v)
    window[v] = {0, std::min(horizon - problem.nodes[v].latency, maxStart)};
  // A core may leave the pins out, and a guide says itself where to look.
  if (options.stages > ordinaryStages && !options.selectors && !options.guide) {
    std::vector<std::pair<int64_t, int64_t>> near = nearWindows(problem, options.constraints, ii);
    for (int v = 0; v < n; ++v)
      window[v] = {std::max(window[v].first, near[v].first), std::min(window[v].second, near[v].second)};
  }
  bool pins = options.constraints.has(Constraint::Pins) && !options.selectors;
  for (int v = 0; pins && v < n; ++v) {
    const Node &node = problem.nodes[v];
    if (node.pinStart >= 0) {
      window[v].first = std::max(window[v].first, node.pinStart);
      window[v].second = std::min(window[v].second, node.pinStart);
    }
    if (node.pinStage >= 0) {
      window[v].first = std::max(window[v].first, node.pinStage * ii);
      window[v].second = std::min(window[v].second, node.pinStage * ii + ii - 1);
    }
  }
  for (int v = 0; options.guide && !options.guide->start.empty() && v < n; ++v)
    if (problem.nodes[v].pinStart < 0) {
      window[v].first = std::max(window[v].first, options.guide->start[v] - options.guide->slack);
      window[v].second = std::min(window[v].second, options.guide->start[v] + options.guide->slack);
    }
  if (!options.selectors && options.constraints.has(Constraint::Dependence)) {
    bool changed = true;
    for (int round = 0; changed && round <= n + 1 && !stopped; ++round) {
      changed = false;
      stopped = options.limits.exceeded();
      for (const Edge &edge : problem.edges) {
        int64_t gap = edge.delay - edge.distance * ii;
        if (options.constraints.has(Constraint::Transfers) && edge.transfer > 0) {
          bool apart = !groupLits.empty();
          for (size_t g = 0; apart && g < problem.groups.size(); ++g)
            apart = groupLits[edge.from][g] == no() || groupLits[edge.to][g] == no();
          gap += apart ? edge.transfer : 0;
        }
        auto &from = window[edge.from], &to = window[edge.to];
        if (to.first < from.first + gap)
          to.first = from.first + gap, changed = true;
        if (from.second > to.second - gap)
          from.second = to.second - gap, changed = true;
      }
      for (int v = 0; v < n; ++v)
        if (window[v].first > window[v].second)
          return; // createStarts reports it
    }
  }
}

void Encoder::createStarts() {
  startLits.resize(problem.nodes.size());
  const std::vector<int> none(problem.nodes.size(), -1);
  const std::vector<int> &leader = options.guide && !options.guide->leader.empty() ? options.guide->leader : none;
  for (size_t v = 0; v < problem.nodes.size(); ++v)
    if (leader[v] >= 0) {
      auto &[low, high] = window[leader[v]];
      low = std::max(low, window[v].first - options.guide->shift);
      high = std::min(high, window[v].second - options.guide->shift);
    }
  for (size_t v = 0; v < problem.nodes.size(); ++v) {
    if (leader[v] >= 0)
      continue;
    auto &[low, high] = window[v];
    if (low > high) { // no start fits: the query is unsatisfiable
      clause({});
      high = low;
    }
    if (stopped) // never solved: what is not there takes no memory
      high = low;
    startLits[v].resize(static_cast<size_t>(high - low));
    for (Lit &lit : startLits[v])
      lit = newLit();
    for (size_t i = 1; i < startLits[v].size() && !stopped; ++i)
      clause({-startLits[v][i - 1], startLits[v][i]});
  }
  for (size_t v = 0; v < problem.nodes.size(); ++v)
    if (leader[v] >= 0) {
      startLits[v] = startLits[leader[v]];
      window[v] = {window[leader[v]].first + options.guide->shift, window[leader[v]].second + options.guide->shift};
    }
}

Lit Encoder::startAtMost(int v, int64_t t) const {
  auto [low, high] = window[v];
  return t < low ? no() : t >= high ? yes() : startLits[v][static_cast<size_t>(t - low)];
}

void Encoder::collectEnds() {
  ends.resize(problem.nodes.size());
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v)
    if (problem.nodes[v].minLive > 0)
      ends[v].sources.push_back({v, problem.nodes[v].minLive});
  for (const Edge &edge : problem.edges) {
    if (edge.order)
      continue;
    auto &sources = ends[edge.from].sources;
    int64_t shift = edge.distance * ii + edge.hold;
    auto it = std::find_if(sources.begin(), sources.end(), [&](auto &s) { return s.node == edge.to; });
    if (it == sources.end())
      sources.push_back({edge.to, shift});
    else
      it->shift = std::max(it->shift, shift);
  }
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v) {
    Ends &end = ends[v];
    end.low = end.high = low(v);
    for (auto [node, shift] : end.sources) {
      end.low = std::max(end.low, low(node) + shift);
      end.high = std::max(end.high, high(node) + shift);
    }
  }
}

Lit Encoder::endAtMost(int v, int64_t t) {
  Ends &end = ends[v];
  if (end.sources.size() == 1) // the end is another start, shifted
    return startAtMost(end.sources[0].node, t - end.sources[0].shift);
  if (t < end.low)
    return no();
  if (t >= end.high || stopped)
    return yes();
  if (!end.built) {
    end.built = true;
    Lit saved = guard; // definitions are never guarded
    guard = 0;
    end.lits.resize(static_cast<size_t>(end.high - end.low));
    for (Lit &lit : end.lits)
      lit = newLit();
    for (size_t i = 0; i < end.lits.size() && !stopped; ++i) {
      if (i)
        clause({-end.lits[i - 1], end.lits[i]});
      for (auto [node, shift] : end.sources)
        clause({-end.lits[i], startAtMost(node, end.low + static_cast<int64_t>(i) - shift)});
    }
    guard = saved;
  }
  return end.lits[static_cast<size_t>(t - end.low)];
}

Lit Encoder::differ(int u, int v) {
  if (groupLits.empty() || u == v)
    return no();
  if (u > v)
    std::swap(u, v);
  auto it = differLits.find({u, v});
  if (it != differLits.end())
    return it->second;
  size_t groups = problem.groups.size();
  bool apart = true;
  for (size_t g = 0; g < groups; ++g) {
    apart &= groupLits[u][g] == no() || groupLits[v][g] == no();
    if (groupLits[u][g] == yes() && groupLits[v][g] == yes())
      return differLits[{u, v}] = no();
  }
  if (apart)
    return differLits[{u, v}] = yes();
  Lit saved = guard, lit = newLit();
  guard = 0;
  for (size_t g = 0; g < groups; ++g) {
    clause({-groupLits[u][g], -groupLits[v][g], -lit});
    clause({-groupLits[u][g], groupLits[v][g], lit});
    clause({groupLits[u][g], -groupLits[v][g], lit});
  }
  guard = saved;
  return differLits[{u, v}] = lit;
}

Lit Encoder::leaves(int v) {
  auto it = leaveLits.find(v);
  if (it != leaveLits.end())
    return it->second;
  std::vector<Lit> crossing;
  for (const Edge &edge : problem.edges)
    if (edge.from == v && !edge.order)
      crossing.push_back(differ(v, edge.to));
  Lit lit = no();
  if (std::count(crossing.begin(), crossing.end(), yes()))
    lit = yes();
  else if (std::count(crossing.begin(), crossing.end(), no()) != static_cast<long>(crossing.size())) {
    Lit saved = guard;
    guard = 0;
    lit = newLit();
    for (Lit cross : crossing)
      clause({-cross, lit});
    guard = saved;
  }
  return leaveLits[v] = lit;
}

const std::vector<Lit> &Encoder::occupancy(int v, int64_t offset, int64_t length) {
  auto [it, isNew] = occupancies.try_emplace({v, offset % ii, length % ii});
  std::vector<Lit> &slots = it->second;
  if (!isNew)
    return slots;
  slots.assign(static_cast<size_t>(ii), no());
  int64_t part = length % ii, shift = offset % ii;
  Lit saved = guard;
  guard = 0;
  for (int64_t t = low(v) + shift; part > 0 && t < high(v) + shift + part && !expired(); ++t) {
    Lit started = -startsAfter(v, t - shift), ended = startAtMost(v, t - shift - part);
    Lit &slot = slots[static_cast<size_t>(t % ii)];
    if (started == no() || ended == yes())
      continue;
    if (started == yes() && ended == no()) {
      if (slot != no() && slot != yes())
        clause({slot});
      slot = yes();
    } else if (slot != yes()) {
      if (slot == no())
        slot = newLit();
      clause({-started, ended, slot});
    }
  }
  guard = saved;
  return slots;
}

const std::vector<std::vector<Lit>> &Encoder::copies(int v) {
  auto [it, isNew] = copyLits.try_emplace(v);
  std::vector<std::vector<Lit>> &counts = it->second;
  if (!isNew || !hasLifetime(v))
    return counts;
  Lit saved = guard;
  guard = 0;
  for (int64_t t = low(v); t < endHigh(v); ++t)
    for (int64_t c = 0; t + c * ii < endHigh(v) && !expired(); ++c) {
      Lit started = -startsAfter(v, t), ended = endAtMost(v, t + c * ii);
      if (started == no() || ended == yes())
        continue;
      if (static_cast<size_t>(c) >= counts.size())
        counts.resize(static_cast<size_t>(c) + 1, std::vector<Lit>(static_cast<size_t>(ii), no()));
      Lit &slot = counts[static_cast<size_t>(c)][static_cast<size_t>(t % ii)];
      if (slot == no())
        slot = newLit();
      clause({-started, ended, slot});
    }
  guard = saved;
  return counts;
}

const std::vector<Lit> &Encoder::deeper(int v) {
  auto [it, isNew] = deeperLits.try_emplace(v);
  std::vector<Lit> &out = it->second;
  if (!isNew || !hasLifetime(v))
    return out;
  Lit saved = guard;
  guard = 0;
  for (int64_t c = 1; low(v) + c * ii < endHigh(v) && !expired(); ++c) {
    Lit deep = newLit();
    for (int64_t t = low(v); t <= high(v) && !stopped; ++t)
      clause({startsAfter(v, t), endAtMost(v, t + c * ii), deep});
    out.push_back(deep);
  }
  guard = saved;
  return out;
}

Lit Encoder::both(Lit a, Lit b) {
  if (a == no() || b == no())
    return no();
  if (a == yes())
    return b;
  if (b == yes() || a == b)
    return a;
  auto [it, isNew] = ands.try_emplace(std::minmax(a, b), 0);
  if (isNew) {
    Lit saved = guard;
    guard = 0;
    it->second = newLit();
    clause({-a, -b, it->second});
    guard = saved;
  }
  return it->second;
}

Lit Encoder::used(int g) {
  auto [it, isNew] = usedLits.try_emplace(g, no());
  if (!isNew)
    return it->second;
  bool possible = false;
  for (auto &lits : groupLits) {
    if (lits[g] == yes())
      return it->second = yes();
    possible |= lits[g] != no();
  }
  if (!possible)
    return it->second;
  Lit saved = guard;
  guard = 0;
  it->second = newLit();
  for (auto &lits : groupLits)
    clause({-lits[g], it->second});
  guard = saved;
  return it->second;
}

int64_t Encoder::maxBudget(int g) const {
  int64_t limit = mostRegisters(problem.groups[g]);
  // A group whose nodes leave nothing in registers needs no more than the least budget.
  bool values = problem.consumerCopies;
  for (size_t v = 0; v < problem.nodes.size(); ++v)
    values |= problem.nodes[v].regs > 0 && onGroup(static_cast<int>(v), g) != no();
  if (int64_t least = std::max(problem.minRegs, problem.regOverhead); !values)
    limit = std::min(limit, (least + problem.regGranule - 1) / problem.regGranule * problem.regGranule);
  return limit / problem.regGranule * problem.regGranule;
}

const std::vector<Lit> &Encoder::budgetSteps(int g) {
  auto [it, isNew] = budgets.try_emplace(g);
  if (!isNew)
    return it->second;
  Lit saved = guard;
  guard = 0;
  int64_t first = (problem.minRegs + problem.regGranule - 1) / problem.regGranule * problem.regGranule;
  for (int64_t b = first; b < maxBudget(g); b += problem.regGranule) {
    Lit lit = newLit();
    if (!it->second.empty())
      clause({-lit, it->second.back()});
    it->second.push_back(lit);
  }
  guard = saved;
  return it->second;
}

void Encoder::prefer(const Schedule &schedule) {
  for (size_t v = 0; v < problem.nodes.size(); ++v) {
    for (size_t i = 0; i < startLits[v].size(); ++i)
      sat.prefer(window[v].first + static_cast<int64_t>(i) >= schedule.start[v] ? startLits[v][i] : -startLits[v][i]);
    for (size_t g = 0; !groupLits.empty() && g < problem.groups.size(); ++g)
      if (groupLits[v][g] != yes() && groupLits[v][g] != no())
        sat.prefer(schedule.group[v] == static_cast<int>(g) ? groupLits[v][g] : -groupLits[v][g]);
  }
}

Schedule Encoder::read() const {
  Schedule out;
  out.ii = ii;
  for (size_t v = 0; v < problem.nodes.size(); ++v) {
    const std::vector<Lit> &lits = startLits[v];
    auto first = std::partition_point(lits.begin(), lits.end(), [&](Lit lit) { return !sat.value(lit); });
    out.start.push_back(window[v].first + (first - lits.begin()));
    int group = -1;
    if (groupLits.empty() && !problem.groups.empty()) {
      std::vector<int> allowed = problem.allowedGroups(static_cast<int>(v));
      group = allowed.empty() ? 0 : allowed[0];
    }
    for (size_t g = 0; !groupLits.empty() && g < problem.groups.size(); ++g)
      if (groupLits[v][g] == yes() || (groupLits[v][g] != no() && sat.value(groupLits[v][g])))
        group = static_cast<int>(g);
    out.group.push_back(group);
  }
  return out;
}

} // namespace heddle
