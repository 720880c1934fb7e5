//===- HostTensorTest.cpp - zero fill, dropped stores, fills, errors ------===//
#include "heddle/Simulator/Functional/HostTensor.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace heddle::sim;

static HostTensor counting(ElementKind kind, llvm::ArrayRef<int64_t> sizes) {
  HostTensor tensor("t", kind, sizes);
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    tensor.setFloat(tensor.positionOf(i), static_cast<double>(i));
  return tensor;
}

TEST(HostTensor, RowsArePaddedTo16Bytes) {
  HostTensor tensor("t", ElementKind::F16, {3, 5});
  EXPECT_EQ(tensor.strides()[0], 8);
  EXPECT_EQ(tensor.bytes().size(), 48u);
  EXPECT_TRUE(std::isnan(tensor.floatAt(5))); // padding
  EXPECT_EQ(tensor.floatAt(4), 0.0);
}

TEST(HostTensor, LoadFillsZeroOutside) {
  HostTensor tensor = counting(ElementKind::F16, {3, 5});
  TileValue tile = tensor.load({-1, 3}, {0, 1}, {3, 4});
  double want[] = {0, 0, 0, 0, 3, 4, 0, 0, 8, 9, 0, 0};
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(tile.floatAt(i), want[i]) << i;
}

TEST(HostTensor, LoadAlongChosenDims) {
  HostTensor tensor = counting(ElementKind::F32, {2, 3, 4});
  TileValue tile = tensor.load({0, 2, 1}, {0, 2}, {2, 2}); // dimension 1 fixed at 2
  EXPECT_EQ(tile.floatAt(0), 9.0);
  EXPECT_EQ(tile.floatAt(3), 22.0);
  TileValue column = tensor.load({1, 0, 3}, {1}, {4});
  EXPECT_EQ(column.floatAt(2), 23.0);
  EXPECT_EQ(column.floatAt(3), 0.0);
  TileValue outside = tensor.load({2, 0, 0}, {1, 2}, {3, 4}); // the fixed dimension is outside
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(outside.floatAt(i), 0.0);
}

TEST(HostTensor, RowsThatOverlap) {
  HostTensor tensor("t", ElementKind::F32, {3, 4}, {2, 1});
  EXPECT_TRUE(tensor.mayOverlap());
  EXPECT_EQ(tensor.bytes().size(), 32u);
  TileValue ones = TileValue::zeros(ElementKind::F32, {3, 4});
  for (int i = 0; i < 12; ++i)
    ones.setFloat(i, 1);
  tensor.store(ones, {0, 0}, {0, 1}, /*add=*/true);
  double want[] = {1, 1, 2, 2, 2, 2, 1, 1};
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(tensor.floatAt(i), want[i]) << i;
  HostTensor wide = tensor.widened();
  EXPECT_EQ(wide.strides(), tensor.strides());
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(wide.floatAt(wide.positionOf(i)), want[i / 4 * 2 + i % 4]) << i;
  EXPECT_EQ(HostTensor("t", ElementKind::F32, {0, 4}, {2, 1}).bytes().size(), 0u);
}

TEST(HostTensor, StoreDropsOutsideAndAdds) {
  HostTensor tensor = counting(ElementKind::F16, {2, 3});
  TileValue tile = TileValue::zeros(ElementKind::F16, {2, 2});
  for (int i = 0; i < 4; ++i)
    tile.setFloat(i, 10.0 + i);
  tensor.store(tile, {1, 2}, {0, 1});
  EXPECT_EQ(tensor.floatAt(tensor.positionOf(5)), 10.0);
  EXPECT_EQ(tensor.floatAt(tensor.positionOf(4)), 4.0);
  EXPECT_TRUE(std::isnan(tensor.floatAt(3))); // padding untouched
  tensor.store(tile, {0, 0}, {0, 1}, /*add=*/true);
  EXPECT_EQ(tensor.floatAt(tensor.positionOf(1)), 12.0);
  EXPECT_EQ(tensor.floatAt(tensor.positionOf(3)), 15.0);
}

TEST(HostTensor, RandomIsDeterministicAndNormal) {
  HostTensor a("a", ElementKind::F32, {100, 100}), b("b", ElementKind::F32, {100, 100});
  a.fillRandom(5);
  b.fillRandom(5);
  EXPECT_EQ(relativeError(a, b), 0.0);
  b.fillRandom(6);
  EXPECT_GT(relativeError(a, b), 1.0);
  double sum = 0, square = 0;
  for (int64_t i = 0; i < 10000; ++i) {
    double x = a.floatAt(a.positionOf(i));
    sum += x;
    square += x * x;
  }
  EXPECT_NEAR(sum / 1e4, 0.0, 0.05);
  EXPECT_NEAR(square / 1e4, 1.0, 0.05);
}

TEST(HostTensor, ErrorsSeePoison) {
  HostTensor want = counting(ElementKind::F32, {2, 2}), got = want;
  EXPECT_EQ(relativeError(got, want), 0.0);
  got.setFloat(got.positionOf(3), 4.0);
  EXPECT_NEAR(relativeError(got, want), 1.0 / std::sqrt(14.0), 1e-12);
  EXPECT_EQ(largestError(got, want), 1.0);
  got.fillPoison();
  EXPECT_TRUE(std::isinf(relativeError(got, want)));
  double infinity = std::numeric_limits<double>::infinity();
  want.setFloat(0, -infinity);
  got = want;
  EXPECT_EQ(relativeError(got, want), 0.0);
}
