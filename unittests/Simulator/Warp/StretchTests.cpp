//===- StretchTests.cpp - what arithmetic between two waits takes -----------===//
#include "WarpTestSupport.h"

using namespace heddle;
using namespace heddle::test;

namespace {

/// Cycles of one group that runs `body` on %x, a tile of 64 x 128 numbers, and stores `%result`.
int64_t cyclesOf(const std::string &body, int64_t limit = 128) {
  std::string text = R"(
warp.kernel @stretch(%A: !tile.view<?x128xf32> {tile.name = "A", tile.dims = ["M", "N"]},
                     %T: i32 {tile.name = "limit"}) {
  %c1 = arith.constant 1 : index
  tile.grid %c1
  warp.group @compute0 warps(4) regs(240) {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<0.5> : tensor<64x128xf32>
)" + body + R"(
    tile.store %result, %A[%c0, %c0] : tensor<64x128xf32>, !tile.view<?x128xf32>
  }
  warp.return
}
)";
  auto module = parseText(text);
  EXPECT_TRUE(module) << text;
  if (!module)
    return 0;
  auto kernel = kernelOf<warp::KernelOp>(*module);
  sim::BindingRequest request;
  request.dims = {{"M", 64}};
  request.scalars = {{"limit", static_cast<double>(limit)}};
  auto bound = sim::bindKernel(cast<mlir::FunctionOpInterface>(kernel.getOperation()), request);
  EXPECT_TRUE(bool(bound)) << (bound ? "" : bound.error().str());
  if (!bound)
    return 0;
  sim::SimResult result = sim::simulateWarpKernel(kernel, *bound, h100());
  EXPECT_TRUE(result.ok());
  return result.maxCycles;
}

const std::string product = "%y = arith.mulf %x, %x : tensor<64x128xf32>\n";

TEST(Stretch, AMultiplyAddIsOneInstruction) {
  int64_t one = cyclesOf("%result = arith.addf %x, %x : tensor<64x128xf32>");
  EXPECT_EQ(cyclesOf(product + "%result = arith.addf %y, %x : tensor<64x128xf32>"), one);
  EXPECT_GT(cyclesOf(product + "%result = arith.addf %y, %y : tensor<64x128xf32>"), one);
}

TEST(Stretch, ElementsFollowEachOther) {
  // 512 cycles of the special function unit; the sums of each half of the tile run while the other half is in it.
  int64_t one = cyclesOf("%result = math.exp2 %x : tensor<64x128xf32>");
  int64_t two = cyclesOf("%y = math.exp2 %x : tensor<64x128xf32>\n%result = arith.addf %y, %x : tensor<64x128xf32>");
  EXPECT_GT(two, one);
  EXPECT_LT(two, one + 60) << "a whole tile of sums takes 68";
}

TEST(Stretch, AMaskThatAllElementsPassTakesNothing) {
  const std::string masked = R"(
    %y = arith.addf %x, %x : tensor<64x128xf32>
    %columns = tile.iota : tensor<128xi32>
    %limit = tensor.splat %T : tensor<128xi32>
    %inside = arith.cmpi slt, %columns, %limit : tensor<128xi32>
    %all = tile.broadcast %inside axis 0 : tensor<128xi1> -> tensor<64x128xi1>
    %none = arith.constant dense<0.0> : tensor<64x128xf32>
    %result = arith.select %all, %y, %none : tensor<64x128xi1>, tensor<64x128xf32>)";
  int64_t one = cyclesOf("%result = arith.addf %x, %x : tensor<64x128xf32>");
  EXPECT_EQ(cyclesOf(masked, 128), one);
  EXPECT_GT(cyclesOf(masked, 127), one + 100);
}

} // namespace
