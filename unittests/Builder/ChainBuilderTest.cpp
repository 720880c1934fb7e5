//===- ChainBuilderTest.cpp - the builder makes chains of kernels ---------===//
#include "heddle/Builder/ChainBuilder.h"
#include "heddle/Simulator/Functional/ChainInterpreter.h"

#include "gtest/gtest.h"

using namespace heddle;
using namespace heddle::builder;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::OwningOpRef;

/// y = x times a factor.
static OwningOpRef<ModuleOp> buildScaled(MLIRContext &context) {
  KernelBuilder k(context, "scaled");
  View x = k.view("x", F32, {"N"}), y = k.view("y", F32, {"N"});
  Expr factor = k.scalar("factor", F32);
  k.grid({ceilDiv(x.dim(0), 128)});
  Expr i = k.programId(0) * 128;
  y.store(x.load({i}, {128}) * factor, {i});
  return k.finish();
}

/// The sum of `x` over blocks of 128 columns, added to `sums`.
static OwningOpRef<ModuleOp> buildFolded(MLIRContext &context) {
  KernelBuilder k(context, "folded");
  View x = k.view("x", F32, {"N"}), sums = k.view("sums", F32, {{"C", 128}});
  k.grid({ceilDiv(x.dim(0), 128)});
  sums.store(x.load({k.programId(0) * 128}, {128}), {0}, {}, /*add=*/true);
  return k.finish();
}

static std::string errorOf(MLIRContext &context, llvm::function_ref<void(ChainBuilder &)> write) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diag) { message = diag.str(); });
  ChainBuilder c(context, "wrong");
  c.add(buildScaled(context));
  write(c);
  EXPECT_FALSE(c.finish());
  return message;
}

TEST(ChainBuilder, MeansItsLaunches) {
  MLIRContext context;
  ChainBuilder c(context, "sums_of_scaled");
  c.add(buildScaled(context));
  c.add(buildFolded(context));
  View x = c.view("x", F32, {"N"}), sums = c.view("total", F32, {{"C", 128}});
  Expr s = c.scalar("s", F32, 2.0);
  c.defaultDims({{"N", 300}});
  View scaled = c.workspace("scaled_x", F32, {x.dim(0)}), cleared = c.workspace("cleared", F32, {128}, /*zeroed=*/true);
  c.launch("scaled", {x, scaled, s});
  c.launch("folded", {scaled, cleared});
  c.launch("scaled", {cleared, sums, 0.5});
  OwningOpRef<ModuleOp> module = c.finish();
  ASSERT_TRUE(module);
  auto chain = *module->getOps<tile::ChainOp>().begin();
  Result<sim::Bindings> bound = sim::bindKernel(chain, {});
  ASSERT_TRUE(bool(bound)) << bound.error().str();
  sim::Bindings got = *bound;
  auto run = [](tile::LaunchOp, tile::KernelOp kernel, sim::Bindings &bindings) {
    return sim::runTileKernel(kernel, bindings);
  };
  ASSERT_TRUE(succeeded(sim::runChain(chain, got, run)));
  ASSERT_EQ(got.tensors.size(), 2u); // workspaces are gone
  const sim::HostTensor &in = got.tensors[0], &out = got.tensors[1];
  for (int64_t i = 0; i < 128; ++i) {
    double sum = in.floatAt(i) + in.floatAt(i + 128) + (i + 256 < 300 ? in.floatAt(i + 256) : 0);
    EXPECT_NEAR(out.floatAt(i), sum, 1e-5 * (1 + std::abs(sum)));
  }
}

TEST(ChainBuilder, ErrorsAreThoseOfTheVerifier) {
  MLIRContext context;
  EXPECT_EQ(errorOf(context, [](ChainBuilder &c) { c.launch("missing", {1.0}); }),
            "'tile.launch' op expected a tile.kernel of the module, got @missing");
  EXPECT_EQ(errorOf(context,
                    [](ChainBuilder &c) {
                      View y = c.view("y", F32, {"N"});
                      c.launch("scaled", {c.workspace("w", F32, {y.dim(0)}), y, 2.0});
                    }),
            "'tile.launch' op expected a launch before that writes 'w', which @scaled reads, or 'zeroed', got neither");
  EXPECT_EQ(errorOf(context, [](ChainBuilder &c) { c.workspace("w", F32, {}); }),
            "expected a view of rank 1 to 5, got rank 0");
}
