//===- Memory.cpp - C3: live values fit their memories --------------------===//
//
// Says:      in every slot, footprint * copies alive sums to at most the capacity, for memories shared modulo ii (Twill
//            Figure 5; lifetimes counted modulo ii, Scheduling.md, questions 1, 3, 7). Staging space counts where a
//            value leaves its group.
// Encoding:  per slot a pseudo-Boolean sum over the literals "more than c copies are alive".
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

namespace heddle {

void encodeMemory(Encoder &e) {
  for (int m = 0; m < static_cast<int>(e.problem.memories.size()); ++m) {
    if (e.problem.memories[m].kind != MemoryKind::Modular)
      continue;
    std::vector<std::vector<Term>> slots(static_cast<size_t>(e.ii));
    for (int v = 0; v < static_cast<int>(e.problem.nodes.size()) && !e.expired(); ++v) {
      auto add = [&](const std::vector<Footprint> &list, Lit condition) {
        for (const Footprint &f : list) {
          if (f.memory != m || f.amount == 0 || condition == e.no())
            continue;
          for (const std::vector<Lit> &level : e.copies(v))
            for (size_t s = 0; s < slots.size() && !e.expired(); ++s)
              slots[s].push_back({e.both(level[s], condition), f.amount});
        }
      };
      add(e.problem.nodes[v].footprints, e.yes());
      if (!e.problem.nodes[v].staging.empty())
        add(e.problem.nodes[v].staging, e.leaves(v));
    }
    for (auto &terms : slots)
      if (!e.expired())
        e.atMost(std::move(terms), e.problem.memories[m].capacity);
  }
}

} // namespace heddle
