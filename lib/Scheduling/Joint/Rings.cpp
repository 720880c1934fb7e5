//===- Rings.cpp - C4: rings of slots fit their memories ------------------===//
//
// Says:      a value in a ring memory owns `depth` slots for the whole loop, depth * ii covers its lifetime, and all
//            rings fit. (Not in the paper, which counts one lifetime, Scheduling.md, question 10. Pinned depths are
//            C12.)
// Encoding:  literals "the lifetime exceeds c intervals"; one pseudo-Boolean sum a memory.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

#include <algorithm>

namespace heddle {

void encodeRings(Encoder &e) {
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
          const std::vector<Lit> &deeper = e.deeper(v);
          for (size_t c = static_cast<size_t>(std::max<int64_t>(1, node.pinDepth)) - 1; c < deeper.size(); ++c)
            terms.push_back({e.both(deeper[c], condition), f.amount});
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
