//===- Problem.cpp - Validity of problems, and facts derived from schedules ===//
//
// What:      Problem::check, allowed groups, lifetimes and ring depths.
// Verifies:  everything a solver relies on; solvers may assume a checked problem.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Problem/Problem.h"

#include "heddle/Support/Try.h"

#include <algorithm>
#include <map>

namespace heddle {
namespace {

constexpr int64_t maxTime = (int64_t(1) << 31) - 1;
constexpr int64_t maxAmount = int64_t(1) << 40;

template <typename T> int findByName(const std::vector<T> &list, const std::string &name) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name)
      return static_cast<int>(i);
  return -1;
}

Status range(const std::string &what, int64_t value, int64_t low, int64_t high, const SourceLoc &pos) {
  if (value >= low && value <= high)
    return Status::success();
  if (high >= maxTime)
    return userError("expected " + what + " of at least " + std::to_string(low) +
                         (value > high ? " and at most " + std::to_string(high) : "") + ", got " +
                         std::to_string(value),
                     pos);
  return userError("expected " + what + " between " + std::to_string(low) + " and " + std::to_string(high) + ", got " +
                       std::to_string(value),
                   pos);
}

template <typename T> Status uniqueNames(const std::string &what, const std::vector<T> &list) {
  std::map<std::string, int> seen;
  for (const T &item : list) {
    if (item.name.empty())
      return userError("expected a name for a " + what + ", got an empty one", item.pos);
    if (!seen.emplace(item.name, 0).second)
      return userError("duplicate " + what + " '" + item.name + "'", item.pos);
  }
  return Status::success();
}

/// The reservations of one node together fit each unit in every cycle of one iteration.
Status checkOverlaps(const Problem &p, const Node &node) {
  if (node.reservations.size() < 2)
    return Status::success();
  std::map<std::pair<int, int64_t>, int64_t> changes; // by unit and cycle
  for (const Reservation &r : node.reservations)
    if (r.length > 0) {
      changes[{r.unit, r.start}] += r.amount;
      changes[{r.unit, r.start + r.length}] -= r.amount;
    }
  int64_t sum = 0;
  for (auto [at, change] : changes)
    if ((sum += change) > p.units[at.first].capacity)
      return userError("expected at most " + std::to_string(p.units[at.first].capacity) + " of unit '" +
                           p.units[at.first].name + "' of node '" + node.name + "', got " + std::to_string(sum) +
                           " in cycle " + std::to_string(at.second) + ", where its reservations overlap",
                       node.pos);
  return Status::success();
}

Status checkNode(const Problem &p, int v) {
  const Node &node = p.nodes[v];
  std::string of = " of node '" + node.name + "'";
  HEDDLE_TRY(range("a latency" + of, node.latency, 0, maxTime, node.pos));
  HEDDLE_TRY(range("issue cycles" + of, node.issue, 0, maxTime, node.pos));
  HEDDLE_TRY(range("warps" + of, node.warps, 1, maxTime, node.pos));
  HEDDLE_TRY(range("registers" + of, node.regs, 0, 1 << 20, node.pos));
  HEDDLE_TRY(range("live cycles" + of, node.minLive, 0, maxTime, node.pos));
  if (node.pinStart != -1)
    HEDDLE_TRY(range("a pinned start" + of, node.pinStart, 0, maxStart, node.pos));
  if (node.pinStage != -1)
    HEDDLE_TRY(range("a pinned stage" + of, node.pinStage, 0, maxStart, node.pos));
  if (node.pinDepth != -1)
    HEDDLE_TRY(range("a pinned depth" + of, node.pinDepth, 1, 1 << 20, node.pos));
  for (const Reservation &r : node.reservations) {
    if (r.unit < 0 || r.unit >= static_cast<int>(p.units.size()))
      return userError("unknown unit number " + std::to_string(r.unit) + of, node.pos);
    HEDDLE_TRY(range("a reservation start" + of, r.start, 0, maxTime, node.pos));
    HEDDLE_TRY(range("a reservation length" + of, r.length, 0, maxTime, node.pos));
    HEDDLE_TRY(range("a reserved amount" + of, r.amount, 1, maxTime, node.pos));
    if (r.amount > p.units[r.unit].capacity)
      return userError("expected at most " + std::to_string(p.units[r.unit].capacity) + " of unit '" +
                           p.units[r.unit].name + "'" + of + ", got " + std::to_string(r.amount),
                       node.pos);
  }
  HEDDLE_TRY(checkOverlaps(p, node));
  for (const auto *list : {&node.footprints, &node.staging})
    for (const Footprint &f : *list) {
      if (f.memory < 0 || f.memory >= static_cast<int>(p.memories.size()))
        return userError("unknown memory number " + std::to_string(f.memory) + of, node.pos);
      HEDDLE_TRY(range("a footprint" + of, f.amount, 0, maxTime, node.pos));
    }
  for (int g : node.groups)
    if (g < 0 || g >= static_cast<int>(p.groups.size()))
      return userError("unknown group number " + std::to_string(g) + of, node.pos);
  if (!p.groups.empty() && p.allowedGroups(v).empty())
    return userError("no group can run node '" + node.name + "': expected a group " +
                         (node.groups.empty() ? std::string() : std::string("among its pins ")) + "with at least " +
                         std::to_string(node.warps) + " warps that is " + (node.variableLatency ? "" : "not ") +
                         "'variable', got none",
                     node.pos);
  return Status::success();
}

/// Totals, so that nobody after this has to fear overflow: amount x time stays below 2^62, footprint x depth below
/// 2^61.
Status checkTotals(const Problem &p) {
  int64_t time = 0, space = 0;
  for (const Node &node : p.nodes) {
    time += node.latency + node.issue + node.minLive;
    for (const Reservation &r : node.reservations)
      time += r.start + r.length;
    for (const auto *list : {&node.footprints, &node.staging})
      for (const Footprint &f : *list)
        space += f.amount;
  }
  for (const Edge &e : p.edges)
    time += e.delay + std::max<int64_t>(0, e.transfer) + e.hold;
  if (time > maxTime)
    return userError("expected times that sum to at most " + std::to_string(maxTime) + ", got " + std::to_string(time));
  if (space > maxAmount)
    return userError("expected footprints that sum to at most " + std::to_string(maxAmount) + ", got " +
                     std::to_string(space));
  return Status::success();
}

/// A dependence cycle of distance zero, by depth-first search over the edges of distance zero.
Status checkZeroCycles(const Problem &p) {
  int n = static_cast<int>(p.nodes.size());
  std::vector<std::vector<int>> next(n);
  for (size_t e = 0; e < p.edges.size(); ++e)
    if (p.edges[e].distance == 0)
      next[p.edges[e].from].push_back(static_cast<int>(e));
  std::vector<int> state(n, 0), cursor(n, 0);
  for (int root = 0; root < n; ++root) {
    if (state[root])
      continue;
    std::vector<int> path{root};
    state[root] = 1;
    while (!path.empty()) {
      int v = path.back();
      if (cursor[v] == static_cast<int>(next[v].size())) {
        state[v] = 2;
        path.pop_back();
        continue;
      }
      const Edge &edge = p.edges[next[v][cursor[v]++]];
      if (state[edge.to] == 1) {
        std::string text;
        for (auto it = std::find(path.begin(), path.end(), edge.to); it != path.end(); ++it)
          text += p.nodes[*it].name + " -> ";
        return userError("dependence cycle of distance zero: " + text + p.nodes[edge.to].name, edge.pos);
      }
      if (state[edge.to] == 0) {
        state[edge.to] = 1;
        path.push_back(edge.to);
      }
    }
  }
  return Status::success();
}

} // namespace

int Problem::addUnit(std::string unitName, int64_t capacity) {
  units.push_back({std::move(unitName), capacity, {}});
  return static_cast<int>(units.size()) - 1;
}
int Problem::addMemory(std::string memoryName, int64_t capacity, MemoryKind kind) {
  memories.push_back({std::move(memoryName), capacity, kind, {}});
  return static_cast<int>(memories.size()) - 1;
}
int Problem::addGroup(Group group) {
  groups.push_back(std::move(group));
  return static_cast<int>(groups.size()) - 1;
}
int Problem::addNode(Node node) {
  nodes.push_back(std::move(node));
  return static_cast<int>(nodes.size()) - 1;
}
int Problem::addEdge(Edge edge) {
  edges.push_back(std::move(edge));
  return static_cast<int>(edges.size()) - 1;
}
int Problem::findUnit(const std::string &key) const { return findByName(units, key); }
int Problem::findMemory(const std::string &key) const { return findByName(memories, key); }
int Problem::findGroup(const std::string &key) const { return findByName(groups, key); }
int Problem::findNode(const std::string &key) const { return findByName(nodes, key); }

std::vector<int> Problem::allowedGroups(int v) const {
  const Node &node = nodes[v];
  std::vector<int> out;
  for (int g = 0; g < static_cast<int>(groups.size()); ++g) {
    bool pinned = node.groups.empty() || std::find(node.groups.begin(), node.groups.end(), g) != node.groups.end();
    if (pinned && groups[g].warps >= node.warps && groups[g].variable == node.variableLatency)
      out.push_back(g);
  }
  return out;
}

int64_t Problem::computeGroups() const {
  return std::count_if(groups.begin(), groups.end(), [](const Group &group) { return !group.variable; });
}

Status Problem::check() const {
  HEDDLE_TRY(uniqueNames("unit", units));
  HEDDLE_TRY(uniqueNames("memory", memories));
  HEDDLE_TRY(uniqueNames("group", groups));
  HEDDLE_TRY(uniqueNames("node", nodes));
  if (nodes.empty())
    return userError("expected at least one node, got none");
  for (const Unit &unit : units)
    HEDDLE_TRY(range("a capacity of unit '" + unit.name + "'", unit.capacity, 1, maxAmount, unit.pos));
  for (const Memory &memory : memories)
    HEDDLE_TRY(range("a capacity of memory '" + memory.name + "'", memory.capacity, 1, maxAmount, memory.pos));
  for (const Group &group : groups) {
    HEDDLE_TRY(range("warps of group '" + group.name + "'", group.warps, 1, 1024, group.pos));
    HEDDLE_TRY(range("registers of group '" + group.name + "'", group.regs, 0, 1 << 20, group.pos));
  }
  HEDDLE_TRY(range("a scale", scale, 1, mostScale, {}));
  HEDDLE_TRY(range("a register file", registerFile, 0, maxAmount, registersPos));
  HEDDLE_TRY(range("a register granule", regGranule, 1, 1 << 20, registersPos));
  HEDDLE_TRY(range("a register overhead", regOverhead, 0, 1 << 20, registersPos));
  HEDDLE_TRY(range("minimum registers", minRegs, 0, 1 << 20, registersPos));
  for (int v = 0; v < static_cast<int>(nodes.size()); ++v)
    HEDDLE_TRY(checkNode(*this, v));
  for (const Edge &edge : edges) {
    for (int end : {edge.from, edge.to})
      if (end < 0 || end >= static_cast<int>(nodes.size()))
        return userError("unknown node number " + std::to_string(end) + " in an edge", edge.pos);
    std::string of = " of the edge " + nodes[edge.from].name + " -> " + nodes[edge.to].name;
    HEDDLE_TRY(range("a delay" + of, edge.delay, 0, maxTime, edge.pos));
    HEDDLE_TRY(range("a distance" + of, edge.distance, 0, 1 << 20, edge.pos));
    HEDDLE_TRY(range("a transfer cost" + of, edge.transfer, Edge::never, maxTime, edge.pos));
    HEDDLE_TRY(range("hold cycles" + of, edge.hold, 0, maxTime, edge.pos));
  }
  HEDDLE_TRY(checkTotals(*this));
  return checkZeroCycles(*this);
}

int64_t Schedule::length(const Problem &problem) const {
  int64_t out = 0;
  for (size_t v = 0; v < start.size(); ++v)
    out = std::max(out, start[v] + problem.nodes[v].latency);
  return out;
}

int64_t Schedule::stages(const Problem &problem) const {
  // One also where nothing takes time.
  return ii > 0 ? std::max<int64_t>(1, (length(problem) + ii - 1) / ii) : 0;
}

int64_t mostInterval(const Problem &problem, ConstraintSet constraints) {
  int64_t most = maxInterval;
  for (const Node &node : problem.nodes)
    if (node.pinStage > 0 && constraints.has(Constraint::Pins))
      most = std::min(most, maxStart / node.pinStage);
  return most;
}

std::vector<int64_t> lifetimeEnds(const Problem &problem, const Schedule &schedule) {
  std::vector<int64_t> ends = schedule.start;
  for (size_t v = 0; v < ends.size(); ++v)
    ends[v] += problem.nodes[v].minLive;
  for (const Edge &edge : problem.edges)
    if (!edge.order)
      ends[edge.from] = std::max(ends[edge.from], schedule.start[edge.to] + edge.distance * schedule.ii + edge.hold);
  return ends;
}

void fillDepths(const Problem &problem, Schedule &schedule) {
  schedule.depth.assign(problem.nodes.size(), 1);
  std::vector<int64_t> ends = lifetimeEnds(problem, schedule);
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v) {
    int64_t live = ends[v] - schedule.start[v];
    schedule.depth[v] = std::max({int64_t(1), (live + schedule.ii - 1) / schedule.ii, problem.nodes[v].pinDepth});
  }
}

bool Problem::states(Constraint constraint) const {
  auto anyNode = [&](auto is) { return std::any_of(nodes.begin(), nodes.end(), is); };
  auto anyEdge = [&](auto is) { return std::any_of(edges.begin(), edges.end(), is); };
  auto anyGroup = [&](auto is) { return std::any_of(groups.begin(), groups.end(), is); };
  bool grouped = !groups.empty();
  switch (constraint) {
  case Constraint::Dependence:
  case Constraint::Count: break;
  case Constraint::Capacity: return anyNode([](const Node &v) { return !v.reservations.empty(); });
  case Constraint::Memory:
  case Constraint::Rings: return anyNode([](const Node &v) { return !v.footprints.empty() || !v.staging.empty(); });
  case Constraint::WarpAssignment: return grouped;
  case Constraint::VariableLatency:
    return grouped && (anyNode([](const Node &v) { return v.variableLatency; }) ||
                       anyGroup([](const Group &g) { return g.variable; }));
  case Constraint::Registers: return grouped && (regOverhead || anyNode([](const Node &v) { return v.regs > 0; }));
  case Constraint::RegisterFile: return grouped && registerFile > 0; // budgets of groups without values take some of it
  case Constraint::Transfers: return grouped && anyEdge([](const Edge &e) { return e.transfer != 0; });
  case Constraint::Concurrency: return grouped && anyEdge([](const Edge &e) { return e.blocking; });
  case Constraint::Issue: return grouped && anyNode([](const Node &v) { return v.issue > 0; });
  case Constraint::Pins:
    return anyNode(
        [](const Node &v) { return v.pinStart >= 0 || v.pinStage >= 0 || v.pinDepth >= 0 || !v.groups.empty(); });
  }
  return true;
}

} // namespace heddle
