//===- StaggerTest.cpp - groups that take turns ---------------------------===//
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Policy/Policy.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

/// Two groups, each with a product, arithmetic on its result and a product of that; the products keep their unit for 40
/// time units of an interval of at least 40.
Problem twoGroups(const std::string &pin = "") {
  std::string text = "unit TC 1\nunit ALU 1\n";
  for (const char *group : {"g0", "g1"})
    text += std::string("group ") + group + " warps=4 regs=240\n";
  for (int g = 0; g < 2; ++g) {
    std::string s = std::to_string(g), on = " group=g" + s;
    text += "node s" + s + " latency=12 issue=2 async warps=4 use=TC:0:10" + on + (g ? "" : pin) + "\n";
    text += "node e" + s + " latency=15 issue=15 warps=4 use=ALU:0:15" + on + "\n";
    text += "node o" + s + " latency=12 issue=2 async warps=4 use=TC:0:10" + on + "\n";
    text += "edge s" + s + " -> e" + s + " delay=12\nedge e" + s + " -> o" + s + " delay=15\n";
    text += "edge o" + s + " -> o" + s + " delay=10 distance=1\n";
  }
  Result<Problem> p = parseProblem(text, "two-groups.sched");
  EXPECT_TRUE(p) << (p ? "" : p.error().message());
  return *p;
}

TEST(Stagger, ProductsOfAGroupFollowEachOtherAndGroupsBeginHalfAnIntervalApart) {
  Problem p = twoGroups();
  std::optional<Schedule> s = scheduleStaggered(p, 40, 50, {});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->ii, 40);
  EXPECT_TRUE(verifySchedule(p, *s, s->constraints).empty());
  std::vector<int64_t> offsets;
  for (size_t v = 0; v < p.nodes.size(); ++v)
    if (p.nodes[v].async)
      offsets.push_back(s->start[v] % s->ii);
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 10, 20, 30}));
}

TEST(Stagger, SaysWhichGroupsTakeTurns) {
  Problem p = twoGroups();
  std::optional<Schedule> s = scheduleStaggered(p, 40, 50, {});
  ASSERT_TRUE(s);
  ASSERT_EQ(groupsInTurn(p, *s), (std::vector<int>{0, 1}));
  Schedule later = *s; // the first group begins behind the second one
  for (size_t v = 0; v < p.nodes.size(); ++v)
    later.start[v] += later.group[v] == 0 ? 40 : 0;
  EXPECT_EQ(groupsInTurn(p, later), (std::vector<int>{1, 0}));
  Schedule mixed = *s; // s0, s1, o0, o1
  mixed.start[0] = 0;
  mixed.start[3] = 10;
  mixed.start[2] = 60;
  mixed.start[5] = 70;
  EXPECT_TRUE(groupsInTurn(p, mixed).empty());
  Schedule apart = *s; // the groups' products lie at different distances
  apart.start[5] += 40;
  EXPECT_TRUE(groupsInTurn(p, apart).empty());
  p.nodes[3].async = p.nodes[5].async = false; // one group issues all of them
  EXPECT_TRUE(groupsInTurn(p, *s).empty());
}

TEST(Stagger, LeavesPinnedTimesToTheUser) { EXPECT_FALSE(scheduleStaggered(twoGroups(" start=3"), 40, 50, {})); }

TEST(Stagger, NeedsGroupsThatAreGiven) {
  Problem p = twoGroups();
  for (Node &node : p.nodes)
    node.groups.clear();
  EXPECT_FALSE(scheduleStaggered(p, 40, 50, {}));
}

TEST(Stagger, FindsNothingBelowTheLeastInterval) { EXPECT_FALSE(scheduleStaggered(twoGroups(), 30, 38, {})); }

TEST(Late, WhatProductsBeginWithIsReadRightBeforeThem) {
  std::string text = "unit TC 1\nunit ALU 1\ngroup g0 warps=4 regs=240\n"
                     "node read latency=5 issue=5 warps=4 regs=32 use=ALU:0:5 group=g0\n"
                     "node both latency=5 issue=5 warps=4 regs=32 use=ALU:0:5 group=g0\n"
                     "node product latency=12 issue=2 async warps=4 regs=64 use=TC:0:10 group=g0\n"
                     "node map latency=15 issue=15 warps=4 regs=64 use=ALU:0:15 group=g0\n"
                     "edge read -> product delay=5\nedge both -> product delay=5\nedge both -> map delay=5\n"
                     "edge product -> map delay=12\nedge map -> product delay=15 distance=1\n";
  Result<Problem> p = parseProblem(text, "late.sched");
  ASSERT_TRUE(p) << p.error().message();
  Schedule s;
  s.ii = 60;
  s.start = {0, 5, 30, 42};
  s.group = {0, 0, 0, 0};
  finishSchedule(*p, s);
  ASSERT_TRUE(verifySchedule(*p, s, s.constraints).empty()) << verifySchedule(*p, s, s.constraints)[0].message;
  postponeReads(*p, s, s.constraints);
  EXPECT_TRUE(verifySchedule(*p, s, s.constraints).empty());
  EXPECT_EQ(s.start[0], 25) << "it ends as the product begins";
  EXPECT_EQ(s.start[1], 5) << "arithmetic takes it, too";
  EXPECT_EQ(s.start[2], 30);
  // Where its unit is taken it is read before that.
  s.start = {0, 25, 30, 42};
  finishSchedule(*p, s);
  postponeReads(*p, s, s.constraints);
  EXPECT_TRUE(verifySchedule(*p, s, s.constraints).empty());
  EXPECT_GT(s.start[0], 0);
  EXPECT_LE(s.start[0], 20);
  p->nodes[0].pinStart = 0;
  s.start = {0, 5, 30, 42};
  finishSchedule(*p, s);
  postponeReads(*p, s, s.constraints);
  EXPECT_EQ(s.start[0], 0) << "as the plan says";
}

} // namespace
