//===- PinsTest.cpp - Pins: what they say, and which are to blame -----------===//
#include "RandomProblems.h"
#include "SlotQuery.h"
#include "heddle/Scheduling/Bounds/Pinned.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/BlamePins.h"
#include "gtest/gtest.h"

using namespace heddle;

namespace {
/// Two operations on one unit, in units of 8 cycles; b follows a.
Problem chain(const std::string &pinsOfA, const std::string &pinsOfB) {
  Result<Problem> p =
      parseProblem("scale 8\nunit U 1\ngroup g warps=4\ngroup h warps=4\n"
                   "node a latency=10 use=U:0:10 warps=4 " +
                       pinsOfA + "\nnode b latency=10 use=U:0:10 warps=4 " + pinsOfB + "\nedge a -> b delay=10",
                   "f");
  EXPECT_TRUE(p) << p.error().str();
  return *p;
}

std::vector<std::string> texts(const Problem &p, const std::vector<Pin> &pins) {
  std::vector<std::string> out;
  for (const PinBlame &blame : blamePins(p, pins))
    out.push_back(blame.text);
  return out;
}
} // namespace

TEST(Pins, OneIsToBlame) {
  Problem p = chain("stage=2", "stage=0");
  std::vector<Pin> pins{{PinKind::Stage, "A", {0}, {2}, {}, {}}, {PinKind::Stage, "B", {1}, {0}, {}, {}}};
  EXPECT_EQ(texts(p, pins),
            (std::vector<std::string>{
                "pin stage = 2 of A: the nearest that the dependences allow is stage = 0 of A, off by 2",
                "pin stage = 0 of B: the nearest that the dependences allow is stage = 2 of B, off by 2"}));
}

TEST(Pins, StartsAreInCyclesOfTheMachine) {
  Problem p = chain("start=5", "start=7");
  std::vector<Pin> pins{{PinKind::Start, "B", {1}, {7}, {}, {}}};
  EXPECT_EQ(texts(p, pins), (std::vector<std::string>{"pin start = 56 of B: the nearest that the dependences allow is "
                                                      "start = 120 of B, off by 64"}));
}

TEST(Pins, IntervalBelowTheBound) {
  Problem p = chain("", "");
  std::vector<Pin> pins{{PinKind::Interval, "loop", {}, {12}, {}, {}}};
  EXPECT_EQ(texts(p, pins), (std::vector<std::string>{"pin interval = 96 of loop: the least that has a schedule is "
                                                      "interval = 160 of loop, off by 64"}));
}

TEST(Pins, SeveralTogether) {
  Problem p = chain("stage=1", "stage=0");
  p.addNode(p.nodes[1]);
  p.nodes[2].name = "c";
  Edge edge;
  edge.from = 0;
  edge.to = 2;
  edge.delay = 10;
  p.addEdge(edge);
  std::vector<Pin> pins{{PinKind::Stage, "B", {1}, {0}, {}, {}}, {PinKind::Stage, "C", {2}, {0}, {}, {}}};
  EXPECT_EQ(texts(p, pins),
            (std::vector<std::string>{"pin stage = 0 of B: no schedule together with the pins noted below",
                                      "pin stage = 0 of C"}));
}

TEST(Pins, NoneIsToBlame) {
  Problem p = chain("", "stage=0");
  p.edges[0].distance = 0;
  Edge back;
  back.from = 1;
  back.to = 0;
  back.delay = 1000;
  back.distance = 1;
  p.addEdge(back); // the interval is far above four times the bound of the unit, not of the recurrence
  EXPECT_TRUE(texts(p, {}).empty());
}

TEST(Pins, GroupsAndDescriptions) {
  Problem p = chain("group=g", "group=h");
  p.edges[0].transfer = Edge::never;
  Pin pin{PinKind::Group, "S", {0, 1}, {0, 1}, {{0, 1}, {0, 1}}, {}};
  EXPECT_EQ(describePin(p, pin), "group = [g, h] of S");
  std::vector<std::string> found = texts(p, {pin});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("without it there is a schedule of interval 160"), std::string::npos) << found[0];
  relaxPin(p, pin);
  EXPECT_EQ(p.nodes[0].groups, (std::vector<int>{0, 1}));
}

/// Refused by arithmetic, whatever the interval.
TEST(Pins, ContradictionsAreFoundWithoutSearch) {
  Problem p = chain("stage=3", "stage=1");
  SolveResult result = solve(p);
  EXPECT_EQ(result.status, SolveStatus::Infeasible);
  EXPECT_EQ(result.queries.size(), 0u);
  EXPECT_EQ(result.binding, "the pins contradict the dependences at every interval: the stage of 'a' and the stage of "
                            "'b' leave none");
}

/// Pins that no interval meets are refuted as such, however many intervals there are.
TEST(Pins, NoIntervalMeetsThem) {
  const std::string head = "unit U 1\ngroup g warps=4\ngroup h warps=4\n", both = "latency=10 use=U:0:10 warps=4 ";
  const std::pair<std::string, const char *> cases[] = {
      // The interval is more than a sixth of the start of a, and at most the start of b.
      {"node a " + both + "start=6000000 stage=5\nnode b " + both + "start=900000 stage=1",
       "the pins contradict the dependences at every interval: the stage of 'a' and the start of 'a' need at least "
       "1000001 cycles, the stage of 'b' and the start of 'b' at most 900000 cycles"},
      {"node a " + both + "start=4000000\nnode b " + both + "start=5\nedge a -> b delay=10",
       "the pins contradict the dependences at every interval: the start of 'a' and the start of 'b' leave none"},
      {"node a " + both + "start=0 stage=0\nnode b " + both + "stage=1\nnode c " + both +
           "start=90\nedge a -> c delay=10\nedge b -> c delay=10 distance=3\nedge c -> b delay=9000000",
       "the pins contradict the dependences at every interval: the stage of 'b' and the start of 'c' need at least "
       "4500046 cycles, and schedules have at most 4194304 cycles"},
      {"node a " + both + "start=3000000\nnode b " + both + "start=3000005",
       "unit 'U' holds 1, and the pinned starts of 'a' and 'b' let it be used 2 times at once, whatever the interval"},
      {"node a latency=10 issue=8 warps=4 group=g start=3000000\nnode b latency=10 issue=8 warps=4 group=g "
       "start=3000007",
       "group 'g' issues one operation at a time, and the pinned starts of 'a' and 'b' let it issue both at once, "
       "whatever the interval"},
      {"node a " + both + "group=g\nnode b " + both + "\nnode c " + both +
           "group=h\nedge a -> b delay=10 transfer=never\nedge b -> c delay=10 transfer=never",
       "values that pass to no other group keep nodes on one, and no group may run 'a' on 'g' and 'c' on 'h'"},
  };
  for (auto &[text, reason] : cases) {
    Result<Problem> p = parseProblem(head + text, "f");
    ASSERT_TRUE(p) << p.error().str();
    SolveResult result = solve(*p);
    EXPECT_EQ(result.status, SolveStatus::Infeasible) << text;
    EXPECT_EQ(result.queries.size(), 0u) << text;
    EXPECT_EQ(result.binding, reason);
    Result<Schedule> quick = scheduleHeuristic(*p);
    ASSERT_FALSE(quick) << text;
    EXPECT_EQ(quick.error().kind(), ErrorKind::Infeasible) << text;
    EXPECT_EQ(quick.error().message(), reason);
  }
}

/// What is called a contradiction has no schedule, and no interval below the least one has.
TEST(Pins, ArithmeticAgreesWithTheSearch) {
  int contradictions = 0, raised = 0, met = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Problem p = test::randomProblem(seed, 4);
    std::minstd_rand random(seed + 1);
    for (Node &node : p.nodes) {
      if (random() % 3 == 0)
        node.pinStart = random() % 12;
      if (random() % 3 == 0)
        node.pinStage = random() % 3;
    }
    PinnedIntervals pins = pinnedIntervals(p, ConstraintSet::all());
    contradictions += !pins.contradiction.empty();
    raised += pins.contradiction.empty() && pins.least > 1;
    for (int64_t ii = 1; ii <= 14; ++ii) {
      bool refuted = !pins.contradiction.empty() || ii < pins.least;
      bool found = test::askSlots(p, ii, /*stages=*/14) == SatAnswer::Sat;
      EXPECT_FALSE(refuted && found) << "seed " << seed << " at " << ii << ": " << pins.contradiction;
      met += found;
    }
  }
  EXPECT_GT(contradictions, 20);
  EXPECT_GT(raised, 20);
  EXPECT_GT(met, 200);
}

/// A pinned ring bounds the lifetime of its value.
TEST(Pins, RingsBoundLifetimes) {
  Result<Problem> p = parseProblem("unit U 1\nmemory m 8 ring\nnode a latency=4 use=U:0:4 mem=m:1 depth=1\n"
                                   "node b latency=4 use=U:0:4 stage=2\nedge a -> b delay=4 hold=4",
                                   "f");
  ASSERT_TRUE(p);
  p->nodes[0].pinStage = 0;
  EXPECT_FALSE(earliestStarts(*p, 8, ConstraintSet::all()));
  p->nodes[0].pinDepth = 3;
  EXPECT_TRUE(earliestStarts(*p, 8, ConstraintSet::all()));
}
