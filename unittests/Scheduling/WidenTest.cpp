//===- WidenTest.cpp - larger intervals from legal schedules ---------------===//
#include "heddle/Scheduling/Modulo/Widen.h"
#include "RandomProblems.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

TEST(Widen, LegalSchedulesStayLegal) {
  int widenedOnes = 0, others = 0, broken = 0;
  for (unsigned seed = 0; seed < 900; ++seed) {
    Problem p = test::randomProblem(seed, 3);
    for (Node &node : p.nodes)
      for (Reservation &r : node.reservations)
        r.start *= seed % 4 == 0;
    ConstraintSet set = ConstraintSet::all();
    if (seed % 3 == 1)
      set = set.without(static_cast<Constraint>(seed / 3 % static_cast<unsigned>(Constraint::Count)));
    for (int64_t ii = 1; ii <= 4; ++ii) {
      bool can = canWiden(p, set, ii);
      int looked = 0;
      test::forEachLegal(p, ii, 2, set, [&](const Schedule &s) {
        for (int64_t more : {1, 2, 7}) {
          Schedule w = widened(s, ii + more);
          finishSchedule(p, w);
          bool legal = verifySchedule(p, w, set).empty() && w.stages(p) <= 2;
          if (can)
            EXPECT_TRUE(legal) << seed << " from " << ii << writeProblem(p) << writeSchedule(p, s);
          broken += !legal;
        }
        ++(can ? widenedOnes : others);
        return ++looked == 40;
      });
    }
  }
  EXPECT_GT(widenedOnes, 5000);
  EXPECT_GT(others, 300);
  EXPECT_GT(broken, 20); // what is refused is refused for a reason
}

// The slots of one interval and everything: what is refuted once is refuted below, as enumeration has it.
TEST(Widen, TheSearchByOrdersFindsTheLeastInterval) {
  int found = 0, none = 0;
  for (unsigned seed = 3000; seed < 3400; ++seed) {
    Problem p = test::randomProblem(seed, 3);
    for (Node &node : p.nodes)
      for (Reservation &r : node.reservations)
        r.start *= seed % 4 == 0;
    SolveOptions options;
    options.maxStages = 2;
    options.maxII = 5;
    options.onlyOrders = true;
    options.explain = options.lexicographic = false;
    SolveResult r = solve(p, options);
    int64_t least = 0;
    for (int64_t ii = 1; ii <= 5 && !least; ++ii)
      if (test::forEachLegal(p, ii, 2, ConstraintSet::all(), [](const Schedule &) { return true; }))
        least = ii;
    EXPECT_EQ(r.status, least ? SolveStatus::Optimal : SolveStatus::Infeasible) << seed << writeProblem(p);
    if (least)
      EXPECT_EQ(r.schedule.ii, least) << seed << writeProblem(p);
    ++(least ? found : none);
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(none, 100);
}

} // namespace
