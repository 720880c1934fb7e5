//===- PolynomialTest.cpp - integers as polynomials -------------------------===//
#include "heddle/Address/Polynomial.h"

#include "gtest/gtest.h"

using namespace heddle::address;

namespace {

struct PolynomialTest : testing::Test {
  Algebra algebra;
  Poly m = algebra.make(SymbolKind::Argument, 0), n = algebra.make(SymbolKind::Argument, 1),
       p = algebra.make(SymbolKind::Program, 0), unknown = algebra.make(SymbolKind::Opaque, 0);
};

TEST_F(PolynomialTest, EqualValuesAreEqual) {
  EXPECT_EQ((m + Poly(1)) * (m - Poly(1)), m * m - Poly(1));
  EXPECT_EQ(algebra.quotient(m * n, m), algebra.quotient(m * n, m));
  EXPECT_NE(algebra.quotient(m, n), algebra.quotient(n, m));
  EXPECT_EQ(algebra.minimum(m, n), algebra.minimum(n, m));
  EXPECT_TRUE((m - m).isZero());
}

TEST_F(PolynomialTest, FunctionsOfConstantsAndExactQuotientsVanish) {
  EXPECT_EQ(algebra.quotient(Poly(7), Poly(2)), Poly(3));
  EXPECT_EQ(algebra.remainder(Poly(7), Poly(2)), Poly(1));
  EXPECT_EQ(algebra.quotient(m * Poly(64), Poly(32)), m * Poly(2));
  EXPECT_EQ(algebra.remainder(m * Poly(64), Poly(32)), Poly(0));
  EXPECT_EQ(algebra.minimum(m, m + Poly(3)), m);
  EXPECT_EQ(algebra.maximum(m, m + Poly(3)), m + Poly(3));
  // (m + 1) / 2 is not m / 2 + 0.
  EXPECT_NE(algebra.quotient(m + Poly(1), Poly(2)), algebra.quotient(m, Poly(2)));
}

TEST_F(PolynomialTest, RemaindersBySubtraction) {
  Poly part = algebra.quotient(p, m);
  EXPECT_EQ(algebra.withRemainders(p - part * m), algebra.remainder(p, m));
  EXPECT_EQ(algebra.withRemainders(n * p * Poly(4) - n * part * m * Poly(4)), n * algebra.remainder(p, m) * Poly(4));
  EXPECT_EQ(algebra.withRemainders(p + n - part * m), n + algebra.remainder(p, m));
  EXPECT_EQ(algebra.withRemainders(n - part * m), n - part * m);
}

TEST_F(PolynomialTest, CountersLieBetweenTheBoundsOfTheirLoops) {
  Poly counter = algebra.make(SymbolKind::Counter, 0);
  EXPECT_FALSE(algebra.isNotNegative(m - Poly(1) - counter));
  algebra.boundsOf = [&](const SymbolInfo &info) -> std::optional<std::pair<Poly, Poly>> {
    return info.id == 0 ? std::optional(std::pair(n, m)) : std::nullopt;
  };
  EXPECT_TRUE(algebra.isNotNegative(m - Poly(1) - counter));
  EXPECT_FALSE(algebra.isNotNegative(m - Poly(2) - counter));
  EXPECT_TRUE(algebra.isNotNegative((counter - n) * Poly(3)));
  EXPECT_FALSE(algebra.isNotNegative(counter - n - Poly(1)));
  Poly programs = algebra.make(SymbolKind::Programs, 0);
  EXPECT_TRUE(algebra.isNotNegative(programs - p - Poly(1)));
  EXPECT_FALSE(algebra.isNotNegative(programs - p - Poly(2)));
}

TEST_F(PolynomialTest, OverflowMakesInvalid) {
  Poly large = Poly(int64_t(1) << 62);
  EXPECT_FALSE((large * Poly(4)).isValid());
  EXPECT_FALSE((large + large).isValid());
  EXPECT_FALSE((large * Poly(4) - large * Poly(4)).isValid());
  EXPECT_FALSE(large * Poly(4) == large * Poly(4));
}

TEST_F(PolynomialTest, Division) {
  EXPECT_EQ(*(m * n * Poly(6)).dividedBy(n * Poly(3)), m * Poly(2));
  EXPECT_FALSE((m * n + Poly(1)).dividedBy(n));
  EXPECT_FALSE((m * Poly(3)).dividedBy(Poly(2)));
}

TEST_F(PolynomialTest, SubstitutionReachesIntoFunctions) {
  Poly lane = algebra.lane(0), wrapped = algebra.remainder(p * Poly(8) + lane, m);
  EXPECT_EQ(algebra.lanes(wrapped), std::set<int64_t>{0});
  Poly moved = algebra.substitute(wrapped, [&](Symbol symbol) -> std::optional<Poly> {
    return algebra.info(symbol).kind == SymbolKind::Lane ? std::optional(algebra.lane(1)) : std::nullopt;
  });
  EXPECT_EQ(moved, algebra.remainder(p * Poly(8) + algebra.lane(1), m));
  EXPECT_EQ(algebra.lanes(moved), std::set<int64_t>{1});
}

TEST_F(PolynomialTest, WhatIsKnown) {
  EXPECT_TRUE(algebra.isHost(algebra.quotient(m + Poly(7), Poly(8)) * n));
  EXPECT_FALSE(algebra.isHost(m + p));
  EXPECT_TRUE(algebra.isNotNegative(p * Poly(3) + algebra.quotient(p, n)));
  EXPECT_FALSE(algebra.isNotNegative(p - Poly(1)));
  EXPECT_FALSE(algebra.isNotNegative(unknown));
  EXPECT_TRUE(algebra.isNotNegative(algebra.maximum(unknown, Poly(0))));
  auto sixteen = [](const SymbolInfo &symbol) -> int64_t {
    return symbol.kind == SymbolKind::Argument && symbol.id == 0 ? 16 : 1;
  };
  EXPECT_EQ(algebra.divisor(m * Poly(4) + Poly(32), sixteen), 32);
  EXPECT_EQ(algebra.divisor(n * Poly(4), sixteen), 4);
}

TEST_F(PolynomialTest, Values) {
  auto of = [&](const SymbolInfo &info) -> std::optional<int64_t> {
    return info.kind == SymbolKind::Argument ? std::optional<int64_t>(10 + info.id) : std::nullopt;
  };
  EXPECT_EQ(algebra.value(m * n - Poly(1), of), 109);
  EXPECT_EQ(algebra.value(algebra.remainder(m * n, m + Poly(2)), of), 110 % 12);
  EXPECT_EQ(algebra.value(algebra.quotient(m, n - Poly(11)), of), std::nullopt);
  EXPECT_EQ(algebra.value(p, of), std::nullopt);
}

} // namespace
