//===- Issue.cpp - C11: a group issues one thing at a time ----------------===//
//
// Says:      the issue cycles of two nodes on one group do not overlap modulo ii, and no node issues longer than ii.
//            (Not in the paper: its warps issue any number of operations at once. `issue=0` leaves it out.)
// Encoding:  per slot and pair: both issuing implies different groups.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

namespace heddle {

void encodeIssue(Encoder &e) {
  const Problem &p = e.problem;
  int n = static_cast<int>(p.nodes.size());
  if (p.groups.empty() || !e.options.groupsFree)
    return;
  for (int v = 0; v < n && !e.aborted(); ++v) {
    int64_t issue = p.nodes[v].issue;
    if (issue > e.ii)
      e.clause({});
    for (int o = 0; o < v && issue > 0 && !e.expired(); ++o) {
      Lit apart = e.differ(o, v);
      if (p.nodes[o].issue == 0 || apart == e.yes())
        continue;
      if (issue >= e.ii || p.nodes[o].issue >= e.ii) {
        e.clause({apart});
        continue;
      }
      const std::vector<Lit> &a = e.occupancy(v, 0, issue), &b = e.occupancy(o, 0, p.nodes[o].issue);
      for (size_t s = 0; s < static_cast<size_t>(e.ii) && !e.expired(); ++s)
        if (a[s] != e.no() && b[s] != e.no())
          e.clause({-a[s], -b[s], apart});
    }
  }
}

} // namespace heddle
