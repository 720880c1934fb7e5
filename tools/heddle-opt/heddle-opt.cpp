//===- heddle-opt.cpp - runs passes on any level; for tests and compiler engineers ===//
#include "PrintingPasses.h"
#include "heddle/Dialect/Task/Task.h"
#include "heddle/Dialect/Triton/Triton.h"
#include "heddle/Pipelines/Compiler.h"
#include "heddle/Pipelines/Passes.h"
#include "heddle/Support/Version.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << heddle::versionText("heddle-opt"); });
  heddle::registerPasses();
  heddle::registerCUDAPasses();
  heddle::registerSimulatorPasses();
  heddle::registerReplayPass();
  mlir::DialectRegistry registry;
  heddle::registerHeddleDialects(registry);
  heddle::triton::registerTritonDialects(registry);
  registry.insert<heddle::task::TaskDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "heddle optimizer\n", registry));
}
