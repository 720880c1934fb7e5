//===- Parse.h - Small helpers of the simulator's tests -------------------===//
#ifndef HEDDLE_UNITTESTS_SIMULATOR_PARSE_H
#define HEDDLE_UNITTESTS_SIMULATOR_PARSE_H

#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Simulator/Functional/TileInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <string>

namespace heddle::test {

/// A context with the dialects of tile programs, and what is parsed in it. Collects diagnostics as text.
struct Ir {
  Ir() {
    context.loadDialect<tile::TileDialect, warp::WarpDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diag) { diagnostics += diag.str() + "\n"; });
  }
  bool parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    return static_cast<bool>(module);
  }
  bool parseFile(llvm::StringRef path) {
    module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
    return static_cast<bool>(module);
  }
  bool parseExample(const std::string &name) {
    return parseFile(std::string(HEDDLE_SOURCE_DIR) + "/examples/" + name + ".mlir");
  }
  tile::KernelOp kernel() { return *module->getOps<tile::KernelOp>().begin(); }
  mlir::FunctionOpInterface function() { return mlir::cast<mlir::FunctionOpInterface>(kernel().getOperation()); }
  Result<sim::Bindings> bind(const sim::BindingRequest &request = {}) { return sim::bindKernel(function(), request); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string diagnostics;
};

} // namespace heddle::test

#endif // HEDDLE_UNITTESTS_SIMULATOR_PARSE_H
