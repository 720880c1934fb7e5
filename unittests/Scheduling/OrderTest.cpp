//===- OrderTest.cpp - schedules and refutations by orders alone ----------===//
#include "RandomProblems.h"
#include "SlotQuery.h"
#include "heddle/Scheduling/Order/LikeParts.h"
#include "heddle/Scheduling/Order/OrderSearch.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <gtest/gtest.h>

#include <random>

using namespace heddle;

namespace {

OrderAnswer ask(const Problem &p, int64_t ii, int64_t stages, ConstraintSet set = ConstraintSet::all(),
                int64_t last = 0, std::vector<int> group = {}, bool slots = false) {
  OrderOptions options;
  options.ii = ii;
  options.last = last;
  options.stages = stages;
  options.constraints = set;
  options.group = std::move(group);
  options.slots = slots;
  return searchOrders(p, options);
}

TEST(Orders, AgreeWithEnumeration) {
  int yes = 0, no = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    Problem p = test::randomProblem(seed, 3);
    for (int64_t ii = 1; ii <= 4; ++ii) {
      // Every other problem under some of the constraints only.
      ConstraintSet set = ConstraintSet::all();
      if (seed % 2)
        set = set.without(static_cast<Constraint>(seed / 2 % static_cast<unsigned>(Constraint::Count)));
      std::vector<int> group;
      bool exists = test::forEachLegal(p, ii, 2, set, [&](const Schedule &s) {
        group = s.group;
        return true;
      });
      OrderAnswer answer = ask(p, ii, 2, set);
      EXPECT_EQ(answer.answer, exists ? SatAnswer::Sat : SatAnswer::Unsat) << seed << " at " << ii << writeProblem(p);
      if (answer.schedule) {
        EXPECT_TRUE(verifySchedule(p, *answer.schedule, set).empty()) << seed;
        EXPECT_LE(answer.schedule->stages(p), 2) << seed;
      }
      if (exists) {
        EXPECT_EQ(ask(p, ii, 2, set, 0, group).answer, SatAnswer::Sat) << seed << " with groups";
        EXPECT_EQ(ask(p, ii, 2, set, 0, {}, true).answer, SatAnswer::Unknown) << seed << " slots of one interval";
      }
      ++(exists ? yes : no);
    }
  }
  EXPECT_GT(yes, 300);
  EXPECT_GT(no, 300);
}

// A reader of a value of this and of the previous iteration holds one copy of it: with two, group h would be too small.
TEST(Orders, OneCopyForEachReader) {
  Result<Problem> p = parseProblem("registers consumer_copies\ngroup g regs=8\ngroup h regs=3\n"
                                   "node a regs=2 group=g\nnode b regs=1 group=h\nedge a -> b delay=1\n"
                                   "edge a -> b distance=1\n",
                                   "f");
  ASSERT_TRUE(p) << p.error().str();
  EXPECT_EQ(test::askSlots(*p, 4, 2), SatAnswer::Sat);
  EXPECT_EQ(ask(*p, 4, 2).answer, SatAnswer::Sat);
}

// More nodes than enumeration reaches: the same questions about slots.
TEST(Orders, AgreeWithSlots) {
  int yes = 0, no = 0;
  for (unsigned seed = 20000; seed < 20400; ++seed) {
    Problem p = test::randomProblem(seed, 9);
    int64_t stages = 1 + seed % 3;
    for (int64_t ii = 1; ii <= 16; ii += 1 + ii / 3) {
      SatAnswer slots = test::askSlots(p, ii, stages);
      ASSERT_EQ(ask(p, ii, stages).answer, slots) << seed << " at " << ii << "\n" << writeProblem(p);
      ++(slots == SatAnswer::Sat ? yes : no);
    }
  }
  EXPECT_GT(yes, 300);
  EXPECT_GT(no, 300);
}

// Two copies of a loop that share units, memories and groups: one of them begins no later than the other.
TEST(Orders, OfLikePartsAgreeWithSlots) {
  int yes = 0, no = 0, alike = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Problem p = test::randomProblem(seed, 4);
    int n = static_cast<int>(p.nodes.size());
    for (int v = 0; v < n; ++v) {
      Node copy = p.nodes[v];
      copy.name += "_copy";
      p.addNode(copy);
    }
    for (size_t e = 0, edges = p.edges.size(); e < edges; ++e) {
      Edge copy = p.edges[e];
      copy.from += n;
      copy.to += n;
      p.addEdge(copy);
    }
    if (!p.check())
      continue;
    alike += !likeParts(p).empty();
    for (int64_t ii = 1; ii <= 14; ii += 1 + ii / 3) {
      int64_t stages = 1 + seed % 3;
      SatAnswer slots = test::askSlots(p, ii, stages);
      ASSERT_EQ(ask(p, ii, stages).answer, slots) << seed << " at " << ii << "\n" << writeProblem(p);
      ++(slots == SatAnswer::Sat ? yes : no);
    }
  }
  EXPECT_GT(alike, 200);
  EXPECT_GT(yes, 200);
  EXPECT_GT(no, 200);
}

// Two sub-tiles with two or three slices each: slices are put into an order within their sub-tiles, these as well.
TEST(Orders, OfPartsWithinPartsAgreeWithSlots) {
  int yes = 0, no = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](int most) { return std::to_string(random() % static_cast<unsigned>(most)); };
    int slices = 2 + static_cast<int>(seed % 2);
    std::string text = "unit U " + std::to_string(1 + seed % 3 / 2) + "\nunit V 1\nmemory m 3\n", body, edges;
    text += "registers file=" + std::to_string(32 * (8 + random() % 12)) + " granule=1 min=1\n";
    text += "group c0 warps=1\ngroup c1 warps=1\nnode load latency=1 use=V:0:1\n";
    std::string tile = " latency=" + below(3) + " regs=" + below(3) + " use=U:0:" + below(3);
    std::string slice = " latency=1 issue=" + below(2) + " regs=" + below(3) + " use=U:0:1 mem=m:" + below(2);
    std::string store = " latency=1 use=V:0:" + below(2);
    std::string to = " delay=" + below(3) + " transfer=" + below(2), last = " delay=1 hold=" + below(3),
                back = " delay=1 distance=1 hold=" + below(2);
    for (std::string t : {"a", "b"}) {
      body += "node " + t + tile + "\n";
      edges += "edge load -> " + t + "\n";
      for (int k = 0; k < slices; ++k) {
        std::string name = t + std::to_string(k);
        body += "node " + name + slice + "\nnode " + name + "s" + store + "\n";
        edges += "edge " + t + " -> " + name + to + "\nedge " + name + " -> " + name + "s" + last + "\n";
        edges += "edge " + name + "s -> " + name + back + "\n";
      }
    }
    Result<Problem> p = parseProblem(text + body + edges, "f");
    ASSERT_TRUE(p) << p.error().str();
    std::vector<LikeParts> like = likeParts(*p);
    ASSERT_EQ(like.size(), 3u) << seed;
    EXPECT_EQ(like[0].parts.size(), 2u);
    EXPECT_EQ(like[1].parts.size(), static_cast<size_t>(slices));
    EXPECT_FALSE(like[2].outermost);
    for (int64_t ii = 1; ii <= 14; ii += 1 + ii / 3) {
      int64_t stages = 2 + seed % 2;
      SatAnswer slots = test::askSlots(*p, ii, stages);
      ASSERT_EQ(ask(*p, ii, stages).answer, slots) << seed << " at " << ii << "\n" << writeProblem(*p);
      ++(slots == SatAnswer::Sat ? yes : no);
    }
  }
  EXPECT_GT(yes, 40);
  EXPECT_GT(no, 40);
}

TEST(Orders, RefuteRanges) {
  int refuted = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Problem p = test::randomProblem(seed, 3);
    bool exists = false;
    for (int64_t ii = 3; ii <= 5 && !exists; ++ii)
      exists = test::forEachLegal(p, ii, 2, ConstraintSet::all(), [](const Schedule &) { return true; });
    OrderAnswer answer = ask(p, 3, 2, ConstraintSet::all(), 5);
    EXPECT_NE(answer.answer, SatAnswer::Sat) << seed;
    EXPECT_FALSE(answer.schedule) << seed;
    if (exists)
      EXPECT_NE(answer.answer, SatAnswer::Unsat) << seed;
    refuted += answer.answer == SatAnswer::Unsat;
  }
  EXPECT_GT(refuted, 50);
}

TEST(Orders, DoNotDependOnTheNumberOfCycles) {
  // Two chains that share two units and one store of values, in units of a million cycles.
  std::string text = "unit U 1\nunit V 1\nmemory m 2\n";
  for (std::string chain : {"a", "b"}) {
    for (int k = 0; k < 4; ++k)
      text +=
          "node " + chain + std::to_string(k) + " latency=1000000 use=" + (k % 2 ? "U" : "V") + ":0:1000000 mem=m:1\n";
    for (int k = 0; k < 3; ++k)
      text += "edge " + chain + std::to_string(k) + " -> " + chain + std::to_string(k + 1) + " delay=1000000\n";
  }
  Result<Problem> p = parseProblem(text, "f");
  ASSERT_TRUE(p) << p.error().str();
  EXPECT_EQ(ask(*p, 4000000, 3).answer, SatAnswer::Sat);
  EXPECT_EQ(ask(*p, 3999999, 3).answer, SatAnswer::Unsat);
  EXPECT_EQ(ask(*p, 2000000, 3, ConstraintSet::all(), 2200000).answer, SatAnswer::Unsat);
}

TEST(Orders, EndAtTheirLimits) {
  Problem p = test::randomProblem(11, 6);
  OrderOptions options;
  options.ii = 3;
  options.stages = 2;
  options.limits.deadline = Deadline().afterSteps(0);
  EXPECT_EQ(searchOrders(p, options).answer, SatAnswer::Unknown);
}

// A limit that passed ends a query while it is set up, which takes most of the time where there are hundreds of nodes.
TEST(Orders, EndAtTheirLimitsWhileTheyAreSetUp) {
  Problem p;
  p.addUnit("U");
  for (const char *name : {"g", "h"})
    p.addGroup({name, 4, 200, false, {}});
  for (int v = 0; v < 250; ++v) {
    Node node;
    node.name = "n" + std::to_string(v);
    node.regs = 1 + v % 3;
    node.reservations = {{0, 0, 1, 1}};
    p.addNode(node);
    for (int u : {v - 1 - v % 7, v - 8})
      if (u >= 0)
        p.addEdge({.from = u, .to = v, .delay = 1, .transfer = 1});
  }
  ASSERT_TRUE(p.check());
  auto seconds = [&](Deadline deadline) {
    OrderOptions options;
    options.ii = 300;
    options.stages = 4;
    options.limits.conflicts = 0;
    options.limits.deadline = deadline;
    double begin = SearchLimits::cpu();
    EXPECT_EQ(searchOrders(p, options).answer, SatAnswer::Unknown);
    return SearchLimits::cpu() - begin;
  };
  double whole = seconds({}), ended = seconds(Deadline().afterSteps(0));
  EXPECT_LT(ended, whole / 2) << "of processor time";
}

} // namespace
