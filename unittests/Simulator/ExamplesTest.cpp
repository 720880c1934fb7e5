//===- ExamplesTest.cpp - every example against plain loops in double -----===//
//
// Every examples/*.mlir parses, binds and runs. The wide (float64) run must equal an oracle written here as plain loops
// over the tensors' elements, which shares nothing with the interpreter's tiles; the run in the written types must be
// near it.
//
//===----------------------------------------------------------------------===//
#include "Parse.h"
#include "heddle/Simulator/Functional/Meaning.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

using namespace heddle;
using namespace heddle::sim;
using heddle::test::Ir;

namespace {
/// Element access by argument name and coordinates.
struct View {
  View(Bindings &bindings, const std::string &name) {
    for (unsigned i = 0; i < bindings.arguments.size(); ++i)
      if (bindings.arguments[i].name == name)
        tensor = bindings.tensorOf(i);
  }
  int64_t position(llvm::ArrayRef<int64_t> at) const {
    int64_t sum = 0;
    for (size_t d = 0; d < at.size(); ++d)
      sum += at[d] * tensor->strides()[d];
    return sum;
  }
  double operator()(llvm::ArrayRef<int64_t> at) const { return tensor->floatAt(position(at)); }
  void set(llvm::ArrayRef<int64_t> at, double value) { tensor->setFloat(position(at), value); }
  HostTensor *tensor = nullptr;
};

using Oracle = std::function<void(Bindings &)>;

struct GemmForm {
  bool aTransposed = false, bPlain = false, batched = false, bias = false, scaled = false;
  std::string b = "B", c = "C";
};

void gemm(Bindings &bindings, const GemmForm &form) {
  View a(bindings, "A"), b(bindings, form.b), c(bindings, form.c);
  double scale = 1.0;
  for (BoundArgument &argument : bindings.arguments)
    if (form.scaled && argument.name == "scale")
      scale = argument.scalar.floatAt(0);
  int64_t batches = form.batched ? bindings.dims["Z"] : 1;
  auto at = [&](int64_t z, int64_t i, int64_t j) {
    return form.batched ? llvm::SmallVector<int64_t>{z, i, j} : llvm::SmallVector<int64_t>{i, j};
  };
  for (int64_t z = 0; z < batches; ++z)
    for (int64_t m = 0; m < bindings.dims["M"]; ++m)
      for (int64_t n = 0; n < bindings.dims["N"]; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < bindings.dims["K"]; ++k)
          sum += scale * a(form.aTransposed ? at(z, k, m) : at(z, m, k)) * b(form.bPlain ? at(z, k, n) : at(z, n, k));
        if (form.bias)
          sum = std::max(sum + View(bindings, "bias")({n}), 0.0);
        c.set(at(z, m, n), sum);
      }
}

/// The sum over k of A[m, k] * b[n, k].
double product(Bindings &bindings, const std::string &b, int64_t m, int64_t n) {
  View left(bindings, "A"), right(bindings, b);
  double sum = 0;
  for (int64_t k = 0; k < bindings.dims["K"]; ++k)
    sum += left({m, k}) * right({n, k});
  return sum;
}

/// C[m, n] = value(m, n).
Oracle elementsOracle(std::function<double(Bindings &, int64_t, int64_t)> value) {
  return [=](Bindings &bindings) {
    View c(bindings, "C");
    for (int64_t m = 0; m < bindings.dims["M"]; ++m)
      for (int64_t n = 0; n < bindings.dims["N"]; ++n)
        c.set({m, n}, value(bindings, m, n));
  };
}

double gated(Bindings &bindings, int64_t m, int64_t n) {
  double gate = product(bindings, "G", m, n);
  return gate / (1 + std::exp(-gate)) * product(bindings, "B", m, n);
}

double biasGeluResidual(Bindings &bindings, int64_t m, int64_t n) {
  double x = product(bindings, "B", m, n) + View(bindings, "bias")({n});
  double u = 0.797884561 * x + 0.035677408 * x * x * x;
  return x / 2 * (1 + std::tanh(u)) + View(bindings, "R")({m, n});
}

double scaledProduct(Bindings &bindings, int64_t m, int64_t n) {
  return View(bindings, "scaleA")({m}) * View(bindings, "scaleB")({n}) * product(bindings, "B", m, n);
}

/// Rows of group g follow those of the group before; what no group has stays as it was.
void grouped(Bindings &bindings) {
  View a(bindings, "A"), b(bindings, "B"), sizes(bindings, "sizes"), c(bindings, "C");
  int64_t row = 0;
  for (int64_t g = 0; g < bindings.dims["G"]; ++g) {
    int64_t end = row + std::max<int64_t>(0, sizes.tensor->intAt(sizes.position({g})));
    for (; row < end; ++row)
      for (int64_t n = 0; n < bindings.dims["N"] && row < bindings.dims["T"]; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < bindings.dims["K"]; ++k)
          sum += a({row, k}) * b({g, n, k});
        c.set({row, n}, sum);
      }
  }
}

Oracle gemmOracle(GemmForm form) {
  return [=](Bindings &bindings) { gemm(bindings, form); };
}

void attention(Bindings &bindings, bool causal) {
  View q(bindings, "Q"), k(bindings, "K"), v(bindings, "V"), o(bindings, "O"), lse(bindings, "LSE");
  double scale = bindings.arguments[5].scalar.floatAt(0);
  int64_t keys = causal ? bindings.dims["S"] : bindings.dims["T"], d = bindings.dims["D"];
  for (int64_t b = 0; b < bindings.dims["B"]; ++b)
    for (int64_t h = 0; h < bindings.dims["H"]; ++h)
      for (int64_t i = 0; i < bindings.dims["S"]; ++i) {
        int64_t end = causal ? i + 1 : keys;
        std::vector<double> weights(end), out(d);
        double sum = 0;
        for (int64_t j = 0; j < end; ++j) {
          double s = 0;
          for (int64_t e = 0; e < d; ++e)
            s += q({b, h, i, e}) * k({b, h, j, e});
          sum += weights[j] = std::exp2(s * scale);
        }
        for (int64_t j = 0; j < end; ++j)
          for (int64_t e = 0; e < d; ++e)
            out[e] += weights[j] / sum * v({b, h, j, e});
        for (int64_t e = 0; e < d; ++e)
          o.set({b, h, i, e}, out[e]);
        lse.set({b, h, i}, std::log(sum));
      }
}

/// The forward pass in double: O as rows of (b, h, i), and what the backward pass takes from it.
struct Forward {
  /// Causal where there is no length T of its own for the keys.
  explicit Forward(Bindings &bindings) {
    View q(bindings, "Q"), k(bindings, "K"), v(bindings, "V");
    for (BoundArgument &argument : bindings.arguments)
      if (argument.name == "scale")
        scale = argument.scalar.floatAt(0);
    batch = bindings.dims["B"], heads = bindings.dims["H"], queries = bindings.dims["S"], d = bindings.dims["D"];
    causal = !bindings.dims.count("T"), keys = causal ? queries : bindings.dims["T"];
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = 0; i < queries; ++i) {
          int64_t end = causal ? i + 1 : keys;
          std::vector<double> scores(end), row(d);
          double sum = 0;
          for (int64_t j = 0; j < end; ++j) {
            for (int64_t e = 0; e < d; ++e)
              scores[j] += scale * q({b, h, i, e}) * k({b, h, j, e});
            sum += std::exp(scores[j]);
          }
          for (int64_t j = 0; j < end; ++j)
            for (int64_t e = 0; e < d; ++e)
              row[e] += std::exp(scores[j]) / sum * v({b, h, j, e});
          out.push_back(row);
          lse.push_back(std::log(sum));
        }
  }
  size_t row(int64_t b, int64_t h, int64_t i) const { return (b * heads + h) * queries + i; }
  /// The sum of O * dO, whose gradients the backward pass gives.
  double loss(Bindings &bindings) const {
    View g(bindings, "dO");
    double sum = 0;
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = 0; i < queries; ++i)
          for (int64_t e = 0; e < d; ++e)
            sum += out[row(b, h, i)][e] * g({b, h, i, e});
    return sum;
  }
  double scale = 1;
  bool causal = false;
  int64_t batch, heads, queries, keys, d;
  std::vector<std::vector<double>> out;
  std::vector<double> lse;
};

/// Sets the inputs of the backward pass that the forward pass makes.
void setStatistics(Bindings &bindings) {
  Forward forward(bindings);
  View g(bindings, "dO"), lse(bindings, "LSE"), delta(bindings, "Delta");
  for (int64_t b = 0; b < forward.batch; ++b)
    for (int64_t h = 0; h < forward.heads; ++h)
      for (int64_t i = 0; i < forward.queries; ++i) {
        double sum = 0;
        for (int64_t e = 0; e < forward.d; ++e)
          sum += forward.out[forward.row(b, h, i)][e] * g({b, h, i, e});
        lse.set({b, h, i}, forward.lse[forward.row(b, h, i)]);
        delta.set({b, h, i}, sum);
      }
}

void attentionBackward(Bindings &bindings) {
  Forward forward(bindings);
  View q(bindings, "Q"), k(bindings, "K"), v(bindings, "V"), g(bindings, "dO"), dq(bindings, "dQ"), dk(bindings, "dK"),
      dv(bindings, "dV");
  int64_t d = forward.d;
  for (int64_t b = 0; b < forward.batch; ++b)
    for (int64_t h = 0; h < forward.heads; ++h) {
      std::vector<double> gradK(forward.keys * d), gradV(forward.keys * d);
      for (int64_t i = 0; i < forward.queries; ++i) {
        std::vector<double> gradQ(d);
        size_t row = forward.row(b, h, i);
        for (int64_t j = 0; j < (forward.causal ? i + 1 : forward.keys); ++j) {
          double score = 0, through = 0, mean = 0;
          for (int64_t e = 0; e < d; ++e) {
            score += q({b, h, i, e}) * k({b, h, j, e});
            through += g({b, h, i, e}) * v({b, h, j, e});
            mean += g({b, h, i, e}) * forward.out[row][e];
          }
          double p = std::exp(score * forward.scale - forward.lse[row]), ds = forward.scale * p * (through - mean);
          for (int64_t e = 0; e < d; ++e) {
            gradV[j * d + e] += p * g({b, h, i, e});
            gradK[j * d + e] += ds * q({b, h, i, e});
            gradQ[e] += ds * k({b, h, j, e});
          }
        }
        for (int64_t e = 0; e < d; ++e)
          dq.set({b, h, i, e}, gradQ[e]);
      }
      for (int64_t j = 0; j < forward.keys; ++j)
        for (int64_t e = 0; e < d; ++e) {
          dk.set({b, h, j, e}, gradK[j * d + e]);
          dv.set({b, h, j, e}, gradV[j * d + e]);
        }
    }
}

std::map<std::string, Oracle> oracles() {
  Oracle twoDots = [](Bindings &bindings) {
    gemm(bindings, {});
    GemmForm second;
    second.b = "E";
    second.c = "D";
    gemm(bindings, second);
  };
  Oracle rowSum = [](Bindings &bindings) {
    gemm(bindings, {});
    View a(bindings, "A"), r(bindings, "R");
    for (int64_t m = 0; m < bindings.dims["M"]; ++m) {
      double sum = 0;
      for (int64_t k = 0; k < bindings.dims["K"]; ++k)
        sum += a({m, k});
      r.set({m}, sum);
    }
  };
  Oracle full = [](Bindings &bindings) { attention(bindings, false); };
  Oracle causal = [](Bindings &bindings) { attention(bindings, true); };
  return {{"01_gemm", gemmOracle({})},
          {"02_attention", full},
          {"03_gemm_bias_relu", gemmOracle({.bias = true})},
          {"04_gemm_scaled_a", gemmOracle({.scaled = true})},
          {"05_two_dots_shared_a", twoDots},
          {"06_rowsum", rowSum},
          {"07_gemm_f32_out", gemmOracle({})},
          {"08_attention_causal", causal},
          {"09_gemm_batched", gemmOracle({.batched = true})},
          {"10_gemm_nn", gemmOracle({.bPlain = true})},
          {"11_gemm_tn", gemmOracle({.aTransposed = true, .bPlain = true})},
          {"12_gemm_tt", gemmOracle({.aTransposed = true})},
          {"13_gemm_64x128x64", gemmOracle({})},
          {"14_gemm_128x128x128", gemmOracle({})},
          {"15_gemm_bf16", gemmOracle({})},
          {"16_attention_d64", full},
          {"17_gemm_192x128x64", gemmOracle({})},
          {"18_attention_causal_d64", causal},
          {"19_attention_backward", attentionBackward},
          {"20_attention_backward_d64", attentionBackward},
          {"21_attention_backward_causal_d64", attentionBackward},
          {"22_gemm_gated", elementsOracle(gated)},
          {"23_gemm_bias_gelu_residual", elementsOracle(biasGeluResidual)},
          {"24_gemm_fp8_scaled", elementsOracle(scaledProduct)},
          {"25_gemm_grouped", grouped},
          {"26_gemm_split_k", gemmOracle({})}};
}

/// The example's names with sizes that divide by no tile.
std::map<std::string, int64_t> tailDims(Ir &ir) {
  std::map<std::string, int64_t> tails = {{"M", 130}, {"N", 135}, {"K", 77},  {"Z", 2},
                                          {"B", 1},   {"H", 2},   {"S", 150}, {"T", 201}};
  std::map<std::string, int64_t> dims;
  for (unsigned i = 0; i < ir.function().getNumArguments(); ++i)
    if (auto names = ir.function().getArgAttrOfType<mlir::ArrayAttr>(i, "tile.dims"))
      for (mlir::Attribute name : names)
        if (auto it = tails.find(mlir::cast<mlir::StringAttr>(name).str()); it != tails.end())
          dims.insert(*it);
  return dims;
}

class Examples : public testing::TestWithParam<std::string> {};
} // namespace

TEST_P(Examples, EqualsOracle) {
  Ir ir;
  ASSERT_TRUE(ir.parseExample(GetParam())) << ir.diagnostics;
  BindingRequest request;
  request.dims = tailDims(ir);
  Result<Bindings> bound = ir.bind(request);
  ASSERT_TRUE(static_cast<bool>(bound)) << bound.error().str();
  Bindings wide = bound->widened();
  if (View(wide, "Delta").tensor) {
    setStatistics(*bound);
    setStatistics(wide);
  }
  Bindings want = wide;
  oracles().at(GetParam())(want);
  ASSERT_TRUE(mlir::succeeded(runTileKernel(ir.kernel(), wide, {/*wide=*/true}))) << ir.diagnostics;
  ASSERT_TRUE(mlir::succeeded(runTileKernel(ir.kernel(), *bound))) << ir.diagnostics;
  bool bf16 = llvm::any_of(bound->tensors, [](HostTensor &t) { return t.kind() == ElementKind::BF16; });
  // attention multiplies by ln 2, its backward pass by log2(e), as the nearest floats
  for (double error : compareOutputs(wide, want))
    EXPECT_LT(error, View(wide, "Delta").tensor ? 3e-7 : 1e-8);
  for (double error : compareOutputs(*bound, want))
    EXPECT_LT(error, bf16 ? 8e-3 : 1e-3);
}

/// The oracle's gradients are those of the loss, by central differences at a few places.
TEST(BackwardOracle, EqualsDifferences) {
  Ir ir;
  ASSERT_TRUE(ir.parseExample("19_attention_backward")) << ir.diagnostics;
  BindingRequest request;
  request.dims = {{"B", 1}, {"H", 1}, {"S", 5}, {"T", 7}};
  Result<Bindings> bound = ir.bind(request);
  ASSERT_TRUE(static_cast<bool>(bound)) << bound.error().str();
  Bindings wide = bound->widened();
  attentionBackward(wide);
  for (const char *name : {"Q", "K", "V"})
    for (int64_t row : {0, 3, 4})
      for (int64_t e : {0, 77}) {
        llvm::SmallVector<int64_t> at{0, 0, row, e};
        View input(wide, name), gradient(wide, std::string("d") + name);
        double was = input(at), step = 1e-4;
        input.set(at, was + step);
        double up = Forward(wide).loss(wide);
        input.set(at, was - step);
        double down = Forward(wide).loss(wide);
        input.set(at, was);
        EXPECT_NEAR(gradient(at), (up - down) / (2 * step), 1e-7) << name << " " << row << " " << e;
      }
}

/// What "verified" allows is never less than what the sequential meaning itself needs.
TEST_P(Examples, MeaningIsWithinItsBounds) {
  for (uint64_t seed : {1, 2, 3}) {
    Ir ir;
    ASSERT_TRUE(ir.parseExample(GetParam())) << ir.diagnostics;
    BindingRequest request;
    request.dims = tailDims(ir);
    request.seed = seed;
    Result<Bindings> bound = ir.bind(request);
    ASSERT_TRUE(static_cast<bool>(bound)) << bound.error().str();
    if (View(*bound, "Delta").tensor)
      setStatistics(*bound);
    mlir::FailureOr<Meaning> meaning = meaningOf(ir.kernel(), *bound);
    ASSERT_TRUE(mlir::succeeded(meaning)) << ir.diagnostics;
    EXPECT_EQ(compareWith(*meaning, meaning->reference).str(), "") << "seed " << seed;
  }
}

TEST_P(Examples, BindsWithoutRequest) {
  Ir ir;
  ASSERT_TRUE(ir.parseExample(GetParam())) << ir.diagnostics;
  if (!ir.kernel()->hasAttr("tile.default_dims"))
    GTEST_SKIP() << "no default sizes";
  EXPECT_TRUE(static_cast<bool>(ir.bind()));
}

static std::vector<std::string> exampleNames() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/examples"))
    if (entry.path().extension() == ".mlir")
      names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(exampleNames()),
                         [](const testing::TestParamInfo<std::string> &info) { return "E" + info.param; });

TEST(ExampleList, EveryExampleHasAnOracle) {
  std::vector<std::string> names;
  for (const auto &entry : oracles())
    names.push_back(entry.first);
  EXPECT_EQ(names, exampleNames());
}
