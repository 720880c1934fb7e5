//===- Stagger.cpp - Groups that take turns at an asynchronous unit -------===//
//
// What:      scheduleStaggered and groupsInTurn of Policy.h.
// Why:       optimal schedules of one interval are many, and hardware runs their order. An operation of a group that
//            is issued between two of its asynchronous ones delays the second, and arithmetic beside a running product
//            takes longer than alone. Attention with the products of a group back to back and the groups half an
//            interval apart ran 1.10 to 1.15 times as fast on an H100 as another optimal schedule of the same
//            interval, and 1.11 to 1.14 times as fast causal (bench/results/2026-11-22-h100-staggered.json).
// Algorithm: the starts of the asynchronous operations are pinned: modulo the interval to where the group's turn and
//            the operations before it in the turn put them, and to the first such time that the data allow. The exact
//            solver places the rest, which is quick: the pins leave little to decide.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Policy/Policy.h"

#include <algorithm>
#include <tuple>

namespace heddle {
namespace {

bool takesTurns(const Node &node) { return node.async && !node.variableLatency; }

/// How long `node` keeps the next one of its turn from its unit.
int64_t holdOf(const Node &node) {
  int64_t hold = std::max<int64_t>(1, node.issue);
  for (const Reservation &r : node.reservations)
    hold = std::max(hold, r.start + r.length);
  return hold;
}

/// The nodes so that each comes behind those it depends on in its own iteration; empty where there is no such order.
std::vector<int> orderOf(const Problem &p) {
  int n = static_cast<int>(p.nodes.size());
  std::vector<int> waiting(n, 0), order;
  for (const Edge &e : p.edges)
    waiting[e.to] += e.distance == 0;
  for (int v = 0; v < n; ++v)
    if (!waiting[v])
      order.push_back(v);
  for (size_t i = 0; i < order.size(); ++i)
    for (const Edge &e : p.edges)
      if (e.from == order[i] && e.distance == 0 && --waiting[e.to] == 0)
        order.push_back(e.to);
  return static_cast<int>(order.size()) == n ? order : std::vector<int>();
}

/// Pins the asynchronous nodes of `p` for the interval `ii`; those that depend on others `later` iterations later than
/// the data ask for.
void pinTurns(Problem &p, const std::vector<int> &order, const std::vector<int> &groups, int64_t ii, int64_t later) {
  std::vector<int64_t> offset(p.nodes.size(), -1), earliest(p.nodes.size(), 0);
  for (size_t g = 0; g < groups.size(); ++g) {
    int64_t at = static_cast<int64_t>(g) * ii / static_cast<int64_t>(groups.size());
    for (size_t v = 0; v < p.nodes.size(); ++v)
      if (takesTurns(p.nodes[v]) && p.nodes[v].groups.front() == groups[g]) {
        offset[v] = at % ii;
        at += holdOf(p.nodes[v]);
      }
  }
  for (int v : order) {
    if (offset[v] >= 0) {
      int64_t given = earliest[v];
      earliest[v] += ((offset[v] - given) % ii + ii) % ii + (given > 0 ? later * ii : 0);
      p.nodes[v].pinStart = earliest[v];
    }
    for (const Edge &e : p.edges)
      if (e.from == v && e.distance == 0)
        earliest[e.to] = std::max(earliest[e.to], earliest[v] + e.delay);
  }
}

} // namespace

std::optional<Schedule> scheduleStaggered(const Problem &problem, int64_t least, int64_t most,
                                          const SolveOptions &options) {
  std::vector<int> groups, order = orderOf(problem);
  for (const Node &node : problem.nodes) {
    if (node.pinStart >= 0 || node.pinStage >= 0 || order.empty())
      return std::nullopt; // the user decides
    if (!takesTurns(node))
      continue;
    if (node.groups.size() != 1)
      return std::nullopt;
    if (std::find(groups.begin(), groups.end(), node.groups.front()) == groups.end())
      groups.push_back(node.groups.front());
  }
  if (groups.empty())
    return std::nullopt;
  std::sort(groups.begin(), groups.end());
  SolveOptions solving = options;
  solving.explain = solving.anytime = false;
  int64_t step = std::max<int64_t>(1, least / 64);
  for (int64_t ii = least; ii <= most && !options.deadline.passed(); ii += step)
    for (int64_t later : {0, 1}) {
      Problem pinned = problem;
      pinTurns(pinned, order, groups, ii, later);
      solving.minII = solving.maxII = ii;
      if (SolveResult r = solve(pinned, solving); r.hasSchedule && r.schedule.ii == ii)
        return r.schedule;
    }
  return std::nullopt;
}

std::vector<int> groupsInTurn(const Problem &problem, const Schedule &schedule) {
  std::vector<std::tuple<int64_t, int, int64_t>> issues; // in the circle: when, by which group, at which start
  for (size_t v = 0; v < problem.nodes.size(); ++v)
    if (takesTurns(problem.nodes[v]) && schedule.group[v] >= 0)
      issues.push_back({schedule.start[v] % schedule.ii, schedule.group[v], schedule.start[v]});
  std::sort(issues.begin(), issues.end());
  auto groupOf = [&](size_t i) { return std::get<int>(issues[i % issues.size()]); };
  size_t first = 0; // of a turn
  while (first < issues.size() && groupOf(first) == groupOf(first + issues.size() - 1))
    ++first;
  if (first == issues.size())
    return {};
  std::vector<int> order;
  std::vector<int64_t> begins;
  std::vector<std::vector<int64_t>> distances; // of a group's issues from its first one
  for (size_t i = first; i < first + issues.size(); ++i) {
    int64_t start = std::get<2>(issues[i % issues.size()]);
    if (order.empty() || order.back() != groupOf(i)) {
      if (std::find(order.begin(), order.end(), groupOf(i)) != order.end())
        return {};
      order.push_back(groupOf(i));
      begins.push_back(start);
      distances.emplace_back();
    }
    distances.back().push_back(start - begins.back());
  }
  if (std::any_of(distances.begin(), distances.end(), [&](const auto &own) { return own != distances[0]; }))
    return {};
  std::rotate(order.begin(), order.begin() + (std::min_element(begins.begin(), begins.end()) - begins.begin()),
              order.end());
  return order;
}

} // namespace heddle
