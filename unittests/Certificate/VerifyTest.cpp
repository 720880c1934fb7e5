//===- VerifyTest.cpp - The checker: one negative test a condition --------===//
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

/// The violations of `solution`, one a line.
std::string check(const std::string &problem, const std::string &solution) {
  Result<Problem> p = parseProblem(problem, "p");
  if (!p)
    return p.error().str();
  Result<Schedule> s = parseSchedule(solution, "s", *p);
  if (!s)
    return s.error().str();
  std::string out;
  for (const Violation &v : verifySchedule(*p, *s))
    out += std::string(constraintName(v.constraint)) + ": " + v.message + "\n";
  return out;
}

TEST(Verify, Conditions) {
  EXPECT_EQ(check("node a\nnode b\nedge a -> b delay=2", "ii 1\nat a 0\nat b 1"),
            "dependence: edge 'a' (at 0) -> 'b' (at 1) needs 2 cycles, got 1\n");
  EXPECT_EQ(check("unit A 1\nnode a use=A:0:2\nnode b use=A:0:1", "ii 2\nat a 0\nat b 3"),
            "capacity: unit 'A' holds 1, slot 1 needs 2\n");
  EXPECT_EQ(check("memory m 1\nnode a mem=m:1\nnode b\nedge a -> b", "ii 2\nat a 0\nat b 3 depth=1\n"),
            "rings: value of 'a' (at 0) lives 3 cycles and needs depth 2, got 1\nmemory: memory 'm' holds 1, slot 0 "
            "needs 2\n");
  EXPECT_EQ(check("memory m 1 ring\nnode a mem=m:1\nnode b\nedge a -> b", "ii 2\nat a 0 depth=2\nat b 3\n"),
            "rings: memory 'm' holds 1, slot 0 needs 2\n");
  EXPECT_EQ(check("group g warps=1\ngroup h warps=4\nnode a warps=2", "ii 1\nat a 0 group=g"),
            "warp-assignment: node 'a' needs 2 warps, group 'g' has 1\n");
  EXPECT_EQ(check("group g\ngroup h\nnode a group=h", "ii 1\nat a 0 group=g"),
            "warp-assignment: node 'a' may not run on group 'g'\n");
  EXPECT_EQ(check("group g\ngroup h variable\nnode a variable", "ii 1\nat a 0 group=g"),
            "variable-latency: node 'a' has variable latency, group 'g' takes fixed\n");
  EXPECT_EQ(check("group g regs=3\nnode a regs=4 live=1", "ii 1\nat a 0 group=g"),
            "registers: group 'g' (registers per thread) holds 3, slot 0 needs 4\n");
  EXPECT_EQ(
      check("registers file=1024 granule=8\ngroup g warps=2\nnode a regs=4 live=1", "ii 1\nregs g 24\nat a 0 group=g"),
      "register-file: the register file holds 1024, the budgets of all groups need 1536\n");
  EXPECT_EQ(
      check("registers file=9999 granule=8\ngroup g warps=2\nnode a regs=4 live=1", "ii 1\nregs g 30\nat a 0 group=g"),
      "register-file: expected a register budget of group 'g' between 24 and 256 in steps of 8, got 30\n");
  EXPECT_EQ(
      check("registers file=9999\ngroup g warps=2 regs=16\nnode a regs=4 live=1", "ii 1\nregs g 16\nat a 0 group=g"),
      "register-file: group 'g' has at most 16 registers a thread, and the smallest budget is 24\n");
  EXPECT_EQ(
      check("registers file=9999 granule=8\ngroup g warps=2\nnode a regs=40 live=1", "ii 1\nregs g 32\nat a 0 group=g"),
      "register-file: the budget of group 'g' (registers per thread) holds 32, slot 0 needs 40\n");
  EXPECT_EQ(
      check("group g\ngroup h\nnode a\nnode b\nedge a -> b delay=1 transfer=2", "ii 3\nat a 0 group=g\nat b 2 group=h"),
      "transfers: edge 'a' (at 0) -> 'b' (at 2) crosses groups and needs 3 cycles, got 2\n");
  EXPECT_EQ(
      check("group g\ngroup h\nnode a\nnode b\nedge a -> b transfer=never", "ii 3\nat a 0 group=g\nat b 2 group=h"),
      "transfers: edge 'a' (at 0) -> 'b' (at 2) may not cross groups, got 'g' and 'h'\n");
  EXPECT_EQ(check("group g\nnode a\nnode b\nnode c latency=3\nedge a -> b delay=1 blocking",
                  "ii 9\nat a 0 group=g\nat b 4 group=g\nat c 2 group=g"),
            "concurrency: 'b' (at 4) waits for 'a' while 'c' (at 2) executes on the same group for 3 cycles\n");
  EXPECT_EQ(check("group g\nnode b issue=2\nnode c issue=2", "ii 9\nat b 4 group=g\nat c 3 group=g"),
            "issue: 'b' (at 4) issues while 'c' (at 3) still issues on the same group (2 cycles)\n");
  EXPECT_EQ(check("group g\nnode b issue=2", "ii 1\nat b 4 group=g"),
            "issue: node 'b' issues for 2 cycles, more than the interval of 1\n");
  EXPECT_EQ(check("node a start=2", "ii 1\nat a 0"), "pins: expected start 2 of node 'a', got 0\n");
  EXPECT_EQ(check("node a stage=2", "ii 1\nat a 0"), "pins: expected stage 2 of node 'a', got 0\n");
  EXPECT_EQ(check("node a depth=2", "ii 1\nat a 0"), "pins: expected depth 2 of 'a' (at 0), got 1\n");
}

TEST(Verify, AsynchronousNodesKeepTheirGroupFreeAfterIssue) {
  const char *solution = "ii 9\nat a 0 group=g\nat b 4 group=g\nat c 2 group=g";
  EXPECT_EQ(check("group g\nnode a\nnode b\nnode c latency=3 async\nedge a -> b delay=1 blocking", solution), "");
}

TEST(Verify, MalformedSchedules) {
  Problem p;
  p.nodes.emplace_back().name = "a";
  auto first = [&](Schedule s) {
    std::vector<Violation> v = verifySchedule(p, s);
    return v.empty() ? std::string("none") : v[0].message;
  };
  EXPECT_EQ(first({1, {0}, {-1}, {1}, {}}), "none");
  EXPECT_EQ(first({0, {0}, {-1}, {1}, {}}), "expected an initiation interval of at least 1, got 0");
  EXPECT_EQ(first({1ll << 40, {0}, {-1}, {1}, {}}), "initiation interval too large: 1099511627776");
  EXPECT_NE(first({1, {}, {-1}, {1}, {}}).find("expected start, group and depth of 1 nodes"), std::string::npos);
  EXPECT_EQ(first({1, {-3}, {-1}, {1}, {}}), "expected a start of node 'a' of at least 0, got -3");
  EXPECT_EQ(first({1, {0}, {-1}, {0}, {}}), "expected a depth of node 'a' of at least 1, got 0");
  p.addGroup({});
  EXPECT_EQ(first({1, {0}, {4}, {1}, {0}}), "expected a group of node 'a', got 4");
}

TEST(Verify, LongIntervalsWrap) {
  // A reservation of two and a half intervals takes two or three of the unit in every slot (docs/Scheduling.md,
  // question 12).
  const char *problem = "unit A 3\nnode a use=A:0:5";
  EXPECT_EQ(check(problem, "ii 2\nat a 1"), "");
  Result<Problem> p = parseProblem(problem, "p");
  SlotUse use = computeUse(*p, {2, {1}, {-1}, {1}, {}});
  EXPECT_EQ(use.units[0], (std::vector<int64_t>{2, 3}));
}

} // namespace
