//===- BruteForceTest.cpp - The joint encoder against enumeration ---------===//
#include "RandomProblems.h"
#include "SolveFormula.h"
#include "heddle/Scheduling/Bounds/Bounds.h"
#include "heddle/Scheduling/Export/StraightLine.h"
#include "heddle/Scheduling/Joint/Encoder.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace heddle;

namespace {

SatAnswer ask(const Problem &p, int64_t ii, int64_t stages, ConstraintSet set, bool selectors, Schedule *out) {
  std::unique_ptr<SatSolver> sat = createSat();
  Encoder::Options o;
  o.ii = ii;
  o.stages = stages;
  o.constraints = set;
  o.selectors = selectors;
  Encoder encoder(p, *sat, o);
  encoder.encode();
  SatAnswer answer = sat->solve(encoder.assumptions(), {});
  if (answer == SatAnswer::Sat) {
    *out = encoder.read();
    finishSchedule(p, *out);
  }
  return answer;
}

// HEDDLE_BRUTE_SEEDS widens the test.
TEST(BruteForce, EncoderAgreesWithEnumeration) {
  const char *env = std::getenv("HEDDLE_BRUTE_SEEDS");
  unsigned seeds = env ? static_cast<unsigned>(std::atoi(env)) : 2000, sat = 0, unsat = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Problem p = test::randomProblem(seed);
    int64_t stages = 1 + seed % 2;
    Bounds bounds = computeBounds(p);
    for (int64_t ii = 1; ii * stages <= (p.nodes.size() >= 4 ? 6 : 8); ++ii) {
      // Every third instance drops one constraint, so that each switch is exercised.
      ConstraintSet set = seed % 3 ? ConstraintSet::all()
                                   : ConstraintSet::all().without(
                                         static_cast<Constraint>(seed / 3 % static_cast<unsigned>(Constraint::Count)));
      bool expected = test::forEachLegal(p, ii, stages, set, [](const Schedule &) { return true; });
      Schedule found;
      SatAnswer answer = ask(p, ii, stages, set, seed % 5 == 0, &found);
      ASSERT_EQ(answer, expected ? SatAnswer::Sat : SatAnswer::Unsat) << "seed " << seed << " ii " << ii << "\n"
                                                                      << writeProblem(p);
      if (expected) {
        auto violations = verifySchedule(p, found, set);
        ASSERT_TRUE(violations.empty()) << "seed " << seed << " ii " << ii << ": " << violations[0].message << "\n"
                                        << writeProblem(p);
        bool bounded = seed % 3 == 0 || (!bounds.infeasible && ii >= bounds.mii);
        ASSERT_TRUE(bounded) << "seed " << seed << " ii " << ii << "\n" << writeProblem(p);
      }
      (expected ? sat : unsat) += 1;
    }
  }
  EXPECT_GT(sat, seeds / 4);
  EXPECT_GT(unsat, seeds / 4);
}

// The paper's straight-line formulation, repaired (the one that is exported), against the modular one; larger instances
// than enumeration reaches.
TEST(BruteForce, EncoderAgreesWithThePapersFormulation) {
  const char *env = std::getenv("HEDDLE_BRUTE_SEEDS");
  unsigned wanted = env ? static_cast<unsigned>(std::atoi(env)) : 2000, sat = 0, unsat = 0;
  for (unsigned seed = 40000; seed < 40000 + wanted; ++seed) {
    Problem p = test::randomProblem(seed, 6);
    StraightLineOptions options;
    options.stages = 1 + seed % 3;
    options.ii = 1 + static_cast<int64_t>(seed / 3 % 6);
    Schedule found;
    Result<LinearFormula> formula = straightLineFormula(p, options);
    ASSERT_TRUE(formula) << formula.error().str();
    SatAnswer ours = ask(p, options.ii, options.stages, ConstraintSet::all(), false, &found),
              paper = test::SolveFormula(*formula).run();
    ASSERT_EQ(ours, paper) << "seed " << seed << " ii " << options.ii << " stages " << options.stages << "\n"
                           << writeProblem(p);
    (ours == SatAnswer::Sat ? sat : unsat) += 1;
  }
  EXPECT_GT(sat, wanted / 8);
  EXPECT_GT(unsat, wanted / 8);
}

TEST(BruteForce, SolveFindsTheLeastInterval) {
  for (unsigned seed = 5000; seed < 5150; ++seed) {
    Problem p = test::randomProblem(seed, 3);
    SolveOptions options;
    options.maxStages = 2;
    options.maxII = 5;
    SolveResult r = solve(p, options);
    int64_t expected = 0;
    for (int64_t ii = 1; ii <= 5 && !expected; ++ii)
      if (test::forEachLegal(p, ii, 2, ConstraintSet::all(), [](const Schedule &) { return true; }))
        expected = ii;
    if (expected) {
      ASSERT_EQ(r.status, SolveStatus::Optimal) << seed << r.message << writeProblem(p);
      ASSERT_EQ(r.schedule.ii, expected) << seed << writeProblem(p);
      // Lexicographic goals against enumeration, among schedules of the fewest stages: groups, then length, then
      // crossing edges.
      auto score = [&](const Schedule &s) {
        int64_t used = 0, crossing = 0;
        for (int g = 0; g < static_cast<int>(p.groups.size()); ++g)
          used += std::count(s.group.begin(), s.group.end(), g) > 0;
        for (const Edge &e : p.edges)
          crossing += !e.order && s.group[e.from] != s.group[e.to];
        return std::tuple(used, s.length(p), crossing);
      };
      auto best = score(r.schedule);
      test::forEachLegal(p, expected, r.schedule.stages(p), ConstraintSet::all(), [&](const Schedule &s) {
        EXPECT_GE(score(s), best) << seed << writeProblem(p) << writeSchedule(p, r.schedule) << writeSchedule(p, s);
        return score(s) < best;
      });
    } else {
      ASSERT_TRUE(r.status == SolveStatus::Infeasible) << seed << solveStatusName(r.status) << writeProblem(p);
      ASSERT_FALSE(r.binding.empty());
    }
  }
}

TEST(BruteForce, RandomAndHeuristicSchedulesAreLegal) {
  int random = 0, heuristic = 0;
  for (unsigned seed = 7000; seed < 7080; ++seed) {
    Problem p = test::randomProblem(seed);
    if (Result<Schedule> s = scheduleRandom(p, {.seed = seed, .constraints = {}, .maxII = 0, .attempts = 50})) {
      ++random;
      EXPECT_TRUE(verifySchedule(p, *s).empty());
    }
    if (Result<Schedule> s = scheduleHeuristic(p)) {
      ++heuristic;
      EXPECT_TRUE(verifySchedule(p, *s).empty());
    }
  }
  EXPECT_GT(random, 25);
  EXPECT_GT(heuristic, 8);
}

} // namespace
