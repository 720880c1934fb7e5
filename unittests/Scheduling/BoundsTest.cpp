//===- BoundsTest.cpp - Lower bounds and their witnesses ------------------===//
#include "heddle/Scheduling/Bounds/Bounds.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

Bound strongest(const std::string &text) {
  Result<Problem> p = parseProblem(text, "f");
  EXPECT_TRUE(p) << p.error().str();
  return computeBounds(*p).bounds.at(0);
}

TEST(Bounds, Unit) {
  Bound b = strongest("unit A 2\nnode a use=A:0:3\nnode b use=A:0:2:2");
  EXPECT_EQ(b.value, 4);
  EXPECT_EQ(b.witness, "unit 'A' is busy 7 cycles an iteration with capacity 2");
  EXPECT_EQ(b.nodes, (std::vector<int>{0, 1}));
}

TEST(Bounds, Recurrence) {
  Bound b = strongest("node a\nnode b\nedge a -> b delay=4\nedge b -> a delay=3 distance=2");
  EXPECT_EQ(b.kind, BoundKind::Recurrence);
  EXPECT_EQ(b.value, 4);
  EXPECT_EQ(b.nodes.size(), 2u);
  EXPECT_NE(b.witness.find("takes 7 cycles over 2 iterations"), std::string::npos);
}

TEST(Bounds, RecurrencePaysForcedTransfers) {
  // Study point 2 (E2): A and B on different groups, so each edge costs its transfer as well.
  Bound b = strongest("group g\ngroup h\nnode a group=g\nnode b group=h\nedge a -> b delay=1 transfer=2\n"
                      "edge b -> a delay=1 transfer=2 distance=1");
  EXPECT_EQ(b.value, 6);
}

TEST(Bounds, Issue) {
  Bound b =
      strongest("group g\ngroup h\nnode a issue=3\nnode b issue=4\nnode c issue=4 group=h\nnode d issue=2 group=h");
  EXPECT_EQ(b.value, 7);
  EXPECT_EQ(b.witness, "the fixed-latency nodes issue for 13 cycles over 2 groups");
  b = strongest("group g\ngroup h\nnode a issue=9\nnode b issue=4");
  EXPECT_EQ(b.value, 9);
  EXPECT_EQ(b.witness, "'a' issues for 9 cycles");
}

TEST(Bounds, NodesOfOneGroupOnOneUnit) {
  // Of each pair on A neither use nor issue may overlap: 5 for a, 4 for b. c uses A on another group, d no unit.
  Bound b = strongest("unit A 1\ngroup g\ngroup h\nnode a issue=5 use=A:0:2 group=g\nnode b issue=1 use=A:0:4 group=g\n"
                      "node c use=A:0:1 group=h\nnode d issue=1 group=g");
  EXPECT_EQ(b.kind, BoundKind::Exclusive);
  EXPECT_EQ(b.value, 9);
  EXPECT_EQ(b.witness,
            "the nodes of group 'g' that use unit 'A' keep each other from starting for 9 cycles an iteration");
}

TEST(Bounds, NodesThatShareAUnitDoNotExcludeEachOther) {
  Bound b = strongest("unit A 2\ngroup g\nnode a issue=1 use=A:0:4\nnode b issue=1 use=A:0:4");
  EXPECT_EQ(b.kind, BoundKind::Unit);
  EXPECT_EQ(b.value, 4);
}

TEST(Bounds, RegistersBesideARecurrence) {
  // The sum a -> b -> a holds 6 in every cycle, and c needs 5 beside it.
  Bound b = strongest("group g regs=10\nnode a regs=6\nnode b regs=7\nnode c regs=5\nedge a -> b delay=2\n"
                      "edge b -> a delay=2 distance=1\nedge c -> b delay=1");
  EXPECT_TRUE(b.infeasible);
  EXPECT_EQ(
      b.witness,
      "'c' needs 5 registers a thread beside 6 that recurrences hold at any time ('a', 'b'), and group 'g' has 10 "
      "for values: 1 too many");
}

TEST(Bounds, RegistersOfWhatANodeReads) {
  // a and b are both there when c begins, beside the sum d, which holds 2 in every cycle.
  Bound b = strongest("group g regs=10\nnode a regs=5\nnode b regs=4\nnode c regs=1\nnode d regs=2\n"
                      "edge a -> c delay=1\nedge b -> c delay=2\nedge c -> d delay=1\nedge d -> d delay=1 distance=1");
  EXPECT_TRUE(b.infeasible);
  EXPECT_EQ(b.witness, "'c' needs 9 registers a thread for what it reads ('a', 'b') beside 2 that recurrences hold at "
                       "any time ('d'), and group 'g' has 10 for values: 1 too many");
  EXPECT_FALSE(strongest("group g regs=11\nnode a regs=5\nnode b regs=4\nnode c regs=1\nnode d regs=2\n"
                         "edge a -> c delay=1\nedge b -> c delay=2\nedge c -> d delay=1\n"
                         "edge d -> d delay=1 distance=1")
                   .infeasible);
}

TEST(Bounds, Memory) {
  Bound b =
      strongest("memory m 4\nnode a mem=m:3\nnode b mem=m:2\nnode c\nedge a -> c delay=5 hold=1\nedge b -> c delay=2");
  EXPECT_EQ(b.kind, BoundKind::Memory);
  EXPECT_EQ(b.value, 6); // (3 * 6 + 2 * 2) / 4, rounded up
}

TEST(Bounds, RingsThatNeverFit) {
  Bound b = strongest("memory m 4 ring\nnode a mem=m:3\nnode b mem=m:2");
  EXPECT_TRUE(b.infeasible);
  EXPECT_EQ(b.witness, "memory 'm' holds 4 and its rings need at least 5: over by 1");
}

TEST(Bounds, RingDepth) {
  Bound b = strongest("memory m 7 ring\nnode a mem=m:3\nnode c\nedge a -> c delay=9");
  EXPECT_EQ(b.kind, BoundKind::Ring);
  EXPECT_EQ(b.value, 5); // two slots at most, so 2 * ii >= 9
}

TEST(Bounds, Registers) {
  Bound b =
      strongest("group g regs=10\nnode a regs=6\nnode b regs=4\nnode c\nedge a -> c delay=3\nedge b -> c delay=4");
  EXPECT_EQ(b.kind, BoundKind::Registers);
  EXPECT_EQ(b.value, 4); // 6 * 3 + 4 * 4 = 34 over 10
}

TEST(Bounds, ValueThatFitsNoGroup) {
  Bound b = strongest("group g regs=10\ngroup h regs=12\nnode a regs=15\nnode c\nedge a -> c delay=3");
  EXPECT_TRUE(b.infeasible);
  EXPECT_EQ(b.witness, "'a' needs 15 registers a thread and group 'h' has 12 for values: 3 too many");
}

// Accumulators are alive in every cycle, whatever the interval (the backward pass on one group).
TEST(Bounds, CarriedValuesThatNeverFit) {
  Bound b = strongest("group g regs=100\nnode a regs=60\nnode b regs=60\nedge a -> a delay=9 distance=1\nedge b -> b "
                      "delay=9 distance=1");
  EXPECT_TRUE(b.infeasible);
  EXPECT_EQ(
      b.witness,
      "group 'g' (registers a thread) has 100, and the values of the nodes pinned to it carried from one iteration to "
      "the next need 120 at any interval");
}

TEST(Bounds, CriticalLength) {
  Result<Problem> p =
      parseProblem("node a latency=2\nnode b latency=5\nedge a -> b delay=2\nedge b -> a delay=5 distance=1", "f");
  ASSERT_TRUE(p);
  EXPECT_EQ(criticalLength(*p, 7), 7);
  EXPECT_EQ(criticalLength(*p, 6), -1);
}

TEST(Bounds, SmallestBudgets) {
  Bound b = strongest("registers file=100\ngroup g\nnode a");
  EXPECT_TRUE(b.infeasible);
  EXPECT_EQ(b.witness,
            "'a' can run on no group: the smallest budget of group 'g', 24 registers a thread, takes 3072 of "
            "the register file, which has 100: over by 2972");
  EXPECT_TRUE(strongest("registers file=3071\ngroup g\nnode a latency=2").infeasible);
  EXPECT_TRUE(computeBounds(*parseProblem("registers file=3072\ngroup g\nnode a", "f")).bounds.empty());
  b = strongest("registers file=15360 min=24\ngroup g regs=16\nnode a regs=4 group=g live=1");
  EXPECT_EQ(b.witness,
            "'a' can run on no group: group 'g' has at most 16 registers a thread, and the smallest budget is "
            "24: over by 8");
  // Another group will do, or nothing is limited.
  EXPECT_FALSE(strongest("registers file=15360\ngroup g regs=16\ngroup h\nnode a issue=1").infeasible);
  EXPECT_FALSE(strongest("registers min=24\ngroup g regs=16\nnode a issue=1").infeasible);
  b = strongest("registers file=8192 overhead=4\ngroup g\ngroup h\nnode a regs=38 live=1 group=g\nnode b group=h");
  EXPECT_EQ(b.witness, "the smallest budgets of groups that nodes are pinned to, 'g' (48 a thread), 'h' (24 a thread), "
                       "take 9216 of the register file, which has 8192: over by 1024");
}

} // namespace
