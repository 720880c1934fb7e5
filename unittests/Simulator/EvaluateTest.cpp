//===- EvaluateTest.cpp - single operations, through small kernels --------===//
#include "Parse.h"

#include <chrono>
#include <cmath>

using namespace heddle;
using namespace heddle::sim;
using heddle::test::Ir;

/// Evaluates the straight-line body (SSA text without loads) and returns the values by position.
static bool evaluateBody(Ir &ir, const std::string &body, llvm::SmallVector<TileValue> &values, bool wide = false) {
  std::string text =
      "tile.kernel @k(%x: f32) {\n%one = arith.constant 1 : index\ntile.grid %one\n" + body + "\ntile.return\n}\n";
  if (!ir.parse(text))
    return false;
  llvm::DenseMap<mlir::Value, TileValue> known;
  known[ir.kernel().getBody().front().getArgument(0)] =
      TileValue::scalar(wide ? ElementKind::F64 : ElementKind::F32, 3.0);
  for (mlir::Operation &op : ir.kernel().getBody().front().without_terminator()) {
    if (mlir::isa<tile::GridOp>(op))
      continue;
    llvm::SmallVector<TileValue> operands, results;
    for (mlir::Value operand : op.getOperands())
      operands.push_back(known[operand]);
    if (mlir::failed(evaluate(&op, operands, results, {wide})))
      return false;
    known[op.getResult(0)] = results[0];
    values.push_back(results[0]);
  }
  return true;
}

/// The last value of a body that must evaluate.
static TileValue last(const std::string &body, bool wide = false) {
  Ir ir;
  llvm::SmallVector<TileValue> values;
  EXPECT_TRUE(evaluateBody(ir, body, values, wide)) << ir.diagnostics;
  return values.empty() ? TileValue::index(0) : values.back();
}

TEST(Evaluate, RoundsAfterEachOperation) {
  TileValue half = last("%a = arith.constant 1.0 : f16\n%b = arith.constant 4.8828125e-4 : f16\n"
                        "%c = arith.addf %a, %b : f16\n%d = arith.addf %c, %b : f16");
  EXPECT_EQ(half.floatAt(0), 1.0); // each addition of half an ulp ties back to 1
  TileValue wide = last("%a = arith.constant 1.0 : f16\n%b = arith.constant 4.8828125e-4 : f16\n"
                        "%c = arith.addf %a, %b : f16\n%d = arith.addf %c, %b : f16",
                        /*wide=*/true);
  EXPECT_EQ(wide.floatAt(0), 1.0 + 0x1p-10);
  EXPECT_EQ(last("%a = arith.constant 0.1 : f32\n%b = arith.truncf %a : f32 to bf16").floatAt(0), 0.10009765625);
  EXPECT_EQ(last("%y = arith.constant 1.0 : f32\n%q = arith.divf %y, %x : f32").floatAt(0), 1.0f / 3.0f);
}

TEST(Evaluate, PowersOfIntegers) {
  auto power = [](const std::string &base, const std::string &exponent, const std::string &type = "f32") {
    return last("%a = arith.constant " + base + " : " + type + "\n%n = arith.constant " + exponent +
                " : i64\n%c = math.fpowi %a, %n : " + type + ", i64")
        .floatAt(0);
  };
  EXPECT_EQ(power("-2.0", "3"), -8.0);
  EXPECT_EQ(power("-2.0", "-2"), 0.25);
  EXPECT_EQ(power("0.0", "0"), 1.0);
  EXPECT_EQ(power("-1.0", "33554433"), -1.0);  // an odd number that f32 does not have
  EXPECT_EQ(power("3.0", "7", "f16"), 2188.0); // 2187, rounded to f16
}

TEST(Evaluate, Integers) {
  auto binary = [](const std::string &op, int a, int b, const std::string &type = "i32") {
    return last("%a = arith.constant " + std::to_string(a) + " : " + type + "\n%b = arith.constant " +
                std::to_string(b) + " : " + type + "\n%c = arith." + op + " %a, %b : " + type)
        .intAt(0);
  };
  EXPECT_EQ(binary("ceildivsi", -7, 2), -3);
  EXPECT_EQ(binary("ceildivsi", 7, 2), 4);
  EXPECT_EQ(binary("floordivsi", -7, 2), -4);
  EXPECT_EQ(binary("divsi", -7, 2), -3);
  EXPECT_EQ(binary("remsi", -7, 2), -1);
  EXPECT_EQ(binary("divui", -1, 2), 2147483647);
  EXPECT_EQ(binary("ceildivui", 193, 64, "index"), 4);
  EXPECT_EQ(binary("muli", 65536, 65536), 0);
  EXPECT_EQ(binary("maxui", -1, 5), -1);
  EXPECT_EQ(binary("minsi", -1, 5), -1);
  EXPECT_EQ(binary("shrsi", -8, 1), -4);
  EXPECT_EQ(binary("shrui", -8, 28), 15);
  EXPECT_EQ(binary("shli", 1, 31), -2147483648LL);
  EXPECT_EQ(binary("cmpi ult,", -1, 5), 0);
  EXPECT_EQ(binary("cmpi slt,", -1, 5), 1);
  EXPECT_EQ(last("%t = arith.constant true\n%s = arith.extsi %t : i1 to i32").intAt(0), -1);
  EXPECT_EQ(last("%t = arith.constant true\n%s = arith.extui %t : i1 to i32").intAt(0), 1);
  EXPECT_EQ(last("%t = arith.constant 300 : i32\n%s = arith.trunci %t : i32 to i8").intAt(0), 44);
  EXPECT_EQ(last("%t = arith.constant -2.7 : f32\n%s = arith.fptosi %t : f32 to i32").intAt(0), -2);
  EXPECT_EQ(last("%t = arith.constant -1 : i32\n%s = arith.uitofp %t : i32 to f64").floatAt(0), 4294967295.0);
}

TEST(Evaluate, FloatComparisonsAndExtremes) {
  std::string nan = "%n = arith.constant 0x7FC00000 : f32\n";
  EXPECT_EQ(last(nan + "%c = arith.cmpf olt, %x, %n : f32").intAt(0), 0);
  EXPECT_EQ(last(nan + "%c = arith.cmpf ult, %x, %n : f32").intAt(0), 1);
  EXPECT_TRUE(std::isnan(last(nan + "%c = arith.maximumf %x, %n : f32").floatAt(0)));
  EXPECT_EQ(last(nan + "%c = arith.maxnumf %x, %n : f32").floatAt(0), 3.0);
  EXPECT_EQ(last("%z = arith.constant 5.0 : f32\n%c = arith.minimumf %x, %z : f32").floatAt(0), 3.0);
}

TEST(Evaluate, Math) {
  EXPECT_EQ(last("%r = math.exp2 %x : f32").floatAt(0), 8.0);
  EXPECT_NEAR(last("%r = math.exp %x : f32").floatAt(0), std::exp(3.0), 1e-5);
  EXPECT_NEAR(last("%r = math.rsqrt %x : f32").floatAt(0), 1 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(last("%r = math.tanh %x : f32").floatAt(0), std::tanh(3.0), 1e-6);
  EXPECT_NEAR(last("%r = math.log2 %x : f32").floatAt(0), std::log2(3.0), 1e-6);
  EXPECT_EQ(last("%r = math.fma %x, %x, %x : f32").floatAt(0), 12.0);
  EXPECT_EQ(last("%n = arith.negf %x : f32\n%r = math.absf %n : f32").floatAt(0), 3.0);
}

TEST(Evaluate, TileOperations) {
  std::string tile = "%a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>\n";
  TileValue t = last(tile + "%t = tile.transpose %a : tensor<2x3xf32> -> tensor<3x2xf32>");
  EXPECT_EQ(t.floatAt(1), 4.0);
  EXPECT_EQ(last(tile + "%r = tile.reduce \"add\" %a axis 1 : tensor<2x3xf32> -> tensor<2xf32>").floatAt(1), 15.0);
  EXPECT_EQ(last(tile + "%r = tile.reduce \"max\" %a axis 0 : tensor<2x3xf32> -> tensor<3xf32>").floatAt(0), 4.0);
  EXPECT_EQ(last(tile + "%r = tile.reduce \"min\" %a axis 0 : tensor<2x3xf32> -> tensor<3xf32>").floatAt(2), 3.0);
  TileValue rows = last("%i = tile.iota {start = 5 : i64} : tensor<2xi32>\n"
                        "%b = tile.broadcast %i axis 1 : tensor<2xi32> -> tensor<2x3xi32>");
  EXPECT_EQ(rows.intAt(2), 5);
  EXPECT_EQ(rows.intAt(3), 6);
  TileValue slice =
      last(tile + "%s = tensor.extract_slice %a[1, 1] [1, 2] [1, 1] : tensor<2x3xf32> to tensor<1x2xf32>");
  EXPECT_EQ(slice.floatAt(0), 5.0);
  EXPECT_EQ(slice.floatAt(1), 6.0);
  TileValue product = last(tile + "%t = tile.transpose %a : tensor<2x3xf32> -> tensor<3x2xf32>\n"
                                  "%z = arith.constant dense<1.0> : tensor<2x2xf32>\n%d = tile.dot %a, %t, %z : "
                                  "tensor<2x3xf32>, tensor<3x2xf32>, tensor<2x2xf32>");
  EXPECT_EQ(product.floatAt(0), 15.0);
  EXPECT_EQ(product.floatAt(3), 78.0);
  EXPECT_EQ(last(tile + "%s = tensor.splat %x : tensor<2x3xf32>\n%c = arith.cmpf oge, %a, %s : tensor<2x3xf32>\n"
                        "%r = arith.select %c, %a, %s : tensor<2x3xi1>, tensor<2x3xf32>")
                .floatAt(0),
            3.0);
}

TEST(Evaluate, DotEqualsNaiveOnOddShapes) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::F16}) {
    Random random(11);
    TileValue a = TileValue::zeros(kind, {7, 5}), b = TileValue::zeros(kind, {5, 13}),
              c = TileValue::zeros(kind, {7, 13});
    for (TileValue *v : {&a, &b, &c})
      for (int64_t i = 0; i < v->size(); ++i)
        v->setFloat(i, kind == ElementKind::F32 ? std::rint(256 * random.normal()) / 256 // tf32 holds it
                                                : random.normal());
    TileValue d = dot(a, b, c);
    for (int64_t i = 0; i < 7; ++i)
      for (int64_t j = 0; j < 13; ++j) {
        TileValue sum = TileValue::scalar(kind, c.floatAt(i * 13 + j)), product = sum;
        for (int64_t k = 0; k < 5; ++k) {
          product.setFloat(0, a.floatAt(i * 5 + k) * b.floatAt(k * 13 + j));
          sum.setFloat(0, sum.floatAt(0) + product.floatAt(0));
        }
        EXPECT_EQ(d.floatAt(i * 13 + j), sum.floatAt(0));
      }
  }
}

TEST(Evaluate, DotIsFast) {
  TileValue a = TileValue::zeros(ElementKind::F16, {128, 64}), b = TileValue::zeros(ElementKind::F16, {64, 256});
  TileValue c = TileValue::zeros(ElementKind::F32, {128, 256});
  auto best = std::chrono::nanoseconds::max();
  for (int i = 0; i < 5; ++i) {
    auto start = std::chrono::steady_clock::now();
    c = dot(a, b, c);
    best = std::min(best, std::chrono::nanoseconds(std::chrono::steady_clock::now() - start));
  }
  RecordProperty("microseconds", static_cast<int>(best.count() / 1000));
  EXPECT_LT(best.count(), 10'000'000);
}

TEST(Evaluate, CopiesShareUntilWritten) {
  TileValue a = TileValue::zeros(ElementKind::F32, {4}), b = a;
  b.setFloat(0, 1.0);
  EXPECT_EQ(a.floatAt(0), 0.0);
  EXPECT_FALSE(a.identicalTo(b));
  a.setFloat(0, 1.0);
  EXPECT_TRUE(a.identicalTo(b));
}

TEST(Evaluate, ErrorsAreLocated) {
  auto message = [](const std::string &body) {
    Ir ir;
    llvm::SmallVector<TileValue> values;
    EXPECT_FALSE(evaluateBody(ir, body, values));
    return ir.diagnostics;
  };
  EXPECT_NE(message("%z = arith.constant 0 : i32\n%d = arith.divsi %z, %z : i32").find("division by zero"),
            std::string::npos);
  EXPECT_NE(
      message("%a = arith.constant -2147483648 : i32\n%b = arith.constant -1 : i32\n%d = arith.divsi %a, %b : i32")
          .find("signed division overflows"),
      std::string::npos);
  EXPECT_NE(message("%a = arith.constant 1 : i24").find("result type that the simulator cannot hold"),
            std::string::npos);
  EXPECT_NE(message("%b, %c = math.sincos %x : f32").find("not an operation that the simulator can evaluate"),
            std::string::npos);
}
