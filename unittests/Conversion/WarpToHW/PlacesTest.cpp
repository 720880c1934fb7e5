//===- PlacesTest.cpp - where tiles lie, and the boxes that fill them ---------===//
#include "SmemPlan.h"
#include "TmaBoxes.h"
#include "heddle/Dialect/HW/Limits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <set>

using namespace heddle;
using namespace mlir;

namespace {

struct Places : testing::Test {
  Places() {
    context.loadDialect<tile::TileDialect, warp::WarpDialect, hw::HWDialect, arith::ArithDialect>();
    context.getDiagEngine().registerHandler([&](Diagnostic &diag) { said += diag.str(); });
    module = OwningOpRef<ModuleOp>(ModuleOp::create(UnknownLoc::get(&context)));
  }
  /// Boxes of a copy of a tile of `shape` from a view whose innermost size is `columns` (dynamic: any).
  FailureOr<TmaCopy> copy(std::vector<int64_t> shape, int64_t columns = ShapedType::kDynamic,
                          std::optional<int64_t> at = std::nullopt) {
    auto view = tile::ViewType::get(&context, {ShapedType::kDynamic, columns}, f16);
    return planTmaCopy(*module, storageFor(shape, f16), view, std::nullopt, at);
  }

  MLIRContext context;
  Type f16 = Float16Type::get(&context), f32 = Float32Type::get(&context), i8 = IntegerType::get(&context, 8);
  OwningOpRef<ModuleOp> module;
  std::string said;
};

TEST_F(Places, StorageHasTheWidestSwizzleThatDividesItsRows) {
  EXPECT_EQ(storageFor({64, 64}, f16).getSwizzle(), 128);
  EXPECT_EQ(storageFor({64, 32}, f16).getSwizzle(), 64);
  EXPECT_EQ(storageFor({64, 48}, f16).getSwizzle(), 32);
  EXPECT_EQ(storageFor({64, 8}, f16).getSwizzle(), 0);
  EXPECT_EQ(storageFor({64, 32}, f32).getSwizzle(), 128);
  EXPECT_EQ(storageFor({64}, f32).getSwizzle(), 0);
}

/// Boxes cover the tile once, in storage without gaps or overlaps, and no extent is above what a tensor map has.
TEST_F(Places, BoxesCoverTheTile) {
  for (std::vector<int64_t> shape :
       {std::vector<int64_t>{64, 64}, {128, 256}, {512, 64}, {320, 48}, {8, 8}, {264, 128}})
    for (int64_t columns : {ShapedType::kDynamic, int64_t(1024)}) {
      FailureOr<TmaCopy> plan = copy(shape, columns, 0);
      ASSERT_TRUE(succeeded(plan)) << said;
      int64_t elements = 1;
      for (int64_t extent : plan->box) {
        EXPECT_LE(extent, hw::mostBoxExtent);
        elements *= extent;
      }
      EXPECT_EQ(elements * static_cast<int64_t>(plan->boxes.size()), shape[0] * shape[1]);
      std::set<int64_t> offsets;
      for (const TmaBox &box : plan->boxes) {
        EXPECT_TRUE(offsets.insert(box.byteOffset).second);
        EXPECT_EQ(box.byteOffset % (elements * 2), 0);
        EXPECT_LT(box.byteOffset, shape[0] * shape[1] * 2);
      }
    }
}

TEST_F(Places, OneBoxWhereTheViewsColumnsAreWholeChunks) {
  EXPECT_EQ(copy({64, 256})->boxes.size(), 4u);
  EXPECT_EQ(copy({64, 256}, 1024, 256)->boxes.size(), 1u);
  EXPECT_EQ(copy({64, 256}, 1024, 256)->split, 64);
  EXPECT_EQ(copy({64, 256}, 1024)->boxes.size(), 4u);      // begins anywhere
  EXPECT_EQ(copy({64, 256}, 1000, 256)->boxes.size(), 4u); // ends in a chunk
}

TEST_F(Places, WhatNoBoxHas) {
  EXPECT_TRUE(failed(copy({257, 64})));
  EXPECT_NE(said.find("expected tile extents of at most 256"), std::string::npos) << said;
}

/// Rings, scratches and barriers lie side by side, each where its kind may begin.
TEST_F(Places, NothingOverlaps) {
  auto program = parseSourceString<ModuleOp>(R"(
    warp.kernel @k(%X: !tile.view<?x64xf16>) {
      %n = arith.constant 1 : index
      tile.grid %n
      %a = warp.aref "a" : !warp.aref<3, [tensor<64x64xf16>, tensor<64xf32>]>
      %b = warp.aref "a" : !warp.aref<2, []>
      %s = warp.scratch "s" : !warp.smem<24x40xf16>
      warp.group @g warps(4) regs(232) {
      }
      warp.return
    })",
                                             &context);
  ASSERT_TRUE(program) << said;
  auto kernel = *program->getOps<warp::KernelOp>().begin();
  SmemPlan plan = planSharedMemory(kernel);
  std::vector<std::pair<int64_t, int64_t>> parts; // begin, end
  for (auto aref : kernel.getBody().getOps<warp::ArefOp>()) {
    const RingPlan &ring = plan.rings[aref.getResult()];
    int64_t depth = aref.getType().getDepth();
    for (const SmemField &field : ring.fields) {
      EXPECT_EQ(field.offset % tileAlignment, 0);
      EXPECT_GE(field.slotStride, field.type.getStorageBytes());
      parts.push_back({field.offset, field.offset + depth * field.slotStride});
    }
    EXPECT_EQ(ring.full % barrierBytes, 0);
    parts.push_back({ring.full, ring.full + depth * barrierBytes});
    parts.push_back({ring.empty, ring.empty + depth * barrierBytes});
  }
  for (auto &[value, field] : plan.scratches)
    parts.push_back({field.offset, field.offset + field.type.getStorageBytes()});
  std::sort(parts.begin(), parts.end());
  ASSERT_EQ(parts.size(), 7u);
  for (size_t i = 1; i < parts.size(); ++i)
    EXPECT_LE(parts[i - 1].second, parts[i].first);
  EXPECT_LE(parts.back().second, plan.bytes);
}

} // namespace
