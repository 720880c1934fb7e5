//===- Capacity.cpp - C2: units are never over-subscribed -----------------===//
//
// Says:      in every slot of the interval, the reservations of all nodes on a unit sum to at most its capacity (Twill
//            Figure 4, CAPACITY). A reservation of length >= ii takes floor(length / ii) of every slot
//            (Scheduling.md, question 12).
// Encoding:  per slot a pseudo-Boolean sum over occupancies; pairwise where any two exceed the capacity.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

namespace heddle {

void encodeCapacity(Encoder &e) {
  for (int u = 0; u < static_cast<int>(e.problem.units.size()) && !e.aborted(); ++u) {
    int64_t capacity = e.problem.units[u].capacity;
    std::vector<std::vector<Term>> slots(static_cast<size_t>(e.ii));
    for (int v = 0; v < static_cast<int>(e.problem.nodes.size()) && !e.expired(); ++v)
      for (const Reservation &r : e.problem.nodes[v].reservations) {
        if (r.unit != u)
          continue;
        capacity -= r.length / e.ii * r.amount;
        if (e.expiredAfter(slots.size()))
          return;
        const std::vector<Lit> &busy = e.occupancy(v, r.start, r.length);
        for (size_t s = 0; s < slots.size(); ++s)
          if (busy[s] != e.no())
            slots[s].push_back({busy[s], r.amount});
      }
    for (auto &terms : slots)
      if (!e.expired())
        e.atMost(std::move(terms), capacity);
  }
}

} // namespace heddle
