//===- OrderProofTest.cpp - The checker's formula over orders, and proofs --===//
#include "RandomProblems.h"
#include "SlotQuery.h"
#include "heddle/Certificate/Orders.h"
#include "heddle/Scheduling/Order/OrderRefutation.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace heddle;

namespace {

/// Whether the formula has a model; a refutation is accepted by the checker.
SatAnswer ask(const Problem &p, int64_t ii, int64_t stages) {
  OrderRefutation made = refuteOrders(p, ii, stages, {});
  if (made.answer == SatAnswer::Unsat) {
    Status accepted = checkOrders(p, ii, stages, made.proof);
    EXPECT_TRUE(accepted) << accepted.error().str() << "\n" << writeProblem(p);
  }
  return made.answer;
}

// HEDDLE_BRUTE_SEEDS widens the test.
TEST(OrderProof, FormulaAgreesWithEnumeration) {
  const char *env = std::getenv("HEDDLE_BRUTE_SEEDS");
  unsigned seeds = env ? static_cast<unsigned>(std::atoi(env)) : 2000, yes = 0, no = 0;
  for (unsigned seed = 90000; seed < 90000 + seeds; ++seed) {
    Problem p = test::randomProblem(seed);
    int64_t stages = 1 + seed % 2;
    for (int64_t ii = 1; ii * stages <= (p.nodes.size() >= 4 ? 5 : 8); ++ii) {
      bool expected = test::forEachLegal(p, ii, stages, ConstraintSet::all(), [](const Schedule &) { return true; });
      ASSERT_EQ(ask(p, ii, stages), expected ? SatAnswer::Sat : SatAnswer::Unsat)
          << "seed " << seed << " ii " << ii << "\n"
          << writeProblem(p);
      ++(expected ? yes : no);
    }
  }
  EXPECT_GT(yes, seeds / 4);
  EXPECT_GT(no, seeds / 4);
}

// More nodes than enumeration reaches, half of them copies of the others, which exchanges put into order.
TEST(OrderProof, FormulaAgreesWithSlots) {
  int yes = 0, no = 0, exchanged = 0;
  for (unsigned seed = 91000; seed < 91300; ++seed) {
    Problem p = test::randomProblem(seed, seed % 2 ? 4 : 8);
    int n = static_cast<int>(p.nodes.size());
    for (int v = 0; v < n && seed % 2; ++v) {
      Node copy = p.nodes[v];
      copy.name += "_copy";
      p.addNode(copy);
    }
    for (size_t e = 0, edges = p.edges.size(); e < edges && seed % 2; ++e) {
      Edge copy = p.edges[e];
      copy.from += n;
      copy.to += n;
      p.addEdge(copy);
    }
    if (!p.check())
      continue;
    for (int64_t ii = 1; ii <= 14; ii += 1 + ii / 3) {
      int64_t stages = 1 + seed % 3;
      SatAnswer slots = test::askSlots(p, ii, stages);
      ASSERT_EQ(ask(p, ii, stages), slots) << seed << " at " << ii << "\n" << writeProblem(p);
      ++(slots == SatAnswer::Sat ? yes : no);
      if (OrderRefutation made = refuteOrders(p, ii, stages, {}); made.answer == SatAnswer::Unsat)
        exchanged += !parseOrderProof(made.proof)->exchanges.empty();
    }
  }
  EXPECT_GT(yes, 200);
  EXPECT_GT(no, 200);
  EXPECT_GT(exchanged, 100);
}

// Intervals that idle cycles make longer.
TEST(OrderProof, RefutedIntervalsRefuteSmallerOnes) {
  int refuted = 0;
  for (unsigned seed = 92000; seed < 92600; ++seed) {
    Problem p = test::randomProblem(seed, 3);
    if (!idleCyclesKeepLegal(p, 1))
      continue;
    bool before = false;
    for (int64_t ii = 1; ii <= 5; ++ii) {
      bool exists = test::forEachLegal(p, ii, 2, ConstraintSet::all(), [](const Schedule &) { return true; });
      EXPECT_TRUE(exists || !before) << seed << " at " << ii << "\n" << writeProblem(p);
      before |= exists;
      refuted += !exists;
    }
  }
  EXPECT_GT(refuted, 50);
}

/// Four like nodes on one unit and one that follows them all.
Problem fourAndOne() {
  return *parseProblem(
      "problem p\nunit A 1\nunit B 1\ngroup g regs=4\nnode a regs=1 use=A:0:3\nnode b regs=1 use=A:0:3\n"
      "node c regs=1 use=A:0:3\nnode d regs=1 use=A:0:3\nnode e latency=0 use=B:0:1\n"
      "edge a -> e delay=3\nedge b -> e delay=3\nedge c -> e delay=3\nedge d -> e delay=3\n",
      "p");
}

std::string derive(const std::vector<Exchange> &exchanges) {
  Result<OrderFormula> formula = deriveOrders(fourAndOne(), 12, 2, exchanges);
  return formula ? "accepted" : formula.error().message();
}

TEST(OrderProof, ExchangesAreChecked) {
  EXPECT_EQ(derive({{{0, 1}}, {{1, 2}}, {{2, 3}}}), "accepted");
  EXPECT_EQ(derive({{{0, 1}, {2, 3}}, {{2, 3}}}), "accepted");
  EXPECT_EQ(derive({{{2, 3}}, {{0, 1}, {2, 3}}}), "exchange 2 moves a node that an earlier one puts into order");
  EXPECT_EQ(derive({{{0, 1}}, {{1, 0}}}), "exchange 2 moves a node that an earlier one puts into order");
  EXPECT_EQ(derive({{{0, 4}}}), "exchange 1 does not keep the problem");
  EXPECT_EQ(derive({{}}), "exchange 1 does not keep the problem");
  EXPECT_EQ(derive({{{0, 0}}}), "exchange 1 is none of pairs of nodes");
  EXPECT_EQ(derive({{{0, 1}, {1, 2}}}), "exchange 1 is none of pairs of nodes");
  EXPECT_EQ(derive({{{0, 5}}}), "exchange 1 is none of pairs of nodes");
  EXPECT_EQ(derive({{{-1, 1}}}), "exchange 1 is none of pairs of nodes");
  // Every attribute and every edge counts.
  auto changed = [](auto change) {
    Problem p = fourAndOne();
    change(p);
    return bool(deriveOrders(p, 12, 2, {{{0, 1}}}));
  };
  EXPECT_TRUE(changed([](Problem &) {}));
  EXPECT_FALSE(changed([](Problem &p) { p.nodes[1].latency += 1; }));
  EXPECT_FALSE(changed([](Problem &p) { p.nodes[1].issue = 1; }));
  EXPECT_FALSE(changed([](Problem &p) { p.nodes[1].async = true; }));
  EXPECT_FALSE(changed([](Problem &p) { p.nodes[1].regs = 2; }));
  EXPECT_FALSE(changed([](Problem &p) { p.nodes[1].minLive = 1; }));
  EXPECT_FALSE(changed([](Problem &p) { p.nodes[1].warps = 2; }));
  EXPECT_FALSE(changed([](Problem &p) { p.nodes[1].groups = {0}; }));
  EXPECT_FALSE(changed([](Problem &p) { p.nodes[1].pinStage = 0; }));
  EXPECT_FALSE(changed([](Problem &p) { p.nodes[1].reservations[0].length = 2; }));
  EXPECT_FALSE(changed([](Problem &p) { p.edges[1].delay = 2; }));
  EXPECT_FALSE(changed([](Problem &p) { p.edges[1].hold = 1; }));
  EXPECT_FALSE(changed([](Problem &p) { p.edges[1].transfer = 1; }));
  EXPECT_FALSE(changed([](Problem &p) { p.edges[1].distance = 1; }));
  EXPECT_FALSE(changed([](Problem &p) { p.edges[1].order = true; }));
  EXPECT_FALSE(changed([](Problem &p) { p.edges[1].blocking = true; }));
  EXPECT_FALSE(changed([](Problem &p) { p.edges.pop_back(), p.edges.erase(p.edges.begin()); }));
}

TEST(OrderProof, LemmasAreChecked) {
  // Two nodes on one unit for 3 cycles each, at interval 4.
  Problem p = *parseProblem("problem p\nunit A 1\nnode a use=A:0:3\nnode b use=A:0:3\n", "p");
  OrderRefutation made = refuteOrders(p, 4, 2, {});
  ASSERT_EQ(made.answer, SatAnswer::Unsat);
  OrderProof good = *parseOrderProof(made.proof);
  ASSERT_FALSE(good.lemmas.empty());
  auto verdict = [&](OrderProof proof) {
    Status status = checkOrders(p, 4, 2, writeOrderProof(proof));
    return status ? "accepted" : status.error().message();
  };
  EXPECT_EQ(verdict(good), "accepted");
  OrderProof bad = good;
  bad.lemmas = {{-1, {}}};
  EXPECT_EQ(verdict(bad), "cycle lemma 1 of the proof does not follow");
  bad.lemmas = {{0, {1}}};
  EXPECT_EQ(verdict(bad), "sum lemma 1 of the proof does not follow");
  bad.lemmas = {{-1, {1, 1000}}};
  EXPECT_EQ(verdict(bad), "cycle lemma 1 of the proof does not follow");
  bad.lemmas = {{-1, std::vector<int>(5000, 1)}};
  EXPECT_EQ(verdict(bad), "checking the proof takes more steps than it may");
  for (size_t k = 0; k < good.lemmas.size(); ++k) {
    bad = good;
    bad.lemmas[k].literals[0] *= -1;
    EXPECT_NE(verdict(bad), "accepted") << k;
    bad = good;
    bad.lemmas[k].sum = 0;
    EXPECT_NE(verdict(bad), "accepted") << k;
    bad = good;
    bad.lemmas.erase(bad.lemmas.begin() + static_cast<long>(k));
    EXPECT_NE(verdict(bad), "accepted") << k;
  }
  bad = {};
  EXPECT_EQ(verdict(bad), "the proof ends without deriving the empty clause");
  // A sum that is not exceeded: three values of one register each in four.
  Problem four = fourAndOne();
  Result<OrderFormula> formula = deriveOrders(four, 12, 2, {});
  ASSERT_TRUE(formula);
  for (size_t s = 0; s < formula->sums.size(); ++s) {
    std::vector<int> all;
    for (auto [lit, weight] : formula->sums[s].terms)
      all.push_back(-lit);
    auto say = [&](std::vector<int> literals) {
      OrderProof proof;
      proof.lemmas.push_back({static_cast<int>(s), std::move(literals)});
      return checkOrders(four, 12, 2, writeOrderProof(proof)).error().message();
    };
    EXPECT_EQ(say(all), "the proof ends without deriving the empty clause") << s;
    EXPECT_EQ(say({all[0]}), "sum lemma 1 of the proof does not follow") << s;
  }
  EXPECT_EQ(checkOrders(p, 4, 2, made.proof, nullptr, 1).error().message(),
            "checking the proof takes more steps than it may");
}

TEST(OrderProof, Text) {
  OrderProof proof;
  proof.exchanges = {{{0, 1}, {2, 3}}};
  proof.lemmas = {{-1, {4, -5}}, {7, {-6}}};
  proof.proof = std::string("a\4\0proof\n", 9);
  std::string text = writeOrderProof(proof);
  EXPECT_EQ(text, "heddle-orders 1\nexchange 0 1 2 3\ncycle 4 -5\nsum 7 -6\nproof\n" + proof.proof);
  Result<OrderProof> again = parseOrderProof(text);
  ASSERT_TRUE(again) << again.error().str();
  EXPECT_EQ(writeOrderProof(*again), text);
  auto error = [](const std::string &bad) {
    Result<OrderProof> r = parseOrderProof(bad);
    return r ? "none" : r.error().message();
  };
  EXPECT_EQ(error(""), "expected a line 'proof' in the proof over orders, got none");
  EXPECT_EQ(error("heddle-orders 1\ncycle 1\n"), "expected a line 'proof' in the proof over orders, got none");
  EXPECT_EQ(error("heddle-orders 2\nproof\n"), "malformed line 1 of the proof over orders");
  for (const char *line : {"exchange 1", "exchange 1 x", "cycle 1  2", "cycle 1 -", "cycle 99999999999", "sum",
                           "sum -1 2", "path 1", "cycle1", "proof 1", ""})
    EXPECT_EQ(error("heddle-orders 1\n" + std::string(line) + "\nproof\n"), "malformed line 2 of the proof over orders")
        << line;
}

TEST(OrderProof, Limits) {
  Problem p = fourAndOne();
  EXPECT_EQ(deriveOrders(p, 0, 1, {}).error().message(),
            "expected an interval, stages and nodes within limits, got 0, 1 and 5");
  EXPECT_EQ(deriveOrders(p, 1, 0, {}).error().kind(), ErrorKind::Limit);
  EXPECT_EQ(deriveOrders(p, maxInterval + 1, 1, {}).error().kind(), ErrorKind::Limit);
  SearchLimits none;
  none.deadline = Deadline().afterSteps(0);
  EXPECT_EQ(refuteOrders(p, 11, 2, none).answer, SatAnswer::Unknown);
}

} // namespace
