//===- ProblemTest.cpp - Problems, their text form and every diagnostic ---===//
#include "RandomProblems.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

std::string problemError(const std::string &text) {
  Result<Problem> problem = parseProblem(text, "f.sched");
  return problem ? "none" : problem.error().str();
}

TEST(ProblemText, RoundTrip) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Problem p = test::randomProblem(seed);
    std::string text = writeProblem(p);
    Result<Problem> again = parseProblem(text, "f");
    ASSERT_TRUE(again) << again.error().str() << "\n" << text;
    EXPECT_EQ(writeProblem(*again), text);
  }
}

TEST(ProblemText, QuotedNames) {
  Problem p;
  p.name = "a \"b\" \\ c";
  Node node;
  node.name = "x->y=1";
  node.loc = "f.mlir:3:4";
  p.addNode(node);
  Result<Problem> again = parseProblem(writeProblem(p), "f");
  ASSERT_TRUE(again) << again.error().str() << writeProblem(p);
  EXPECT_EQ(again->name, p.name);
  EXPECT_EQ(again->nodes[0].name, "x->y=1");
  EXPECT_EQ(again->nodes[0].loc, "f.mlir:3:4");
}

TEST(ProblemText, Errors) {
  // Each input, and what the message must say with its place.
  const std::pair<const char *, const char *> cases[] = {
      {"node a\nblah",
       "f.sched:2:1: error: expected problem, scale, unit, memory, registers, group, node or edge, got 'blah'"},
      {"node a\nnode a", "f.sched:2:1: error: duplicate node 'a'"},
      {"unit A 1\nunit A 1", "f.sched:2:1: error: duplicate unit 'A'"},
      {"memory A 1\nmemory A 1", "f.sched:2:1: error: duplicate memory 'A'"},
      {"group A\ngroup A", "f.sched:2:1: error: duplicate group 'A'"},
      {"unit A", "f.sched:1:7: error: expected a capacity, got the end of the line"},
      {"unit A x", "f.sched:1:8: error: expected a capacity, got 'x'"},
      {"unit A 99999999999999999999",
       "f.sched:1:8: error: expected a capacity that fits 64 bits, got '99999999999999999999'"},
      {"unit A 0\nnode a", "f.sched:1:1: error: expected a capacity of unit 'A' of at least 1, got 0"},
      {"memory A 0\nnode a", "f.sched:1:1: error: expected a capacity of memory 'A' of at least 1, got 0"},
      {"unit A 1 2", "f.sched:1:10: error: expected the end of the line, got '2'"},
      {"node \"a", "f.sched:1:6: error: expected a closing '\"', got the end of the line"},
      {"node a $", "f.sched:1:8: error: unexpected character '$'"},
      {"node a latency=-1", "f.sched:1:1: error: expected a latency of node 'a' of at least 0, got -1"},
      {"node a issue=-1", "f.sched:1:1: error: expected issue cycles of node 'a' of at least 0, got -1"},
      {"node a warps=0", "f.sched:1:1: error: expected warps of node 'a' of at least 1, got 0"},
      {"node a regs=-1", "f.sched:1:1: error: expected registers of node 'a' between 0 and 1048576, got -1"},
      {"node a live=-1", "f.sched:1:1: error: expected live cycles of node 'a' of at least 0, got -1"},
      {"node a start=-1", "f.sched:1:8: error: expected a pinned start of node 'a' of at least 0, got -1"},
      {"node a stage=-1", "f.sched:1:8: error: expected a pinned stage of node 'a' of at least 0, got -1"},
      {"node a depth=-1", "f.sched:1:8: error: expected a pinned depth of node 'a' of at least 1, got -1"},
      {"node a depth=0", "f.sched:1:8: error: expected a pinned depth of node 'a' of at least 1, got 0"},
      {"node a depth=1048577",
       "f.sched:1:1: error: expected a pinned depth of node 'a' between 1 and 1048576, got 1048577"},
      {"unit u 1\nnode a use=u:0:3 use=u:2:2", "f.sched:2:1: error: expected at most 1 of unit 'u' of node 'a', got 2 "
                                               "in cycle 2, where its reservations overlap"},
      {"node a latency=99999999999",
       "expected a latency of node 'a' of at least 0 and at most 2147483647, got 99999999999"},
      {"node a color=3", "f.sched:1:8: error: unknown attribute 'color' of a node"},
      {"node a latency 3", "f.sched:1:16: error: expected '=', got '3'"},
      {"node a use=A:0:1", "f.sched:1:12: error: unknown unit 'A'"},
      {"unit A 1\nnode a use=A:0", "f.sched:2:15: error: expected ':', got the end of the line"},
      {"unit A 1\nnode a use=A:0:1:2", "f.sched:2:1: error: expected at most 1 of unit 'A' of node 'a', got 2"},
      {"unit A 1\nnode a use=A:-1:1", "expected a reservation start of node 'a' of at least 0, got -1"},
      {"unit A 1\nnode a use=A:0:-1", "expected a reservation length of node 'a' of at least 0, got -1"},
      {"unit A 1\nnode a use=A:0:1:0", "expected a reserved amount of node 'a' of at least 1, got 0"},
      {"node a mem=m:1", "f.sched:1:12: error: unknown memory 'm'"},
      {"memory m 4\nnode a mem=m:-1", "expected a footprint of node 'a' of at least 0, got -1"},
      {"node a group=g", "f.sched:1:14: error: unknown group 'g'"},
      {"group g warps=0\nnode a", "f.sched:1:1: error: expected warps of group 'g' between 1 and 1024, got 0"},
      {"group g regs=-1\nnode a", "expected registers of group 'g' between 0 and 1048576, got -1"},
      {"group g color=1", "f.sched:1:9: error: unknown attribute 'color' of a group"},
      {"group g warps=1\nnode a warps=4", "f.sched:2:1: error: no group can run node 'a': expected a group with at "
                                          "least 4 warps that is not 'variable', got none"},
      {"group g warps=4\nnode a variable", "expected a group with at least 1 warps that is 'variable', got none"},
      {"registers color=1", "f.sched:1:11: error: unknown attribute 'color' of registers"},
      {"registers granule=0\nnode a", "expected a register granule between 1 and 1048576, got 0"},
      {"registers file=-1\nnode a", "expected a register file of at least 0, got -1"},
      {"registers overhead=-1\nnode a", "expected a register overhead between 0 and 1048576, got -1"},
      {"registers min=-1\nnode a", "expected minimum registers between 0 and 1048576, got -1"},
      {"edge a -> b", "f.sched:1:6: error: unknown node 'a'"},
      {"node a\nedge a a", "f.sched:2:8: error: expected '->', got 'a'"},
      {"node a\nedge a -> a delay=-1 distance=1",
       "f.sched:2:1: error: expected a delay of the edge a -> a of at least 0, got -1"},
      {"node a\nedge a -> a distance=-1", "expected a distance of the edge a -> a between 0 and 1048576, got -1"},
      {"node a\nedge a -> a distance=1 transfer=-2",
       "expected a transfer cost of the edge a -> a of at least -1, got -2"},
      {"node a\nedge a -> a distance=1 hold=-2", "expected hold cycles of the edge a -> a of at least 0, got -2"},
      {"node a\nedge a -> a color=1", "f.sched:2:13: error: unknown attribute 'color' of an edge"},
      {"node a\nnode b\nedge a -> b\nedge b -> a",
       "f.sched:4:1: error: dependence cycle of distance zero: a -> b -> a"},
      {"problem x", "f.sched:1:1: error: expected at least one node, got none"},
      {"problem x\nunit u 1\n", "f.sched:3:1: error: expected at least one node, got none"},
      {"node \"\"", "expected a name for a node, got an empty one"},
  };
  for (auto [text, message] : cases)
    EXPECT_NE(problemError(text).find(message), std::string::npos) << text << "\n  got: " << problemError(text);
  EXPECT_NE(problemError(std::string((16u << 20) + 1, ' ')).find("expected at most 16 MiB"), std::string::npos);
}

TEST(ProblemText, CheckRejectsBadIndices) {
  Problem p;
  p.nodes.emplace_back().name = "a";
  Problem q = p;
  q.edges.emplace_back().to = 7;
  EXPECT_EQ(q.check().error().message(), "unknown node number 7 in an edge");
  q = p;
  q.nodes[0].reservations = {{3, 0, 1, 1}};
  EXPECT_EQ(q.check().error().message(), "unknown unit number 3 of node 'a'");
  q = p;
  q.nodes[0].footprints = {{3, 1}};
  EXPECT_EQ(q.check().error().message(), "unknown memory number 3 of node 'a'");
  q = p;
  q.nodes[0].groups = {3};
  EXPECT_EQ(q.check().error().message(), "unknown group number 3 of node 'a'");
}

TEST(ScheduleText, StatesScaleAndConstraints) {
  Result<Problem> p = parseProblem("problem p\nscale 6\ngroup g\nnode a", "f");
  ASSERT_TRUE(p) << p.error().str();
  EXPECT_EQ(writeProblem(*p), "problem p\nscale 6\ngroup g warps=4\nnode a latency=1\n");
  Schedule s{3, {0}, {0}, {1}, {24}};
  s.constraints = ConstraintSet::all().without(Constraint::Issue).without(Constraint::WarpAssignment);
  std::string text = writeSchedule(*p, s);
  EXPECT_EQ(text, "schedule p\nscale 6\nwithout \"warp-assignment\" issue\nii 3\nregs g 24\nat a 0 group=g\n");
  Result<Schedule> again = parseSchedule(text, "s", *p);
  ASSERT_TRUE(again) << again.error().str();
  EXPECT_EQ(again->constraints.describe(), "all constraints but warp-assignment, issue");
  EXPECT_EQ(writeSchedule(*p, *again), text);
  Result<Problem> twice = parseProblem("scale 6\nscale 6\nnode a", "f");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().str(), "f:2:1: error: duplicate 'scale' line");
  Result<Problem> registers = parseProblem("registers file=100\nregisters file=200\nnode a", "f");
  ASSERT_FALSE(registers);
  EXPECT_EQ(registers.error().str(), "f:2:1: error: duplicate 'registers' line");
}

TEST(ScheduleText, RoundTripAndErrors) {
  Result<Problem> p = parseProblem("problem p\ngroup g warps=1\nnode a\nnode b\nedge a -> b delay=1", "f");
  ASSERT_TRUE(p) << p.error().str();
  Schedule s{3, {0, 4}, {0, 0}, {2, 1}, {24}};
  std::string text = writeSchedule(*p, s);
  Result<Schedule> again = parseSchedule(text, "s", *p);
  ASSERT_TRUE(again) << again.error().str();
  EXPECT_EQ(writeSchedule(*p, *again), text);
  const std::pair<const char *, const char *> cases[] = {
      {"schedule q", "s:1:1: error: expected a schedule of 'p', got one of 'q'"},
      {"ii 0", "s:1:1: error: expected an initiation interval between 1 and 4194304, got 0"},
      {"at a 0 group=g\nat b 0 group=g", "s: error: expected an 'ii' line, got none"},
      {"ii 1\nat a 0 group=g", "s: error: expected a start of node 'b', got none"},
      {"ii 1\nat a 0\nat b 0", "s: error: expected a group of node 'a', got none"},
      {"at a 0\nat a 0", "s:2:1: error: duplicate node 'a'"},
      {"at c 0", "s:1:4: error: unknown node 'c'"},
      {"at a -1", "s:1:1: error: expected a start time of at least 0, got -1"},
      {"at a 0 group=h", "s:1:14: error: unknown group 'h'"},
      {"at a 0 depth=0", "s:1:8: error: expected a depth between 1 and 2147483648, got 0"},
      {"at a 0 color=0", "s:1:8: error: unknown attribute 'color' of a start"},
      {"regs g -1", "s:1:1: error: expected registers between 0 and 1048576, got -1"},
      {"scale 0", "s:1:1: error: expected a scale between 1 and 4194304, got 0"},
      {"scale 1\nscale 1", "s:2:1: error: duplicate 'scale' line"},
      {"scale 3\nii 1\nat a 0 group=g\nat b 0 group=g",
       "s:1:1: error: expected times in units of 1 cycles (the scale of the problem), got a scale of 3"},
      {"without luck", "s:1:9: error: unknown constraint 'luck'"},
      {"without issue issue", "s:1:15: error: duplicate constraint 'issue'"},
      {"without", "s:1:8: error: expected the name of a constraint, got the end of the line"},
      {"regs g 8\nregs g 8", "s:2:1: error: duplicate registers of group 'g'"},
      {"start a", "s:1:1: error: expected schedule, scale, without, ii, regs or at, got 'start'"},
  };
  for (auto [bad, message] : cases) {
    Result<Schedule> result = parseSchedule(bad, "s", *p);
    ASSERT_FALSE(result) << bad;
    EXPECT_EQ(result.error().str(), message) << bad;
  }
}

// Random bytes and random edits of a good file: an error or a problem, never a crash.
TEST(ProblemText, SurvivesNoise) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    Problem p = test::randomProblem(static_cast<unsigned>(round % 50));
    std::string text = round % 2
                           ? writeProblem(p)
                           : writeSchedule(p, Schedule{2, std::vector<int64_t>(p.nodes.size(), 1),
                                                       std::vector<int>(p.nodes.size(), p.groups.empty() ? -1 : 0),
                                                       std::vector<int64_t>(p.nodes.size(), 1),
                                                       std::vector<int64_t>(p.groups.size(), 2)});
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0 && !text.empty(); --edits) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.erase(at, 1 + random() % 5); break;
      case 2: text.insert(at, "999999999"); break;
      default: text.insert(at, text.substr(random() % text.size(), random() % 30));
      }
    }
    (void)parseProblem(text, "f");
    if (Result<Schedule> s = parseSchedule(text, "s", p))
      (void)verifySchedule(p, *s);
  }
}

} // namespace
