//===- DotQueueTests.cpp - dots of several groups on one tensor core --------===//
#include "DotQueue.h"
#include "gtest/gtest.h"

using namespace heddle::sim;

namespace {

/// Instructions of 64 cycles, the result 66 cycles after the last.
DotQueue::Dot dot(int64_t id, int64_t arrival, int64_t instructions = 8) {
  return {id, arrival, instructions, 64 * instructions, 66};
}

TEST(DotQueue, AGroupWaitsWhereItFindsTheQueueFull) {
  DotQueue queue(8);
  queue.add(dot(1, 0, 16));
  EXPECT_EQ(queue.issued(1), 512) << "eight of sixteen are left";
  EXPECT_EQ(queue.done(1), 1024 + 66);
  queue.add(dot(2, 100));
  EXPECT_EQ(queue.done(1), 1024 + 66) << "what is under way is not interrupted";
  EXPECT_EQ(queue.issued(2), 1024);
  EXPECT_EQ(queue.done(2), 1536 + 66);
}

TEST(DotQueue, NobodyWaitsWhereThereIsNoQueue) {
  DotQueue queue;
  queue.add(dot(1, 0, 16));
  queue.add(dot(2, 100));
  EXPECT_EQ(queue.issued(2), 0);
  EXPECT_EQ(queue.done(2), 1536 + 66);
}

TEST(DotQueue, TheOneThatHasWaitedLongestComesNext) {
  DotQueue queue(8);
  queue.add(dot(1, 0));
  queue.add(dot(2, 300));
  queue.add(dot(3, 200));
  EXPECT_EQ(queue.done(3), 1024 + 66);
  EXPECT_EQ(queue.done(2), 1536 + 66);
}

TEST(DotQueue, StopsCountWhileTheUnitWorks) {
  DotQueue queue(8);
  queue.add(dot(1, 100));
  EXPECT_FALSE(queue.busy(99));
  EXPECT_TRUE(queue.busy(100));
  queue.hinder(50, 1000); // idle then
  queue.hinder(200, 40);
  queue.hinder(150, 10);
  EXPECT_EQ(queue.done(1), 100 + 512 + 50 + 66);
  std::vector<int64_t> ends;
  queue.run(10000, [&](const DotQueue::Dot &ended, int64_t end) {
    EXPECT_EQ(ended.begin, 100);
    ends.push_back(end);
  });
  EXPECT_EQ(ends, std::vector<int64_t>{662});
  EXPECT_FALSE(queue.busy(700));
}

} // namespace
