//===- RefineTest.cpp - orders found on rounded times, carried over to the problem ===//
#include "heddle/Scheduling/Modulo/Refine.h"
#include "RandomProblems.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

/// All times multiplied by `factor`, and some cycles more.
Problem stretched(Problem p, int64_t factor, int64_t more) {
  auto grow = [&](int64_t &t) { t = t > 0 ? t * factor + more : t; };
  for (Node &node : p.nodes) {
    for (int64_t *t : {&node.latency, &node.issue, &node.minLive})
      grow(*t);
    node.pinStart = node.pinStage = -1;
    for (Reservation &r : node.reservations) {
      r.start *= factor;
      r.length = r.length * factor + more;
    }
  }
  for (Edge &edge : p.edges)
    for (int64_t *t : {&edge.delay, &edge.transfer, &edge.hold})
      grow(*t);
  return p;
}

TEST(Refine, KeepsAnExactMultiple) {
  int refined = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Problem rough = test::randomProblem(seed, 6);
    for (Node &node : rough.nodes)
      node.pinStart = node.pinStage = -1;
    SolveOptions quick;
    quick.explain = quick.lexicographic = false;
    SolveResult r = solve(rough, quick);
    if (!r.hasSchedule)
      continue;
    Problem p = stretched(rough, 10, 0);
    RefineOptions options;
    std::optional<Schedule> s = refineSchedule(p, rough, r.schedule, options);
    if (!s)
      continue; // repairs are a heuristic
    ++refined;
    EXPECT_TRUE(verifySchedule(p, *s).empty()) << seed;
    // What is asynchronous and issues in no time keeps its group for one cycle of either problem.
    EXPECT_LE(s->ii, 10 * r.schedule.ii + static_cast<int64_t>(p.nodes.size())) << seed << "\n" << writeProblem(p);
  }
  EXPECT_GT(refined, 20);
}

TEST(CloseUp, ShortensWhatIsLongerThanAnIteration) {
  int shortened = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Problem p = test::randomProblem(seed, 6);
    SolveOptions quick;
    quick.explain = quick.lexicographic = false;
    SolveResult r = solve(p, quick);
    if (!r.hasSchedule)
      continue;
    Schedule apart = r.schedule;
    apart.ii = 2 * lengthInTurn(p) + 7;
    finishSchedule(p, apart);
    if (!verifySchedule(p, apart).empty())
      continue; // what an interval pins
    closeUp(p, apart, ConstraintSet(), r.schedule.ii);
    EXPECT_TRUE(verifySchedule(p, apart).empty()) << seed;
    EXPECT_GE(apart.ii, r.schedule.ii) << seed;
    EXPECT_EQ(apart.start, r.schedule.start) << seed;
    shortened += apart.ii <= lengthInTurn(p);
  }
  EXPECT_GT(shortened, 15);
}

TEST(Shorten, FindsOverlapsOfIterations) {
  int shortened = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Problem p = test::randomProblem(seed, 6);
    for (Node &node : p.nodes)
      node.pinStart = node.pinStage = -1;
    std::optional<Schedule> s = scheduleSerially(p, ConstraintSet(), Deadline());
    if (!s)
      continue;
    const int64_t before = s->ii, least = computeBounds(p, ConstraintSet()).mii;
    shorten(p, *s, ConstraintSet(), least, Deadline());
    EXPECT_TRUE(verifySchedule(p, *s).empty()) << seed;
    EXPECT_GE(s->ii, least) << seed;
    EXPECT_LE(s->ii, before) << seed;
    shortened += s->ii < before;
  }
  EXPECT_GT(shortened, 10);
}

TEST(Refine, EveryResultIsLegal) {
  int refined = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Problem rough = test::randomProblem(seed, 6);
    for (Node &node : rough.nodes)
      node.pinStart = node.pinStage = -1;
    Result<Schedule> r = scheduleHeuristic(rough);
    if (!r)
      continue;
    Problem p = stretched(rough, 7, 2);
    RefineOptions options;
    options.moves = 100;
    if (std::optional<Schedule> s = refineSchedule(p, rough, *r, options)) {
      ++refined;
      EXPECT_TRUE(verifySchedule(p, *s).empty()) << seed;
    }
  }
  EXPECT_GT(refined, 10);
}

TEST(Refine, ExchangesNeighboursThatBind) {
  // a and b share a unit; the rough order puts b first, which makes the chain a -> c -> a of distance 1 wait.
  Result<Problem> p = parseProblem("unit U 1\nnode a latency=10 use=U:0:10\nnode b latency=10 use=U:0:10\n"
                                   "node c latency=10\nedge a -> c delay=10\nedge c -> b delay=10\n"
                                   "edge b -> a delay=10 distance=2\n",
                                   "f");
  ASSERT_TRUE(p) << p.error().str();
  Schedule rough;
  rough.ii = 40;
  rough.start = {0, 30, 10};
  rough.group = {-1, -1, -1};
  rough.depth = {1, 1, 1};
  RefineOptions options;
  options.minII = 20;
  options.moves = 50;
  std::optional<Schedule> s = refineSchedule(*p, *p, rough, options);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->ii, 20);
}

} // namespace
