//===- OuterTest.cpp - a loop around loops as an ordinary problem ----------===//
//
// Two output tiles of a persistent product an iteration, their main loops as nodes: with a warp group for each tile the
// epilogues lie beside the other tile's main loop.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Certificate.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Certify.h"
#include "heddle/Scheduling/Solver/Solve.h"
#include <gtest/gtest.h>

using namespace heddle;

static Problem twoTiles(int groups) {
  std::string text = "problem tiles\nunit TC 1\nunit MIO 1\nunit TMA 1\nregisters file=65536 overhead=40\n";
  for (int g = 0; g < groups; ++g)
    text += "group compute" + std::to_string(g) + " warps=4 regs=240\n";
  for (int t = 0; t < 2; ++t) {
    std::string n = std::to_string(t);
    text += "node main" + n + " latency=82 issue=82 warps=4 regs=128 use=TC:0:82\n" + "node epi" + n +
            " latency=14 issue=14 warps=4 use=MIO:0:8 use=TMA:4:10\n";
  }
  text += "edge main0 -> epi0 delay=82 transfer=never\nedge main1 -> epi1 delay=82 transfer=never\n";
  Result<Problem> problem = parseProblem(text, "tiles.sched");
  EXPECT_TRUE(problem) << problem.error().str();
  return *problem;
}

TEST(Outer, TwoGroupsHideEpilogues) {
  Problem problem = twoTiles(2);
  SolveResult result = solve(problem);
  EXPECT_EQ(result.status, SolveStatus::Optimal);
  EXPECT_EQ(result.schedule.ii, 164);
  EXPECT_EQ(result.bound, 164);
  EXPECT_TRUE(verifySchedule(problem, result.schedule, ConstraintSet()).empty());
  // Each tile on a group of its own, main loops one after the other.
  auto at = [&](const char *name) { return problem.findNode(name); };
  EXPECT_EQ(result.schedule.group[at("main0")], result.schedule.group[at("epi0")]);
  EXPECT_NE(result.schedule.group[at("main0")], result.schedule.group[at("main1")]);
  CertificateFiles files = certifyOptimal(problem, result, {});
  EXPECT_EQ(result.status, SolveStatus::Optimal);
  Result<CertificateReport> report = checkCertificate(problem, files);
  ASSERT_TRUE(report) << report.error().str();
  EXPECT_EQ(report->ii, 164);
}

TEST(Outer, OneGroupDoesNot) {
  Problem problem = twoTiles(1);
  SolveResult result = solve(problem);
  EXPECT_EQ(result.status, SolveStatus::Optimal);
  EXPECT_EQ(result.schedule.ii, 192);
  EXPECT_NE(explain(problem, result).find("add one more warp group"), std::string::npos);
}
