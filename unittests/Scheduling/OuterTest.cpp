//===- OuterTest.cpp - a loop around loops as an ordinary problem ----------===//
//
// Two output tiles of a persistent product an iteration, their main loops as nodes: with a warp group for each tile the
// epilogues lie beside the other tile's main loop.
//
//===----------------------------------------------------------------------===//
#include "RandomProblems.h"
#include "heddle/Certificate/Certificate.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Cost/Nested.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Certify.h"
#include "heddle/Scheduling/Solver/Solve.h"
#include <gtest/gtest.h>

#include <cstdlib>

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

/// A small random loop with its best schedule, as the main loop of one or two programs with something behind it.
/// Nothing where it has no schedule or is long to enumerate.
static std::optional<Problem> randomNest(unsigned seed) {
  std::mt19937 random(seed);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Problem inner = test::randomProblem(seed, 3);
  SolveOptions solving;
  solving.maxStages = 2;
  solving.maxII = 3;
  SolveResult solved = solve(inner, solving);
  if (!solved.hasSchedule)
    return std::nullopt;
  constexpr int64_t parts = 2;
  Problem outer;
  outer.name = inner.name + "_programs";
  for (const Unit &unit : inner.units)
    outer.addUnit(unit.name, parts * unit.capacity);
  int programs = 1 + below(2), turn = programs > 1 ? outer.addUnit("turn", 1) : -1;
  for (int g = 0; g < 1 + below(2); ++g)
    outer.addGroup({"compute" + std::to_string(g), 4, 0, false, {}});
  int group = inner.groups.empty() ? -1 : solved.schedule.group[below(inner.nodes.size())];
  NestedLoop nested = nestedLoop(inner, solved.schedule, 1 + below(2), group, below(2));
  for (int i = 0; i < programs; ++i) {
    Node loop, rest;
    loop.name = "loop" + std::to_string(i);
    loop.latency = loop.issue = nested.latency;
    for (auto &[unit, cycles] : nested.busy)
      holdShare(outer, loop, outer.findUnit(unit), cycles, nested.issuing, parts);
    if (turn >= 0)
      loop.reservations.push_back({turn, 0, nested.issuing, 1});
    rest.name = "epilogue" + std::to_string(i);
    rest.latency = rest.issue = 1 + below(2);
    holdShare(outer, rest, 0, 1, rest.latency, parts);
    loop.warps = rest.warps = 4;
    int a = outer.addNode(loop), b = programs == 1 || below(2) ? outer.addNode(rest) : a;
    if (a == b)
      continue;
    Edge edge;
    edge.from = a;
    edge.to = b;
    edge.delay = loop.latency;
    edge.transfer = Edge::never;
    outer.addEdge(edge);
  }
  int64_t length = 0;
  for (const Node &node : outer.nodes)
    length += node.latency;
  return outer.check() && length <= 10 ? std::optional(outer) : std::nullopt;
}

/// HEDDLE_BRUTE_NESTS=N sets how many are compared (default 40).
TEST(Outer, AgreesWithEnumeration) {
  const char *wanted = std::getenv("HEDDLE_BRUTE_NESTS");
  int count = wanted ? std::atoi(wanted) : 40, done = 0;
  for (unsigned seed = 70000; done < count; ++seed) {
    std::optional<Problem> p = randomNest(seed);
    if (!p)
      continue;
    ++done;
    SolveOptions options;
    options.maxStages = 2;
    SolveResult r = solve(*p, options);
    ASSERT_EQ(r.status, SolveStatus::Optimal) << seed << r.message << writeProblem(*p);
    for (int64_t ii = 1; ii <= r.schedule.ii; ++ii) {
      bool legal = test::forEachLegal(*p, ii, 2, ConstraintSet::all(), [](const Schedule &) { return true; });
      ASSERT_EQ(legal, ii == r.schedule.ii) << seed << " interval " << ii << "\n" << writeProblem(*p);
    }
    CertificateFiles files = certifyOptimal(*p, r, options);
    Result<CertificateReport> report = checkCertificate(*p, files);
    ASSERT_TRUE(report) << seed << report.error().str();
    EXPECT_EQ(report->ii, r.schedule.ii);
  }
}
