//===- Normalise.cpp - Cost normalisation (Twill 5.2) ---------------------===//
//
// What:      see Normalise.h.
// Algorithm: for each value k of the largest cost, every other C' is one of the two integers next to C * k / Cmax
//            (Scheduling.md, question 13: C' >= 1): with the nearest ones F <= Cmax, and an entry a whole unit off has
//            F >= Cmax by its pair with the largest. Depth-first over the distinct costs, falling; cut when a pair
//            exceeds the best F.
// Limits:    20 million nodes; beyond, the best found is returned and marked not exact.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Cost/Normalise.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace heddle {
namespace {

class Normaliser {
public:
  Normaliser(const std::map<int64_t, int64_t> &counts, int64_t limit, Deadline deadline)
      : limit(limit), deadline(deadline) {
    for (auto it = counts.rbegin(); it != counts.rend(); ++it) {
      cost.push_back(it->first);
      count.push_back(it->second);
    }
    current.resize(cost.size());
    restCount.assign(cost.size() + 1, 0);
    for (size_t i = cost.size(); i-- > 0;)
      restCount[i] = restCount[i + 1] + count[i];
  }

  void run() {
    for (int64_t k = limit; k >= 1 && !stopped; --k)
      if (k * count[0] + restCount[1] <= limit) {
        current[0] = k;
        descend(1, 0, k * count[0]);
      }
  }

  std::vector<int64_t> cost, best;
  int64_t bestError = INT64_MAX, bestSum = 0;
  bool stopped = false; ///< by one of the limits

private:
  void descend(size_t i, int64_t error, int64_t sum) {
    stopped |= ++nodes > 20000000 || (nodes % 4096 == 0 && deadline.passed());
    if (stopped)
      return;
    if (i == cost.size()) {
      if (error < bestError || (error == bestError && sum > bestSum)) {
        best = current;
        bestError = error;
        bestSum = sum;
      }
      return;
    }
    int64_t down = cost[i] * current[0] / cost[0];
    for (int64_t value : {down + 1, down}) {
      if (value < 1 || (value == down + 1 && down > 0 && cost[i] * current[0] % cost[0] == 0))
        continue;
      if (sum + value * count[i] + restCount[i + 1] > limit)
        continue;
      int64_t worst = error;
      for (size_t j = 0; j < i; ++j)
        worst = std::max(worst, std::abs(cost[i] * current[j] - cost[j] * value));
      if (worst > bestError)
        continue;
      current[i] = value;
      descend(i + 1, worst, sum + value * count[i]);
    }
  }

  std::vector<int64_t> count, current, restCount;
  int64_t limit, nodes = 0;
  Deadline deadline;
};

} // namespace

Result<NormalisedCosts> normaliseCosts(const std::vector<int64_t> &costs, int64_t limit, Deadline deadline) {
  std::map<int64_t, int64_t> counts;
  int64_t positive = 0;
  for (int64_t c : costs) {
    if (c < 0 || c > INT32_MAX)
      return userError("expected costs between 0 and 2147483647, got " + std::to_string(c));
    if (c > 0) {
      ++counts[c];
      ++positive;
    }
  }
  NormalisedCosts out;
  out.values.assign(costs.size(), 0);
  if (positive == 0)
    return out;
  if (limit > 1000000 || positive > limit)
    return userError("expected a limit between the number of positive costs, " + std::to_string(positive) +
                     ", and 1000000, got " + std::to_string(limit));
  Normaliser search(counts, limit, deadline);
  search.run();
  if (search.best.empty())
    return Error(ErrorKind::Limit, "cost normalisation found no solution within its limits");
  for (size_t i = 0; i < costs.size(); ++i)
    for (size_t j = 0; j < search.cost.size(); ++j)
      if (costs[i] == search.cost[j])
        out.values[i] = search.best[j];
  out.error = search.bestError;
  out.sum = search.bestSum;
  out.exact = !search.stopped;
  for (size_t i = 0; i < search.cost.size(); ++i)
    for (size_t j = 0; j < search.cost.size(); ++j)
      out.worstRatio =
          std::max(out.worstRatio, static_cast<double>(search.cost[i]) / static_cast<double>(search.cost[j]) *
                                       static_cast<double>(search.best[j]) / static_cast<double>(search.best[i]));
  return out;
}

Result<NormalisedProblem> normaliseProblem(const Problem &problem, int64_t limit, Deadline deadline) {
  NormalisedProblem out{problem, {}, 1};
  out.problem.scale = 1; // its units stand for no whole number of cycles
  std::vector<int64_t> costs;
  for (const Node &node : problem.nodes) {
    int64_t cost = 0;
    for (const Reservation &r : node.reservations)
      cost = std::max(cost, r.length);
    costs.push_back(cost ? cost : node.latency);
  }
  Result<NormalisedCosts> normal = normaliseCosts(costs, limit, deadline);
  if (!normal)
    return normal.error();
  out.costs = *normal;
  int64_t total = 0;
  for (int64_t c : costs)
    total += c;
  out.scale = total ? static_cast<double>(out.costs.sum) / static_cast<double>(total) : 1;
  auto up = [&](int64_t t) { return static_cast<int64_t>(std::ceil(static_cast<double>(t) * out.scale - 1e-9)); };
  // A time that starts from a node's own cost keeps that cost exact and scales the rest.
  auto from = [&](int v, int64_t t) {
    return t >= costs[v] ? out.costs.values[v] + up(t - costs[v]) : std::min(up(t), out.costs.values[v]);
  };
  for (int v = 0; v < static_cast<int>(problem.nodes.size()); ++v) {
    Node &node = out.problem.nodes[v];
    for (Reservation &r : node.reservations) {
      r.start = static_cast<int64_t>(std::floor(static_cast<double>(r.start) * out.scale));
      r.length = r.length == costs[v] ? out.costs.values[v]
                                      : std::min(std::max<int64_t>(1, up(r.length)), out.costs.values[v]);
    }
    node.latency = from(v, node.latency);
    node.issue = std::llround(static_cast<double>(node.issue) * out.scale);
    node.minLive = from(v, node.minLive);
    if (node.pinStart >= 0)
      node.pinStart = std::llround(static_cast<double>(node.pinStart) * out.scale);
  }
  for (Edge &e : out.problem.edges) {
    e.delay = from(e.from, e.delay);
    e.hold = from(e.to, e.hold);
    e.transfer = e.transfer > 0 ? up(e.transfer) : e.transfer;
  }
  return out;
}

} // namespace heddle
