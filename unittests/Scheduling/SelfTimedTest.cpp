//===- SelfTimedTest.cpp - replaying the order of a schedule --------------===//
#include "heddle/Scheduling/Modulo/SelfTimed.h"
#include "ParseText.h"

#include <gtest/gtest.h>

using namespace heddle;
using test::parse;

namespace {

Schedule at(int64_t ii, std::vector<int64_t> start) {
  Schedule s;
  s.ii = ii;
  s.start = std::move(start);
  s.group.assign(s.start.size(), 0);
  s.depth.assign(s.start.size(), 1);
  return s;
}

SelfTimedOptions exact() {
  SelfTimedOptions options;
  options.slowdownPercent = 0;
  return options;
}

const char *const dotAndUse = "unit TC 1\nunit ALU 1\ngroup g warps=4\n"
                              "node dot latency=10 issue=1 async use=TC:0:10\n"
                              "node use latency=10 issue=10 use=ALU:0:10\n"
                              "edge dot -> use delay=10\n";

TEST(SelfTimed, UnitBoundIsReached) {
  Problem p = parse("unit A 1\ngroup g warps=4\nnode a latency=4 issue=4 use=A:0:4\n");
  EXPECT_EQ(selfTimedInterval(p, at(4, {0}), exact()), 4);
}

TEST(SelfTimed, ArithmeticSlowsDown) {
  Problem p = parse("unit A 1\ngroup g warps=4\nnode a latency=100 issue=100 use=A:0:100\n");
  EXPECT_EQ(selfTimedInterval(p, at(100, {0})), 125);
}

// The same interval on paper: what the order does decides.
TEST(SelfTimed, OrderDecides) {
  Problem p = parse(dotAndUse);
  // dot(i), use(i) in a row: the tensor core idles while the group computes.
  int64_t serial = selfTimedInterval(p, at(11, {0, 10}), exact());
  EXPECT_GT(serial, 11);
  EXPECT_LE(serial, 22);
}

TEST(SelfTimed, NeverBelowTheInterval) {
  Problem p = parse("unit A 1\ngroup g warps=4\nnode a latency=1 issue=1 use=A:0:1\n");
  EXPECT_EQ(selfTimedInterval(p, at(50, {0}), exact()), 50);
}

} // namespace
