//===- TileInterpreterTest.cpp - kernels against loops written in C++ -----===//
#include "Parse.h"

#include <cmath>

using namespace heddle;
using namespace heddle::sim;
using heddle::test::Ir;

TEST(TileInterpreter, GemmEqualsTripleLoop) {
  Ir ir;
  ASSERT_TRUE(ir.parseExample("01_gemm")) << ir.diagnostics;
  for (auto [m, n, k] : {std::array<int64_t, 3>{256, 256, 192}, {130, 70, 33}, {1, 1, 1}}) {
    BindingRequest request;
    request.dims = {{"M", m}, {"N", n}, {"K", k}};
    Result<Bindings> bound = ir.bind(request);
    ASSERT_TRUE(static_cast<bool>(bound)) << bound.error().str();
    Bindings wide = bound->widened();
    ASSERT_TRUE(mlir::succeeded(runTileKernel(ir.kernel(), *bound))) << ir.diagnostics;
    ASSERT_TRUE(mlir::succeeded(runTileKernel(ir.kernel(), wide, {/*wide=*/true}))) << ir.diagnostics;
    const HostTensor &a = *bound->tensorOf(0), &b = *bound->tensorOf(1);
    HostTensor want("C", ElementKind::F64, {m, n});
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t kk = 0; kk < k; ++kk)
          sum += a.floatAt(i * a.strides()[0] + kk) * b.floatAt(j * b.strides()[0] + kk);
        want.setFloat(want.positionOf(i * n + j), sum);
      }
    EXPECT_LT(relativeError(*bound->tensorOf(2), want), 5e-4);
    EXPECT_LT(relativeError(*wide.tensorOf(2), want), 1e-14);
    EXPECT_EQ(compareOutputs(*bound, wide).size(), 1u);
    EXPECT_LT(compareOutputs(*bound, wide)[0], 5e-4);
  }
}

TEST(TileInterpreter, AttentionEqualsSoftmax) {
  Ir ir;
  ASSERT_TRUE(ir.parseExample("02_attention")) << ir.diagnostics;
  int64_t queries = 150, keys = 200, d = 128;
  BindingRequest request;
  request.dims = {{"B", 1}, {"H", 2}, {"S", queries}, {"T", keys}};
  Result<Bindings> bound = ir.bind(request);
  ASSERT_TRUE(static_cast<bool>(bound)) << bound.error().str();
  ASSERT_TRUE(mlir::succeeded(runTileKernel(ir.kernel(), *bound))) << ir.diagnostics;
  const HostTensor &q = *bound->tensorOf(0), &k = *bound->tensorOf(1), &v = *bound->tensorOf(2);
  HostTensor o("O", ElementKind::F64, {1, 2, queries, d}), lse("LSE", ElementKind::F64, {1, 2, queries});
  double scale = bound->arguments[5].scalar.floatAt(0) * std::log(2.0);
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t i = 0; i < queries; ++i) {
      std::vector<double> weights(keys), out(d);
      double sum = 0;
      for (int64_t j = 0; j < keys; ++j) {
        double s = 0;
        for (int64_t e = 0; e < d; ++e)
          s += q.floatAt((h * queries + i) * d + e) * k.floatAt((h * keys + j) * d + e);
        sum += weights[j] = std::exp(s * scale);
      }
      for (int64_t j = 0; j < keys; ++j)
        for (int64_t e = 0; e < d; ++e)
          out[e] += weights[j] / sum * v.floatAt((h * keys + j) * d + e);
      for (int64_t e = 0; e < d; ++e)
        o.setFloat(o.positionOf((h * queries + i) * d + e), out[e]);
      lse.setFloat(lse.positionOf(h * queries + i), std::log(sum));
    }
  EXPECT_LT(relativeError(*bound->tensorOf(3), o), 2e-3);
  EXPECT_LT(relativeError(*bound->tensorOf(4), lse), 1e-5);
}

TEST(TileInterpreter, ControlFlow) {
  Ir ir;
  ASSERT_TRUE(ir.parse(R"(tile.kernel @k(%A: !tile.view<4x2xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c100 = arith.constant 100 : index
    tile.grid %c4
    %pid = tile.program_id 0
    // the smallest power of two above pid * 3
    %three = arith.constant 3 : index
    %p3 = arith.muli %pid, %three : index
    %w = scf.while (%x = %c1) : (index) -> index {
      %more = arith.cmpi sle, %x, %p3 : index
      scf.condition(%more) %x : index
    } do {
    ^bb0(%x: index):
      %next = arith.muli %x, %c2 : index
      scf.yield %next : index
    }
    %odd = arith.remui %pid, %c2 : index
    %isOdd = arith.cmpi eq, %odd, %c1 : index
    %r = scf.if %isOdd -> index {
      scf.yield %w : index
    } else {
      %s = arith.addi %w, %c100 : index
      scf.yield %s : index
    }
    // 5 + 7 by a loop with an i32 counter that runs twice
    %i5 = arith.constant 5 : i32
    %i8 = arith.constant 8 : i32
    %i2 = arith.constant 2 : i32
    %i0 = arith.constant 0 : i32
    %sum = scf.for %i = %i5 to %i8 step %i2 iter_args(%s = %i0) -> i32 : i32 {
      %n = arith.addi %s, %i : i32
      scf.yield %n : i32
    }
    %r32 = arith.index_cast %r : index to i32
    %t0 = tensor.splat %r32 : tensor<1xi32>
    %t1 = tensor.splat %sum : tensor<1xi32>
    tile.store %t0, %A[%pid, %c0] : tensor<1xi32>, !tile.view<4x2xi32>
    tile.store %t1, %A[%pid, %c1] : tensor<1xi32>, !tile.view<4x2xi32>
    tile.return
  })"))
      << ir.diagnostics;
  Result<Bindings> bound = ir.bind();
  ASSERT_TRUE(static_cast<bool>(bound));
  ASSERT_TRUE(mlir::succeeded(runTileKernel(ir.kernel(), *bound))) << ir.diagnostics;
  const HostTensor &a = *bound->tensorOf(0);
  int64_t want[] = {101, 4, 108, 16};
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a.intAt(a.positionOf(2 * i)), want[i]);
    EXPECT_EQ(a.intAt(a.positionOf(2 * i + 1)), 12);
  }
}

/// Runs two programs whose only access to X is `body`; what is said, or nothing.
static std::string raceOf(const std::string &body) {
  Ir ir;
  EXPECT_TRUE(
      ir.parse(R"(tile.kernel @k(%X: !tile.view<64xf32> {tile.name = "X"}, %Y: !tile.view<64xf32> {tile.name = "Y"}) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    tile.grid %c2
    %p = tile.program_id 0
    %at = arith.muli %p, %c32 : index
    %near = arith.muli %p, %c16 : index
    %n = arith.index_cast %p : index to i32
    %f = arith.sitofp %n : i32 to f32
    %own = tensor.splat %f : tensor<32xf32>
    %same = arith.constant dense<1.0> : tensor<32xf32>
)" + body + "\n tile.return }"))
      << ir.diagnostics;
  Result<Bindings> bound = ir.bind();
  if (!bound)
    return bound.error().str();
  return mlir::succeeded(runTileKernel(ir.kernel(), *bound)) ? "" : ir.diagnostics;
}

TEST(TileInterpreter, ProgramsAreIndependent) {
  auto store = [](const std::string &value, const std::string &at, const std::string &kind = "set") {
    return "tile.store %" + value + ", %X[%" + at + "] {kind = \"" + kind +
           "\"} : tensor<32xf32>, !tile.view<64xf32>\n";
  };
  auto load = [](const std::string &at) {
    return "%l = tile.load %X[%" + at + "] : !tile.view<64xf32> -> tensor<32xf32>\n";
  };
  EXPECT_EQ(raceOf(store("own", "at")), "");
  EXPECT_EQ(raceOf(store("same", "near")), ""); // equal values
  EXPECT_EQ(raceOf(store("own", "near", "add")), "");
  EXPECT_EQ(raceOf(store("own", "at") + load("at")), "");
  EXPECT_EQ(raceOf(store("own", "at") + store("same", "at", "add")), "");
  EXPECT_NE(raceOf(store("own", "near"))
                .find("got program (1, 0, 0) writing X[16], which program (0, 0, 0) writes with another value"),
            std::string::npos);
  EXPECT_NE(raceOf(load("at") + store("own", "near"))
                .find("got program (1, 0, 0) writing X[16], which program (0, 0, 0) reads"),
            std::string::npos);
  EXPECT_NE(raceOf(store("own", "at") + load("near"))
                .find("got program (1, 0, 0) reading X[16], which program (0, 0, 0) writes"),
            std::string::npos);
  EXPECT_NE(raceOf(store("own", "near", "add") + store("own", "at")).find("writes"), std::string::npos);
  EXPECT_NE(raceOf(store("own", "at") + store("own", "near", "add"))
                .find("got program (1, 0, 0) adding to X[16], which program (0, 0, 0) writes"),
            std::string::npos);
  EXPECT_NE(raceOf(store("own", "near", "add") + load("at"))
                .find("got program (1, 0, 0) adding to X[16], which program (0, 0, 0) reads"),
            std::string::npos);
}

TEST(TileInterpreter, Errors) {
  Ir ir;
  ASSERT_TRUE(ir.parse(R"(tile.kernel @k(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    tile.grid %c1
    scf.for %i = %c0 to %c1 step %n {
    }
    tile.return
  })"))
      << ir.diagnostics;
  BindingRequest request;
  request.scalars["arg0"] = 0;
  Result<Bindings> bound = ir.bind(request);
  ASSERT_TRUE(static_cast<bool>(bound));
  EXPECT_TRUE(mlir::failed(runTileKernel(ir.kernel(), *bound)));
  EXPECT_NE(ir.diagnostics.find("expected a step of at least 1, got 0"), std::string::npos);
}

TEST(TileInterpreter, ExtractsInsideTheTile) {
  Ir ir;
  ASSERT_TRUE(ir.parse(R"(tile.kernel @k(%n: index) {
    %c1 = arith.constant 1 : index
    tile.grid %c1
    %t = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %e = tensor.extract %t[%n] : tensor<4xi32>
    tile.return
  })"))
      << ir.diagnostics;
  BindingRequest request;
  request.scalars["arg0"] = 4;
  Result<Bindings> bound = ir.bind(request);
  ASSERT_TRUE(static_cast<bool>(bound));
  EXPECT_TRUE(mlir::failed(runTileKernel(ir.kernel(), *bound)));
  EXPECT_NE(ir.diagnostics.find("expected an index from 0 to 3, got 4"), std::string::npos);
}

TEST(TileInterpreter, PartsAreInsideTheTile) {
  Ir ir;
  ASSERT_TRUE(ir.parse(R"(tile.kernel @k(%n: index) {
    %c1 = arith.constant 1 : index
    tile.grid %c1
    %t = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %e = tensor.extract_slice %t[%n] [2] [1] : tensor<4xi32> to tensor<2xi32>
    tile.return
  })"))
      << ir.diagnostics;
  BindingRequest request;
  request.scalars["arg0"] = 3;
  Result<Bindings> bound = ir.bind(request);
  ASSERT_TRUE(static_cast<bool>(bound));
  EXPECT_TRUE(mlir::failed(runTileKernel(ir.kernel(), *bound)));
  EXPECT_NE(ir.diagnostics.find("expected a part inside of the tile, got 2 from 3 of 4"), std::string::npos);
}
