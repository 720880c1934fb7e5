//===- FoldTest.cpp - kinds of reductions -------------------------------------===//
#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Simulator/Functional/Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace mlir;
using tile::FoldKind;

namespace {

const FoldKind kinds[] = {FoldKind::Add, FoldKind::Mul, FoldKind::Max, FoldKind::Min,
                          FoldKind::And, FoldKind::Or,  FoldKind::Xor};

struct Folds : testing::Test {
  MLIRContext context;
  OpBuilder builder{&context};
  OwningOpRef<ModuleOp> module;
  Type f32 = Float32Type::get(&context), f8 = Float8E4M3FNType::get(&context);

  void SetUp() override {
    context.loadDialect<tile::TileDialect, arith::ArithDialect>();
    module = OwningOpRef<ModuleOp>(ModuleOp::create(builder.getUnknownLoc()));
    builder.setInsertionPointToEnd(module->getBody());
  }
  /// The only element that folding `elements` by `fold` leaves.
  static double folded(FoldKind fold, sim::ElementKind kind, std::vector<double> elements) {
    sim::TileValue tile = sim::TileValue::zeros(kind, {static_cast<int64_t>(elements.size())});
    for (size_t i = 0; i < elements.size(); ++i)
      tile.isFloat() ? tile.setFloat(i, elements[i]) : tile.setInt(i, static_cast<int64_t>(elements[i]));
    return sim::reduce(tile, fold, 0).floatAt(0);
  }
};

TEST_F(Folds, HaveNamesAndSteps) {
  for (FoldKind kind : kinds) {
    EXPECT_EQ(tile::findFold(tile::nameOf(kind)), kind);
    Type type = tile::folds(kind, f32) ? f32 : builder.getI32Type();
    Value x = arith::ConstantOp::create(builder, builder.getUnknownLoc(), tile::neutralOf(kind, type));
    Value both = tile::combine(builder, builder.getUnknownLoc(), kind, x, x);
    EXPECT_EQ(tile::foldOf(both.getDefiningOp()), kind) << tile::nameOf(kind).str();
  }
  EXPECT_EQ(tile::findFold("mean"), std::nullopt);
  EXPECT_EQ(tile::foldNames(), "\"add\", \"mul\", \"max\", \"min\", \"and\", \"or\" or \"xor\"");
}

TEST_F(Folds, NeutralElementsChangeNothing) {
  for (FoldKind kind : kinds) {
    auto number = cast<IntegerAttr>(tile::neutralOf(kind, builder.getI32Type())).getInt();
    for (int64_t x : {-5, 0, 1, 1 << 30})
      EXPECT_EQ(folded(kind, sim::ElementKind::I32, {double(x), double(number)}), x) << tile::nameOf(kind).str();
    EXPECT_EQ(tile::folds(kind, f32), kind < FoldKind::And);
    if (!tile::folds(kind, f32))
      continue;
    double real = cast<FloatAttr>(tile::neutralOf(kind, f32)).getValueAsDouble();
    for (double x : {-2.5, 0.0, 0x1p100})
      EXPECT_EQ(folded(kind, sim::ElementKind::F32, {real, x}), x) << tile::nameOf(kind).str();
  }
  // A type without infinities has its largest number.
  EXPECT_EQ(cast<FloatAttr>(tile::neutralOf(FoldKind::Min, f8)).getValueAsDouble(), 448);
  EXPECT_EQ(cast<FloatAttr>(tile::neutralOf(FoldKind::Max, f8)).getValueAsDouble(), -448);
}

TEST_F(Folds, Compute) {
  EXPECT_EQ(folded(FoldKind::Mul, sim::ElementKind::F32, {2, -3, 0.5}), -3);
  EXPECT_EQ(folded(FoldKind::Mul, sim::ElementKind::I8, {100, 3}), 44); // wraps
  EXPECT_EQ(folded(FoldKind::And, sim::ElementKind::I32, {13, 7, 5}), 5);
  EXPECT_EQ(folded(FoldKind::Or, sim::ElementKind::I32, {1, 4, 4}), 5);
  EXPECT_EQ(folded(FoldKind::Xor, sim::ElementKind::I32, {-1, 1, 3}), -3);
}

} // namespace
