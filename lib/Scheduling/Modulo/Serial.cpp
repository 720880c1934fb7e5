//===- Serial.cpp - The order of the program as a schedule ----------------===//
//
// What:      see scheduleSerially in Modulo.h.
// Verifies:  the result by Certificate/Verify.
// Algorithm: each node at the first time after its predecessors at which units and groups have room, and not before the
//            one above it on its group, with an interval that no iteration exceeds; then the best times for that order.
//
//===----------------------------------------------------------------------===//
#include "Place.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/Refine.h"

namespace heddle {

int64_t lengthInTurn(const Problem &problem) {
  int64_t length = 1;
  for (const Node &node : problem.nodes) {
    int64_t most = std::max({node.latency, node.issue, node.minLive});
    for (const Reservation &use : node.reservations)
      most = std::max(most, use.start + use.length);
    length += most;
  }
  for (const Edge &edge : problem.edges)
    length += edge.delay + std::max<int64_t>(0, edge.transfer) + edge.hold;
  return length;
}

std::optional<Schedule> scheduleSerially(const Problem &problem, ConstraintSet constraints, Deadline deadline) {
  int n = static_cast<int>(problem.nodes.size());
  Schedule s;
  s.ii = std::min(lengthInTurn(problem), maxInterval);
  s.constraints = constraints;
  std::vector<int> waiting(n, 0);
  for (const Edge &e : problem.edges)
    waiting[e.to] += e.distance == 0;
  s.group.assign(n, -1);
  for (int v = 0; v < n && !problem.groups.empty(); ++v) {
    std::vector<int> allowed = problem.allowedGroups(v);
    if (allowed.empty())
      return std::nullopt;
    s.group[v] = allowed[0];
  }
  Reservations table(problem, s.ii, s.group, constraints);
  s.start.assign(n, 0);
  std::vector<int64_t> last(problem.groups.size() + 1, 0); // of each group: no node starts before the one above it
  std::vector<char> placed(n, 0);
  for (int count = 0; count < n; ++count) {
    if (deadline.passed())
      return std::nullopt;
    int v = 0;
    while (placed[v] || waiting[v])
      ++v;
    int64_t &line = last[static_cast<size_t>(s.group[v] + 1)];
    int64_t t = std::max({line, problem.nodes[v].pinStart, int64_t(0)});
    for (const Edge &e : problem.edges)
      if (e.to == v && e.distance == 0)
        t = std::max(t, s.start[e.from] + delayUnder(problem, e, s.group, constraints));
    while (t < 2 * s.ii && !table.fits(v, t) && !deadline.passed())
      ++t;
    s.start[v] = line = t;
    table.add(v, t, 1);
    placed[v] = 1;
    for (const Edge &e : problem.edges)
      if (e.from == v && e.distance == 0)
        --waiting[e.to];
  }
  RefineOptions refine;
  refine.constraints = constraints;
  refine.stages = 1;
  refine.deadline = deadline;
  if (std::optional<Schedule> tight = refineSchedule(problem, problem, s, refine))
    return tight;
  finishSchedule(problem, s);
  return verifySchedule(problem, s, constraints).empty() ? std::optional<Schedule>(s) : std::nullopt;
}

} // namespace heddle
