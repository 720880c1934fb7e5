//===- TaskBuilderTest.cpp - the builder makes the task programs of the text ---===//
#include "heddle/Builder/TaskBuilder.h"
#include "heddle/Dialect/Task/Program.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Visitors.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace heddle::builder;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::OwningOpRef;

/// examples/tasks/gemm.mlir.
static OwningOpRef<ModuleOp> buildProduct(MLIRContext &context) {
  TaskBuilder t(context);
  Task matmul = t.task("matmul", {write("C", F16, {"M", "N"}), read("A", F16, {"M", "K"}), read("B", F16, {"N", "K"})},
                       {{"M", 256}, {"N", 256}, {"K", 192}});
  Task gemm = t.task("gemm", {readWrite("C", F32, {"M", "N"}), read("A", F16, {"M", "K"}), read("B", F16, {"N", "K"})});
  Task clear = t.task("clear", {write("C", F32, {"M", "N"})});
  Task store = t.task("store", {write("C", F16, {"M", "N"}), read("sum", F32, {"M", "N"})});

  t.inner("host", matmul, [&](Tensor C, Tensor A, Tensor B) {
    Expr U = t.tunable("U", 128, {64, 128, 192, 256});
    Expr V = t.tunable("V", 256, {64, 96, 128, 160, 176, 192, 208, 224, 256});
    Partition Cp = blocks(C, {U, V}), Ap = blocks(A, {U, full}), Bp = blocks(B, {V, full});
    t.prange({Cp.count(0), Cp.count(1)}, [&](Expr i, Expr j) { t.launch(matmul, {Cp(i, j), Ap(i, 0), Bp(j, 0)}); });
  });
  t.inner("block", matmul, [&](Tensor C, Tensor A, Tensor B) {
    Expr W = t.tunable("W", 64, {32, 64, 128});
    Tensor acc = t.makeTensor({C.dim(0), C.dim(1)}, F32);
    Partition Ap = blocks(A, {full, W}), Bp = blocks(B, {full, W});
    t.launch(clear, {acc});
    t.srange({Ap.count(1)}, [&](Expr k) { t.launch(gemm, {acc, Ap(0, k), Bp(0, k)}); });
    t.launch(store, {C, acc});
  });
  t.inner("tile", gemm, [&](Tensor C, Tensor A, Tensor B) {
    Expr R = t.tunable("R", 64, {64, 128});
    Partition Cp = blocks(C, {R, full}), Ap = blocks(A, {R, full});
    t.prange({Cp.count(0)}, [&](Expr g) { t.launch(gemm, {Cp(g, 0), Ap(g, 0), B}); });
  });
  t.inner("inner", gemm, [&](Tensor C, Tensor A, Tensor B) {
    Expr PIECES = t.tunable("PIECES", 4, {4, 32});
    Partition Cp = mma(C, "mn", PIECES), Ap = mma(A, "mk", PIECES), Bp = mma(B, "nk", PIECES);
    t.prange({PIECES}, [&](Expr p) { t.launch(gemm, {Cp(p), Ap(p), Bp(p)}); });
  });
  std::map<std::string, int64_t> sizes = {{"M", 64}, {"N", 256}, {"K", 64}};
  t.leaf("product", gemm, sizes, [&](Expr C, Expr A, Expr B) { return dot(A, transpose(B), C); });
  t.leaf("zero", clear, sizes, [&](Expr C) { return t.constant(0.0, F32, {64, 256}); });
  t.leaf("round", store, sizes, [&](Expr C, Expr sum) { return cast(sum, F16); });
  t.inner("clear_rows", clear, [&](Tensor C) {
    Partition Cp = blocks(C, {t.tunable("R", 64, {64, 128}), full});
    t.prange({Cp.count(0)}, [&](Expr g) { t.launch(clear, {Cp(g, 0)}); });
  });
  t.inner("store_rows", store, [&](Tensor C, Tensor sum) {
    Expr R = t.tunable("R", 64, {64, 128});
    Partition Cp = blocks(C, {R, full}), Sp = blocks(sum, {R, full});
    t.prange({Cp.count(0)}, [&](Expr g) { t.launch(store, {Cp(g, 0), Sp(g, 0)}); });
  });
  return t.finish();
}

/// Names of all operations of each variant, sorted: the builder adds them in another order than the text.
static std::string summary(ModuleOp program) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto task : program.getOps<task::TaskOp>())
    os << task << "\n";
  for (auto variant : program.getOps<task::VariantOp>()) {
    std::vector<std::string> operations;
    variant.walk([&](mlir::Operation *op) {
      std::string line;
      llvm::raw_string_ostream one(line);
      one << op->getName() << " " << op->getAttrDictionary() << " " << op->getNumOperands();
      if (op != variant)
        operations.push_back(line);
    });
    std::sort(operations.begin(), operations.end());
    os << variant.getSymName() << " " << variant.getTask() << "\n";
    for (const std::string &operation : operations)
      os << "  " << operation << "\n";
  }
  return text;
}

TEST(TaskBuilder, ProductIsTheTextsProduct) {
  MLIRContext context;
  OwningOpRef<ModuleOp> built = buildProduct(context);
  ASSERT_TRUE(built);
  auto parsed = mlir::parseSourceFile<ModuleOp>(HEDDLE_SOURCE_DIR "/examples/tasks/gemm.mlir", &context);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(summary(*built), summary(*parsed));
}

/// The first error of a program that `build` adds to.
template <typename Build> static std::string errorOf(Build build) {
  MLIRContext context;
  std::string first;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (first.empty())
      first = diagnostic.str();
  });
  TaskBuilder t(context);
  build(t);
  EXPECT_FALSE(t.finish());
  return first;
}

TEST(TaskBuilder, ErrorsAreReported) {
  auto arity = [](TaskBuilder &t) {
    Task copy = t.task("copy", {write("x", F32, {"M"}), read("y", F32, {"M"})});
    t.inner("one", copy, [&](Tensor x) { t.launch(copy, {x, x}); });
  };
  EXPECT_EQ(errorOf(arity), "expected a body with 2 arguments, got one with 1");
  auto kind = [](TaskBuilder &t) {
    Task scale = t.task("scale", {readWrite("x", F32, {"M"}), scalar("s", F32)});
    t.inner("one", scale, [&](Tensor x, Tensor s) { t.launch(scale, {x, s}); });
  };
  EXPECT_EQ(errorOf(kind), "expected argument 1 of the body to be an Expr, got a Tensor");
  auto size = [](TaskBuilder &t) {
    Task copy = t.task("copy", {write("x", F32, {"M"}), read("y", F32, {"M"})});
    t.leaf("copied", copy, {{"N", 64}}, [&](Expr x, Expr y) { return y; });
  };
  EXPECT_EQ(errorOf(size), "expected a size for dimension 'M' of 'x' in leaf 'copied', got none");
  auto privilege = [](TaskBuilder &t) {
    Task copy = t.task("copy", {write("x", F32, {"M"}), read("y", F32, {"M"})});
    t.leaf("copied", copy, {{"M", 64}}, [&](Expr x, Expr y) { return y; });
    t.inner("reversed", copy, [&](Tensor x, Tensor y) { t.launch(copy, {y, x}); });
  };
  EXPECT_NE(errorOf(privilege).find("a tensor with the privilege write, got 'y'"), std::string::npos);
  auto name = [](TaskBuilder &t) { t.task("copy", {write("for", F32, {"M"})}); };
  EXPECT_NE(errorOf(name).find("expected a parameter's name"), std::string::npos);
}
