//===- RelaxTest.cpp - What is refuted on cells is infeasible -------------===//
//
// What: the search refutes ranges of intervals on a few cells (lib/Scheduling/Solver/Relax.cpp) and guesses schedules
//       in which like parts repeat each other. On random problems with times long enough for cells, its least interval
//       is that of complete queries, one an interval, whose encoder BruteForceTest compares with enumeration.
//
//===----------------------------------------------------------------------===//
#include "RandomProblems.h"
#include "SlotQuery.h"

#include "heddle/Scheduling/Problem/Coarse.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

/// All times grow by about `factor`, so that the interval has many more slots than cells.
Problem stretched(Problem p, int64_t factor, unsigned seed) {
  std::mt19937 random(seed);
  forEachDuration(p, [&](int64_t &t) { t = t > 0 ? t * factor + static_cast<int64_t>(random() % 5) : t; });
  for (Node &node : p.nodes)
    if (node.pinStart > 0)
      node.pinStart *= factor;
  return p;
}

/// A second copy of every node and edge, on the same units, memories and groups.
Problem doubled(Problem p) {
  size_t n = p.nodes.size(), m = p.edges.size();
  for (size_t v = 0; v < n; ++v) {
    Node node = p.nodes[v];
    node.name += "_again";
    p.nodes.push_back(node);
  }
  for (size_t k = 0; k < m; ++k) {
    Edge edge = p.edges[k];
    edge.from += static_cast<int>(n);
    edge.to += static_cast<int>(n);
    p.edges.push_back(edge);
  }
  return p;
}

TEST(Relax, RefutedIntervalsAreInfeasible) {
  int above = 0, optimal = 0;
  for (unsigned seed = 0; seed < 90; ++seed) {
    Problem p = stretched(test::randomProblem(seed, 5), 8 + seed % 7, seed);
    if (seed % 3 == 0)
      p = doubled(p);
    if (!p.check())
      continue;
    SolveOptions o;
    o.maxStages = 3;
    o.maxII = 70;
    o.lexicographic = o.explain = false;
    SolveResult r = solve(p, o);
    ASSERT_TRUE(r.status == SolveStatus::Optimal || r.status == SolveStatus::Infeasible) << seed << ": " << r.message;
    if (r.bounds.infeasible)
      continue;
    int64_t end = r.status == SolveStatus::Optimal ? r.schedule.ii : o.maxII + 1;
    for (int64_t ii = r.mii; ii < end; ++ii)
      ASSERT_EQ(test::askSlots(p, ii, 3), SatAnswer::Unsat) << "seed " << seed << ", interval " << ii;
    optimal += r.status == SolveStatus::Optimal;
    above += end > r.mii;
  }
  EXPECT_GT(optimal, 15);
  EXPECT_GT(above, 10);
}

} // namespace
