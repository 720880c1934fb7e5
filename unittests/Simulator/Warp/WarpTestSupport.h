//===- WarpTestSupport.h - Programs for the tests of the warp simulator -----===//
#ifndef HEDDLE_UNITTESTS_SIMULATOR_WARPTESTSUPPORT_H
#define HEDDLE_UNITTESTS_SIMULATOR_WARPTESTSUPPORT_H

#include "heddle/Simulator/Functional/TileInterpreter.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace heddle::test {

/// A context with every dialect of the two levels.
inline mlir::MLIRContext &context() {
  static mlir::MLIRContext *made = [] {
    auto *c = new mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
    c->loadDialect<tile::TileDialect, warp::WarpDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                   mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
    return c;
  }();
  return *made;
}

inline mlir::OwningOpRef<mlir::ModuleOp> parseText(const std::string &text) {
  return mlir::parseSourceString<mlir::ModuleOp>(text, &context());
}
/// `path` from the repository root.
inline std::string textOf(const std::string &path) {
  Result<std::string> text = readFile(std::string(HEDDLE_SOURCE_DIR) + "/" + path);
  return text ? *text : "";
}
template <typename Kernel> Kernel kernelOf(mlir::ModuleOp module) { return *module.getOps<Kernel>().begin(); }

inline const Machine &h100() {
  static Machine *machine = [] {
    Result<Machine> loaded = Machine::load(std::string(HEDDLE_SOURCE_DIR) + "/machines/h100.json");
    return loaded ? new Machine(*loaded) : nullptr;
  }();
  return *machine;
}

inline sim::Bindings bindDims(mlir::FunctionOpInterface kernel, std::map<std::string, int64_t> dims) {
  sim::BindingRequest request;
  request.dims = std::move(dims);
  Result<sim::Bindings> bound = sim::bindKernel(kernel, request);
  EXPECT_TRUE(bool(bound)) << (bound ? "" : bound.error().str());
  return bound ? *bound : sim::Bindings();
}

/// The text with the one occurrence of `from` replaced.
inline std::string edited(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos)
    text.replace(at, from.size(), to);
  return text;
}

/// Simulates a warp program given as text, quietly.
inline sim::SimResult simulateText(const std::string &text, std::map<std::string, int64_t> dims) {
  auto module = parseText(text);
  EXPECT_TRUE(bool(module));
  if (!module)
    return {};
  auto kernel = kernelOf<warp::KernelOp>(*module);
  sim::Bindings bindings = bindDims(kernel, std::move(dims));
  sim::SimOptions options;
  options.emit = false;
  return sim::simulateWarpKernel(kernel, bindings, h100(), options);
}

} // namespace heddle::test

#endif // HEDDLE_UNITTESTS_SIMULATOR_WARPTESTSUPPORT_H
