//===- PinsTest.cpp - Pins: what they say, and which are to blame -----------===//
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
  EXPECT_NE(result.binding.find("the pins contradict the dependences at every interval from"), std::string::npos);
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
