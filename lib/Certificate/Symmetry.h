//===- Symmetry.h - Groups of a problem that are alike ------------------------===//
//
// What the formula over slots (Cnf.cpp) and the one over orders (OrderFormula.cpp) share: the literal that holds, and
// the clauses that break the symmetry of groups. Where a schedule exists, one exists that keeps these clauses: groups
// alike in warps, registers, kind and possible nodes can exchange all their nodes.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CERTIFICATE_SYMMETRY_H
#define HEDDLE_LIB_CERTIFICATE_SYMMETRY_H

#include "heddle/Scheduling/Problem/Problem.h"

#include <cstdint>
#include <vector>

namespace heddle {

constexpr int yes = INT32_MAX; ///< literal that holds; -yes does not

/// Of groups that are alike the second takes a node only after the first took one. `on[v][g]` is the literal that node
/// v runs on group g; `clause` takes a vector of literals.
template <class Clause>
void alikeGroupsInOrder(const Problem &p, const std::vector<std::vector<int>> &on, Clause clause) {
  int count = static_cast<int>(p.groups.size()), n = static_cast<int>(on.size());
  auto alike = [&](int a, int b) {
    bool same = p.groups[a].warps == p.groups[b].warps && p.groups[a].regs == p.groups[b].regs &&
                p.groups[a].variable == p.groups[b].variable;
    for (int v = 0; v < n; ++v)
      same &= (on[v][a] == -yes) == (on[v][b] == -yes);
    return same;
  };
  for (int b = 1; b < count; ++b) {
    int a = b - 1;
    while (a >= 0 && !alike(a, b))
      --a;
    for (int v = 0; a >= 0 && v < n; ++v) {
      std::vector<int> lits{-on[v][b]};
      for (int u = 0; u < v; ++u)
        lits.push_back(on[u][a]);
      clause(lits);
    }
  }
}

} // namespace heddle

#endif // HEDDLE_LIB_CERTIFICATE_SYMMETRY_H
