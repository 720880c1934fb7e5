//===- OverlapTest.cpp - steps along dimensions against enumeration ---------===//
#include "heddle/Address/Overlap.h"

#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace heddle::address;

namespace {

/// Whether two different positions of the view are one element.
bool meets(const std::vector<Reach> &dims) {
  std::multiset<int64_t> elements{0};
  for (const Reach &dim : dims) {
    std::multiset<int64_t> more;
    for (int64_t element : elements)
      for (int64_t i = 0; i < *dim.span; ++i)
        more.insert(element + i * dim.stride);
    elements = std::move(more);
  }
  return std::set<int64_t>(elements.begin(), elements.end()).size() < elements.size();
}

TEST(Overlap, SaysSoWhereverPositionsMeet) {
  std::mt19937 drawn(1);
  auto draw = [&](int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(drawn); };
  int64_t met = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Reach> dims(draw(1, 3));
    for (Reach &dim : dims)
      dim = {draw(0, 12), draw(1, 4), true};
    if (!meets(dims))
      continue;
    ++met;
    EXPECT_TRUE(mayMeet(dims));
  }
  EXPECT_GT(met, 500);
}

TEST(Overlap, RowsOneBehindAnotherDoNotMeet) {
  EXPECT_FALSE(mayMeet({{64, std::nullopt, true}, {1, 64, false}}));
  EXPECT_TRUE(mayMeet({{63, std::nullopt, true}, {1, 64, false}}));
  EXPECT_FALSE(mayMeet({{4096, 8, true}, {64, 64, false}, {1, 64, true}}));
  EXPECT_TRUE(mayMeet({{4000, 8, true}, {64, 64, false}, {1, 64, true}}));
  EXPECT_FALSE(mayMeet({{0, 1, true}, {1, 64, false}}));
  EXPECT_TRUE(mayMeet({{0, std::nullopt, true}, {1, 64, false}}));
}

TEST(Overlap, WhatStaysMayBeAnything) {
  EXPECT_FALSE(mayMeet({{8, 4, false}, {1, 64, false}}));
  EXPECT_FALSE(mayMeet({{1, std::nullopt, true}, {100, 64, false}})); // where rows end is not known
}

} // namespace
