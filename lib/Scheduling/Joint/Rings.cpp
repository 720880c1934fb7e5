//===- Rings.cpp - C4: rings of slots fit their memories ------------------===//
//
// Says:      a value in a ring memory owns `depth` slots for the whole loop, depth * ii covers its lifetime, and all rings fit.
//            A pinned depth bounds the lifetime of any value. (Not in the paper, which counts one lifetime, study point 10.)
// Encoding:  literals "the lifetime exceeds c intervals"; one pseudo-Boolean sum a memory.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

#include <algorithm>

namespace heddle {

void encodeRings(Encoder &e) {
  for (int v = 0; v < static_cast<int>(e.problem.nodes.size()); ++v) {
    int64_t depth = e.problem.nodes[v].pinDepth;
    for (int64_t t = e.low(v); depth > 0 && e.hasLifetime(v) && t <= e.high(v); ++t)
      e.clause({-e.startAtMost(v, t), e.endAtMost(v, t + depth * e.ii)});
  }
  for (int m = 0; m < static_cast<int>(e.problem.memories.size()); ++m) {
    if (e.problem.memories[m].kind != MemoryKind::Ring)
      continue;
    std::vector<Term> terms;
    for (int v = 0; v < static_cast<int>(e.problem.nodes.size()); ++v) {
      const Node &node = e.problem.nodes[v];
      auto add = [&](const std::vector<Footprint> &list, Lit condition) {
        for (const Footprint &f : list) {
          if (f.memory != m || f.amount == 0 || condition == e.no())
            continue;
          terms.push_back({condition, f.amount * std::max<int64_t>(1, node.pinDepth)});
          if (node.pinDepth < 0)
            for (Lit deep : e.deeper(v))
              terms.push_back({e.both(deep, condition), f.amount});
        }
      };
      add(node.footprints, e.yes());
      if (!node.staging.empty())
        add(node.staging, e.leaves(v));
    }
    e.atMost(std::move(terms), e.problem.memories[m].capacity);
  }
}

} // namespace heddle
