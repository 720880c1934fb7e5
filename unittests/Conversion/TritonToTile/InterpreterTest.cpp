//===- InterpreterTest.cpp - what Triton's operations mean ------------------===//
#include "heddle/Simulator/Triton/TritonInterpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {

struct Interpreted {
  Interpreted(const std::string &arguments, const std::string &body, std::map<unsigned, double> scalars = {}) {
    DialectRegistry registry;
    triton::registerTritonDialects(registry);
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) { errors += diagnostic.str() + "\n"; });
    module =
        parseSourceString<ModuleOp>("tt.func public @k(" + arguments + ") {\n" + body + "\n  tt.return\n}", &context);
    if (!module)
      return;
    run.function = *module->getOps<triton::FuncOp>().begin();
    run.scalars = std::move(scalars);
    ok = succeeded(sim::runTriton(run));
  }
  double at(unsigned argument, int64_t position) { return run.memory.at(argument).floatAt(position); }
  int64_t intAt(unsigned argument, int64_t position) { return run.memory.at(argument).intAt(position); }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string errors;
  OwningOpRef<ModuleOp> module;
  sim::TritonRun run;
  bool ok = false;
};

TEST(TritonInterpreter, MasksAndOthers) {
  Interpreted k("%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32", R"(
    %l = tt.make_range {end = 12 : i32, start = 4 : i32} : tensor<8xi32>
    %ns = tt.splat %n : i32 -> tensor<8xi32>
    %m = arith.cmpi slt, %l, %ns : tensor<8xi32>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
    %pl = tt.addptr %ps, %l : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    tt.store %pl, %l, %m : tensor<8x!tt.ptr<i32>>
    %seven = arith.constant dense<7> : tensor<8xi32>
    %t = tt.load %pl, %m, %seven : tensor<8x!tt.ptr<i32>>
    %qs = tt.splat %q : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
    %ql = tt.addptr %qs, %l : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    tt.store %ql, %t : tensor<8x!tt.ptr<i32>>)",
                {{2, 6}});
  ASSERT_TRUE(k.ok) << k.errors;
  EXPECT_EQ(k.run.memory.at(0).written().size(), 2u);
  EXPECT_EQ(k.intAt(1, 4), 4);
  EXPECT_EQ(k.intAt(1, 5), 5);
  EXPECT_EQ(k.intAt(1, 6), 7);
}

TEST(TritonInterpreter, DescriptorsFillWithZerosAndDrop) {
  Interpreted k("%d: !tt.tensordesc<2x4xf32>, %n0: i32, %n1: i32, %s0: i64, %s1: i64, %p: !tt.ptr<f32>", R"(
    %one = arith.constant 1 : i32
    %t = tt.descriptor_load %d[%one, %one] : !tt.tensordesc<2x4xf32> -> tensor<2x4xf32>
    %x = arith.constant dense<2.0> : tensor<2x4xf32>
    tt.descriptor_store %d[%one, %one], %x : !tt.tensordesc<2x4xf32>, tensor<2x4xf32>
    %r = "tt.reduce"(%t) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.maxnumf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<2x4xf32>) -> tensor<2xf32>
    %l = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
    %pl = tt.addptr %ps, %l : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
    tt.store %pl, %r : tensor<2x!tt.ptr<f32>>)",
                {{1, 2}, {2, 3}, {3, 8}, {4, 1}});
  ASSERT_TRUE(k.ok) << k.errors;
  // Row 1, columns 1 and 2 are inside.
  EXPECT_EQ(k.run.memory.at(0).written().size(), 2u);
  EXPECT_EQ(k.at(0, 9), 2.0);
  EXPECT_EQ(k.at(5, 1), 0.0); // row 2 is outside
  EXPECT_EQ(k.at(5, 0), std::max({k.run.memory.at(0).initialFloat(9), k.run.memory.at(0).initialFloat(10), 0.0}));
}

TEST(TritonInterpreter, SplitAndTrans) {
  Interpreted k("%p: !tt.ptr<i32>", R"(
    %l = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %a = tt.reshape %l : tensor<8xi32> -> tensor<2x2x2xi32>
    %b = tt.trans %a {order = array<i32: 0, 2, 1>} : tensor<2x2x2xi32> -> tensor<2x2x2xi32>
    %x, %y = tt.split %b : tensor<2x2x2xi32> -> tensor<2x2xi32>
    %z = tt.reshape %y : tensor<2x2xi32> -> tensor<4xi32>
    %m = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
    %ps = tt.splat %p : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
    %pl = tt.addptr %ps, %m : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
    tt.store %pl, %z : tensor<4x!tt.ptr<i32>>)");
  ASSERT_TRUE(k.ok) << k.errors;
  std::vector<int64_t> got;
  for (int64_t i = 0; i < 4; ++i)
    got.push_back(k.intAt(0, i));
  EXPECT_EQ(got, (std::vector<int64_t>{2, 3, 6, 7}));
}

TEST(TritonInterpreter, Errors) {
  auto errorsOf = [](const std::string &arguments, const std::string &body) {
    Interpreted k(arguments, body);
    EXPECT_FALSE(k.ok);
    return k.errors;
  };
  EXPECT_NE(errorsOf("%p: !tt.ptr<f32>", "%n = arith.constant -3 : i32\n%q = tt.addptr %p, %n : !tt.ptr<f32>, i32\n"
                                         "%x = tt.load %q : !tt.ptr<f32>")
                .find("expected an address in what an argument points to, got element"),
            std::string::npos);
  EXPECT_NE(errorsOf("%p: !tt.ptr<f32>", "%x = tt.load %p : !tt.ptr<f32>\n"
                                         "%q = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i32>\n"
                                         "%y = tt.load %q : !tt.ptr<i32>")
                .find("expected one element type for each argument, got two"),
            std::string::npos);
  EXPECT_NE(errorsOf("%p: !tt.ptr<i24>", "%x = tt.load %p : !tt.ptr<i24>")
                .find("expected elements that the simulator can hold, got 'i24'"),
            std::string::npos);
  EXPECT_NE(errorsOf("%p: !tt.ptr<i32>", "%one = arith.constant 1 : i32\n"
                                         "%x = tt.atomic_rmw add, relaxed, gpu, %p, %one : (!tt.ptr<i32>, i32) -> i32")
                .find("expected an addition of floats"),
            std::string::npos);
  EXPECT_NE(errorsOf("", "%one = arith.constant 1 : i16\n%x = tt.mulhiui %one, %one : i16")
                .find("is not an operation that the simulator can evaluate"),
            std::string::npos);
}

} // namespace
