//===- DiagnosticsTest.cpp - Every message of the readers, with its place -===//
//
// What:   bad input -> the exact text and place, for what ProblemTest.cpp does not cover. utils/check_diagnostics.py (a
//         test) holds the readers' sources against the texts that occur in tests.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Problem/Text.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

std::string problemError(const std::string &text) {
  Result<Problem> problem = parseProblem(text, "f.sched");
  return problem ? "none" : problem.error().str();
}

TEST(Diagnostics, Form) {
  const std::pair<const char *, const char *> cases[] = {
      {"= x", "f.sched:1:1: error: expected a keyword, got '='"},
      {"problem", "f.sched:1:8: error: expected the name of the problem, got the end of the line"},
      {"problem a b", "f.sched:1:11: error: expected the end of the line, got 'b'"},
      {"unit", "f.sched:1:5: error: expected the name of a unit, got the end of the line"},
      {"unit = 1", "f.sched:1:6: error: expected the name of a unit, got '='"},
      {"memory", "f.sched:1:7: error: expected the name of a memory, got the end of the line"},
      {"memory m", "f.sched:1:9: error: expected a capacity, got the end of the line"},
      {"memory m 4 square", "f.sched:1:12: error: expected the end of the line, got 'square'"},
      {"registers = 4", "f.sched:1:11: error: expected an attribute, got '='"},
      {"registers file", "f.sched:1:15: error: expected '=', got the end of the line"},
      {"registers file=many", "f.sched:1:16: error: expected a number, got 'many'"},
      {"group", "f.sched:1:6: error: expected the name of a group, got the end of the line"},
      {"group g -> h", "f.sched:1:9: error: expected an attribute, got '->'"},
      {"group g warps=", "f.sched:1:15: error: expected a number, got the end of the line"},
      {"group g warps=-", "f.sched:1:15: error: expected a number, got '-'"},
      {"node", "f.sched:1:5: error: expected the name of a node, got the end of the line"},
      {"node a : b", "f.sched:1:8: error: expected an attribute, got ':'"},
      {"node a latency=4x", "f.sched:1:16: error: expected a number, got '4x'"},
      {"node a loc=", "f.sched:1:12: error: expected a location, got the end of the line"},
      {"node a use=", "f.sched:1:12: error: expected the name of a unit, got the end of the line"},
      {"unit A 1\nnode a use=A:x:1", "f.sched:2:14: error: expected a reservation start, got 'x'"},
      {"unit A 1\nnode a use=A:0:x", "f.sched:2:16: error: expected a reservation length, got 'x'"},
      {"unit A 1\nnode a use=A:0:1:x", "f.sched:2:18: error: expected a reserved amount, got 'x'"},
      {"memory m 4\nnode a mem=m:x", "f.sched:2:14: error: expected a footprint, got 'x'"},
      {"memory m 4\nnode a staging=m", "f.sched:2:17: error: expected ':', got the end of the line"},
      {"edge", "f.sched:1:5: error: expected the name of a node, got the end of the line"},
      {"node a\nedge a -> = b", "f.sched:2:11: error: expected the name of a node, got '='"},
      {"node a\nedge a -> a = 1", "f.sched:2:13: error: expected an attribute, got '='"},
      {"node a\nedge a -> a delay=soon", "f.sched:2:19: error: expected a number, got 'soon'"},
      {"node a\nedge a -> a transfer=never1", "f.sched:2:22: error: expected a number, got 'never1'"},
      {"node a\nedge a -> a delay=9223372036854775808",
       "f.sched:2:19: error: expected a number that fits 64 bits, got '9223372036854775808'"},
      {"problem a\nproblem a", "f.sched:2:1: error: duplicate 'problem' line"},
      {"registers min=1 min=2", "f.sched:1:17: error: duplicate attribute 'min' of registers"},
      {"group g warps=1 warps=1", "f.sched:1:17: error: duplicate attribute 'warps' of a group"},
      {"node a async async", "f.sched:1:14: error: duplicate attribute 'async' of a node"},
      {"node a\nedge a -> a delay=1 distance=1 delay=2", "f.sched:2:32: error: duplicate attribute 'delay' of an edge"},
      {"node a \x01", "f.sched:1:8: error: unexpected character '\\1'"},
      {"node a \xff", "f.sched:1:8: error: unexpected character '\\255'"},
      {"node \"a\\\"", "f.sched:1:6: error: expected a closing '\"', got the end of the line"},
  };
  for (auto [text, message] : cases)
    EXPECT_EQ(problemError(text), message) << text;
}

TEST(Diagnostics, Meaning) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "f.sched:1:1: error: expected at least one node, got none"},
      {"unit \"\" 1\nnode a", "f.sched:1:1: error: expected a name for a unit, got an empty one"},
      {"memory \"\" 1\nnode a", "f.sched:1:1: error: expected a name for a memory, got an empty one"},
      {"group \"\"\nnode a", "f.sched:1:1: error: expected a name for a group, got an empty one"},
      {"unit A -1\nnode a", "f.sched:1:1: error: expected a capacity of unit 'A' of at least 1, got -1"},
      {"unit A 1099511627777\nnode a", "f.sched:1:1: error: expected a capacity of unit 'A' of at least 1 and at most "
                                       "1099511627776, got 1099511627777"},
      {"group g warps=1025\nnode a", "f.sched:1:1: error: expected warps of group 'g' between 1 and 1024, got 1025"},
      {"group g\nnode a group=h", "f.sched:2:14: error: unknown group 'h'"},
      {"group g warps=1\ngroup h\nnode a warps=2 group=g",
       "f.sched:3:1: error: no group can run node 'a': expected a group among its pins with at least 2 warps that is "
       "not 'variable', got none"},
      {"group g variable\ngroup h\nnode a group=g",
       "f.sched:3:1: error: no group can run node 'a': expected a group among its pins with at least 1 warps that is "
       "not 'variable', got none"},
      {"node a start=2147483648",
       "f.sched:1:1: error: expected a pinned start of node 'a' of at least 0 and at most 2147483647, got 2147483648"},
      {"node a depth=-2", "f.sched:1:8: error: expected a pinned depth of node 'a' of at least 1, got -2"},
      {"node a\nedge a -> a", "f.sched:2:1: error: dependence cycle of distance zero: a -> a"},
      {"node a\nnode b\nnode c\nedge a -> b\nedge b -> c distance=1\nedge b -> a delay=3",
       "f.sched:6:1: error: dependence cycle of distance zero: a -> b -> a"},
      {"node a\nedge a -> a distance=1048577",
       "f.sched:2:1: error: expected a distance of the edge a -> a between 0 and 1048576, got 1048577"},
      {"node a\nedge a -> a distance=1 delay=2147483648",
       "f.sched:2:1: error: expected a delay of the edge a -> a of at least 0 and at most 2147483647, got 2147483648"},
      {"node a latency=2147483647\nnode b",
       "f.sched: error: expected times that sum to at most 2147483647, got 2147483648"},
      {"unit A 4294967296\nnode a use=A:0:1:2147483648", "f.sched:2:1: error: expected a reserved amount of node 'a' "
                                                         "of at least 1 and at most 2147483647, got 2147483648"},
      {"registers granule=1048577\nnode a",
       "f.sched:1:1: error: expected a register granule between 1 and 1048576, got 1048577"},
  };
  for (auto [text, message] : cases)
    EXPECT_EQ(problemError(text), message) << text;
}

// Products of amounts and times stay below 2^63 (found by the sanitizers).
TEST(Diagnostics, Totals) {
  Problem p;
  p.addMemory("m", int64_t(1) << 40);
  for (int v = 0; v <= 512; ++v) {
    Node node;
    node.name = "n" + std::to_string(v);
    node.footprints = {{0, INT32_MAX}};
    p.addNode(node);
  }
  Status status = p.check();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().str(), "error: expected footprints that sum to at most 1099511627776, got 1101659110911");
}

TEST(Diagnostics, Sizes) {
  EXPECT_EQ(problemError(std::string((16u << 20) + 1, ' ')),
            "f.sched: error: expected at most 16 MiB of text, got more");
  std::string many;
  for (int v = 0; v <= 100000; ++v)
    many += "node n" + std::to_string(v) + "\n";
  EXPECT_EQ(problemError(many), "f.sched:100001:1: error: expected at most 100000 nodes");
  std::string edges = "node a\n";
  for (int e = 0; e <= 1000000; ++e)
    edges += "edge a->a\n";
  EXPECT_EQ(problemError(edges), "f.sched:1000002:1: error: expected at most 1000000 edges");
}

TEST(Diagnostics, Schedules) {
  Result<Problem> p = parseProblem("problem p\ngroup g warps=1\nnode a\nnode b\nedge a -> b delay=1", "f");
  ASSERT_TRUE(p);
  const std::pair<const char *, const char *> cases[] = {
      {"schedule", "s:1:9: error: expected the name of the problem, got the end of the line"},
      {"ii", "s:1:3: error: expected an initiation interval, got the end of the line"},
      {"ii 4194305", "s:1:1: error: expected an initiation interval between 1 and 4194304, got 4194305"},
      {"ii 4 5", "s:1:6: error: expected the end of the line, got '5'"},
      {"ii 4\nii 4", "s:2:1: error: duplicate 'ii' line"},
      {"scale", "s:1:6: error: expected machine cycles of one time unit, got the end of the line"},
      {"at a 0 depth=1 depth=2", "s:1:16: error: duplicate attribute 'depth' of a start"},
      {"regs", "s:1:5: error: expected the name of a group, got the end of the line"},
      {"regs h 4", "s:1:6: error: unknown group 'h'"},
      {"regs g lots", "s:1:8: error: expected registers, got 'lots'"},
      {"regs g 1048577", "s:1:1: error: expected registers between 0 and 1048576, got 1048577"},
      {"at", "s:1:3: error: expected the name of a node, got the end of the line"},
      {"at a", "s:1:5: error: expected a start time, got the end of the line"},
      {"at a 2147483648", "s:1:1: error: expected a start time of at most 2147483647, got 2147483648"},
      {"at a 0 = g", "s:1:8: error: expected an attribute, got '='"},
      {"at a 0 group", "s:1:13: error: expected '=', got the end of the line"},
      {"at a 0 depth=deep", "s:1:14: error: expected a depth, got 'deep'"},
      {"at a 0 depth=2147483649", "s:1:8: error: expected a depth between 1 and 2147483648, got 2147483649"},
  };
  for (auto [bad, message] : cases) {
    Result<Schedule> result = parseSchedule(bad, "s", *p);
    ASSERT_FALSE(result) << bad;
    EXPECT_EQ(result.error().str(), message) << bad;
  }
}

} // namespace
