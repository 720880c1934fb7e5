//===- NormaliseTest.cpp - Cost normalisation (Twill 5.2) -----------------===//
#include "heddle/Scheduling/Cost/Normalise.h"
#include "RandomProblems.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

int64_t pairError(const std::vector<int64_t> &c, const std::vector<int64_t> &d) {
  int64_t f = 0;
  for (size_t i = 0; i < c.size(); ++i)
    for (size_t j = 0; j < c.size(); ++j)
      f = std::max(f, std::abs(c[i] * d[j] - c[j] * d[i]));
  return f;
}

TEST(Normalise, ExactWhenRatiosFit) {
  Result<NormalisedCosts> r = normaliseCosts({1000, 500, 500, 0, 250}, 100);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->error, 0);
  EXPECT_EQ(r->sum, 99); // 44 + 22 + 22 + 11: the largest multiple of 4 : 2 : 2 : 1
  EXPECT_EQ(r->values, (std::vector<int64_t>{44, 22, 22, 0, 11}));
  EXPECT_DOUBLE_EQ(r->worstRatio, 1);
}

TEST(Normalise, AgreesWithEnumeration) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> c;
    for (int i = 0; i < 3; ++i)
      c.push_back(1 + static_cast<int64_t>(random() % 40));
    int64_t limit = 4 + static_cast<int64_t>(random() % 12);
    int64_t best = INT64_MAX, sum = 0;
    std::vector<int64_t> d(3);
    for (d[0] = 1; d[0] <= limit; ++d[0])
      for (d[1] = 1; d[1] <= limit; ++d[1])
        for (d[2] = 1; d[0] + d[1] + d[2] <= limit; ++d[2]) {
          bool equal = true; // equal costs stay equal
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
              equal &= c[i] != c[j] || d[i] == d[j];
          int64_t f = pairError(c, d);
          if (equal && (f < best || (f == best && d[0] + d[1] + d[2] > sum))) {
            best = f;
            sum = d[0] + d[1] + d[2];
          }
        }
    Result<NormalisedCosts> r = normaliseCosts(c, limit);
    ASSERT_TRUE(r);
    EXPECT_TRUE(r->exact);
    EXPECT_EQ(r->error, best) << c[0] << " " << c[1] << " " << c[2] << " limit " << limit;
    EXPECT_EQ(r->error, pairError(c, r->values));
    EXPECT_EQ(r->sum, sum);
  }
}

TEST(Normalise, Errors) {
  EXPECT_EQ(normaliseCosts({1, 2, 3}, 2).error().message(),
            "expected a limit between the number of positive costs, 3, and 1000000, got 2");
  EXPECT_EQ(normaliseCosts({-1}, 2).error().message(), "expected costs between 0 and 2147483647, got -1");
}

TEST(Normalise, RoundsPinnedStarts) {
  Result<Problem> p = parseProblem("unit A 1\nnode a latency=1000 use=A:0:1000\n"
                                   "node b latency=500 use=A:0:500 start=1040 stage=0\nedge a -> b delay=1000",
                                   "f");
  ASSERT_TRUE(p);
  Result<NormalisedProblem> r = normaliseProblem(*p, 30);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->problem.nodes[0].latency, 20);
  EXPECT_EQ(r->problem.nodes[1].pinStart, 21); // 20.8
  EXPECT_EQ(r->problem.nodes[1].pinStage, 0);
  EXPECT_EQ(r->problem.nodes[0].pinStart, -1);
}

TEST(Normalise, ProblemKeepsItsShape) {
  Result<Problem> p =
      parseProblem("unit A 1\nnode a latency=1045 use=A:0:1000 issue=8\nnode b latency=500 use=A:0:500\n"
                   "edge a -> b delay=1045 hold=500\nedge b -> a distance=1 transfer=100 delay=10",
                   "f");
  ASSERT_TRUE(p);
  Result<NormalisedProblem> r = normaliseProblem(*p, 30);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->problem.nodes[0].reservations[0].length, 20);
  EXPECT_EQ(r->problem.nodes[0].latency, 21); // 45 cycles more round up to one
  EXPECT_EQ(r->problem.nodes[1].latency, 10);
  EXPECT_EQ(r->problem.edges[0].delay, 21);
  EXPECT_EQ(r->problem.edges[0].hold, 10);
  EXPECT_EQ(r->problem.edges[1].transfer, 2);
  EXPECT_TRUE(r->problem.check());
}

} // namespace
