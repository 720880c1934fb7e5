//===- Alike.cpp - Groups that run one order ---------------------------------===//
//
// What:      scheduleAlike of Policy.h.
// Why:       a solver places what its constraints leave free without a reason, so that groups with the same operations
//            run them in different orders. Hardware keeps orders, so that one of them is the worse one; and only what
//            runs in one order has one text (lib/Target/CUDA/Prepare/Roles.h), which is half as long.
// Algorithm: the operations of two groups correspond in the order of the problem; costs and dependences have to agree.
//            The times of one group, moved by as much as its first operation, are those of the others. Where the
//            checker refuses that for each group, as where a unit is always busy, they are times of their own in that
//            order (Modulo/Refine).
// Verifies:  Certificate/Verify, what it returns.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Modulo/Refine.h"
#include "heddle/Scheduling/Policy/Policy.h"

#include <algorithm>
#include <tuple>

namespace heddle {
namespace {

using Members = std::vector<std::vector<int>>; ///< of each group that computes: its nodes, in the order of the problem

Members membersOf(const Problem &p, const Schedule &s) {
  Members all(p.groups.size()), found;
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
    if (!p.nodes[v].variableLatency && s.group[v] >= 0)
      all[static_cast<size_t>(s.group[v])].push_back(v);
  for (std::vector<int> &nodes : all)
    if (!nodes.empty())
      found.push_back(std::move(nodes));
  return found;
}

auto costOf(const Node &node) {
  std::vector<std::tuple<int, int64_t, int64_t, int64_t>> uses;
  for (const Reservation &r : node.reservations)
    uses.push_back({r.unit, r.start, r.length, r.amount});
  return std::tuple(uses, node.latency, node.issue, node.async, node.warps, node.regs);
}

/// Whether the nodes of all groups correspond. Dependences between groups would tell them apart.
bool correspond(const Problem &p, const Members &members) {
  std::vector<int> owner(p.nodes.size(), -1), place(p.nodes.size(), -1);
  for (size_t g = 0; g < members.size(); ++g)
    for (size_t i = 0; i < members[g].size(); ++i) {
      owner[members[g][i]] = static_cast<int>(g);
      place[members[g][i]] = static_cast<int>(i);
    }
  using Key = std::tuple<int, int, int, int, int64_t, int64_t, int64_t, int64_t, bool, bool>;
  std::vector<std::vector<Key>> edges(members.size());
  for (const Edge &e : p.edges) {
    int from = owner[e.from], to = owner[e.to];
    if (from >= 0 && to >= 0 && from != to)
      return false;
    if (int of = std::max(from, to); of >= 0)
      edges[static_cast<size_t>(of)].push_back({from < 0, from < 0 ? e.from : place[e.from], to < 0,
                                                to < 0 ? e.to : place[e.to], e.delay, e.distance, e.transfer, e.hold,
                                                e.blocking, e.order});
  }
  for (size_t g = 0; g < members.size(); ++g) {
    std::sort(edges[g].begin(), edges[g].end());
    if (members[g].size() != members[0].size() || edges[g] != edges[0])
      return false;
    for (size_t i = 0; i < members[g].size(); ++i) {
      const Node &node = p.nodes[members[g][i]];
      if (node.pinStart >= 0 || node.pinStage >= 0 || costOf(node) != costOf(p.nodes[members[0][i]]))
        return false;
    }
  }
  return true;
}

/// What follows what in `nodes`, from the first of them on: iteration, place, and who stands there.
std::vector<std::pair<int64_t, int64_t>> orderOf(const Schedule &s, const std::vector<int> &nodes) {
  std::vector<std::tuple<int64_t, size_t>> times;
  std::vector<std::pair<int64_t, int64_t>> order(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    int64_t at = s.start[nodes[i]] - s.start[nodes[0]], within = (at % s.ii + s.ii) % s.ii;
    order[i].first = (at - within) / s.ii;
    times.push_back({within, i});
  }
  std::sort(times.begin(), times.end());
  for (size_t rank = 0; rank < times.size(); ++rank)
    order[std::get<1>(times[rank])].second = static_cast<int64_t>(rank);
  return order;
}

bool runOneOrder(const Schedule &s, const Members &members) {
  return std::all_of(members.begin(), members.end(),
                     [&](const std::vector<int> &nodes) { return orderOf(s, nodes) == orderOf(s, members[0]); });
}

/// The times of `model`'s nodes, counted from the first of them, for every group: perhaps no legal schedule.
Schedule copied(const Schedule &s, const Members &members, const std::vector<int> &model) {
  Schedule out = s;
  for (const std::vector<int> &nodes : members)
    for (size_t i = 0; i < nodes.size(); ++i)
      out.start[nodes[i]] = s.start[nodes[0]] + s.start[model[i]] - s.start[model[0]];
  return out;
}

} // namespace

std::optional<Schedule> scheduleAlike(const Problem &problem, const Schedule &schedule, int64_t most,
                                      const SolveOptions &options) {
  Members members = membersOf(problem, schedule);
  if (members.size() < 2 || !correspond(problem, members))
    return std::nullopt;
  if (runOneOrder(schedule, members))
    return std::nullopt;
  std::vector<Schedule> copies;
  for (const std::vector<int> &model : members)
    if (Schedule copy = copied(schedule, members, model); *std::min_element(copy.start.begin(), copy.start.end()) >= 0)
      copies.push_back(std::move(copy));
  auto isKept = [&](Schedule &s) {
    finishSchedule(problem, s);
    return verifySchedule(problem, s, s.constraints).empty() && s.stages(problem) <= schedule.stages(problem) &&
           runOneOrder(s, members);
  };
  for (Schedule copy : copies)
    if (isKept(copy))
      return copy;
  RefineOptions refine;
  refine.constraints = schedule.constraints;
  refine.minII = schedule.ii;
  refine.maxII = most;
  refine.stages = schedule.stages(problem);
  refine.deadline = options.deadline;
  std::optional<Schedule> best;
  for (const Schedule &copy : copies)
    if (std::optional<Schedule> own = refineSchedule(problem, problem, copy, refine); own && isKept(*own))
      if (!best || own->ii < best->ii)
        best = std::move(own);
  return best;
}

} // namespace heddle
