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

/// One function of libdevice on scalars of one type.
double called(const std::string &symbol, const std::vector<double> &numbers, const std::string &type = "f32",
              const std::string &resultType = "") {
  std::string body, operands, types;
  for (size_t i = 0; i < numbers.size(); ++i) {
    std::string name = "%c" + std::to_string(i);
    bool integer = symbol.find("powi") != std::string::npos && i == 1;
    body += name + " = arith.constant " +
            (integer ? std::to_string(static_cast<int>(numbers[i])) + " : i32\n"
                     : std::to_string(numbers[i]) + " : " + type + "\n");
    operands += (i ? ", " : "") + name;
    types += (i ? ", " : "") + (integer ? "i32" : type);
  }
  std::string result = resultType.empty() ? type : resultType;
  Interpreted k("%p: !tt.ptr<" + result + ">", body + "%r = tt.extern_elementwise " + operands +
                                                   " {libname = \"\", libpath = \"\", pure = true, symbol = \"" +
                                                   symbol + "\"} : (" + types + ") -> " + result +
                                                   "\ntt.store %p, %r : !tt.ptr<" + result + ">");
  if (!k.ok)
    return -1000;
  return result == "i32" ? static_cast<double>(k.intAt(0, 0)) : k.at(0, 0);
}

TEST(TritonInterpreter, FunctionsOfLibdevice) {
  const std::pair<const char *, double (*)(double)> ones[] = {{"exp", std::exp},
                                                              {"exp2", std::exp2},
                                                              {"expm1", std::expm1},
                                                              {"log", std::log},
                                                              {"log2", std::log2},
                                                              {"log10", std::log10},
                                                              {"log1p", std::log1p},
                                                              {"sqrt", std::sqrt},
                                                              {"cbrt", std::cbrt},
                                                              {"erf", std::erf},
                                                              {"erfc", std::erfc},
                                                              {"sin", std::sin},
                                                              {"cos", std::cos},
                                                              {"tan", std::tan},
                                                              {"asin", std::asin},
                                                              {"acos", std::acos},
                                                              {"atan", std::atan},
                                                              {"sinh", std::sinh},
                                                              {"cosh", std::cosh},
                                                              {"tanh", std::tanh},
                                                              {"asinh", std::asinh},
                                                              {"atanh", std::atanh},
                                                              {"fabs", std::fabs},
                                                              {"floor", std::floor},
                                                              {"ceil", std::ceil},
                                                              {"trunc", std::trunc},
                                                              {"round", std::round},
                                                              {"rint", std::rint},
                                                              {"nearbyint", std::nearbyint}};
  for (auto [name, function] : ones)
    for (double x : {0.25, 0.75}) {
      std::string symbol = std::string("__nv_") + name;
      EXPECT_NEAR(called(symbol + "f", {x}), function(x), 1e-7) << name;
      EXPECT_EQ(called(symbol, {x}, "f64"), function(x)) << name;
    }
  EXPECT_EQ(called("__nv_acosh", {1.5}, "f64"), std::acosh(1.5));
  EXPECT_EQ(called("__nv_rsqrt", {0.25}, "f64"), 2);
  EXPECT_EQ(called("__nv_fast_expf", {0}), 1);
  EXPECT_EQ(called("__nv_pow", {2, 0.5}, "f64"), std::sqrt(2.0));
  EXPECT_EQ(called("__nv_powi", {-2, 3}, "f64"), -8);
  EXPECT_EQ(called("__nv_powif", {-2, -2}), 0.25);
  EXPECT_EQ(called("__nv_atan2", {1, -2}, "f64"), std::atan2(1, -2));
  EXPECT_EQ(called("__nv_copysign", {1, -2}, "f64"), -1);
  EXPECT_EQ(called("__nv_fmod", {-5, 3}, "f64"), -2);
  EXPECT_EQ(called("__nv_fmax", {1, 2}, "f64"), 2);
  EXPECT_EQ(called("__nv_fmin", {1, 2}, "f64"), 1);
  EXPECT_EQ(called("__nv_fast_fdividef", {1, 2}), 0.5);
  EXPECT_EQ(called("__nv_fma", {2, 3, 4}, "f64"), 10);
  EXPECT_EQ(called("__nv_isnanf", {1}, "f32", "i32"), 0);
  EXPECT_EQ(called("__nv_isinfd", {1}, "f64", "i32"), 0);
  EXPECT_EQ(called("__nv_finitef", {1}, "f32", "i32"), 1);
  EXPECT_EQ(called("__nv_hypotf", {3, -4}), 5);
  EXPECT_EQ(called("__nv_hypot", {3, -4}, "f64"), 5);
  EXPECT_EQ(called("__nv_lgammaf", {0.5}), std::lgamma(0.5));
  EXPECT_EQ(called("__nv_lgamma", {-0.5}, "f64"), std::lgamma(-0.5));
  for (double x : {0.001, 0.25, 1.5, 3.0})
    EXPECT_NEAR(called("__nv_erfinv", {std::erf(x)}, "f64"), x, 1e-2) << x; // by six digits of its argument
  EXPECT_EQ(called("__nv_erfinvf", {1}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(called("__nv_erfinvf", {0}), 0);
  EXPECT_NEAR(called("__nv_cyl_bessel_i0f", {1}), 1.2660658777520084, 1e-14);
  EXPECT_NEAR(called("__nv_cyl_bessel_i0", {-50}, "f64"), 2.932553783849336e20, 1e7);
  EXPECT_EQ(called("__nv_nextafterf", {1, 2}), 1 + 0x1p-23);
  EXPECT_EQ(called("__nv_nextafterf", {0, -2}), -0x1p-149);
  EXPECT_EQ(called("__nv_nextafterf", {2, 2}), 2);
  // What is no such function, or has other operands.
  EXPECT_EQ(called("__nv_nextafter", {1, 2}, "f64"), -1000);
  EXPECT_EQ(called("__nv_hypotf", {1}), -1000);
  EXPECT_EQ(called("__nv_popc", {1}, "f32", "i32"), -1000);
  for (const char *symbol : {"__nv_j0f", "__nv_exp", "expf", "__nv_powf"})
    EXPECT_EQ(called(symbol, {1}), -1000) << symbol;
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
                                         "%q = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i16>\n"
                                         "%y = tt.load %q : !tt.ptr<i16>")
                .find("expected elements of one size for each argument, got two"),
            std::string::npos);
  EXPECT_NE(errorsOf("%p: !tt.ptr<i24>", "%x = tt.load %p : !tt.ptr<i24>")
                .find("expected elements that the simulator can hold, got 'i24'"),
            std::string::npos);
  EXPECT_NE(errorsOf("%p: !tt.ptr<i32>", "%one = arith.constant 1 : i32\n"
                                         "%x = tt.atomic_rmw max, relaxed, gpu, %p, %one : (!tt.ptr<i32>, i32) -> i32")
                .find("expected an addition"),
            std::string::npos);
  EXPECT_NE(errorsOf("", "%one = arith.constant 1 : i16\n%x = tt.mulhiui %one, %one : i16")
                .find("is not an operation that the simulator can evaluate"),
            std::string::npos);
}

} // namespace
