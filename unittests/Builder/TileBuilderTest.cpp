//===- TileBuilderTest.cpp - the builder makes the programs of the text ---===//
#include "heddle/Builder/TileBuilder.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Simulator/Functional/TileInterpreter.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace heddle;
using namespace heddle::builder;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::OwningOpRef;

static OwningOpRef<ModuleOp> buildGemm(MLIRContext &context) {
  KernelBuilder k(context, "gemm");
  View A = k.view("A", F16, {"M", "K"}), B = k.view("B", F16, {"N", "K"}), C = k.view("C", F16, {"M", "N"});
  k.grid({ceilDiv(A.dim(0), 128), ceilDiv(B.dim(0), 256)}, /*raster=*/8);
  Expr m = k.programId(0) * 128, n = k.programId(1) * 256;
  Expr acc = k.loop(0, A.dim(1), 64, k.constant(0.0, F32, {128, 256}), [&](Expr kk, Expr sum) {
    return dot(A.load({m, kk}, {128, 64}), transpose(B.load({n, kk}, {256, 64})), sum);
  });
  C.store(cast(acc, F16), {m, n});
  return k.finish();
}

static OwningOpRef<ModuleOp> buildAttention(MLIRContext &context) {
  KernelBuilder k(context, "attention");
  std::vector<Dim> queries = {"B", "H", "S", {"D", 128}}, keys = {"B", "H", "T", {"D", 128}};
  View Q = k.view("Q", F16, queries), K = k.view("K", F16, keys), V = k.view("V", F16, keys),
       O = k.view("O", F16, queries);
  View LSE = k.view("LSE", F32, {"B", "H", "S"});
  Expr scale = k.scalar("scale_log2", F32, 0.12751743);
  k.grid({ceilDiv(Q.dim(2), 128), Q.dim(1), Q.dim(0)});
  Expr m0 = k.programId(0) * 128, h = k.programId(1), b = k.programId(2), T = K.dim(2);
  Expr q = Q.load({b, h, m0, 0}, {128, 128});
  double infinity = std::numeric_limits<double>::infinity();
  Expr scale1 = splat(scale, {128}), scale2 = splat(scale, {128, 128}), limit = splat(cast(T, I32), {128});
  Expr cols = k.iota(128), zero = k.constant(0.0, F32, {128, 128});
  auto out = k.loop(0, T, 128, {k.constant(-infinity, F32, {128}), k.constant(0.0, F32, {128}), zero},
                    [&](Expr j, const std::vector<Expr> &carried) {
                      Expr mi = carried[0], li = carried[1], oi = carried[2];
                      Expr s = dot(q, transpose(K.load({b, h, j, 0}, {128, 128})), zero);
                      Expr in = cols + splat(cast(j, I32), {128}) < limit;
                      Expr sm = select(broadcast(in, 0, 128), s, -infinity);
                      Expr mn = maximum(mi, reduce("max", sm, 1)), ms = mn * scale1;
                      Expr p = exp2(sm * scale2 - broadcast(ms, 1, 128));
                      Expr alpha = exp2(mi * scale1 - ms);
                      Expr ln = li * alpha + reduce("add", p, 1);
                      Expr on = dot(cast(p, F16), V.load({b, h, j, 0}, {128, 128}), oi * broadcast(alpha, 1, 128));
                      return std::vector<Expr>{mn, ln, on};
                    });
  O.store(cast(out[2] / broadcast(out[1], 1, 128), F16), {b, h, m0, 0});
  LSE.store(out[0] * scale1 * 0.69314718 + log(out[1]), {b, h, m0});
  return k.finish();
}

static OwningOpRef<ModuleOp> parseExample(MLIRContext &context, const std::string &name) {
  context.loadDialect<tile::TileDialect>();
  return mlir::parseSourceFile<ModuleOp>(std::string(HEDDLE_SOURCE_DIR) + "/examples/" + name + ".mlir", &context);
}

/// How often each operation occurs, constants aside (the builder writes each once).
static std::map<std::string, int> countOps(ModuleOp module) {
  std::map<std::string, int> counts;
  module->walk([&](mlir::Operation *op) { ++counts[op->getName().getStringRef().str()]; });
  counts.erase("arith.constant");
  counts.erase("tile.param"); // a constant with a name
  return counts;
}

/// The same operations, the same argument names and the same output bytes.
static void expectEqual(ModuleOp built, ModuleOp text, const std::map<std::string, int64_t> &dims) {
  EXPECT_EQ(countOps(built), countOps(text));
  std::vector<sim::Bindings> runs;
  for (ModuleOp module : {built, text}) {
    auto kernel = *module.getOps<tile::KernelOp>().begin();
    sim::BindingRequest request;
    request.dims = dims;
    auto bindings = sim::bindKernel(mlir::cast<mlir::FunctionOpInterface>(kernel.getOperation()), request);
    ASSERT_TRUE(static_cast<bool>(bindings)) << bindings.error().str();
    ASSERT_TRUE(mlir::succeeded(sim::runTileKernel(kernel, *bindings)));
    runs.push_back(*bindings);
  }
  ASSERT_EQ(runs[0].arguments.size(), runs[1].arguments.size());
  EXPECT_EQ(runs[0].dims, runs[1].dims);
  for (size_t i = 0; i < runs[0].arguments.size(); ++i)
    EXPECT_EQ(runs[0].arguments[i].name, runs[1].arguments[i].name);
  for (unsigned output : runs[0].outputs())
    EXPECT_EQ(runs[0].tensorOf(output)->bytes(), runs[1].tensorOf(output)->bytes());
}

TEST(TileBuilder, GemmEqualsExample) {
  MLIRContext context;
  OwningOpRef<ModuleOp> built = buildGemm(context), text = parseExample(context, "01_gemm");
  ASSERT_TRUE(built && text);
  expectEqual(*built, *text, {{"M", 130}, {"N", 260}, {"K", 100}});
}

TEST(TileBuilder, AttentionEqualsExample) {
  MLIRContext context;
  OwningOpRef<ModuleOp> built = buildAttention(context), text = parseExample(context, "02_attention");
  ASSERT_TRUE(built && text);
  expectEqual(*built, *text, {{"B", 1}, {"H", 1}, {"S", 130}, {"T", 200}});
}

TEST(TileBuilder, PrintsAndParsesBack) {
  MLIRContext context;
  OwningOpRef<ModuleOp> built = buildAttention(context);
  std::string text;
  llvm::raw_string_ostream(text) << *built;
  EXPECT_TRUE(mlir::parseSourceString<ModuleOp>(text, &context)) << text;
}

TEST(TileBuilder, EveryOperator) {
  MLIRContext context;
  KernelBuilder k(context, "all");
  View X = k.view("X", F32, {{"N", 8}}), Y = k.view("Y", F32, {{"N", 8}}), Z = k.view("Z", I32, {{"R", 2}, {"N", 8}});
  Expr factor = k.scalar("factor", F32, 2.0), count = k.scalar("count", I32, 3),
       bound = k.scalar("bound", Element::Index, 5);
  k.defaultDims({{"N", 8}});
  k.groups(1);
  k.grid({minimum(bound, 1)});
  Expr x = X.load({0}, {8});
  Expr y =
      maximum(x, 0.5) / factor + sqrt(abs(x)) - tanh(x) * rsqrt(abs(x) + 1) + exp(minimum(x, 1.0)) + log2(abs(x) + 2);
  y = select(x > 0.0, y, factor);
  k.loop(0, bound, 2, std::vector<Expr>{}, [&](Expr, const std::vector<Expr> &) {
    Y.store(y, {0}, {}, /*add=*/true);
    return std::vector<Expr>{};
  });
  Expr i = k.iota(8, 1) * count - 4;
  Z.store(select(i >= 0, i / 2, -1), {0, 0}, {1});
  Z.store(cast(cast(x, I32), I32) + cast(x <= 0.0, I32) + cast(bound, I32), {1, 0});
  OwningOpRef<ModuleOp> module = k.finish();
  ASSERT_TRUE(module);
  auto kernel = *module->getOps<tile::KernelOp>().begin();
  auto bindings = sim::bindKernel(mlir::cast<mlir::FunctionOpInterface>(kernel.getOperation()), {});
  ASSERT_TRUE(static_cast<bool>(bindings)) << bindings.error().str();
  ASSERT_TRUE(mlir::succeeded(sim::runTileKernel(kernel, *bindings)));
  const sim::HostTensor &in = *bindings->tensorOf(0), &out = *bindings->tensorOf(1), &ints = *bindings->tensorOf(2);
  for (int64_t e = 0; e < 8; ++e) {
    double v = in.floatAt(e);
    double want = v > 0 ? std::max(v, 0.5) / 2 + std::sqrt(std::fabs(v)) - std::tanh(v) / std::sqrt(std::fabs(v) + 1) +
                              std::exp(std::min(v, 1.0)) + std::log2(std::fabs(v) + 2)
                        : 2.0;
    EXPECT_NEAR(out.floatAt(e), 3 * want, 1e-5);
    int64_t n = (e + 1) * 3 - 4;
    EXPECT_EQ(ints.intAt(e), n >= 0 ? n / 2 : -1);
    EXPECT_EQ(ints.intAt(ints.strides()[0] + e), static_cast<int64_t>(v) + (v <= 0) + 5);
  }
}

TEST(TileBuilder, ControlFlowAndMemoryScalars) {
  MLIRContext context;
  KernelBuilder k(context, "control");
  View X = k.view("X", F32, {"M", {"D", 64}}), ids = k.view("ids", I32, {"M"}), Y = k.view("Y", F32, {{"D", 64}});
  k.grid({1});
  Expr end = cast(ids.element({0}), Element::Index), zero = k.constant(0.0, F32, {64});
  std::vector<Expr> sum = k.loopWhile(
      {k.constant(0, Element::Index), zero}, [&](const std::vector<Expr> &now) { return now[0] < end; },
      [&](const std::vector<Expr> &now) {
        Expr rows = X.gather({now[0], 0}, ids.load({now[0]}, {8}), {8, 64});
        std::vector<Expr> added = k.branch(
            now[0] < 4, [&] { return std::vector<Expr>{now[1] + reduce("add", rows, 0)}; },
            [&] { return std::vector<Expr>{now[1] * 2.0}; });
        return std::vector<Expr>{now[0] + 1, added[0]};
      });
  Y.store(sum[1], {0});
  OwningOpRef<ModuleOp> module = k.finish();
  ASSERT_TRUE(static_cast<bool>(module));
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  for (const char *name : {"scf.while", "scf.if", "tile.gather", "tile.element"})
    EXPECT_NE(text.find(name), std::string::npos) << name;
}

TEST(TileBuilder, ErrorsNameTheLine) {
  auto report = [](llvm::function_ref<void(KernelBuilder &, View, Expr)> body) {
    MLIRContext context;
    std::string text;
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diag) {
      llvm::raw_string_ostream(text) << diag.getLocation() << ": " << diag.str() << "\n";
    });
    KernelBuilder k(context, "bad");
    View X = k.view("X", F32, {"M", "N"});
    k.grid({1});
    body(k, X, X.load({0, 0}, {8, 4}));
    EXPECT_FALSE(k.finish());
    return text;
  };
  std::string text = report([](KernelBuilder &, View, Expr x) { dot(x, x, x); });
  EXPECT_NE(text.find("expected the same contraction size, got 4 and 8"), std::string::npos) << text;
  EXPECT_NE(text.find("TileBuilderTest.cpp\":" + std::to_string(__LINE__ - 2)), std::string::npos) << text;
  text = report([](KernelBuilder &, View X, Expr x) { X.store(x, {0}); });
  EXPECT_NE(text.find("expected 2 indices, got 1"), std::string::npos) << text;
  text = report([](KernelBuilder &, View, Expr x) { reduce("add", x, 2); });
  EXPECT_NE(text.find("expected an axis of at least 0 and below 2, got 2"), std::string::npos) << text;
  text = report([](KernelBuilder &, View, Expr x) { broadcast(x, 5, 3); });
  EXPECT_NE(text.find("an axis in it"), std::string::npos) << text;
  text = report([](KernelBuilder &k, View, Expr x) { x + k.constant(1.0, F32, {8, 8}); });
  EXPECT_NE(text.find("requires the same type for all operands"), std::string::npos) << text;
  text = report([](KernelBuilder &k, View, Expr) { k.view("W", F32, {}); });
  EXPECT_NE(text.find("expected a view of rank 1 to 5, got rank 0"), std::string::npos) << text;
  void (*negative[])(KernelBuilder &, View, Expr) = {
      [](KernelBuilder &, View X, Expr) { X.load({0, 0}, {8, -8}); },
      [](KernelBuilder &k, View X, Expr) { X.gather({0, 0}, k.iota(8), {8, -8}); },
      [](KernelBuilder &k, View, Expr) { k.constant(1.0, F32, {-8}); },
      [](KernelBuilder &k, View, Expr) { k.iota(-8); },
      [](KernelBuilder &, View, Expr x) { broadcast(x, 0, -8); },
      [](KernelBuilder &k, View, Expr) { splat(k.constant(1.0, F32), {-8, 8}); },
  };
  for (auto *body : negative) {
    text = report(body);
    EXPECT_NE(text.find("expected a positive size, got -8"), std::string::npos) << text;
  }
}
