//===- Paths.cpp - what dependences ask of times -----------------------------===//
//
// What:      delays that no assignment avoids, longest paths and cycles of them; see Bounds.h and Paths.h.
// Algorithm: Bellman-Ford; the nodes by which others were reached last close a cycle long before the last round.
//
//===----------------------------------------------------------------------===//
#include "Paths.h"

#include <algorithm>

namespace heddle {

/// The edges `via` by which nodes were reached last, from `v` backwards, as a cycle in its order; empty: they do not
/// lead back.
static std::vector<int> cycleBehind(const Problem &p, const std::vector<int> &via, int v) {
  for (size_t i = 0; i < via.size() && via[v] >= 0; ++i)
    v = p.edges[via[v]].from;
  std::vector<int> cycle;
  for (int w = v; via[w] >= 0 && (cycle.empty() || w != v); w = p.edges[via[w]].from)
    cycle.push_back(via[w]);
  if (cycle.empty() || p.edges[cycle.back()].from != v)
    return {};
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

std::vector<int> positiveCycle(const Problem &p, int64_t ii, ConstraintSet set, Deadline deadline) {
  int n = static_cast<int>(p.nodes.size());
  std::vector<int64_t> dist(n, 0), weight;
  std::vector<int> via(n, -1);
  for (const Edge &e : p.edges)
    weight.push_back(forcedDelay(p, e, set) - e.distance * ii);
  int touched = -1;
  for (int round = 0; round <= n; ++round) {
    if (deadline.passed())
      return {};
    touched = -1;
    for (int k = 0; k < static_cast<int>(p.edges.size()); ++k) {
      const Edge &e = p.edges[k];
      int64_t next = dist[e.from] + weight[k];
      if (next > dist[e.to]) {
        dist[e.to] = next;
        via[e.to] = k;
        touched = e.to;
      }
    }
    if (touched < 0)
      return {};
    if (round % 256 == 255) // a cycle is closed long before the last round
      if (std::vector<int> cycle = cycleBehind(p, via, touched); !cycle.empty())
        return cycle;
  }
  return cycleBehind(p, via, touched);
}

/// Whether `g` is one of Problem::allowedGroups, asked so often that no list is made.
static bool mayRunOn(const Problem &p, int v, int g) {
  const Node &node = p.nodes[v];
  return (node.groups.empty() || std::find(node.groups.begin(), node.groups.end(), g) != node.groups.end()) &&
         p.groups[g].warps >= node.warps && p.groups[g].variable == node.variableLatency;
}

int64_t forcedDelay(const Problem &p, const Edge &edge, ConstraintSet set) {
  if (p.groups.empty() || edge.transfer <= 0 || !set.has(Constraint::Transfers) ||
      !set.has(Constraint::WarpAssignment) || !set.has(Constraint::VariableLatency))
    return edge.delay;
  for (int g = 0; g < static_cast<int>(p.groups.size()); ++g)
    if (mayRunOn(p, edge.from, g) && mayRunOn(p, edge.to, g))
      return edge.delay;
  return edge.delay + edge.transfer;
}

int64_t criticalLength(const Problem &p, int64_t ii, ConstraintSet set, Deadline deadline) {
  int n = static_cast<int>(p.nodes.size());
  std::vector<int64_t> start(n, 0);
  for (int v = 0; v < n && set.has(Constraint::Pins); ++v)
    start[v] = std::max({int64_t(0), p.nodes[v].pinStart, p.nodes[v].pinStage * ii});
  bool changed = true;
  for (int round = 0; changed && !deadline.passed(); ++round) {
    if (round > n)
      return -1;
    changed = false;
    for (const Edge &e : p.edges) {
      int64_t next = start[e.from] + forcedDelay(p, e, set) - e.distance * ii;
      if (next > start[e.to])
        start[e.to] = next, changed = true;
    }
  }
  int64_t length = 0;
  for (int v = 0; v < n; ++v)
    length = std::max(length, start[v] + p.nodes[v].latency);
  return length;
}

std::optional<std::vector<int64_t>> earliestStarts(const Problem &p, int64_t ii, ConstraintSet set) {
  int n = static_cast<int>(p.nodes.size());
  std::vector<int64_t> start(n, 0);
  for (int v = 0; v < n; ++v)
    start[v] = std::max({int64_t(0), p.nodes[v].pinStart, p.nodes[v].pinStage * ii});
  auto raise = [&](int v, int64_t to) { return to > start[v] && (start[v] = to, true); };
  bool changed = true;
  for (int round = 0; changed; ++round) {
    if (round > n)
      return std::nullopt; // a cycle
    changed = false;
    for (const Edge &e : p.edges) {
      changed |= raise(e.to, start[e.from] + forcedDelay(p, e, set) - e.distance * ii);
      if (int64_t depth = p.nodes[e.from].pinDepth; depth > 0 && !e.order) // the value is gone after `depth` iterations
        changed |= raise(e.from, start[e.to] + e.hold + (e.distance - depth) * ii);
    }
  }
  for (int v = 0; v < n; ++v) {
    const Node &node = p.nodes[v];
    if ((node.pinStart >= 0 && start[v] > node.pinStart) ||
        (node.pinStage >= 0 && start[v] > node.pinStage * ii + ii - 1))
      return std::nullopt;
  }
  return start;
}

} // namespace heddle
