//===- Exchanges.cpp - Like nodes that are put into order -----------------===//
//
// What:      see checkExchanges.
// Why:       let every schedule be the list of its starts, nodes that lead an exchange first, in the order of the
//            exchanges. Of the schedules that exchanges make of a legal one take the least in dictionary order. None of
//            them makes it smaller; so at the first place of the list that an exchange moves, which is that of its
//            leading node, the start is no later than that of the node it changes places with. Renaming groups after
//            that moves no start.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Orders.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace heddle {

/// Nodes that change places are alike, and so are their edges.
static bool keeps(const Problem &p, const std::vector<int> &with) {
  auto footprints = [](const std::vector<Footprint> &list) {
    std::vector<std::pair<int, int64_t>> all;
    for (const Footprint &f : list)
      all.push_back({f.memory, f.amount});
    return all;
  };
  auto uses = [](const Node &x) {
    std::vector<std::tuple<int, int64_t, int64_t, int64_t>> all;
    for (const Reservation &r : x.reservations)
      all.push_back({r.unit, r.start, r.length, r.amount});
    return all;
  };
  for (size_t v = 0; v < with.size(); ++v) {
    const Node &a = p.nodes[v], &b = p.nodes[static_cast<size_t>(with[v])];
    if (std::tie(a.latency, a.issue, a.async, a.variableLatency, a.warps, a.regs, a.minLive, a.groups, a.pinStart,
                 a.pinStage, a.pinDepth) != std::tie(b.latency, b.issue, b.async, b.variableLatency, b.warps, b.regs,
                                                     b.minLive, b.groups, b.pinStart, b.pinStage, b.pinDepth) ||
        uses(a) != uses(b) || footprints(a.footprints) != footprints(b.footprints) ||
        footprints(a.staging) != footprints(b.staging))
      return false;
  }
  std::vector<std::tuple<int, int, int64_t, int64_t, int64_t, int64_t, bool, bool>> before, after;
  for (const Edge &e : p.edges) {
    before.push_back({e.from, e.to, e.delay, e.distance, e.transfer, e.hold, e.blocking, e.order});
    after.push_back({with[e.from], with[e.to], e.delay, e.distance, e.transfer, e.hold, e.blocking, e.order});
  }
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  return before == after;
}

Status checkExchanges(const Problem &problem, const std::vector<Exchange> &exchanges) {
  int n = static_cast<int>(problem.nodes.size());
  std::vector<int> leading;
  for (size_t k = 0; k < exchanges.size(); ++k) {
    std::string what = "exchange " + std::to_string(k + 1);
    std::vector<int> with(problem.nodes.size());
    std::iota(with.begin(), with.end(), 0);
    for (auto [a, b] : exchanges[k]) {
      if (a < 0 || b < 0 || a >= n || b >= n || a == b || with[a] != a || with[b] != b)
        return userError(what + " is none of pairs of nodes");
      std::swap(with[a], with[b]);
    }
    if (exchanges[k].empty() || !keeps(problem, with))
      return userError(what + " does not keep the problem");
    int first = exchanges[k][0].first;
    for (int earlier : leading)
      if (earlier != first && with[earlier] != earlier)
        return userError(what + " moves a node that an earlier one puts into order");
    leading.push_back(first);
  }
  return Status::success();
}

} // namespace heddle
