//===- RefutationTest.cpp - Proof checking, witnesses and claims ----------===//
#include "heddle/Certificate/Certificate.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

Cnf formula(int variables, const std::vector<std::vector<int>> &clauses) {
  Cnf cnf;
  cnf.variables = variables;
  for (auto &clause : clauses) {
    cnf.literals.insert(cnf.literals.end(), clause.begin(), clause.end());
    cnf.literals.push_back(0);
    ++cnf.clauses;
  }
  return cnf;
}

std::string check(const Cnf &cnf, const std::string &proof) {
  Status status = checkRefutation(cnf, proof);
  return status ? "accepted" : status.error().message();
}

// All eight clauses over three variables.
const Cnf cube =
    formula(3, {{1, 2, 3}, {1, 2, -3}, {1, -2, 3}, {1, -2, -3}, {-1, 2, 3}, {-1, 2, -3}, {-1, -2, 3}, {-1, -2, -3}});

TEST(Refutation, AcceptsProofs) {
  EXPECT_EQ(check(cube, "1 2 0\n1 0\n2 0\n0\n"), "accepted");
  EXPECT_EQ(check(cube, "1 2 0\nd 1 2 3 0\n1 0\nd 1 2 0\n2 0\n0\n"), "accepted");
  EXPECT_EQ(check(formula(1, {{1}, {-1}}), ""), "accepted");
  EXPECT_EQ(check(formula(1, {{}}), ""), "accepted");
  // The same proof in binary: literal 2 * var + sign.
  std::string binary("a\2\4\0a\2\0a\4\0a\0", 12);
  EXPECT_EQ(check(cube, binary), "accepted");
}

TEST(Refutation, EndsAtItsLimit) {
  Status status = checkRefutation(cube, "1 2 0\n1 0\n2 0\n0\n", nullptr, 1);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind(), ErrorKind::Limit);
  EXPECT_EQ(status.error().message(), "checking the proof takes more steps than it may");
}

TEST(Refutation, RejectsWhatDoesNotFollow) {
  EXPECT_EQ(check(cube, ""), "the proof ends without deriving the empty clause");
  EXPECT_EQ(check(cube, "1 0\n2 0\n0\n"), "lemma 1 of the proof does not follow by unit propagation");
  EXPECT_EQ(check(cube, "0\n"), "lemma 1 of the proof does not follow by unit propagation");
  EXPECT_EQ(check(formula(2, {{1, 2}}), "1 0\n-1 0\n"), "lemma 2 of the proof does not follow by unit propagation");
  // Deleting what the proof still needs.
  EXPECT_NE(check(cube, "d 1 2 3 0\nd 1 2 -3 0\n1 2 0\n1 0\n2 0\n0\n"), "accepted");
  EXPECT_EQ(check(cube, "1 2 "), "malformed proof at byte 4");
  EXPECT_EQ(check(cube, "1 2 x"), "malformed proof at byte 0"); // neither text nor binary
  EXPECT_EQ(check(cube, std::string("a\1\0", 3)), "malformed proof at byte 2");
  EXPECT_NE(check(cube, "999999999999 0").find("malformed"), std::string::npos);
}

TEST(Refutation, Dimacs) { EXPECT_EQ(formula(2, {{1, -2}, {2}}).dimacs(), "p cnf 2 2\n1 -2 0\n2 0\n"); }

TEST(Refutation, Limits) {
  Result<Problem> p = parseProblem("node a", "f");
  EXPECT_FALSE(deriveCnf(*p, 0, 1));
  EXPECT_FALSE(deriveCnf(*p, 1, 0));
  EXPECT_EQ(deriveCnf(*p, 1 << 22, 1 << 20).error().kind(), ErrorKind::Limit);
}

TEST(Witness, Values) {
  Result<Problem> p = parseProblem(
      "unit A 2\nmemory m 4\nmemory r 7 ring\ngroup g regs=10\nnode a regs=6 issue=3 use=A:0:5 mem=m:3 mem=r:3\n"
      "node b issue=2\nedge a -> b delay=9\nedge b -> a delay=3 distance=2\n",
      "f");
  ASSERT_TRUE(p) << p.error().str();
  auto value = [&](const ArithmeticWitness &w) {
    Result<int64_t> r = evaluateWitness(*p, w);
    return r ? std::to_string(*r) : r.error().message();
  };
  EXPECT_EQ(value({"unit", "A", {}}), "3");
  EXPECT_EQ(value({"cycle", "", {0, 1}}), "6");
  EXPECT_EQ(value({"issue", "g", {}}), "5");
  EXPECT_EQ(value({"issue", "", {}}), "5");
  EXPECT_EQ(value({"exclusive", "A", {}}), "1"); // two fit A
  EXPECT_EQ(value({"exclusive", "B", {}}), "unknown unit 'B' in the witness");
  EXPECT_EQ(value({"memory", "m", {}}), "7");
  EXPECT_EQ(value({"ring", "r", {}}), "5");
  EXPECT_EQ(value({"registers", "g", {}}), "6");
  EXPECT_EQ(value({"unit", "B", {}}), "unknown unit 'B' in the witness");
  EXPECT_EQ(value({"cycle", "", {0}}), "the edges of the witness form no cycle");
  EXPECT_EQ(value({"cycle", "", {0, 9}}), "the edges of the witness form no cycle");
  EXPECT_EQ(value({"cycle", "", {}}), "the cycle of the witness has distance 0");
  EXPECT_EQ(value({"memory", "r", {}}), "unknown memory 'r' in the witness");
  EXPECT_EQ(value({"issue", "h", {}}), "unknown group 'h' in the witness");
  EXPECT_EQ(value({"luck", "", {}}), "unknown kind of witness 'luck'");
}

TEST(Witness, NodesOfOneGroupOnOneUnit) {
  Result<Problem> p = parseProblem("unit A 1\ngroup g\ngroup h\nnode a issue=3 use=A:0:2 group=g\n"
                                   "node b issue=1 use=A:0:4 group=g\nnode c issue=9 use=A:0:1\n"
                                   "node d issue=9 use=A:1:1 group=g\nnode e issue=9 group=g\n",
                                   "f");
  ASSERT_TRUE(p) << p.error().str();
  EXPECT_EQ(*evaluateWitness(*p, {"exclusive", "A", {}}), 7); // c may run elsewhere, d begins later, e uses no unit
}

TEST(Claim, RoundTripAndErrors) {
  Claim c;
  c.problem = c.schedule = "0123456789abcdef";
  c.ii = 9;
  c.stages = 3;
  c.bound = 8;
  c.witness = {"cycle", "", {0, 4}};
  c.refuted = {{8, "ii8.drat", "00"}};
  std::string text = writeClaim(c);
  Result<Claim> again = parseClaim(text, "c");
  ASSERT_TRUE(again) << again.error().str();
  EXPECT_EQ(writeClaim(*again), text);
  c.witness = {"unit", "tensor core", {}};
  EXPECT_EQ(writeClaim(*parseClaim(writeClaim(c), "c")), writeClaim(c));
  auto error = [](const std::string &bad) {
    Result<Claim> r = parseClaim(bad, "c");
    return r ? "none" : r.error().str();
  };
  EXPECT_EQ(error(""), "c:1:1: error: expected a 'heddle-certificate' line, got the end of the file");
  EXPECT_EQ(error("heddle-certificate 2\n"), "c:1:1: error: malformed 'heddle-certificate' line");
  EXPECT_EQ(error("x"), "c:1:1: error: expected 'heddle-certificate', got 'x'");
  EXPECT_EQ(error("heddle-certificate 1\nproblem a\nschedule b\nii 0\n"), "c:4:1: error: malformed 'ii' line");
  EXPECT_EQ(error("heddle-certificate 1\nproblem a\nschedule b\nii 2\nstages 1\nbound 2 cycle x\n"),
            "c:6:1: error: malformed 'bound' line");
  EXPECT_EQ(error("heddle-certificate 1\nproblem a\nschedule b\nii 2\nstages 1\nbound 1\nrefuted 1 ../x d\n"),
            "c:7:1: error: malformed 'refuted' line");
}

} // namespace
