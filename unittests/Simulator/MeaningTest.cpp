//===- MeaningTest.cpp - What "verified" notices, and what it forgives ----===//
#include "heddle/Simulator/Functional/Meaning.h"
#include "Parse.h"

#include <cmath>
#include <limits>

using namespace heddle;
using namespace heddle::sim;
using heddle::test::Ir;

namespace {
/// Y = f(X): `body` makes %y of type `to` from %x of type `from`, both 32x64; N is 60, so that the last program is cut
/// and rows are padded.
std::string elementwise(const std::string &from, const std::string &to, const std::string &body) {
  return "tile.kernel @f(%X: !tile.view<?x?x" + from +
         "> {tile.name = \"X\", tile.dims = [\"M\", \"N\"]},\n"
         "               %Y: !tile.view<?x?x" +
         to +
         "> {tile.name = \"Y\", tile.dims = [\"M\", \"N\"]})\n"
         "    attributes {tile.default_dims = {M = 100, N = 60}} {\n"
         "  %c0 = arith.constant 0 : index\n  %c32 = arith.constant 32 : index\n"
         "  %M = tile.dim %X, 0 : !tile.view<?x?x" +
         from +
         ">\n"
         "  %g = arith.ceildivui %M, %c32 : index\n  tile.grid %g\n"
         "  %p = tile.program_id 0\n  %m = arith.muli %p, %c32 : index\n"
         "  %x = tile.load %X[%m, %c0] : !tile.view<?x?x" +
         from + "> -> tensor<32x64x" + from + ">\n" + body + "  tile.store %y, %Y[%m, %c0] : tensor<32x64x" + to +
         ">, !tile.view<?x?x" + to + ">\n  tile.return\n}\n";
}

class MeaningTest : public testing::Test {
protected:
  /// Parses, binds with `seed` and interprets.
  void interpret(const std::string &text, uint64_t seed = 1, std::map<std::string, int64_t> dims = {}) {
    ASSERT_TRUE(ir.parse(text)) << ir.diagnostics << text;
    start(seed, std::move(dims));
  }
  void start(uint64_t seed, std::map<std::string, int64_t> dims) {
    BindingRequest request;
    request.seed = seed;
    request.dims = std::move(dims);
    Result<Bindings> bound = ir.bind(request);
    ASSERT_TRUE(static_cast<bool>(bound)) << bound.error().str();
    mlir::FailureOr<Meaning> found = meaningOf(ir.kernel(), *bound);
    ASSERT_TRUE(mlir::succeeded(found)) << ir.diagnostics;
    meaning = std::move(*found);
    got = meaning.reference;
  }
  HostTensor &output() { return *got.tensorOf(got.outputs().back()); }
  std::string verdict() { return compareWith(meaning, got).str(); }

  Ir ir;
  Meaning meaning;
  Bindings got;
};
} // namespace

TEST_F(MeaningTest, OneElementOfALargeTensor) {
  ASSERT_TRUE(ir.parseExample("01_gemm"));
  start(1, {{"M", 1024}, {"N", 1024}, {"K", 64}});
  EXPECT_EQ(verdict(), "");
  int64_t at = output().positionOf(700 * 1024 + 31);
  double value = output().floatAt(at);
  output().setFloat(at, value + std::ldexp(std::fabs(value), -8));
  std::string text = verdict();
  EXPECT_NE(text.find("wrong result: 1 of 1048576 elements differ; first 'C'[700, 31]: expected "), std::string::npos)
      << text;
  output().setFloat(at, std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(verdict().find(", got nan"), std::string::npos) << verdict();
}

TEST_F(MeaningTest, BytesThatTheProgramDoesNotWrite) {
  interpret(elementwise("f16", "f16", "  %y = arith.addf %x, %x : tensor<32x64xf16>\n"));
  EXPECT_EQ(verdict(), "");
  output().bytes()[60 * 2] ^= 1; // behind the first row
  EXPECT_NE(
      verdict().find("1 that the program does not write are changed; first 'Y': expected no write to the padding"),
      std::string::npos)
      << verdict();
  output().bytes()[60 * 2] ^= 1;
  got.tensorOf(0)->setFloat(0, 7);
  EXPECT_NE(verdict().find("first 'X'[0, 0]: expected no write, got 7"), std::string::npos) << verdict();
}

TEST_F(MeaningTest, PoisonStays) {
  // Every second program of the grid writes its rows.
  interpret(
      R"(tile.kernel @half(%Y: !tile.view<?x64xf32> {tile.name = "Y", tile.dims = ["M", "N"]})
    attributes {tile.default_dims = {M = 128}} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    tile.grid %c2
    %p = tile.program_id 0
    %m = arith.muli %p, %c64 : index
    %one = arith.constant dense<1.0> : tensor<32x64xf32>
    tile.store %one, %Y[%m, %c0] : tensor<32x64xf32>, !tile.view<?x64xf32>
    tile.return
  })");
  EXPECT_EQ(verdict(), "");
  output().setFloat(output().positionOf(40 * 64), 1.0);
  EXPECT_NE(verdict().find("first 'Y'[40, 0]: expected no write, got 1"), std::string::npos) << verdict();
}

TEST_F(MeaningTest, NamesWhatIsZero) {
  interpret(elementwise("f32", "f32", "  %y = arith.subf %x, %x : tensor<32x64xf32>\n"));
  EXPECT_EQ(compareWith(meaning, got).zeros, std::vector<std::string>{"Y"});
  EXPECT_EQ(verdict(), "");
  interpret(elementwise("f32", "f32", "  %y = arith.addf %x, %x : tensor<32x64xf32>\n"));
  EXPECT_TRUE(compareWith(meaning, got).zeros.empty());
}

TEST_F(MeaningTest, NaNProvesNothing) {
  interpret(elementwise("f32", "f32", "  %y = math.log %x : tensor<32x64xf32>\n"));
  Comparison result = compareWith(meaning, got);
  EXPECT_FALSE(result.isWrong()) << result.str();
  EXPECT_TRUE(result.provesNothing());
  EXPECT_NE(result.str().find("nothing proved: "), std::string::npos) << result.str();
  int64_t nan = 0;
  while (std::isfinite(output().floatAt(nan)))
    ++nan;
  output().setFloat(nan, 1.0); // a number where the meaning is NaN
  EXPECT_TRUE(compareWith(meaning, got).isWrong());
}

TEST_F(MeaningTest, OnlyRoundingErrorsProveNothing) {
  interpret(elementwise("f32", "f32", R"(
    %big = arith.constant dense<1.0e10> : tensor<32x64xf32>
    %sum = arith.addf %x, %big : tensor<32x64xf32>
    %y = arith.subf %sum, %big : tensor<32x64xf32>
)"));
  EXPECT_NE(verdict().find("smaller than their rounding errors"), std::string::npos) << verdict();
}

/// Tensor cores keep 13 bits of a sum of products of 8-bit floats.
TEST_F(MeaningTest, SumsOfEightBitProductsAreCut) {
  interpret(elementwise("f8E4M3FN", "f32", R"(
    %ones = arith.constant dense<1.0> : tensor<64x64xf8E4M3FN>
    %zero = arith.constant dense<0.0> : tensor<32x64xf32>
    %y = tile.dot %x, %ones, %zero : tensor<32x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>, tensor<32x64xf32>
)"));
  float sum = output().floatAt(0);
  output().setFloat(0, sum + 2e-3f);
  EXPECT_FALSE(compareWith(meaning, got).isWrong()) << verdict();
  output().setFloat(0, sum + 1.0f);
  EXPECT_TRUE(compareWith(meaning, got).isWrong()) << verdict();
}

/// What is not known is not taken for exact where it is multiplied by zero in a product of tiles.
TEST_F(MeaningTest, UnknownStaysUnknown) {
  interpret(elementwise("f32", "f32",
                        "  %e = math.exp %x : tensor<32x64xf32>\n"
                        "  %k = arith.constant dense<0.75> : tensor<32x64xf32>\n"
                        "  %r = arith.remf %e, %k : tensor<32x64xf32>\n" // how far roundings move it is not known
                        "  %h = arith.truncf %r : tensor<32x64xf32> to tensor<32x64xbf16>\n"
                        "  %z = arith.constant dense<0.0> : tensor<64x64xbf16>\n"
                        "  %y = tile.dot %h, %z, %e : tensor<32x64xbf16>, tensor<64x64xbf16>, tensor<32x64xf32>\n"));
  EXPECT_EQ(verdict(), ""); // the numbers are those of the sequential meaning
  EXPECT_EQ(compareWith(meaning, got).near, compareWith(meaning, got).written);
  for (int64_t i = 0; i < output().numElements(); ++i) {
    int64_t at = output().positionOf(i);
    output().setFloat(at, 2 * output().floatAt(at));
  }
  EXPECT_NE(verdict().find("nothing proved"), std::string::npos) << verdict();
}

TEST_F(MeaningTest, DecisionsMayGoEitherWay) {
  // The sign of what is zero but for roundings selects between 1 and 2: both are allowed where it is, one elsewhere.
  interpret(elementwise("f32", "f32", R"(
    %third = arith.constant dense<0.333333343> : tensor<32x64xf32>
    %three = arith.constant dense<3.0> : tensor<32x64xf32>
    %zero = arith.constant dense<0.0> : tensor<32x64xf32>
    %one = arith.constant dense<1.0> : tensor<32x64xf32>
    %two = arith.constant dense<2.0> : tensor<32x64xf32>
    %a = arith.mulf %x, %third : tensor<32x64xf32>
    %b = arith.mulf %a, %three : tensor<32x64xf32>
    %d = arith.subf %x, %b : tensor<32x64xf32>
    %c = arith.cmpf olt, %d, %zero : tensor<32x64xf32>
    %y = arith.select %c, %one, %two : tensor<32x64xi1>, tensor<32x64xf32>
)"));
  EXPECT_EQ(compareWith(meaning, got).wrong, 0);
  output().setFloat(0, 3.0 - output().floatAt(0));
  EXPECT_EQ(compareWith(meaning, got).wrong, 0);
  interpret(elementwise("f32", "f32", R"(
    %zero = arith.constant dense<0.0> : tensor<32x64xf32>
    %one = arith.constant dense<1.0> : tensor<32x64xf32>
    %two = arith.constant dense<2.0> : tensor<32x64xf32>
    %c = arith.cmpf olt, %x, %zero : tensor<32x64xf32>
    %y = arith.select %c, %one, %two : tensor<32x64xi1>, tensor<32x64xf32>
)"));
  EXPECT_EQ(verdict(), "");
  output().setFloat(0, 3.0 - output().floatAt(0));
  EXPECT_EQ(compareWith(meaning, got).wrong, 1);
}

TEST_F(MeaningTest, IntegersAreEqualUnlessARoundingDecides) {
  interpret(elementwise("f32", "i32", R"(
    %ten = arith.constant dense<10.0> : tensor<32x64xf32>
    %s = arith.mulf %x, %ten : tensor<32x64xf32>
    %y = arith.fptosi %s : tensor<32x64xf32> to tensor<32x64xi32>
)"));
  EXPECT_EQ(verdict(), "");
  output().setInt(0, output().intAt(0) + 1);
  EXPECT_EQ(compareWith(meaning, got).wrong, 1);
}

/// Random inputs of every family of operations and every type: the sequential meaning itself is never wrong, and does
/// not hide behind its bounds.
TEST_F(MeaningTest, NoFalseAlarms) {
  struct Case {
    const char *from, *to, *body;
  };
  const Case cases[] = {
      {"f16", "f16", "  %s = arith.mulf %x, %x : tensor<32x64xf16>\n  %y = arith.addf %s, %x : tensor<32x64xf16>\n"},
      {"bf16", "bf16",
       "  %s = arith.mulf %x, %x : tensor<32x64xbf16>\n  %y = arith.addf %s, %x : tensor<32x64xbf16>\n"},
      {"f32", "f8E4M3FN", "  %y = arith.truncf %x : tensor<32x64xf32> to tensor<32x64xf8E4M3FN>\n"},
      {"f32", "f8E5M2", "  %y = arith.truncf %x : tensor<32x64xf32> to tensor<32x64xf8E5M2>\n"},
      {"f32", "f32",
       "  %e = math.exp %x : tensor<32x64xf32>\n  %a = math.absf %x : tensor<32x64xf32>\n"
       "  %r = math.sqrt %a : tensor<32x64xf32>\n  %y = arith.divf %e, %r : tensor<32x64xf32>\n"},
      {"f32", "f32",
       "  %s = math.sin %x : tensor<32x64xf32>\n  %t = math.tanh %s : tensor<32x64xf32>\n  %y = math.erf %t : "
       "tensor<32x64xf32>\n"},
      {"f32", "f32",
       "  %e = math.exp2 %x : tensor<32x64xf32>\n  %l = math.log %e : tensor<32x64xf32>\n  %y = math.fma %l, %e, %x : "
       "tensor<32x64xf32>\n"},
      {"f32", "f32",
       "  %s = arith.mulf %x, %x : tensor<32x64xf32>\n  %d = arith.subf %s, %x : tensor<32x64xf32>\n"
       "  %y = math.copysign %x, %d : tensor<32x64xf32>\n"},
      {"f32", "f32", "  %e = math.absf %x : tensor<32x64xf32>\n  %y = math.powf %e, %x : tensor<32x64xf32>\n"},
      {"f32", "f32",
       "  %n = arith.constant dense<-3> : tensor<32x64xi32>\n"
       "  %s = math.exp %x : tensor<32x64xf32>\n"
       "  %y = math.fpowi %s, %n : tensor<32x64xf32>, tensor<32x64xi32>\n"},
      {"f16", "f32",
       "  %w = arith.extf %x : tensor<32x64xf16> to tensor<32x64xf32>\n  %e = math.exp %w : tensor<32x64xf32>\n"
       "  %s = tile.reduce \"add\" %e axis 1 : tensor<32x64xf32> -> tensor<32xf32>\n"
       "  %t = tile.reduce \"max\" %e axis 1 : tensor<32x64xf32> -> tensor<32xf32>\n"
       "  %d = arith.divf %s, %t : tensor<32xf32>\n  %b = tile.broadcast %d axis 1 : tensor<32xf32> -> "
       "tensor<32x64xf32>\n"
       "  %y = arith.mulf %b, %e : tensor<32x64xf32>\n"},
      {"f64", "f64", "  %e = math.exp %x : tensor<32x64xf64>\n  %y = arith.divf %x, %e : tensor<32x64xf64>\n"},
  };
  for (const Case &c : cases)
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      interpret(elementwise(c.from, c.to, c.body), seed);
      EXPECT_EQ(verdict(), "") << c.body << "seed " << seed;
    }
}

/// The tensor core cuts off instead of rounding, 16 products at a time: the worst there is for a long sum of one sign.
TEST_F(MeaningTest, SumsOfTheTensorCore) {
  ASSERT_TRUE(ir.parseExample("07_gemm_f32_out"));
  start(1, {{"M", 64}, {"N", 64}, {"K", 4096}});
  HostTensor &a = *got.tensorOf(0), &b = *got.tensorOf(1);
  for (bool oneSign : {false, true}) {
    if (oneSign) {
      for (HostTensor *tensor : {&a, &b})
        for (int64_t i = 0; i < tensor->numElements(); ++i)
          tensor->setFloat(tensor->positionOf(i), std::fabs(tensor->floatAt(tensor->positionOf(i))));
      mlir::FailureOr<Meaning> found = meaningOf(ir.kernel(), got);
      ASSERT_TRUE(mlir::succeeded(found));
      meaning = std::move(*found);
      got = meaning.reference;
    }
    for (int64_t m = 0; m < 64; ++m)
      for (int64_t n = 0; n < 64; ++n) {
        float sum = 0;
        for (int64_t k = 0; k < 4096; k += 16) {
          double part = sum;
          for (int64_t j = k; j < k + 16; ++j)
            part += a.floatAt(a.strides()[0] * m + j) * b.floatAt(b.strides()[0] * n + j);
          sum = static_cast<float>(part);
          if (std::fabs(sum) > std::fabs(part))
            sum = std::nextafterf(sum, 0.0f);
        }
        output().setFloat(output().strides()[0] * m + n, sum);
      }
    EXPECT_EQ(verdict(), "");
  }
}
