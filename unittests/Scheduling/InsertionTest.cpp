//===- InsertionTest.cpp - schedules by inserting nodes and ejecting others ===//
#include "heddle/Scheduling/Modulo/Insertion.h"
#include "RandomProblems.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <gtest/gtest.h>

#include <random>

using namespace heddle;

namespace {

/// One insertion for each node and a hundred more, with the groups of a schedule.
std::optional<Schedule> inserted(const Problem &p, const Schedule &like, int64_t ii, int64_t stages, uint64_t seed) {
  InsertionOptions options;
  options.ii = ii;
  options.stages = stages;
  options.seed = seed;
  options.insertions = 100 + static_cast<int64_t>(p.nodes.size());
  return scheduleByInsertion(p, like.group, options);
}

TEST(Insertion, FindsMostLeastIntervalsOfSmallProblems) {
  int least = 0, found = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Problem p = test::randomProblem(seed, 6);
    SolveOptions quick;
    quick.explain = quick.lexicographic = false;
    SolveResult r = solve(p, quick);
    if (r.status != SolveStatus::Optimal)
      continue;
    ++least;
    bool any = false;
    for (uint64_t order = 0; order < 3; ++order)
      if (std::optional<Schedule> s = inserted(p, r.schedule, r.schedule.ii, r.stages, order)) {
        any = true;
        EXPECT_TRUE(verifySchedule(p, *s).empty()) << seed;
        EXPECT_LE(s->stages(p), r.stages) << seed;
        EXPECT_EQ(s->start, inserted(p, r.schedule, r.schedule.ii, r.stages, order)->start) << seed;
      }
    found += any;
    // Below the least interval there is nothing to be found.
    if (r.schedule.ii > 1)
      EXPECT_FALSE(inserted(p, r.schedule, r.schedule.ii - 1, r.stages, 0)) << seed;
  }
  EXPECT_GT(least, 60);
  EXPECT_GT(found, least * 4 / 5);
}

TEST(Insertion, FollowsAScheduleOfALargerInterval) {
  // Four operations of 10 cycles on one unit, spread over 100 cycles: the order is kept at 40.
  Result<Problem> p = parseProblem("unit U 1\nnode a latency=10 use=U:0:10\nnode b latency=10 use=U:0:10\n"
                                   "node c latency=10 use=U:0:10\nnode d latency=10 use=U:0:10\n",
                                   "f");
  ASSERT_TRUE(p) << p.error().str();
  Schedule wide;
  wide.ii = 100;
  wide.start = {70, 0, 45, 20};
  wide.group = {-1, -1, -1, -1};
  InsertionOptions options;
  options.ii = 40;
  options.insertions = 100;
  options.follow = &wide;
  std::optional<Schedule> s = scheduleByInsertion(*p, wide.group, options);
  ASSERT_TRUE(s);
  auto slot = [&](int v) { return s->start[v] % 40; };
  EXPECT_LT(slot(1), slot(3));
  EXPECT_LT(slot(3), slot(2));
  EXPECT_LT(slot(2), slot(0));
}

TEST(Insertion, TimeDoesNotGrowWithTheInterval) {
  // The same loop with all times a million times longer is solved with the same number of steps.
  auto steps = [](int64_t factor) {
    std::string text = "unit U 1\nunit V 1\n";
    for (int v = 0; v < 20; ++v)
      text += "node n" + std::to_string(v) + " latency=" + std::to_string(5 * factor) + " use=" + (v % 2 ? "U" : "V") +
              ":0:" + std::to_string(5 * factor) + "\n";
    for (int v = 1; v < 20; ++v)
      text += "edge n" + std::to_string(v - 1) + " -> n" + std::to_string(v) + " delay=" + std::to_string(5 * factor) +
              "\n";
    Result<Problem> p = parseProblem(text, "f");
    EXPECT_TRUE(p);
    InsertionOptions options;
    options.ii = 50 * factor;
    options.insertions = 1000;
    options.deadline = Deadline().afterSteps(1000000);
    EXPECT_TRUE(scheduleByInsertion(*p, std::vector<int>(20, -1), options));
    return 1000000 - options.deadline.steps() - 20 * options.ii / 500; // the check of the schedule is by cycles
  };
  EXPECT_EQ(steps(1), steps(10000));
}

/// A loop of `n` operations on three units and two groups, with layers of values between them: the tensor unit is busy
/// about `busy` cycles, the others less.
Problem longLoop(int n, int busy, unsigned seed) {
  std::mt19937 random(seed);
  auto below = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  std::string text = "unit T 1\nunit S 1\nunit A 1\ngroup load warps=1 variable\ngroup c0 regs=240\ngroup c1 regs=240\n"
                     "node load latency=0 variable\n";
  std::vector<int> length(static_cast<size_t>(n));
  for (int v = 0; v < n; ++v) {
    int unit = below(4);
    length[static_cast<size_t>(v)] = std::max(1, busy * (1 + below(10)) * (unit ? 1 : 3) / (5 * n));
    std::string cycles = std::to_string(length[static_cast<size_t>(v)]);
    text += "node n" + std::to_string(v) + " latency=" + cycles + (unit ? "" : " async") +
            " warps=4 regs=" + std::to_string(1 + 3 * below(2)) + " use=" + "TSAA"[unit] + ":0:" + cycles + "\n";
  }
  for (int v = 0; v < n; ++v) {
    if (v < 4)
      text += "edge load -> n" + std::to_string(v) + "\n";
    for (int back : {1 + below(3), 4 + below(4)})
      if (v >= back)
        text += "edge n" + std::to_string(v - back) + " -> n" + std::to_string(v) +
                " delay=" + std::to_string(length[static_cast<size_t>(v - back)]) +
                " transfer=" + std::to_string(busy / 10) + "\n";
  }
  Result<Problem> p = parseProblem(text, "f");
  EXPECT_TRUE(p) << p.error().str();
  return p ? *p : Problem();
}

TEST(Insertion, ComesBeforeLongQueriesOverOrders) {
  // Queries over orders of so many nodes take all the steps that there are, and decide nothing.
  Problem p = longLoop(200, 3000, 1);
  SolveOptions options;
  options.explain = options.lexicographic = false;
  options.insertion = true;
  options.deadline = Deadline().afterSteps(2500000);
  SolveResult r = solve(p, options);
  ASSERT_TRUE(r.hasSchedule) << solveStatusName(r.status);
  EXPECT_TRUE(verifySchedule(p, r.schedule).empty());
  EXPECT_LE(10 * r.schedule.ii, 11 * r.bound);
}

TEST(Insertion, NoQueryIsSetUpBeyondTheLimit) {
  // Setting up one query of so many nodes takes a good part of a second.
  Problem p = longLoop(200, 3000, 1);
  for (int64_t steps : {0, 200000}) {
    SolveOptions options;
    options.explain = options.lexicographic = false;
    options.insertion = true;
    options.deadline = Deadline().afterSteps(steps);
    int beyond = 0;
    options.progress = [&](const std::string &text) {
      bool query = text.rfind("orders at", 0) == 0 || text.rfind("slots at", 0) == 0;
      beyond += query && options.deadline.spent();
    };
    EXPECT_EQ(solve(p, options).status, SolveStatus::LimitReached);
    EXPECT_EQ(beyond, steps ? 1 : 0); // the one that the limit ended
  }
}

} // namespace
