//===- Differences.cpp - see Differences.h ---------------------------------===//
#include "Differences.h"

#include "heddle/Support/Integers.h"

#include <algorithm>
#include <optional>

namespace heddle {

/// Earliest starts at `ii` into `time`; the arcs of a cycle that forbids them, empty when none does. Nothing when the
/// deadline passes.
static std::optional<std::vector<Arc>> violated(const std::vector<Arc> &arcs, int nodes, int64_t ii,
                                                const Deadline &deadline, std::vector<int64_t> &time) {
  time.assign(static_cast<size_t>(nodes), 0);
  std::vector<int> by(static_cast<size_t>(nodes), -1);
  for (int round = 1;; ++round) {
    bool changed = false;
    for (size_t a = 0; a < arcs.size(); ++a) {
      const Arc &arc = arcs[a];
      int64_t least = time[arc.from] + arc.weight - arc.distance * ii;
      if (least > time[arc.to]) {
        time[arc.to] = least;
        by[arc.to] = static_cast<int>(a);
        changed = true;
      }
    }
    deadline.spend(1 + static_cast<int64_t>(arcs.size()) / 200);
    if (!changed)
      return std::vector<Arc>();
    if (round % 64 == 0 && deadline.passed())
      return std::nullopt;
    if (round % 4)
      continue;
    // A cycle among the arcs that gave the starts is one that can be run through for ever.
    std::vector<int> seen(static_cast<size_t>(nodes), -1);
    for (int v = 0; v < nodes; ++v) {
      int w = v;
      while (w >= 0 && seen[w] < 0 && by[w] >= 0) {
        seen[w] = v;
        w = arcs[by[w]].from;
      }
      if (by[w] < 0 || seen[w] != v)
        continue;
      std::vector<Arc> out;
      int first = w;
      do {
        out.push_back(arcs[by[w]]);
        w = out.back().from;
      } while (w != first);
      return out;
    }
  }
}

int64_t leastInterval(const std::vector<Arc> &arcs, int nodes, int64_t ii, int64_t most, const Deadline &deadline,
                      std::vector<int64_t> &time, std::vector<Arc> &cycle) {
  cycle.clear();
  while (ii <= most && !deadline.passed()) {
    std::optional<std::vector<Arc>> found = violated(arcs, nodes, ii, deadline, time);
    if (!found)
      return 0;
    if (found->empty())
      return ii;
    int64_t weight = 0, distance = 0;
    for (const Arc &arc : *found) {
      weight += arc.weight;
      distance += arc.distance;
    }
    cycle = std::move(*found);
    if (distance <= 0)
      return 0;
    ii = std::max(ii + 1, ceilDiv(weight, distance));
  }
  return 0;
}

} // namespace heddle
