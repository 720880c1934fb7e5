//===- SolveTest.cpp - The exact scheduler: small instances with known answers ===//
#include "heddle/Scheduling/Solver/Solve.h"
#include "ParseText.h"
#include "RandomProblems.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Solver/Draw.h"

#include <gtest/gtest.h>

using namespace heddle;
using test::parse;

namespace {

/// Least interval under `set`, -1 when infeasible up to maxII.
int64_t least(const std::string &text, ConstraintSet set = ConstraintSet::all(), int64_t stages = 3,
              int64_t maxII = 40) {
  SolveOptions o;
  o.constraints = set;
  o.maxStages = stages;
  o.maxII = maxII;
  Problem p = parse(text);
  SolveResult r = solve(p, o);
  EXPECT_TRUE(r.status == SolveStatus::Optimal || r.status == SolveStatus::Infeasible) << r.message;
  return r.status == SolveStatus::Optimal ? r.schedule.ii : -1;
}

const char *toy =
    "problem toy\nunit TC 1\nunit SFU 1\nnode S latency=2 use=TC:0:1\nnode P latency=1 use=SFU:0:1\n"
    "node O latency=1 use=TC:0:1\nedge S -> P delay=2\nedge P -> O delay=1\nedge O -> O delay=1 distance=1\n";

TEST(Solve, TwillFigure2) {
  Problem p = parse(toy);
  for (SolveMode mode : {SolveMode::Full, SolveMode::Paper, SolveMode::Modulo}) {
    SolveOptions o;
    o.mode = mode;
    SolveResult r = solve(p, o);
    ASSERT_EQ(r.status, SolveStatus::Optimal);
    EXPECT_EQ(r.schedule.ii, 2);
    EXPECT_EQ(r.schedule.length(p), 4);
    EXPECT_EQ(r.schedule.start, (std::vector<int64_t>{0, 2, 3}));
    EXPECT_EQ(r.binding, "unit 'TC' is busy 2 cycles an iteration with capacity 1");
  }
}

// One instance a constraint: switching it off alone changes the answer.
struct Decided {
  Constraint constraint;
  const char *text;
  int64_t with, without;
};

// A value without a lifetime (nobody reads it) takes nothing, also where two values never fit together.
TEST(Solve, ValuesWithoutALifetimeTakeNothing) {
  EXPECT_EQ(least("unit U 1\nmemory m 3\nnode a live=2 mem=m:2 use=U:0:1\nnode b live=0 mem=m:2 use=U:0:1"), 2);
  EXPECT_EQ(least("unit U 1\nmemory m 3\nnode a live=2 mem=m:2 use=U:0:1\nnode b live=1 mem=m:2 use=U:0:1"), 3);
  EXPECT_EQ(least("unit U 1\nregisters granule=1 min=1\ngroup g regs=3\n"
                  "node a live=2 regs=2 use=U:0:1\nnode b live=0 regs=2 use=U:0:1"),
            2);
}

// That a pinned depth covers a lifetime is said by two constraints together: without either one it does not bind.
TEST(Solve, APinnedDepthIsTwoConstraints) {
  const char *text = "memory m 4\nnode a mem=m:1 live=6 depth=2";
  EXPECT_EQ(least(text), 3);
  for (Constraint free : {Constraint::Pins, Constraint::Rings}) {
    SolveOptions o;
    o.constraints = ConstraintSet::all().without(free);
    Problem p = parse(text);
    SolveResult r = solve(p, o);
    ASSERT_EQ(r.status, SolveStatus::Optimal);
    EXPECT_EQ(r.schedule.ii, 2);
    EXPECT_TRUE(verifySchedule(p, r.schedule, o.constraints).empty());
  }
}

TEST(Solve, EachConstraintDecidesAnInstance) {
  const Decided cases[] = {
      {Constraint::Dependence, "node a\nedge a -> a delay=5 distance=1", 5, 1},
      {Constraint::Capacity, "unit A 1\nnode a use=A:0:3", 3, 1},
      {Constraint::Memory, "memory m 1\nnode a mem=m:1\nnode b\nedge a -> b delay=4", 4, 2},
      {Constraint::Rings, "memory m 1 ring\nnode a mem=m:1\nnode b\nedge a -> b delay=6", 6, 3},
      {Constraint::WarpAssignment, "unit A 1\ngroup g\ngroup h\nnode a issue=2 group=g\nnode b issue=2 group=g", 4, 2},
      {Constraint::VariableLatency,
       "group g\ngroup v variable\nnode a variable\nnode b\nedge a -> b delay=1 transfer=7\n"
       "edge b -> a delay=1 transfer=7 distance=1",
       16, 2},
      {Constraint::Registers, "group g regs=4\nnode a regs=4\nnode b\nedge a -> b delay=5", 5, 2},
      {Constraint::RegisterFile,
       "registers file=512 granule=2 min=2\ngroup g warps=1\ngroup h warps=1\n"
       "node a regs=8 group=g\nnode b group=g\nnode c regs=8 group=h\nnode d group=h\n"
       "edge a -> b delay=3\nedge c -> d delay=3\nnode e\n",
       3, 2},
      {Constraint::Transfers,
       "group g\ngroup h\nnode a issue=2 latency=2\nnode b issue=2 latency=2\nedge a -> b delay=2 transfer=9\n"
       "edge b -> a distance=1 transfer=9",
       4, 2},
      {Constraint::Concurrency, "group g\nnode a latency=3\nnode b latency=2\nedge a -> b delay=3 blocking", 4, 2},
      {Constraint::Issue, "group g\nnode a issue=3\nnode b issue=2", 5, 1},
      {Constraint::Pins, "unit A 1\nnode a use=A:0:1 start=0\nnode b use=A:0:1 start=4", 3, 2},
  };
  for (const Decided &c : cases) {
    int64_t with = least(c.text), without = least(c.text, ConstraintSet::all().without(c.constraint));
    EXPECT_EQ(with, c.with) << constraintName(c.constraint);
    EXPECT_EQ(without, c.without) << constraintName(c.constraint);
  }
}

// Study point 1 (E1): loop-carried lifetimes count from the first iteration on.
TEST(Solve, StudyE1LoopCarriedLifetimes) {
  const char *text =
      "unit A 1\ngroup g regs=7\nnode S latency=1 regs=4 use=A:0:1\nnode P latency=1 regs=2 use=A:0:1\n"
      "node O latency=1 regs=4 use=A:0:1\nedge S -> P delay=1\nedge P -> O delay=1\nedge O -> O delay=1 distance=1\n";
  EXPECT_EQ(least(text, ConstraintSet::all(), 1, 3), -1); // literal SAT in the paper at 3; the true pressure is 8
}

// Study point 2 (E2): dependences of distance >= stages still bind; with transfers the least interval is 6.
TEST(Solve, StudyE2FarDependences) {
  EXPECT_EQ(least("group g\ngroup h\nnode a group=g\nnode b group=h\nedge a -> b delay=1 transfer=2\n"
                  "edge b -> a delay=1 transfer=2 distance=1",
                  ConstraintSet::all(), 1),
            6);
}

// Study point 3 (E3): a value defined and used in the same cycle takes no space.
TEST(Solve, StudyE3ZeroLatencyProducer) {
  EXPECT_EQ(
      least("memory m 1\nnode a latency=0 mem=m:1\nnode b latency=1 mem=m:1\nnode c\nedge a -> b\nedge b -> c delay=1",
            ConstraintSet::all(), 3),
      1);
}

// Study point 5: with more stages than the paper's N0 the interval may be smaller.
TEST(Solve, FullModeIsNeverWorseThanPaperMode) {
  const char *text =
      "unit A 1\nunit B 1\ngroup g regs=8\nnode a latency=2 regs=4 use=A:0:2\nnode b latency=2 regs=4 use=B:0:2\n"
      "node c latency=1 use=A:0:1\nedge a -> b delay=2 blocking\nedge b -> c delay=2 blocking\nedge c -> a distance=2 "
      "delay=1\n";
  Problem p = parse(text);
  SolveOptions paper;
  paper.mode = SolveMode::Paper;
  SolveResult a = solve(p, paper), b = solve(p);
  ASSERT_TRUE(a.hasSchedule && b.hasSchedule);
  EXPECT_LE(b.schedule.ii, a.schedule.ii);
}

TEST(Solve, PinnedScheduleIsReplayed) {
  Problem p = parse(toy);
  p.nodes[0].pinStart = 1;
  p.nodes[1].pinStart = 5;
  p.nodes[2].pinStart = 8;
  SolveResult r = solve(p);
  ASSERT_EQ(r.status, SolveStatus::Optimal);
  EXPECT_EQ(r.schedule.start, (std::vector<int64_t>{1, 5, 8}));
  p.nodes[2].pinStart = 5; // before its operand: no interval helps
  r = solve(p);
  EXPECT_EQ(r.status, SolveStatus::Infeasible);
  EXPECT_NE(r.binding.find("pins"), std::string::npos) << r.binding;
}

TEST(Solve, LimitIsReportedAsSuch) {
  Problem p = parse(toy);
  SolveOptions o;
  o.timeLimit = 0;
  EXPECT_EQ(solve(p, o).status, SolveStatus::Optimal); // the fall-back meets the arithmetic bound
  o.anytime = false;
  SolveResult r = solve(p, o);
  EXPECT_EQ(r.status, SolveStatus::LimitReached);
  EXPECT_EQ(r.bound, 2);
  o.timeLimit = 60;
  o.memoryLimitMB = 1;
  EXPECT_EQ(solve(p, o).status, SolveStatus::LimitReached);
}

// What is made at the limit has at most as many stages as asked for.
TEST(Solve, LimitKeepsTheStages) {
  Problem p = parse("problem ahead\nunit LSU 1\nunit ALU 1\nnode load latency=800 use=LSU:0:100\n"
                    "node add latency=120 use=ALU:0:120\nedge load -> add delay=800\n");
  SolveOptions o;
  o.timeLimit = 0;
  EXPECT_GT(solve(p, o).schedule.stages(p), 1);
  o.maxStages = 1;
  SolveResult r = solve(p, o);
  EXPECT_TRUE(!r.hasSchedule || r.schedule.stages(p) == 1) << "interval " << r.schedule.ii;
}

TEST(Solve, InfeasibleNamesTheLimit) {
  SolveResult r = solve(parse("memory m 4 ring\nnode a mem=m:5"));
  EXPECT_EQ(r.status, SolveStatus::Infeasible);
  EXPECT_EQ(r.binding, "memory 'm' holds 4 and its rings need at least 5: over by 1");
  SolveOptions o;
  o.maxII = 6;
  r = solve(parse("group g regs=3\nnode a regs=2\nnode b regs=2\nnode c\nedge a -> c delay=1\nedge b -> c delay=1\n"),
            o);
  EXPECT_EQ(r.status, SolveStatus::Infeasible);
  EXPECT_NE(r.binding.find("registers"), std::string::npos) << r.binding;
}

/// What no bound says: one value begins while another is held, which nothing reads together.
TEST(Solve, InfeasibleNamesTheCoreAndHowMuchIsMissing) {
  Problem p = parse("group g regs=5\nnode a regs=3\nnode b regs=3\nnode c\nnode d\nedge a -> b delay=1 order\n"
                    "edge b -> c delay=1 order\nedge a -> c delay=1\nedge b -> d delay=1\n");
  for (bool orders : {true, false}) {
    SolveOptions o;
    o.maxII = 6;
    o.insertion = orders;
    SolveResult r = solve(p, o);
    EXPECT_EQ(r.status, SolveStatus::Infeasible);
    EXPECT_EQ(r.core, (std::vector<Constraint>{Constraint::Dependence, Constraint::Registers})) << r.binding;
    EXPECT_EQ(r.binding, "interval 6 with at most 3 stages contradicts dependence and registers; it needs registers of "
                         "group 'g': at least 6 instead of 5");
  }
  SolveOptions o;
  o.maxII = 2;
  o.maxStages = 1;
  o.onlyOrders = true;
  SolveResult r = solve(parse("node a\nnode b\nnode c\nedge a -> b delay=1\nedge b -> c delay=1"), o);
  EXPECT_EQ(r.status, SolveStatus::Infeasible);
  EXPECT_EQ(r.binding,
            "interval 2 with at most 1 stage contradicts dependence; it needs stages: at least 2 instead of 1");
}

TEST(Solve, ExplainSaysWhatWouldHelp) {
  Problem p = parse(toy);
  SolveResult r = solve(p);
  std::string text = explain(p, r);
  EXPECT_NE(text.find("give unit 'TC' capacity 2 instead of 1, with 4 stages: then the bound is 1"), std::string::npos)
      << text;
}

/// What another bound makes useless is not offered; of the rest the gain ends at the next bound.
TEST(Solve, ExplainRegardsTheNextBound) {
  const std::string nodes = "unit U 1\nnode a latency=10 use=U:0:5\nnode b latency=10 use=U:0:5\n"
                            "edge a -> b delay=10\nedge b -> a delay=14 distance=1\n";
  auto explained = [](const std::string &text) {
    Problem p = parse(text);
    return explain(p, solve(p));
  };
  std::string text = explained(nodes);
  EXPECT_NE(
      text.find("  - shorten the recurrence by 1 to 14 cycles an iteration: then the bound is 10 (unit 'U' is busy "
                "10 cycles"),
      std::string::npos)
      << text;
  text = explained(nodes + "node c latency=1 use=U:0:8");
  EXPECT_NE(text.find("  - shorten the recurrence by 1 to 6 cycles an iteration: then the bound is 18 (unit 'U'"),
            std::string::npos)
      << text;
  text = explained(nodes + "node c latency=1 use=U:0:14");
  EXPECT_EQ(text.find("shorten the recurrence"), std::string::npos) << text;
  EXPECT_NE(text.find("24  recurrence"), std::string::npos) << text;
  text = explained(nodes + "node c latency=24\nedge c -> c delay=24 distance=1");
  EXPECT_EQ(text.find("shorten the recurrence"), std::string::npos) << text;
}

TEST(Solve, Streaming) {
  Problem p = parse("group v variable\ngroup g\nnode l latency=900 variable\nnode m latency=900 variable\nnode d\n"
                    "edge l -> d delay=900 transfer=5\nedge d -> m delay=1\nedge m -> d delay=900 distance=1");
  EXPECT_EQ(applyStreaming(p), 1);
  EXPECT_EQ(p.nodes[0].latency, 0);
  EXPECT_EQ(p.edges[0].delay, 0);
  EXPECT_EQ(p.nodes[1].latency, 900);
}

TEST(Solve, WithoutProofAScheduleIsLegalAndOptimalAtTheBoundOnly) {
  int found = 0, optimal = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Problem p = test::randomProblem(seed, 6);
    SolveOptions options;
    options.explain = options.lexicographic = false;
    SolveResult exact = solve(p, options);
    options.prove = false;
    SolveResult quick = solve(p, options);
    EXPECT_LE(quick.hasSchedule, exact.hasSchedule) << seed;
    if (!quick.hasSchedule)
      continue;
    ++found;
    EXPECT_TRUE(verifySchedule(p, quick.schedule).empty()) << seed;
    EXPECT_GE(quick.schedule.ii, exact.schedule.ii) << seed;
    EXPECT_EQ(quick.status == SolveStatus::Optimal, quick.schedule.ii == quick.bound) << seed;
    optimal += quick.schedule.ii == exact.schedule.ii;
  }
  EXPECT_GT(found, 10);
  EXPECT_GT(10 * optimal, 9 * found);
}

/// The registers hold one of the two tiles, so that product and arithmetic follow each other, which no bound says.
TEST(Solve, WithoutProofAWeakBoundCostsNothing) {
  Problem p = parse("unit TC 1\nunit ALU 1\ngroup c regs=100\n"
                    "node s latency=400 issue=10 async warps=4 regs=64 use=TC:0:400 group=c\n"
                    "node m latency=300 issue=300 warps=4 regs=64 use=ALU:0:300 group=c\n"
                    "node r latency=90 issue=90 warps=4 regs=2 use=ALU:0:90 group=c\n"
                    "edge s -> m delay=400\nedge m -> r delay=300\n");
  SolveOptions options;
  options.explain = options.lexicographic = options.prove = false;
  options.deadline = Deadline().afterSteps(300000);
  SolveResult r = solve(p, options);
  ASSERT_TRUE(r.hasSchedule);
  EXPECT_EQ(r.bound, 448); // of the registers on average
  EXPECT_EQ(r.schedule.ii, 790);
}

TEST(Draw, PicturesAreCompleteAndDeterministic) {
  Problem p = parse(toy);
  SolveResult r = solve(p);
  std::string svg = drawSchedule(p, r.schedule);
  EXPECT_EQ(svg, drawSchedule(p, r.schedule));
  for (const char *part : {"<svg", "</svg>", "modular reservation table", "timeline of", "SFU (1)", ">P<"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_NE(drawGraph(p, &r.schedule).find("marker-end"), std::string::npos);
}

} // namespace
