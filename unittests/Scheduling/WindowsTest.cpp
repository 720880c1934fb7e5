//===- WindowsTest.cpp - pins far out are searched like pins near by -------===//
#include "heddle/Scheduling/Problem/Windows.h"
#include "RandomProblems.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

/// `p` with everything pinned `intervals` intervals later.
Problem later(Problem p, int64_t ii, int64_t intervals) {
  for (Node &node : p.nodes) {
    node.pinStart += node.pinStart >= 0 ? intervals * ii : 0;
    node.pinStage += node.pinStage >= 0 ? intervals : 0;
  }
  return p;
}

bool hasSchedule(const Problem &p, int64_t ii, int64_t stages, ConstraintSet set, bool orders) {
  SolveOptions options;
  options.minII = options.maxII = ii;
  options.maxStages = stages;
  options.constraints = set;
  options.insertion = orders;
  options.lexicographic = options.explain = options.anytime = false;
  SolveResult r = solve(p, options);
  EXPECT_TRUE(r.status == SolveStatus::Optimal || r.status == SolveStatus::Infeasible) << solveStatusName(r.status);
  return r.hasSchedule;
}

// Near by, all starts are looked at; far out only those that the windows leave. Slots and orders alike, with each
// constraint left out in turn.
TEST(Windows, PinsFarOutHaveTheSchedulesOfPinsNearBy) {
  constexpr int64_t near = 8, far = 80, behind = 8;
  static_assert(near + behind <= ordinaryStages && far > ordinaryStages);
  int some = 0, none = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Problem p = test::randomProblem(seed, 4);
    if (std::none_of(p.nodes.begin(), p.nodes.end(), [](auto &v) { return v.pinStart >= 0 || v.pinStage >= 0; }))
      p.nodes[seed % p.nodes.size()].pinStart = seed % 5;
    ConstraintSet set = ConstraintSet::all();
    if (seed % 2)
      set = set.without(static_cast<Constraint>(seed / 2 % static_cast<unsigned>(Constraint::Count)));
    int64_t ii = 2 + seed % 3;
    if (!set.has(Constraint::Pins))
      continue; // nothing is far out
    bool expected = hasSchedule(later(p, ii, near), ii, near + behind, set, false);
    for (bool orders : {false, true})
      EXPECT_EQ(hasSchedule(later(p, ii, far), ii, far + behind, set, orders), expected)
          << "seed " << seed << " interval " << ii << " orders " << orders << ", " << set.describe() << "\n"
          << writeProblem(p);
    ++(expected ? some : none);
  }
  EXPECT_GT(some, 60);
  EXPECT_GT(none, 40);
}

TEST(Windows, OnlyWhatIsTiedToAPinIsNearIt) {
  Problem p;
  for (const char *name : {"pinned", "tied", "free"}) {
    Node node;
    node.name = name;
    node.latency = 3;
    p.addNode(node);
  }
  p.nodes[0].pinStart = 4194304;
  Edge e;
  e.to = 1;
  e.delay = 5;
  p.addEdge(e);
  auto windows = nearWindows(p, ConstraintSet::all(), 6);
  EXPECT_EQ(windows[0], std::pair(int64_t(4194304 - 11), int64_t(4194304 + 11)));
  EXPECT_EQ(windows[1], windows[0]);
  EXPECT_EQ(windows[2], std::pair(int64_t(0), int64_t(5)));
}

// A search whose tables grew with the pinned start would take minutes.
TEST(Windows, StartsFarOutCostNothing) {
  Problem p = *parseProblem("problem p\nunit u 1\nnode a use=u:0:2 start=1\nnode b use=u:0:3 start=4194304\n"
                            "node c use=u:0:1\nedge c -> b\n",
                            "f.sched");
  for (bool insertion : {false, true}) {
    SolveOptions options;
    options.insertion = insertion;
    options.deadline = Deadline().afterSteps(100000);
    SolveResult r = solve(p, options);
    EXPECT_EQ(r.status, SolveStatus::Optimal);
    EXPECT_EQ(r.schedule.ii, 6);
  }
}

} // namespace
