//===- WarpAssignment.cpp - C5: nodes run on groups that can run them -----===//
//
// Says:      the group of a node has at least `warps` warps and is among its allowed groups (Twill Figure 6, WARP
//            UNIQUENESS; operations of one warp, one warp group or several are told apart by `warps`, Scheduling.md,
//            question 9).
// Encoding:  impossible pairs have no literal; with selectors they are forbidden by unit clauses.
//            Symmetry: interchangeable groups are used in the order of their first node (value precedence).
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Joint/Encoder.h"

#include <algorithm>

namespace heddle {

void encodeWarpAssignment(Encoder &e) {
  for (int v = 0; v < static_cast<int>(e.problem.nodes.size()); ++v)
    for (int g = 0; g < static_cast<int>(e.problem.groups.size()); ++g) {
      const Node &node = e.problem.nodes[v];
      bool fits = e.problem.groups[g].warps >= node.warps &&
                  (node.groups.empty() || std::count(node.groups.begin(), node.groups.end(), g));
      if (!fits && e.onGroup(v, g) != e.no())
        e.clause({-e.onGroup(v, g)});
    }
}

void breakGroupSymmetry(Encoder &e) {
  const Problem &p = e.problem;
  if (!e.options.groupsFree)
    return;
  auto interchangeable = [&](int a, int b) {
    const Group &x = p.groups[a], &y = p.groups[b];
    if (x.warps != y.warps || x.regs != y.regs || x.variable != y.variable)
      return false;
    for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v)
      if ((e.onGroup(v, a) == e.no()) != (e.onGroup(v, b) == e.no()) || e.onGroup(v, a) == e.yes() ||
          e.onGroup(v, b) == e.yes())
        return false;
    return true;
  };
  int groups = static_cast<int>(p.groups.size());
  std::vector<char> done(p.groups.size(), 0);
  for (int g = 0; g < groups; ++g) {
    int previous = g;
    for (int h = g + 1; h < groups && !done[g]; ++h) {
      if (done[h] || !interchangeable(g, h))
        continue;
      done[h] = 1;
      for (int v = 0; v < static_cast<int>(p.nodes.size()); ++v) {
        std::vector<Lit> lits{-e.onGroup(v, h)};
        for (int u = 0; u < v; ++u)
          lits.push_back(e.onGroup(u, previous));
        e.clause(std::move(lits));
      }
      previous = h;
    }
  }
}

} // namespace heddle
