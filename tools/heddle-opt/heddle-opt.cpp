//===- heddle-opt.cpp - runs passes on any level; for tests and compiler engineers ===//
#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Dialect/Warp/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  heddle::registerVerifyWarpPass();
  mlir::DialectRegistry registry;
  registry.insert<heddle::tile::TileDialect, heddle::warp::WarpDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "heddle optimizer\n", registry));
}
