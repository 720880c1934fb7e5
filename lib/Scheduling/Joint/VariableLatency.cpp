//===- VariableLatency.cpp - C6: variable-latency nodes stand apart -------===//
//
// Says:      variable-latency nodes, and only they, run on `variable` groups (Twill Figure 6, VARIABLE LATENCY: W_vl;
//            an equivalence, Scheduling.md, question 10).
// Encoding:  as C5: impossible pairs have no literal; with selectors unit clauses.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

namespace heddle {

void encodeVariableLatency(Encoder &e) {
  for (int v = 0; v < static_cast<int>(e.problem.nodes.size()); ++v)
    for (int g = 0; g < static_cast<int>(e.problem.groups.size()); ++g)
      if (e.problem.groups[g].variable != e.problem.nodes[v].variableLatency && e.onGroup(v, g) != e.no())
        e.clause({-e.onGroup(v, g)});
}

} // namespace heddle
