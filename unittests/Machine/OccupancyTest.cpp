//===- OccupancyTest.cpp - registers, groups and shared memory of a CTA ----===//
#include "heddle/Machine/Occupancy.h"

#include "gtest/gtest.h"

using namespace heddle;

TEST(Occupancy, LaunchGivesEveryThreadTheSame) {
  Occupancy sm90;
  EXPECT_EQ(sm90.launchRegisters(1), 256); // not 512: no thread can name more
  EXPECT_EQ(sm90.launchRegisters(2), 256);
  EXPECT_EQ(sm90.launchRegisters(3), 168);
  EXPECT_EQ(sm90.launchRegisters(4), 128);
  EXPECT_EQ(sm90.launchRegisters(8), 64);
  EXPECT_EQ(sm90.launchedRegisters(3), 168 * 384);
  EXPECT_EQ(sm90.maxThreads(), 1024);
}

TEST(Occupancy, BudgetsOfSetmaxnreg) {
  Occupancy sm90;
  for (int64_t regs : {24, 32, 240, 256})
    EXPECT_TRUE(sm90.isBudget(regs)) << regs;
  for (int64_t regs : {0, 16, 25, 260, 264})
    EXPECT_FALSE(sm90.isBudget(regs)) << regs;
  EXPECT_EQ(sm90.mostBudget(), 248);
}

TEST(Occupancy, EqualBudgets) {
  Occupancy sm90;
  EXPECT_EQ(sm90.equalBudgets(1).compute, 248);
  EXPECT_EQ(sm90.equalBudgets(1).load, 248);
  EXPECT_EQ(sm90.equalBudgets(2).compute, 240);
  EXPECT_EQ(sm90.equalBudgets(2).load, 24);
  EXPECT_EQ(sm90.equalBudgets(3).compute, 160);
}

TEST(Occupancy, OneGroupOfSeveralBlocks) {
  WarpLimits third;
  third.registerFile /= 3;
  Occupancy sm90(third);
  EXPECT_EQ(sm90.launchRegisters(2), 80);
  EXPECT_EQ(sm90.equalBudgets(1).load, 24);
  EXPECT_EQ(sm90.equalBudgets(1).compute, 136);
}

TEST(Occupancy, SharesOutWhatIsLeft) {
  Occupancy sm90;
  int64_t over = 0;
  EXPECT_EQ(sm90.shareOut({0, 0}, over), (std::vector<int64_t>{240, 240}));
  EXPECT_EQ(sm90.shareOut({0}, over), (std::vector<int64_t>{248}));
  EXPECT_EQ(sm90.shareOut({200, 100, 0}, over), (std::vector<int64_t>{200, 144, 144}));
  EXPECT_EQ(sm90.shareOut({101, 0, 0}, over)->front() % 8, 0);
  EXPECT_EQ(over, 0);
  EXPECT_EQ(sm90.shareOut({0, 0}, over, 32), (std::vector<int64_t>{240, 232}));
  EXPECT_FALSE(sm90.shareOut({240, 240}, over, 32));
  EXPECT_EQ(over, 8);
  for (int64_t groups = 1; groups <= 7; ++groups) {
    int64_t sum = groups == 1 ? 0 : 24;
    std::optional<std::vector<int64_t>> budgets = sm90.shareOut(std::vector<int64_t>(groups), over);
    ASSERT_TRUE(budgets);
    for (int64_t budget : *budgets) {
      EXPECT_TRUE(sm90.isBudget(budget));
      sum += budget;
    }
    EXPECT_LE(sum, sm90.budgetSum(groups + 1));
  }
}

TEST(Occupancy, SaysByHowMuchBudgetsAreOver) {
  Occupancy sm90;
  int64_t over = 0;
  EXPECT_FALSE(sm90.shareOut({248, 248, 248}, over));
  EXPECT_EQ(over, 3 * 248 + 24 - 4 * 128);
}

TEST(Occupancy, ScheduledRegistersHoldForEveryNumberOfGroups) {
  Occupancy sm90;
  EXPECT_EQ(sm90.scheduledRegisters(1, 40), 0);
  EXPECT_EQ(sm90.scheduledRegisters(2, 40), 128 * (168 * 3 - 24) + 32 * 40);
  EXPECT_EQ(sm90.scheduledRegisters(3, 41), 128 * (168 * 3 - 24) + 32 * 48);
}

TEST(Occupancy, TilesBeginAtTheSwizzlePeriod) {
  EXPECT_EQ(alignedBytes(1), 1024);
  EXPECT_EQ(alignedBytes(1024), 1024);
  EXPECT_EQ(alignedBytes(0), 0);
}
