//===- AlikeTest.cpp - groups that run one order ---------------------------===//
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Policy/Policy.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

/// Two groups, each with a product, two operations on its result that do not need each other, and a product of both.
Problem twoGroups(const std::string &ofSecond = "", const std::string &more = "") {
  std::string text = "unit TC 1\nunit ALU 1\n";
  for (const char *group : {"g0", "g1"})
    text += std::string("group ") + group + " warps=4 regs=240\n";
  for (int g = 0; g < 2; ++g) {
    std::string s = std::to_string(g), on = " group=g" + s;
    text += "node s" + s + " latency=10 issue=2 async warps=4 use=TC:0:10" + on + "\n";
    text += "node a" + s + " latency=5 issue=5 warps=4 use=ALU:0:5" + on + (g ? ofSecond : "") + "\n";
    text += "node b" + s + " latency=5 issue=5 warps=4 use=ALU:0:5" + on + "\n";
    text += "node o" + s + " latency=10 issue=2 async warps=4 use=TC:0:10" + on + "\n";
    for (const char *of : {"a", "b"})
      text += "edge s" + s + " -> " + of + s + " delay=10\nedge " + of + s + " -> o" + s + " delay=5\n";
  }
  Result<Problem> p = parseProblem(text + more, "two-groups.sched");
  EXPECT_TRUE(p) << (p ? "" : p.error().message());
  return *p;
}

/// Products half an interval apart; the groups run `a` and `b` at these times.
Schedule schedule(const Problem &p, int64_t a0, int64_t b0, int64_t a1, int64_t b1) {
  Schedule s;
  s.ii = 40;
  s.start = {0, a0, b0, 30, 20, a1, b1, 50};
  s.group = {0, 0, 0, 0, 1, 1, 1, 1};
  fillDepths(p, s);
  s.groupRegs = {240, 240};
  EXPECT_TRUE(verifySchedule(p, s, s.constraints).empty()) << verifySchedule(p, s, s.constraints)[0].message;
  return s;
}

TEST(Alike, GroupsTakeTheOrderOfTheFirst) {
  Problem p = twoGroups();
  std::optional<Schedule> same = scheduleAlike(p, schedule(p, 10, 15, 35, 30), 40, {});
  ASSERT_TRUE(same);
  EXPECT_EQ(same->ii, 40);
  EXPECT_EQ(same->start, (std::vector<int64_t>{0, 10, 15, 30, 20, 30, 35, 50}));
}

TEST(Alike, SaysNothingOfGroupsThatAre) {
  Problem p = twoGroups();
  EXPECT_FALSE(scheduleAlike(p, schedule(p, 10, 15, 30, 35), 40, {}));
}

TEST(Alike, LeavesPinnedTimesToTheUser) {
  Problem p = twoGroups(" start=35");
  EXPECT_FALSE(scheduleAlike(p, schedule(p, 10, 15, 35, 30), 40, {}));
}

TEST(Alike, NeedsOperationsThatCorrespond) {
  Problem p = twoGroups("", "edge a1 -> a1 delay=5 distance=1\n");
  EXPECT_FALSE(scheduleAlike(p, schedule(p, 10, 15, 35, 30), 40, {}));
  Problem joined = twoGroups("", "edge a0 -> b1 delay=5\n");
  EXPECT_FALSE(scheduleAlike(joined, schedule(joined, 10, 15, 35, 30), 40, {}));
}

/// Where the times of neither group suit both, as with what else keeps the unit busy, groups get times of their own.
TEST(Alike, FindsOtherTimesForTheOrder) {
  Problem p = twoGroups("", "group g2 warps=4 regs=240 variable\n"
                            "node x latency=5 issue=5 variable warps=4 use=ALU:0:5 start=28\n"
                            "node y latency=5 issue=5 variable warps=4 use=ALU:0:5 start=16\n");
  Schedule s;
  s.ii = 40;
  s.start = {0, 10, 21, 30, 20, 40, 35, 50, 28, 16};
  s.group = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
  fillDepths(p, s);
  s.groupRegs = {160, 160, 160};
  ASSERT_TRUE(verifySchedule(p, s, s.constraints).empty()) << verifySchedule(p, s, s.constraints)[0].message;
  std::optional<Schedule> same = scheduleAlike(p, s, 40, {});
  ASSERT_TRUE(same);
  EXPECT_EQ(same->ii, 40);
  EXPECT_EQ(same->start[1] < same->start[2], same->start[5] < same->start[6]);
  EXPECT_TRUE(verifySchedule(p, *same, same->constraints).empty());
}

} // namespace
