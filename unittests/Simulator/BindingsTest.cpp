//===- BindingsTest.cpp - binding by name, and each user error ------------===//
#include "Parse.h"

#include <cmath>

using namespace heddle;
using namespace heddle::sim;
using heddle::test::Ir;

/// A kernel with these arguments (C, an MxN view of f32, is stored to) and attributes.
static std::string kernel(const std::string &arguments, const std::string &attributes = "") {
  return "tile.kernel @k(" + arguments + ") " + attributes +
         " {\n%c0 = arith.constant 0 : index\n%one = arith.constant 1 : index\ntile.grid %one\n"
         "tile.return\n}\n";
}
static const std::string two = "%A: !tile.view<?x?xf16> {tile.name = \"A\", tile.dims = [\"M\", \"K\"]}, "
                               "%B: !tile.view<?x128xf32> {tile.name = \"B\", tile.dims = [\"K\", \"N\"]}";

static std::string bindError(const std::string &text, const BindingRequest &request) {
  Ir ir;
  if (!ir.parse(text))
    return "not parsed: " + ir.diagnostics;
  Result<Bindings> bindings = ir.bind(request);
  EXPECT_FALSE(static_cast<bool>(bindings));
  return bindings ? "" : bindings.error().message();
}

TEST(Bindings, SizesByName) {
  Ir ir;
  ASSERT_TRUE(ir.parse(kernel(two + ", %s: f32 {tile.name = \"s\", tile.default = 2.5 : f32}, %n: i32")));
  BindingRequest request;
  request.dims = {{"M", 3}, {"K", 5}};
  request.scalars = {{"arg3", 7}};
  Result<Bindings> bindings = ir.bind(request);
  ASSERT_TRUE(static_cast<bool>(bindings)) << bindings.error().str();
  EXPECT_EQ(bindings->tensorOf(0)->sizes()[1], 5);
  EXPECT_EQ(bindings->tensorOf(1)->sizes()[0], 5);
  EXPECT_EQ(bindings->dims["N"], 128);
  EXPECT_EQ(bindings->tensorOf(2), nullptr);
  EXPECT_EQ(bindings->arguments[2].scalar.floatAt(0), 2.5);
  EXPECT_EQ(bindings->arguments[3].scalar.intAt(0), 7);
  EXPECT_EQ(bindings->widened().tensorOf(0)->kind(), ElementKind::F64);
}

TEST(Bindings, DefaultsAndGeneratedNames) {
  Ir ir;
  ASSERT_TRUE(ir.parse(kernel("%A: !tile.view<?xf16>", "attributes {tile.default_dims = {arg0.0 = 12}}")) ||
              ir.parse(kernel("%A: !tile.view<?xf16>", "attributes {tile.default_dims = {\"arg0.0\" = 12}}")));
  Result<Bindings> bindings = ir.bind();
  ASSERT_TRUE(static_cast<bool>(bindings)) << bindings.error().str();
  EXPECT_EQ(bindings->tensorOf(0)->sizes()[0], 12);
  BindingRequest request;
  request.dims = {{"arg0.0", 4}};
  EXPECT_EQ(ir.bind(request)->tensorOf(0)->sizes()[0], 4);
}

TEST(Bindings, FillsByUse) {
  Ir ir;
  ASSERT_TRUE(ir.parse(
      R"(tile.kernel @k(%A: !tile.view<4xf32>, %B: !tile.view<4xf32>, %C: !tile.view<4xf32>, %D: !tile.view<4xf32>) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : index
    tile.grid %one
    %a = tile.load %A[%c0] : !tile.view<4xf32> -> tensor<4xf32>
    %d = tile.load %D[%c0] : !tile.view<4xf32> -> tensor<4xf32>
    tile.store %a, %B[%c0] : tensor<4xf32>, !tile.view<4xf32>
    tile.store %a, %C[%c0] {kind = "add"} : tensor<4xf32>, !tile.view<4xf32>
    tile.store %d, %D[%c0] : tensor<4xf32>, !tile.view<4xf32>
    tile.return
  })"))
      << ir.diagnostics;
  Result<Bindings> bindings = ir.bind();
  ASSERT_TRUE(static_cast<bool>(bindings));
  EXPECT_NE(bindings->tensorOf(0)->floatAt(0), 0.0);
  EXPECT_TRUE(std::isnan(bindings->tensorOf(1)->floatAt(0)));
  EXPECT_EQ(bindings->tensorOf(2)->floatAt(0), 0.0);
  EXPECT_TRUE(std::isfinite(bindings->tensorOf(3)->floatAt(0)));
  EXPECT_EQ(bindings->outputs(), (std::vector<unsigned>{1, 2, 3}));
}

TEST(Bindings, UserErrors) {
  Ir twice; // the verifier's
  EXPECT_FALSE(twice.parse(kernel("%A: f32 {tile.name = \"A\"}, %B: f32 {tile.name = \"A\"}")));
  EXPECT_NE(twice.diagnostics.find("expected distinct argument names, got 'A' twice"), std::string::npos)
      << twice.diagnostics;

  BindingRequest good;
  good.dims = {{"M", 3}, {"K", 5}};
  BindingRequest request = good;
  request.dims["X"] = 1;
  EXPECT_EQ(bindError(kernel(two), request), "expected one of the dimensions 'K', 'M', 'N', got 'X'");
  request = good;
  request.dims.erase("K");
  EXPECT_EQ(bindError(kernel(two), request), "expected a size for dimension 'K' of 'A', got none");
  request = good;
  request.dims["N"] = 64;
  EXPECT_EQ(bindError(kernel(two), request), "expected dimension 'N' to be 128 as in the type of 'B', got 64");
  request = good;
  request.dims["M"] = -1;
  EXPECT_EQ(bindError(kernel(two), request), "expected dimension 'M' to be from 0 to 2147483647, got -1");
  EXPECT_EQ(bindError(kernel("%A: !tile.view<64xf16> {tile.name = \"A\", tile.dims = [\"D\"]}, "
                             "%B: !tile.view<32xf16> {tile.name = \"B\", tile.dims = [\"D\"]}"),
                      {}),
            "expected equal sizes for dimension 'D', got 64 in 'A' and 32 in 'B'");
  request = good;
  request.scalars["s"] = 1;
  EXPECT_EQ(bindError(kernel(two), request), "expected no scalars, got 's'");
  EXPECT_EQ(bindError(kernel("%s: f32 {tile.name = \"s\"}"), {}), "expected a value for scalar 's', got none");
  request = {};
  request.scalars["s"] = 1.5;
  EXPECT_EQ(bindError(kernel("%s: i32 {tile.name = \"s\"}"), request),
            "expected scalar 's' to be an i32, got 1.500000");
  request.scalars["s"] = 3e9;
  EXPECT_EQ(bindError(kernel("%s: i32 {tile.name = \"s\"}"), request),
            "expected scalar 's' to be an i32, got 3000000000.000000");
  EXPECT_EQ(bindError(kernel("%s: i32 {tile.name = \"s\", tile.default = 1.0 : f32}"), {}),
            "expected tile.default of 's' to be a number of the argument's type");
  EXPECT_EQ(bindError(kernel("", "attributes {tile.default_dims = 4}"), {}),
            "expected tile.default_dims to be a dictionary of integers");
  EXPECT_EQ(bindError(kernel("%A: !tile.view<?xf16>", "attributes {tile.default_dims = {\"arg0.0\" = \"4\"}}"), {}),
            "expected tile.default_dims to be a dictionary of integers, got another value for 'arg0.0'");
  request = good;
  request.dims["M"] = int64_t(1) << 40;
  EXPECT_EQ(bindError(kernel(two), request), "expected dimension 'M' to be from 0 to 2147483647, got 1099511627776");
  request.dims["M"] = request.dims["K"] = int64_t(1) << 30;
  EXPECT_EQ(bindError(kernel(two), request), "expected tensors of at most 8589934592 bytes in all, got more with 'A'");
  EXPECT_EQ(bindError(kernel("%A: !tile.view<4xi24> {tile.name = \"A\"}"), {}),
            "expected a view of a supported element type for 'A', got i24");
}

TEST(Bindings, WarpKernels) {
  auto text = [](const std::string &scalar) {
    return R"(warp.kernel @k(%A: !tile.view<?x64xf16> {tile.name = "A", tile.dims = ["M", "N"]},
                           %C: !tile.view<?x64xf16> {tile.name = "C", tile.dims = ["M", "N"]}, %s: )" +
           scalar + R"() {
    %c64 = arith.constant 64 : index
    %m = tile.dim %A, 0 : !tile.view<?x64xf16>
    %gm = arith.ceildivui %m, %c64 : index
    tile.grid %gm
    %r = warp.aref "r" : <1, [tensor<64x64xf16>]>
    %s0 = warp.scratch "s" : <64x64xf16>
    warp.group @w warps(1) regs(40) {
      %z = arith.constant 0 : index
      warp.acquire %r[%z] : <1, [tensor<64x64xf16>]>
      warp.copy %A[%z, %z] to %r[%z] field 0 : !tile.view<?x64xf16>, <1, [tensor<64x64xf16>]>
      warp.copy_out %s0 to %C[%z, %z] : !warp.smem<64x64xf16>, !tile.view<?x64xf16>
    }
    warp.return
  })";
  };
  for (std::string scalar : {"f32", "i24"}) {
    Ir ir;
    ASSERT_TRUE(ir.parse(text(scalar))) << ir.diagnostics;
    auto kernel = mlir::cast<mlir::FunctionOpInterface>(ir.module->getBody()->front());
    BindingRequest request;
    request.dims = {{"M", 200}};
    request.scalars = {{"arg2", 1}};
    Result<Bindings> bindings = bindKernel(kernel, request);
    if (scalar == "i24") {
      ASSERT_FALSE(static_cast<bool>(bindings));
      EXPECT_EQ(bindings.error().message(), "expected a scalar of a supported type for 'arg2'");
      continue;
    }
    ASSERT_TRUE(static_cast<bool>(bindings)) << bindings.error().str();
    EXPECT_EQ(bindings->outputs(), std::vector<unsigned>{1});
    EXPECT_TRUE(std::isnan(bindings->tensorOf(1)->floatAt(0)));
    EXPECT_EQ((*evaluateGrid(kernel, *bindings))[0], 4);
  }
}

TEST(Bindings, GridSizes) {
  auto grid = [](const std::string &m) {
    Ir ir;
    EXPECT_TRUE(ir.parse("tile.kernel @k(%n: index) {\n%c3 = arith.constant 3 : index\n%m = " + m +
                         "\ntile.grid %c3, %m\ntile.return\n}"))
        << ir.diagnostics;
    BindingRequest request;
    request.scalars["arg0"] = 7;
    Result<Bindings> bindings = ir.bind(request);
    EXPECT_TRUE(static_cast<bool>(bindings));
    auto sizes = evaluateGrid(ir.function(), *bindings);
    return mlir::failed(sizes)
               ? ir.diagnostics
               : std::to_string((*sizes)[0]) + "," + std::to_string((*sizes)[1]) + "," + std::to_string((*sizes)[2]);
  };
  EXPECT_EQ(grid("arith.ceildivui %n, %c3 : index"), "3,3,1");
  EXPECT_EQ(grid("arith.subi %n, %n : index"), "3,0,1");
  EXPECT_NE(grid("arith.subi %c3, %n : index").find("expected size 1 from 0 to 65535, got -4"), std::string::npos);
  EXPECT_NE(grid("arith.constant 65536 : index").find("expected size 1 from 0 to 65535, got 65536"), std::string::npos);
}
