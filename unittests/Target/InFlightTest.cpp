//===- InFlightTest.cpp - what a stream has issued and not waited for ----------===//
#include "heddle/Target/Hopper/InFlight.h"

#include "gtest/gtest.h"

using namespace heddle;

namespace {

TEST(InFlight, WaitsRetireTheOldest) {
  InFlight<int> dots;
  for (int i = 0; i < 4; ++i)
    dots.issue(i);
  EXPECT_EQ(dots.retiredBy(3).size(), 1u);
  EXPECT_TRUE(dots.retiredBy(9).empty());
  dots.retire(2);
  EXPECT_EQ(dots.all().front(), 2);
}

TEST(InFlight, PathsMeetWithTheLonger) {
  InFlight<int> one, two;
  one.issue(1);
  two.issue(2);
  two.issue(3);
  one.join(two);
  EXPECT_EQ(one.size(), 2);
  two.retire(0);
  one.join(two);
  EXPECT_EQ(one.all().front(), 2);
}

} // namespace
