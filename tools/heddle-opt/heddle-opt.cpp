//===- heddle-opt.cpp - runs passes on any level; for tests and compiler engineers ===//
#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Conversion/WarpToHW/AssignLayouts.h"
#include "heddle/Conversion/WarpToHW/WarpToHW.h"
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"
#include "heddle/Support/Version.h"
#include "heddle/Target/CUDA/EmitCUDA.h"
#include "heddle/Transforms/SimplifyWaits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << heddle::versionText("heddle-opt"); });
  heddle::registerVerifyWarpPass();
  heddle::registerSimplifyWaitsPass();
  heddle::sim::registerWarpSimulatorPasses();
  heddle::registerLayoutPasses();
  heddle::WarpToHWOptions toHW;
  toHW.scratchBytes = heddle::registerScratchBytes;
  heddle::registerWarpToHWPasses(toHW);
  heddle::registerCUDAPasses();
  mlir::DialectRegistry registry;
  registry
      .insert<heddle::tile::TileDialect, heddle::warp::WarpDialect, heddle::hw::HWDialect, mlir::arith::ArithDialect,
              mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "heddle optimizer\n", registry));
}
