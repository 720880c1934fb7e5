//===- Windows.cpp - see Windows.h ----------------------------------------===//
//
// Algorithm: a part of the problem is what edges connect. In the order of its starts, take two neighbours that are
//            further apart than `gap`. If nothing above is pinned, everything above may begin an interval earlier; if
//            nothing below is pinned, everything below an interval later, and still completes before anything above
//            begins. So each node that is not pinned is at most `gap` away from the next one towards the pins, and
//            without pins the first node begins in the first interval.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Problem/Windows.h"
#include "heddle/Support/DisjointSets.h"

#include <algorithm>

namespace heddle {

namespace {
struct Part {
  int64_t gap = 0, nodes = 0, first = INT64_MAX, last = -1; ///< `first` to `last`: starts of what is pinned
};
} // namespace

std::vector<std::pair<int64_t, int64_t>> nearWindows(const Problem &p, ConstraintSet constraints, int64_t ii) {
  DisjointSets connected(p.nodes.size());
  for (const Edge &e : p.edges)
    connected.join(e.from, e.to);
  std::vector<Part> parts(p.nodes.size());
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
    const Node &node = p.nodes[v];
    Part &part = parts[connected.find(v)];
    ++part.nodes;
    part.gap = std::max({part.gap, node.latency, node.minLive});
    auto pin = [&](int64_t first, int64_t last) {
      part.first = std::min(part.first, first);
      part.last = std::max(part.last, last);
    };
    if (node.pinStart >= 0 && constraints.has(Constraint::Pins))
      pin(node.pinStart, node.pinStart);
    if (node.pinStage >= 0 && constraints.has(Constraint::Pins))
      pin(node.pinStage * ii, node.pinStage * ii + ii - 1);
  }
  for (const Edge &e : p.edges) {
    Part &part = parts[connected.find(e.from)];
    part.gap = std::max({part.gap, e.delay + std::max<int64_t>(0, e.transfer), e.distance * ii + e.hold});
  }
  std::vector<std::pair<int64_t, int64_t>> out;
  for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
    const Part &part = parts[connected.find(v)];
    int64_t reach = (part.nodes - 1) * (part.gap + ii);
    if (part.last < 0)
      out.push_back({0, ii - 1 + reach});
    else
      out.push_back({std::max<int64_t>(0, part.first - reach), part.last + reach});
  }
  return out;
}

} // namespace heddle
