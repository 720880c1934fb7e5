//===- RearrangementTest.cpp - operations that place elements elsewhere, or work along one dimension ===//
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/AlongAxis.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;

namespace {

struct Rearrangements : testing::Test {
  MLIRContext context;
  OpBuilder builder{&context};
  OwningOpRef<ModuleOp> module;

  void SetUp() override {
    context.loadDialect<tile::TileDialect, arith::ArithDialect>();
    module = OwningOpRef<ModuleOp>(ModuleOp::create(builder.getUnknownLoc()));
    builder.setInsertionPointToEnd(module->getBody());
  }
  RankedTensorType tile(ArrayRef<int64_t> shape) { return RankedTensorType::get(shape, builder.getF32Type()); }
  Value zeros(ArrayRef<int64_t> shape) {
    return arith::ConstantOp::create(builder, builder.getUnknownLoc(), builder.getZeroAttr(tile(shape)));
  }
};

TEST_F(Rearrangements, Transpose) {
  auto op = tile::TransposeOp::create(builder, builder.getUnknownLoc(), tile({32, 8}), zeros({8, 32}));
  std::optional<Rearrangement> moved = Rearrangement::of(op);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->inResult(0), 1);
  EXPECT_EQ(moved->inResult(1), 0);
  EXPECT_FALSE(moved->repeats());
  EXPECT_FALSE(moved->keepsOrder());
  EXPECT_EQ(moved->ofSource<int64_t>({32, 8}), (SmallVector<int64_t>{8, 32}));
}

TEST_F(Rearrangements, Broadcast) {
  auto op = tile::BroadcastOp::create(builder, builder.getUnknownLoc(), tile({8, 4, 32}), zeros({8, 32}), 1);
  std::optional<Rearrangement> moved = Rearrangement::of(op);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->dims, (SmallVector<int64_t, 4>{0, Rearrangement::repeated, 1}));
  EXPECT_EQ(moved->inResult(1), 2);
  EXPECT_TRUE(moved->repeats());
  EXPECT_TRUE(moved->keepsOrder());
  EXPECT_EQ(moved->ofSource<int64_t>({8, 4, 32}), (SmallVector<int64_t>{8, 32}));
}

TEST_F(Rearrangements, OthersAreNone) {
  EXPECT_FALSE(Rearrangement::of(zeros({8}).getDefiningOp()));
  EXPECT_FALSE(Rearrangement::of(nullptr));
}

TEST_F(Rearrangements, ScansWorkAlongOneDimension) {
  Value source = zeros({4, 8});
  auto scan = tile::ScanOp::create(builder, builder.getUnknownLoc(), source.getType(), builder.getStringAttr("add"),
                                   source, builder.getI64IntegerAttr(1), UnitAttr());
  std::optional<AlongAxis> along = AlongAxis::of(scan);
  ASSERT_TRUE(along);
  EXPECT_EQ(along->source, source);
  EXPECT_EQ(along->result, scan.getResult());
  EXPECT_EQ(along->axis, 1);
  EXPECT_FALSE(Rearrangement::of(scan));
  EXPECT_FALSE(AlongAxis::of(source.getDefiningOp()));
  EXPECT_FALSE(AlongAxis::of(nullptr));
}

} // namespace
