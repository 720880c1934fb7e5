//===- VerifyWarpPass.cpp - heddle-opt's face of the protocol verifier and the dry run ===//
#include "heddle/Analysis/ProtocolDryRun.h"
#include "heddle/Analysis/WarpProtocol.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {
struct VerifyWarpPass : PassWrapper<VerifyWarpPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyWarpPass)
  StringRef getArgument() const final { return "heddle-verify-warp"; }
  StringRef getDescription() const final { return "check the protocol of every warp kernel; changes nothing"; }
  void runOnOperation() final {
    getOperation()->walk([&](heddle::warp::KernelOp kernel) {
      if (failed(heddle::verifyWarpProtocol(kernel)) || failed(heddle::dryRunProtocol(kernel)))
        signalPassFailure();
    });
    markAllAnalysesPreserved();
  }
};
} // namespace

void heddle::registerVerifyWarpPass() { PassRegistration<VerifyWarpPass>(); }
