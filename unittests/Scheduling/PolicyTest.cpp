//===- PolicyTest.cpp - which schedule of a loop is kept, without MLIR ----===//
#include "heddle/Scheduling/Policy/Policy.h"
#include "ParseText.h"
#include "RandomProblems.h"
#include "heddle/Scheduling/Cost/Scale.h"
#include "heddle/Scheduling/Policy/Cache.h"
#include "heddle/Scheduling/Policy/Solved.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace heddle;
using test::parse;

namespace {

/// Two sub-tiles of a product whose result each group maps.
const char *const twoTiles = "unit TC 1\nunit ALU 1\nmemory smem 1000 ring\ngroup load warps=1 variable\n"
                             "group c0 regs=100\ngroup c1 regs=100\n"
                             "node load latency=50 issue=2 async variable use=TC:0:1 mem=smem:100\n"
                             "node dot0 latency=40 issue=2 async warps=4 regs=30 use=TC:0:40 group=c0\n"
                             "node dot1 latency=40 issue=2 async warps=4 regs=30 use=TC:0:40 group=c1\n"
                             "node map0 latency=30 issue=20 warps=4 regs=30 use=ALU:0:20 group=c0\n"
                             "node map1 latency=30 issue=20 warps=4 regs=30 use=ALU:0:20 group=c1\n"
                             "edge load -> dot0 delay=50 hold=40\nedge load -> dot1 delay=50 hold=40\n"
                             "edge dot0 -> map0 delay=40 transfer=20\nedge dot1 -> map1 delay=40 transfer=20\n"
                             "edge map0 -> map0 delay=30 distance=1\nedge map1 -> map1 delay=30 distance=1\n";

/// The loop of a problem with pinned groups: those are the homes, and the joint problem is free of them.
LoopSource sourceOf(const Problem &pinned, int *asked = nullptr) {
  LoopSource source;
  source.at = [=](int64_t resolution) -> Result<LoopInstance> {
    if (asked)
      ++*asked;
    LoopInstance loop;
    loop.problem = pinned;
    loop.resolution = resolution;
    for (int v = 0; v < static_cast<int>(pinned.nodes.size()); ++v) {
      std::vector<int> allowed = pinned.allowedGroups(v);
      loop.homes.push_back(allowed.empty() ? 0 : allowed[0]);
      loop.problem.nodes[v].groups.clear();
    }
    scaleTimes(loop.problem, cyclesForResolution(loop.problem, resolution));
    return loop;
  };
  return source;
}

TEST(Policy, EveryEffortGivesALegalSchedule) {
  Problem p = parse(twoTiles);
  int64_t last = INT64_MAX;
  for (Effort effort : {Effort::Order, Effort::Heuristic, Effort::Budget, Effort::Proof}) {
    PolicyOptions options;
    options.effort = effort;
    options.resolution = 0;
    options.overlap = effort != Effort::Order;
    Result<PolicyResult> r = scheduleByPolicy(sourceOf(p), options);
    ASSERT_TRUE(r) << static_cast<int>(effort) << " " << r.error().str();
    EXPECT_TRUE(verifySchedule(r->loop.problem, r->result.schedule).empty());
    EXPECT_LE(r->result.schedule.ii, last) << static_cast<int>(effort);
    last = r->result.schedule.ii;
    if (r->result.status == SolveStatus::Optimal)
      EXPECT_TRUE(checkCertificate(r->loop.problem, r->certificate));
    if (effort == Effort::Order)
      EXPECT_EQ(r->result.schedule.stages(r->loop.problem), 1);
  }
  EXPECT_EQ(last, 81); // the unit TC with the load's cycle
}

TEST(Policy, NodesRunOnTheirHomes) {
  PolicyOptions options;
  options.resolution = 0;
  Result<PolicyResult> r = scheduleByPolicy(sourceOf(parse(twoTiles)), options);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->result.schedule.group, (std::vector<int>{0, 1, 2, 1, 2}));
}

TEST(Policy, ResultsDoNotDependOnTheClock) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    Problem p = test::randomProblem(seed, 6);
    if (p.groups.empty())
      continue;
    PolicyOptions options;
    options.assignment = Assignment::Given;
    options.resolution = 0;
    std::string texts[2];
    for (std::string &text : texts) {
      Result<PolicyResult> r = scheduleByPolicy(sourceOf(p), options);
      text = r ? writeSchedule(r->loop.problem, r->result.schedule) : r.error().str();
      options.solve.timeLimit = options.solve.timeLimit + 100;
    }
    EXPECT_EQ(texts[0], texts[1]) << seed;
  }
}

TEST(Policy, AScheduleIsFoundWhereverOneExists) {
  int made = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    Problem p = test::randomProblem(seed, 5);
    SolveOptions solving;
    solving.lexicographic = solving.explain = false;
    SolveResult known = solve(p, solving);
    PolicyOptions options;
    options.assignment = Assignment::Given;
    options.resolution = 0;
    LoopSource source;
    source.at = [&](int64_t resolution) -> Result<LoopInstance> {
      return LoopInstance{p, std::vector<int>(p.nodes.size(), 0), resolution, false};
    };
    Result<PolicyResult> r = scheduleByPolicy(source, options);
    EXPECT_EQ(static_cast<bool>(r), known.hasSchedule) << seed << (r ? "" : r.error().str());
    made += static_cast<bool>(r);
    if (r && known.status == SolveStatus::Optimal)
      EXPECT_EQ(r->result.schedule.ii, known.schedule.ii) << seed;
  }
  EXPECT_GT(made, 10);
}

TEST(Policy, SaysWhyThereIsNone) {
  Problem p = parse("memory m 10 ring\ngroup g\nnode a latency=1 mem=m:20\nedge a -> a distance=1\n");
  PolicyOptions options;
  Result<PolicyResult> r = scheduleByPolicy(sourceOf(p), options);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().kind(), ErrorKind::Infeasible);
  EXPECT_NE(r.error().message().find("memory 'm' holds 10"), std::string::npos) << r.error().message();
}

TEST(Policy, OnlyIntervalsBelowALimitAreOfUse) {
  Problem p = parse(twoTiles);
  PolicyOptions options;
  Result<PolicyResult> free = scheduleByPolicy(sourceOf(p), options);
  ASSERT_TRUE(free) << free.error().str();
  int64_t cycles = free->result.schedule.ii * free->loop.problem.scale;
  options.below = cycles + 1;
  Result<PolicyResult> same = scheduleByPolicy(sourceOf(p), options);
  ASSERT_TRUE(same) << same.error().str();
  EXPECT_EQ(same->result.schedule.ii * same->loop.problem.scale, cycles);
  options.below = free->result.mii * free->loop.problem.scale;
  EXPECT_FALSE(scheduleByPolicy(sourceOf(p), options));
}

TEST(Policy, WhatNoIntervalHasIsRefusedAtOnce) {
  // Each product's result is read a whole iteration later, so that two of 30 registers are alive beside 45 others.
  std::string text =
      "unit TC 1\nunit ALU 1\ngroup c0 regs=100\n"
      "node dot latency=40 issue=2 async warps=4 regs=30 use=TC:0:40\n"
      "node map latency=30 issue=20 warps=4 regs=45 use=ALU:0:20\n"
      "edge dot -> map delay=40\nedge dot -> map delay=40 distance=2\nedge map -> map delay=30 distance=1\n";
  int asked = 0;
  PolicyOptions options;
  Result<PolicyResult> r = scheduleByPolicy(sourceOf(parse(text), &asked), options);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().kind(), ErrorKind::Infeasible);
  EXPECT_LE(asked, 2); // no other resolution
}

TEST(Policy, CacheGivesTheSameAndIsChecked) {
  std::filesystem::path dir = std::filesystem::temp_directory_path() / ("heddle_cache_" + std::to_string(getpid()));
  PolicyOptions options;
  options.resolution = 0;
  options.cache = dir.string() + "/below";
  Problem p = parse(twoTiles);
  Result<PolicyResult> first = scheduleByPolicy(sourceOf(p), options), second = scheduleByPolicy(sourceOf(p), options);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->fromCache);
  EXPECT_TRUE(second->fromCache);
  EXPECT_EQ(writeSchedule(p, first->result.schedule), writeSchedule(p, second->result.schedule));
  EXPECT_EQ(first->result.bound, second->result.bound);
  EXPECT_EQ(first->certificate, second->certificate);
  // Damaged entries are as if they were not there.
  for (auto &entry : std::filesystem::directory_iterator(options.cache)) {
    std::string text = *readFile(entry.path().string());
    size_t at = text.find("at dot0 ");
    ASSERT_NE(at, std::string::npos);
    text[at + 8] = text[at + 8] == '9' ? '8' : '9';
    ASSERT_TRUE(writeFile(entry.path().string(), text));
  }
  Result<PolicyResult> third = scheduleByPolicy(sourceOf(p), options);
  ASSERT_TRUE(third);
  EXPECT_FALSE(third->fromCache);
  options.effort = Effort::Proof; // other options, another entry
  EXPECT_FALSE(scheduleByPolicy(sourceOf(p), options)->fromCache);
  std::filesystem::remove_all(dir);
}

TEST(Policy, SolvedLoopsAreFoundAgain) {
  Problem p = parse(twoTiles);
  PolicyOptions options;
  options.solved = std::make_shared<SolvedLoops>();
  options.solve.deadline = Deadline().withPurse(100000000);
  int asked = 0;
  Result<PolicyResult> first = scheduleByPolicy(sourceOf(p, &asked), options);
  ASSERT_TRUE(first);
  const int64_t left = options.solve.deadline.inPurse();
  ASSERT_LT(left, 100000000);
  asked = 0;
  Result<PolicyResult> second = scheduleByPolicy(sourceOf(p, &asked), options);
  ASSERT_TRUE(second);
  EXPECT_LE(asked, 2); // the resolution asked for, and the one that was kept
  EXPECT_EQ(writeSchedule(first->loop.problem, first->result.schedule),
            writeSchedule(second->loop.problem, second->result.schedule));
  EXPECT_EQ(first->certificate, second->certificate);
  EXPECT_EQ(options.solve.deadline.inPurse(), 2 * left - 100000000); // it costs what the search did
  // With less in the purse the search would not have come so far.
  options.solve.deadline = Deadline().withPurse(100000000 - left);
  asked = 0;
  ASSERT_TRUE(scheduleByPolicy(sourceOf(p, &asked), options));
  EXPECT_GT(asked, 2);
  // Other options have other results; so do other problems.
  options.solve.deadline = Deadline();
  options.tries = 3;
  asked = 0;
  ASSERT_TRUE(scheduleByPolicy(sourceOf(p, &asked), options));
  EXPECT_GT(asked, 2);
}

TEST(Policy, WhatIsRefusedIsRefusedAgain) {
  std::string text = "unit TC 1\nunit ALU 1\ngroup c0 regs=100\n"
                     "node dot latency=40 issue=2 async warps=4 regs=30 use=TC:0:40\n"
                     "node map latency=30 issue=20 warps=4 regs=45 use=ALU:0:20\n"
                     "edge dot -> map delay=40\nedge dot -> map delay=40 distance=2\n"
                     "edge map -> map delay=30 distance=1\n";
  PolicyOptions options;
  options.solved = std::make_shared<SolvedLoops>();
  Result<PolicyResult> first = scheduleByPolicy(sourceOf(parse(text)), options);
  ASSERT_FALSE(first);
  int asked = 0;
  Result<PolicyResult> second = scheduleByPolicy(sourceOf(parse(text), &asked), options);
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error().str(), second.error().str());
  EXPECT_EQ(first.error().kind(), second.error().kind());
  EXPECT_EQ(asked, 1);
}

TEST(Policy, LoopsShareAPurse) {
  std::filesystem::path dir = std::filesystem::temp_directory_path() / ("heddle_purse_" + std::to_string(getpid()));
  PolicyOptions options;
  Problem p = parse(twoTiles);
  // A purse that suffices changes nothing.
  Result<PolicyResult> without = scheduleByPolicy(sourceOf(p), options);
  options.solve.deadline = Deadline().withPurse(100000000);
  Result<PolicyResult> whole = scheduleByPolicy(sourceOf(p), options);
  ASSERT_TRUE(without && whole);
  EXPECT_EQ(writeSchedule(without->loop.problem, without->result.schedule),
            writeSchedule(whole->loop.problem, whole->result.schedule));
  EXPECT_EQ(without->steps, 0);
  ASSERT_GT(whole->steps, 0);
  EXPECT_EQ(options.solve.deadline.inPurse(), 100000000 - whole->steps);
  // Where it is spent, there still is a schedule.
  options.solve.deadline = Deadline().withPurse(0);
  Result<PolicyResult> none = scheduleByPolicy(sourceOf(p), options);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->result.hasSchedule);
  EXPECT_FALSE(none->stoppedChoosing);
  // What the cache gives costs what it took; with less than that the search would not have come so far.
  options.cache = dir.string() + "/below";
  for (bool known : {false, true}) {
    options.solve.deadline = Deadline().withPurse(whole->steps + 1);
    Result<PolicyResult> r = scheduleByPolicy(sourceOf(p), options);
    ASSERT_TRUE(r);
    EXPECT_EQ(r->fromCache, known);
    EXPECT_EQ(options.solve.deadline.inPurse(), 1);
  }
  options.solve.deadline = Deadline().withPurse(whole->steps);
  Result<PolicyResult> less = scheduleByPolicy(sourceOf(p), options);
  ASSERT_TRUE(less);
  EXPECT_FALSE(less->fromCache);
  std::filesystem::remove_all(dir);
}

} // namespace
