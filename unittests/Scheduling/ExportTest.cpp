//===- ExportTest.cpp - The exported formulation and its files ------------===//
#include "RandomProblems.h"
#include "SolveFormula.h"
#include "heddle/Scheduling/Export/StraightLine.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace heddle;

namespace {

LinearFormula formula(const Problem &p, int64_t ii, int64_t stages, ConstraintSet set = {}) {
  StraightLineOptions options;
  options.ii = ii;
  options.stages = stages;
  options.constraints = set;
  Result<LinearFormula> f = straightLineFormula(p, options);
  EXPECT_TRUE(f) << f.error().str();
  return f ? *f : LinearFormula{};
}

// Twill's formulation, with every condition, against enumeration of all schedules. HEDDLE_BRUTE_SEEDS widens the test.
TEST(Export, AgreesWithEnumeration) {
  const char *env = std::getenv("HEDDLE_BRUTE_SEEDS");
  unsigned seeds = env ? static_cast<unsigned>(std::atoi(env)) : 400, sat = 0, unsat = 0;
  for (unsigned seed = 20000; seed < 20000 + seeds; ++seed) {
    Problem p = test::randomProblem(seed);
    int64_t stages = 1 + seed % 2;
    for (int64_t ii = 1; ii * stages <= (p.nodes.size() >= 4 ? 6 : 8); ++ii) {
      // Every third instance drops one constraint, so that each switch is exercised.
      ConstraintSet set = seed % 3 ? ConstraintSet::all()
                                   : ConstraintSet::all().without(
                                         static_cast<Constraint>(seed / 3 % static_cast<unsigned>(Constraint::Count)));
      bool expected = test::forEachLegal(p, ii, stages, set, [](const Schedule &) { return true; });
      LinearFormula f = formula(p, ii, stages, set);
      ASSERT_EQ(test::SolveFormula(f).run(), expected ? SatAnswer::Sat : SatAnswer::Unsat)
          << "seed " << seed << " ii " << ii << "\n"
          << writeProblem(p);
      (expected ? sat : unsat) += 1;
    }
  }
  EXPECT_GT(sat, seeds / 4);
  EXPECT_GT(unsat, seeds / 4);
}

TEST(Export, RefusesWhatIsTooLarge) {
  Problem p;
  p.addNode({.name = "a", .latency = 1});
  StraightLineOptions options;
  options.ii = 1000;
  options.stages = 3;
  options.maxTerms = 500;
  Result<LinearFormula> f = straightLineFormula(p, options);
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error().kind(), ErrorKind::Limit);
  EXPECT_EQ(f.error().message(),
            "the formula of interval 1000 has more than 500 terms (--normalise=U makes it smaller)");
}

TEST(Export, Files) {
  LinearFormula f;
  f.title = "two\nlines";
  f.families = {{"a", 1, 2, "first\nsecond"}, {"b", 3, 1, "third"}};
  f.variables = 3;
  f.headings = {{0, "clauses"}, {2, "rows"}};
  f.rows = {{{{1, 1}, {2, -1}}, 0, true},
            {{}, 0, true},
            {{{1, 2}, {3, -5}}, -3, false},
            {{{3, 7}}, 4, false},
            {{}, -1, false}};
  EXPECT_EQ(writeSmt2(f),
            "; two lines\n; a_0 ... a_1: first second\n; b_0 ... b_0: third\n(set-logic QF_LIA)\n"
            "(declare-fun a_0 () Bool)\n(declare-fun a_1 () Bool)\n(declare-fun b_0 () Bool)\n"
            "; clauses\n(assert (or a_0 (not a_1)))\n(assert false)\n"
            "; rows\n(assert (<= (+ (ite a_0 2 0) (ite b_0 (- 5) 0)) (- 3)))\n(assert (<= (ite b_0 7 0) 4))\n"
            "(assert (<= 0 (- 1)))\n(check-sat)\n");
  EXPECT_EQ(writeOpb(f),
            "* #variable= 3 #constraint= 5\n* two lines\n* x1 ... x2: first second\n* x3 ... x3: third\n"
            "* clauses\n+1 x1 -1 x2 >= 0 ;\n+0 x1 >= 1 ;\n* rows\n-2 x1 +5 x3 >= 3 ;\n-7 x3 >= -4 ;\n+0 x1 >= 1 ;\n");
  EXPECT_EQ(writeLp(f),
            "\\ two lines\n\\ x1 ... x2: first second\n\\ x3 ... x3: third\nMinimize\n obj: 0 x1\nSubject To\n"
            "\\ clauses\n r1: + 1 x1 - 1 x2 >= 0\n r2: 0 x1 >= 1\n\\ rows\n r3: - 2 x1 + 5 x3 >= 3\n r4: - 7 x3 >= -4\n"
            " r5: 0 x1 >= 1\nBinary\n x1\n x2\n x3\nEnd\n");
}

} // namespace
