//===- DescribeTests.cpp - what is said of times ----------------------------===//
#include "heddle/Pipelines/Compiler.h"

#include <gtest/gtest.h>

using namespace heddle;

TEST(Describe, TimesAreInCycles) {
  EXPECT_EQ(inCycles("unit 'ALU' is busy 158 cycles an iteration with capacity 1", 4),
            "unit 'ALU' is busy 632 cycles an iteration with capacity 1");
  EXPECT_EQ(inCycles("takes 3 cycles over 1 iteration, below 5 cycles", 8),
            "takes 24 cycles over 1 iteration, below 40 cycles");
  EXPECT_EQ(inCycles("unit 'ALU' is busy 158 cycles", 1), "unit 'ALU' is busy 158 cycles");
}

TEST(Describe, BoundsSayTheirUnit) {
  SolveResult result;
  result.bound = 128;
  EXPECT_EQ(boundText(result, 8), "1024 in units of 8 cycles");
  EXPECT_EQ(boundText(result, 1), "128");
}
