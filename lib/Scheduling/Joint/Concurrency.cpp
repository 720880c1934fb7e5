//===- Concurrency.cpp - C10: blocking waits stop the whole group ---------===//
//
// Says:      when a node starts that waits with blocking synchronisation for an operand (a blocking edge, or an edge
//            from another group that pays a transfer), no other node executes on its group (Twill Figure 6,
//            CONCURRENCY, and the "similar constraint for spills" elided there). Executing means `latency` cycles, or
//            for an asynchronous node its issue, at least one cycle (Scheduling.md, question 11); cycles, not
//            reservation rows (point 12).
// Encoding:  per slot and pair: blocking, start of v and execution of o imply different groups.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

#include <algorithm>

namespace heddle {

void encodeConcurrency(Encoder &e) {
  const Problem &p = e.problem;
  int n = static_cast<int>(p.nodes.size());
  if (p.groups.empty() || !e.options.groupsFree)
    return;
  for (int v = 0; v < n && !e.aborted(); ++v) {
    // The literal "v blocks".
    Lit blocks = e.no();
    std::vector<Lit> causes;
    for (const Edge &edge : p.edges) {
      if (edge.to != v)
        continue;
      if (edge.blocking)
        blocks = e.yes();
      else if (edge.transfer > 0)
        causes.push_back(e.differ(edge.from, v));
    }
    if (std::count(causes.begin(), causes.end(), e.yes()))
      blocks = e.yes();
    causes.erase(std::remove(causes.begin(), causes.end(), e.no()), causes.end());
    if (blocks == e.no() && !causes.empty()) {
      blocks = e.newLit();
      for (Lit cause : causes)
        e.clause({-cause, blocks});
    }
    if (blocks == e.no())
      continue;
    const std::vector<Lit> &starts = e.ii == 1 ? std::vector<Lit>{e.yes()} : e.occupancy(v, 0, 1);
    for (int o = 0; o < n && !e.expired(); ++o) {
      const Node &other = p.nodes[o];
      // A relaxed copy knows starts to its slots only: what certainly executes begins a slot later.
      int64_t busy = e.options.busy ? (*e.options.busy)[o]
                     : other.async  ? std::max<int64_t>(1, other.issue)
                                    : std::max(other.issue, other.latency);
      Lit apart = e.differ(o, v);
      if (o == v || busy == 0 || apart == e.yes())
        continue;
      if (busy >= e.ii) {
        e.clause({-blocks, apart});
        continue;
      }
      const std::vector<Lit> &executes = e.occupancy(o, e.options.busy ? 1 : 0, busy);
      for (size_t s = 0; s < static_cast<size_t>(e.ii) && !e.expired(); ++s)
        if (starts[s] != e.no() && executes[s] != e.no())
          e.clause({-blocks, -starts[s], -executes[s], apart});
    }
  }
}

} // namespace heddle
