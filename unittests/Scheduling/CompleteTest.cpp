//===- CompleteTest.cpp - schedules around pinned times --------------------===//
#include "RandomProblems.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Policy/Policy.h"
#include "heddle/Scheduling/Problem/Coarse.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::test;

namespace {

/// A problem without pins and a random legal schedule of it; none: the seed has none.
std::optional<std::pair<Problem, Schedule>> scheduled(unsigned seed) {
  Problem p = randomProblem(seed, 8);
  for (Node &node : p.nodes)
    node.pinStart = node.pinStage = node.pinDepth = -1;
  RandomOptions random;
  random.seed = seed;
  Result<Schedule> s = scheduleRandom(p, random);
  return s ? std::optional(std::pair(p, *s)) : std::nullopt;
}

/// Every time multiplied by `factor`: a problem whose intervals are long.
Problem stretched(Problem p, int64_t factor) {
  forEachDuration(p, [&](int64_t &t) { t = t > 0 ? t * factor : t; });
  return p;
}

TEST(Complete, EveryPartOfALegalScheduleHasOne) {
  int tried = 0;
  for (unsigned seed = 1; tried < 60; ++seed) {
    auto made = scheduled(seed);
    if (!made)
      continue;
    auto [p, s] = *made;
    std::mt19937 random(seed);
    for (size_t v = 0; v < p.nodes.size(); ++v)
      if (random() % 2)
        p.nodes[v].pinStart = s.start[v];
    ASSERT_TRUE(verifySchedule(p, s).empty()) << seed;
    ++tried;
    SolveOptions options;
    options.maxII = s.ii;
    std::optional<Schedule> found = scheduleAround(p, options);
    ASSERT_TRUE(found) << seed;
    EXPECT_LE(found->ii, s.ii) << seed;
    EXPECT_TRUE(verifySchedule(p, *found).empty()) << seed;
  }
}

TEST(Complete, TheOrderOfAScheduleTakesThePinsThatAgreeWithIt) {
  int tried = 0, kept = 0;
  for (unsigned seed = 1; tried < 60; ++seed) {
    auto made = scheduled(seed);
    if (!made)
      continue;
    auto [p, s] = *made;
    ++tried;
    Problem fine = stretched(p, 7);
    for (size_t v = 0; v < fine.nodes.size(); v += 2)
      fine.nodes[v].pinStart = s.start[v] * 7;
    SolveOptions options;
    options.minII = options.maxII = s.ii * 7;
    std::optional<Schedule> found = scheduleInOrder(fine, p, s, options);
    kept += found.has_value();
    if (found) {
      EXPECT_TRUE(verifySchedule(fine, *found).empty()) << seed;
    }
  }
  EXPECT_GE(kept, 50); // how values share registers is not searched, only repaired
}

TEST(Complete, PinsThatContradictTheDependencesHaveNone) {
  for (unsigned seed = 1;; ++seed) {
    auto made = scheduled(seed);
    if (!made || made->first.edges.empty() || made->first.edges[0].distance || !made->first.edges[0].delay)
      continue;
    Problem p = made->first;
    p.nodes[p.edges[0].from].pinStart = p.nodes[p.edges[0].to].pinStart = 3;
    EXPECT_FALSE(scheduleAround(p, {}));
    EXPECT_FALSE(scheduleInOrder(p, made->first, made->second, {}));
    return;
  }
}

} // namespace
