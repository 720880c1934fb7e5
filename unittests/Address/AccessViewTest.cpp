//===- AccessViewTest.cpp - pointers and masks as boxes ---------------------===//
#include "heddle/Address/AccessView.h"

#include "gtest/gtest.h"

using namespace heddle::address;

namespace {

struct AccessViewTest : testing::Test {
  Algebra algebra;
  Poly M = algebra.make(SymbolKind::Argument, 0), K = algebra.make(SymbolKind::Argument, 1),
       s = algebra.make(SymbolKind::Argument, 2), pid = algebra.make(SymbolKind::Program, 0),
       k = algebra.make(SymbolKind::Counter, 0), unknown = algebra.make(SymbolKind::Opaque, 0), l0 = algebra.lane(0),
       l1 = algebra.lane(1);

  std::function<int64_t(const SymbolInfo &)> divisorOf;

  static Atom less(const Poly &a, const Poly &b) {
    Atom atom;
    atom.a = a, atom.b = b;
    return atom;
  }
  AccessResult view(const Poly &offset, std::vector<int64_t> shape, std::vector<Atom> mask = {}, bool store = false,
                    bool keepWraps = false) {
    Access access;
    access.offset = offset;
    access.shape = std::move(shape);
    access.mask = std::move(mask);
    access.isStore = store;
    access.keepWraps = keepWraps;
    access.divisorOf = divisorOf;
    return viewOf(algebra, access);
  }
};

TEST_F(AccessViewTest, RowsAndMaskedColumns) {
  Poly rows = pid * Poly(64) + l0;
  AccessResult found = view(rows * s + k * Poly(32) + l1, {64, 32}, {less(l1, K - k * Poly(32)), less(rows, M)});
  ASSERT_TRUE(found.box) << found.reason;
  const Box &box = *found.box;
  ASSERT_EQ(box.dims.size(), 2u);
  EXPECT_EQ(box.dims[0].size, M);
  EXPECT_EQ(box.dims[0].stride, s);
  EXPECT_EQ(box.coordinates[0], pid * Poly(64));
  EXPECT_EQ(box.dims[1].size, K);
  EXPECT_EQ(box.coordinates[1], k * Poly(32));
  EXPECT_TRUE(box.guards.empty());
}

TEST_F(AccessViewTest, ALowerBoundSaysWhereTheViewBegins) {
  Poly rows = pid * Poly(64) + k + l0 - Poly(1);
  AccessResult found = view(rows * s + l1, {64, 32}, {less(rows, M), less(Poly(-1), rows)});
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->dims[0].size, M);
  EXPECT_EQ(found.box->coordinates[0], pid * Poly(64) + k - Poly(1));
  EXPECT_TRUE(found.box->base.isZero());
}

TEST_F(AccessViewTest, ATileThatMovesBack) {
  // Block k from the end of M rows: both bounds say what is size, although M goes from both of them.
  Poly rows = M - k * Poly(64) + l0;
  AccessResult both = view(rows * s + l1, {64, 32}, {less(rows, M), less(Poly(-1), rows)});
  ASSERT_TRUE(both.box) << both.reason;
  EXPECT_EQ(both.box->kind, AccessKind::Box);
  EXPECT_EQ(both.box->dims[0].size, M);
  EXPECT_EQ(both.box->coordinates[0], M - k * Poly(64));
  // One bound alone, where the counter ends with the blocks: the argument is the size.
  Poly blocks = algebra.quotient(M + Poly(63), Poly(64));
  algebra.boundsOf = [&](const SymbolInfo &info) -> std::optional<std::pair<Poly, Poly>> {
    return info.kind == SymbolKind::Counter ? std::optional(std::pair(Poly(0), blocks)) : std::nullopt;
  };
  Poly back = (blocks - Poly(1) - k) * Poly(64) + l0;
  AccessResult one = view(back * s + l1, {64, 32}, {less(back, M)});
  ASSERT_TRUE(one.box) << one.reason;
  EXPECT_EQ(one.box->kind, AccessKind::Box);
  EXPECT_EQ(one.box->dims[0].size, M);
  // Nobody knows where it ends: its rows are named.
  algebra.boundsOf = nullptr;
  EXPECT_EQ(view(back * s + l1, {64, 32}, {less(back, M)}).box->kind, AccessKind::Rows);
}

TEST_F(AccessViewTest, BoundsWhoseLanesAreNeverStored) {
  // Chunk k of K rows, of M rows: the chunk's end begins elsewhere, and goes where nobody stores beyond it.
  Poly in = pid * Poly(64) + l0, rows = k * K + in;
  Access access;
  access.offset = rows * s + l1, access.shape = {64, 32};
  access.mask = {less(in, algebra.minimum(K, M - k * K))};
  EXPECT_EQ(viewOf(algebra, access).box->kind, AccessKind::Rows);
  access.neverStored = [&](int64_t dim, const Poly &limit) { return dim == 0 && limit == K - pid * Poly(64); };
  AccessResult found = viewOf(algebra, access);
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->kind, AccessKind::Box);
  EXPECT_EQ(found.box->dims[0].size, M);
  ASSERT_EQ(found.box->dropped.size(), 1u);
  EXPECT_EQ(found.box->dropped[0].limit, K - pid * Poly(64));
  // The end of the tensor stays, whoever stores: behind it there may be no memory.
  access.neverStored = [&](int64_t, const Poly &limit) { return limit != K - pid * Poly(64); };
  EXPECT_EQ(viewOf(algebra, access).box->kind, AccessKind::Rows);
}

TEST_F(AccessViewTest, ConstantsAreWholeRowsAndAColumn) {
  Poly at = pid * Poly(64) + l0;
  AccessResult free = view(at * Poly(64) + l1 + Poly(16 * 64 + 16), {16, 16});
  ASSERT_TRUE(free.box) << free.reason;
  EXPECT_EQ(free.box->coordinates, (std::vector<Poly>{pid * Poly(64) + Poly(16), Poly(16)}));
  // Rows with a bound keep their coordinate: the view begins further rows on.
  AccessResult bounded = view(at * Poly(64) + l1 + Poly(16 * 64 + 16), {16, 16}, {less(at, M)});
  ASSERT_TRUE(bounded.box) << bounded.reason;
  EXPECT_EQ(bounded.box->coordinates, (std::vector<Poly>{pid * Poly(64), Poly(16)}));
  EXPECT_EQ(bounded.box->base, Poly(16 * 64));
}

TEST_F(AccessViewTest, ColumnsInFirstDimensionAreLastInTheView) {
  AccessResult found = view((pid * Poly(64) + l1) * s + l0, {32, 64});
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->tileDims, (std::vector<int64_t>{1, 0}));
  EXPECT_TRUE(found.box->dims[0].unbounded);
}

TEST_F(AccessViewTest, WrappedRowsCountAsBoundedOnes) {
  Poly rows = algebra.remainder(pid * Poly(64) + l0, M);
  AccessResult found = view(rows * s + l1, {64, 32});
  ASSERT_TRUE(found.box) << found.reason;
  ASSERT_EQ(found.box->wraps.size(), 1u);
  EXPECT_EQ(found.box->wraps[0].limit, M - pid * Poly(64));
  EXPECT_EQ(found.box->dims[0].size, M);
  found = view(rows * s + l1, {64, 32}, {}, false, /*keepWraps=*/true);
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->kind, AccessKind::Rows);
  EXPECT_EQ(found.box->rows, rows);
  // The mask already keeps wrapped lanes out.
  found = view(rows * s + l1, {64, 32}, {less(pid * Poly(64) + l0, M)});
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_TRUE(found.box->wraps.empty());
}

TEST_F(AccessViewTest, ProductsOfArgumentsAreDimensions) {
  Poly batch = algebra.quotient(pid, K), head = algebra.remainder(pid, K);
  AccessResult found = view(batch * M * K * Poly(64) + head * Poly(64) + l0 * K * Poly(64) + l1, {16, 64},
                            {less(l1, Poly(64)), less(l0, M)});
  ASSERT_TRUE(found.box) << found.reason;
  ASSERT_EQ(found.box->dims.size(), 3u);
  EXPECT_EQ(found.box->dims[0].stride, M * K * Poly(64));
  EXPECT_EQ(found.box->dims[1].stride, K * Poly(64));
  EXPECT_EQ(found.box->dims[1].size, M);
  EXPECT_EQ(found.box->coordinates[2], head * Poly(64)); // all of the columns' 64 lanes are wanted
}

TEST_F(AccessViewTest, GuardsAndAlwaysTrueAtoms) {
  AccessResult found = view(pid * Poly(8) + l0, {8}, {less(pid, K), less(l0, Poly(8))});
  ASSERT_TRUE(found.box) << found.reason;
  ASSERT_EQ(found.box->guards.size(), 1u);
  EXPECT_TRUE(found.box->dims[0].unbounded);
  EXPECT_EQ(found.box->coordinates[0], pid * Poly(8));
}

TEST_F(AccessViewTest, StridedVectorHasALastDimensionOfItsOwn) {
  AccessResult found = view(l0 * Poly(8) + algebra.remainder(pid, Poly(8)), {16}, {less(l0, M)});
  ASSERT_TRUE(found.box) << found.reason;
  ASSERT_EQ(found.box->dims.size(), 2u);
  EXPECT_EQ(found.box->tileDims, (std::vector<int64_t>{0, -1}));
}

TEST_F(AccessViewTest, GathersByATableKeepTheMaskOfRows) {
  Poly table = algebra.make(SymbolKind::Table, 3, {l0});
  AccessResult found = view(table * s + l1, {16, 64}, {less(l0, unknown), less(l1, K)});
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->kind, AccessKind::Rows);
  EXPECT_EQ(found.box->rows, table);
  EXPECT_EQ(found.box->rowAtoms.size(), 1u);
  EXPECT_EQ(found.box->dims[1].size, K);
}

TEST_F(AccessViewTest, RaggedBoundsListRows) {
  AccessResult found = view((l0 + k) * s + unknown * s + l1, {16, 64}, {less(l0, unknown - k)});
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->kind, AccessKind::Rows);
  EXPECT_EQ(found.box->rowsDim, 0);
  EXPECT_EQ(found.box->rows, l0 + k + unknown);
  ASSERT_EQ(found.box->rowAtoms.size(), 1u);
  EXPECT_EQ(found.box->rowAtoms[0].b, unknown - k);
  EXPECT_TRUE(found.box->coordinates[0].isZero());
}

TEST_F(AccessViewTest, RaggedStoresDropLanes) {
  AccessResult found = view(l0 * s + l1, {8, 8}, {less(l0, M), less(l1, unknown), less(l1, unknown + k)}, true);
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->kind, AccessKind::Box);
  EXPECT_EQ(found.box->dims[0].size, M);
  EXPECT_TRUE(found.box->dims[1].unbounded);
  ASSERT_EQ(found.box->below.size(), 1u);
  EXPECT_EQ(found.box->below[1], algebra.minimum(unknown, unknown + k));
}

TEST_F(AccessViewTest, RowsHaveWhatIsCommonAsTheirDistance) {
  Poly t0 = algebra.make(SymbolKind::Table, 3, {l0});
  AccessResult found = view(t0 * s * K + l0 * s * Poly(2) + (k - Poly(1)) * s + l1, {8, 8});
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->kind, AccessKind::Rows);
  EXPECT_EQ(found.box->dims[0].stride, s);
  EXPECT_EQ(found.box->rows, t0 * K + l0 * Poly(2) + k - Poly(1));
  // A page of a head; a position before a page is another row beside another distance.
  found = view(unknown * s + pid * K + l0 * M + l1, {8, 8});
  EXPECT_TRUE(found.box) << found.reason;
  found = view(t0 * s * K + l0 * s * Poly(2) + (k - unknown) * s + pid * M + l1, {8, 8});
  EXPECT_FALSE(found.box);
}

TEST_F(AccessViewTest, LowerBounds) {
  // The beginning of the tensor is one; anything else is not.
  Poly row = pid * Poly(16) - Poly(2) + l0;
  AccessResult found = view(row * s + l1, {16, 16}, {less(Poly(-1), row), less(row, M)});
  EXPECT_FALSE(found.box && !found.box->dims[0].unbounded && found.box->coordinates[0] == pid * Poly(16));
  found = view(l0 + pid * Poly(16), {16}, {less(Poly(-1), l0 + pid * Poly(16))});
  ASSERT_TRUE(found.box) << found.reason;
  // An argument is not negative, but a mask that says so again is not dropped for that.
  found = view((l0 + K) * s + l1, {16, 16}, {less(Poly(-1), l0 + K), less(l0 + K, M)});
  EXPECT_FALSE(found.box);
}

TEST_F(AccessViewTest, TwoBounds) {
  // Two bounds that begin at different places are no size: the position of each lane is named.
  AccessResult found = view(l0 * s + l1, {8, 8}, {less(l0 + pid, M), less(l0, Poly(4))});
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->kind, AccessKind::Rows);
  EXPECT_EQ(found.box->rowAtoms.size(), 2u);
}

TEST_F(AccessViewTest, BlocksThatMemoryNames) {
  // Memory names no negative block; the one before a named block may be.
  Poly named = algebra.make(SymbolKind::Opaque, 7);
  AccessResult found = view(l0 * s + l1 + named * Poly(64), {8, 8});
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->coordinates[1], named * Poly(64));
  AccessResult before = view(l0 * s + l1 + named * Poly(64) - Poly(64), {8, 8});
  EXPECT_NE(before.reason.find("may be negative, which no mask excludes"), std::string::npos) << before.reason;
}

TEST_F(AccessViewTest, WhatGoesBackBeginsWithTheTensor) {
  AccessResult rows = view(l0 + M * s - s - pid * s, {8});
  ASSERT_TRUE(rows.box) << rows.reason;
  EXPECT_TRUE(rows.box->base.isZero());
  EXPECT_EQ(rows.box->coordinates[0], M - Poly(1) - pid);
  AccessResult before = view(l0 + pid * s - s, {8}); // the row before one
  ASSERT_TRUE(before.box) << before.reason;
  EXPECT_TRUE(before.box->base.isZero());
  AccessResult elsewhere = view(l0 + M - pid * s, {8});
  EXPECT_NE(elsewhere.reason.find("the address goes back from"), std::string::npos) << elsewhere.reason;
}

TEST_F(AccessViewTest, NeighboursThatReachOneElementAreOneLane) {
  // Eight rows of weights in one number: (k * 64 + lane) / 8 * s, below K.
  Poly at = k * Poly(64) + l0;
  AccessResult found = view(algebra.quotient(at, Poly(8)) * s + l1, {64, 32}, {less(at, K)});
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->kind, AccessKind::Box);
  EXPECT_EQ(found.box->spread, (std::map<int64_t, int64_t>{{0, 8}}));
  EXPECT_EQ(found.box->coordinates[0], k * Poly(8));
  EXPECT_EQ(found.box->dims[0].size, algebra.quotient(K + Poly(7), Poly(8)));
  EXPECT_EQ(found.box->laneAtoms.size(), 1u); // K may end within a number
  EXPECT_EQ(lanesOf(*found.box, {64, 32}), (std::vector<int64_t>{8, 32}));
  // A whole tile in one row of scales: no dimension of the tile is left.
  AccessResult scales = view(algebra.quotient(at, Poly(64)) * s + l1, {64, 32});
  ASSERT_TRUE(scales.box) << scales.reason;
  EXPECT_EQ(scales.box->coordinates[0], k);
  EXPECT_EQ(scales.box->tileDims[0], -1);
  // Half a tile in one row, at rows that begin within one: two lanes of 32, named.
  AccessResult halves = view(algebra.quotient(at + Poly(32), Poly(64)) * s + l1, {64, 32});
  ASSERT_TRUE(halves.box) << halves.reason;
  EXPECT_EQ(halves.box->kind, AccessKind::Rows);
  EXPECT_EQ(halves.box->spread, (std::map<int64_t, int64_t>{{0, 32}}));
}

TEST_F(AccessViewTest, NeighboursOfKnownMultiples) {
  // A loop that counts rows in steps of 64, and a size that is a multiple of 16: nothing is rounded.
  divisorOf = [](const SymbolInfo &symbol) -> int64_t { return symbol.kind == SymbolKind::Counter ? 64 : 16; };
  AccessResult found = view(algebra.quotient(k + l0, Poly(8)) * s + l1, {64, 32}, {less(l0, K - k)});
  ASSERT_TRUE(found.box) << found.reason;
  EXPECT_EQ(found.box->spread, (std::map<int64_t, int64_t>{{0, 8}}));
  EXPECT_EQ(found.box->coordinates[0], algebra.quotient(k, Poly(8)));
  EXPECT_EQ(found.box->dims[0].size, algebra.quotient(K, Poly(8)));
  EXPECT_TRUE(found.box->laneAtoms.empty());
}

TEST_F(AccessViewTest, NeighboursOfUnknownBeginningKeepTheirLanes) {
  // Where the tile begins within an element is not known; a lane that stands alone tells neighbours apart.
  EXPECT_TRUE(view(algebra.quotient(pid + l0, Poly(8)) * s + l1, {64, 32}).box->spread.empty());
  AccessResult both = view((algebra.quotient(l0, Poly(8)) + l0) * s + l1, {64, 32});
  EXPECT_TRUE(both.box->spread.empty());
  // A bound that is none of whole elements.
  Poly at = k * Poly(64) + l0;
  AccessResult above = view(algebra.quotient(at, Poly(8)) * s + l1, {64, 32}, {less(Poly(2), at)});
  ASSERT_TRUE(above.box) << above.reason;
  EXPECT_TRUE(above.box->spread.empty());
  // A wrapped index within a quotient: bounds are rounded up, wrapped lanes are never stored.
  Poly wrapped = algebra.remainder(pid * Poly(64) + l0, M);
  AccessResult zeros = view(algebra.quotient(wrapped, Poly(2)), {64});
  ASSERT_TRUE(zeros.box) << zeros.reason;
  EXPECT_EQ(zeros.box->spread, (std::map<int64_t, int64_t>{{0, 2}}));
  ASSERT_EQ(zeros.box->wraps.size(), 1u);
  EXPECT_EQ(zeros.box->wraps[0].limit, M - pid * Poly(64)); // in lanes of the tile
  EXPECT_EQ(zeros.box->dims[0].size, algebra.quotient(M + Poly(1), Poly(2)));
}

TEST_F(AccessViewTest, WhatIsNoBoxIsReachedElementByElement) {
  Access access;
  access.offset = l0 * s + algebra.quotient(l1, Poly(2)), access.shape = {8, 8}, access.mask = {less(l0, l1)};
  Box box = elementsOf(access);
  EXPECT_EQ(box.kind, AccessKind::Elements);
  EXPECT_EQ(box.rows, access.offset);
  EXPECT_EQ(box.rowAtoms, access.mask);
  ASSERT_EQ(box.dims.size(), 1u);
  EXPECT_TRUE(box.dims[0].unbounded);
}

TEST_F(AccessViewTest, Refused) {
  auto reason = [&](const AccessResult &result) { return result.box ? std::string("a box") : result.reason; };
  auto contains = [&](const AccessResult &result, const std::string &text) {
    EXPECT_NE(reason(result).find(text), std::string::npos) << reason(result);
  };
  contains(view(l0 * l1, {8, 8}), "depends on several dimensions");
  contains(view(l0 * unknown + l1, {8, 8}), "of neighbours along dimension 0 is not known at the launch");
  contains(view(l0 * s + l1, {8, 8}, {less(l0, l1)}), "depends on several dimensions together, which is no box");
  contains(view(l0 * s + l1, {8, 8}, {less(l0 * Poly(2), M)}), "is no bound of");
  contains(view(l1, {8, 8}, {}, true), "every position along dimension 0 is stored to one address");
  contains(view(l0 * s + l1 - Poly(1) + pid - k, {8, 8}), "may be negative, which no mask excludes");
  contains(view(l0 * s + l1, {8, 8}, {less(K, l0)}), "is not the beginning of the tensor");
  contains(view(Poly(64) * algebra.lane(0) - l1 * Poly(2), {8, 8}), "addresses descend along a dimension");
  Poly t0 = algebra.make(SymbolKind::Table, 3, {l0}), t1 = algebra.make(SymbolKind::Table, 4, {l1});
  contains(view(t0 * s + t1, {8, 8}), "positions along two dimensions are named by tiles");
  contains(view(l0 * s + t1, {8, 8}), "positions along the contiguous dimension are named by a tile");
  contains(view(t0 * s * K + l1 * K + algebra.lane(2), {8, 8, 8}),
           "rows of a tile of more than two dimensions are named");
  contains(view(l0 + l1 * Poly(8) + algebra.lane(2) * Poly(64), {8, 8, 8}),
           "expected the dimensions of the tile in the order of memory");
  Access wide;
  wide.offset = t0 * s + t0 * K + l1, wide.shape = {8, 8}, wide.isWide = true;
  ASSERT_TRUE(viewOf(algebra, wide).box) << viewOf(algebra, wide).reason;
  EXPECT_EQ(viewOf(algebra, wide).box->dims[0].stride, Poly(1)); // rows are named by elements
  EXPECT_EQ(viewOf(algebra, wide).box->tileDims[0], 0);
  wide.offset = t0 * s + t0 * pid + l1;
  contains(viewOf(algebra, wide), "have no common distance, and are computed in 64 bits");
  std::vector<Atom> twice{less(l0 + pid, M), less(l0 + k, K), less(l1 + pid, M), less(l1 + k, K)};
  contains(view(l0 * s + l1, {8, 8}, twice), "the bounds of dimension ");
  contains(view(l0 * s + l1, {8, 8}, twice), " begin at two places: ");
  Poly deep = l0 * s + l1;
  for (int i = 10; i < 15; ++i)
    deep = deep + algebra.make(SymbolKind::Program, i) * algebra.make(SymbolKind::Argument, i);
  contains(view(deep, {8, 8}), "dimensions, expected at most 5");
  Poly large = Poly(int64_t(1) << 62) * Poly(16);
  contains(view(large + l0, {8}), "the address is too complicated");
}

} // namespace
