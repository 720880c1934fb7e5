//===- EmitCUDA.cpp - entry points and passes of the CUDA target -----------------===//
#include "heddle/Target/CUDA/EmitCUDA.h"
#include "KernelEmitter.h"
#include "RegisterTiles.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace heddle;

LogicalResult heddle::emitCUDA(hw::KernelOp kernel, llvm::raw_ostream &os, StringRef title) {
  std::string text;
  llvm::raw_string_ostream buffer(text);
  if (failed(cuda::KernelEmitter(kernel, buffer).run(title)))
    return failure();
  os << text;
  return success();
}

int64_t heddle::registerScratchBytes(Operation *op) { return cuda::scratchBytes(op); }

namespace {

class EmitCUDAPass : public PassWrapper<EmitCUDAPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitCUDAPass)
  StringRef getArgument() const override { return "heddle-emit-cuda"; }
  StringRef getDescription() const override { return "prints every hw.kernel as CUDA to standard output"; }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<hw::KernelOp>())
      if (failed(emitCUDA(kernel, llvm::outs())))
        return signalPassFailure();
    llvm::outs().flush();
  }
};

class EmitManifestPass : public PassWrapper<EmitManifestPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitManifestPass)
  StringRef getArgument() const override { return "heddle-emit-manifest"; }
  StringRef getDescription() const override { return "prints every hw.kernel's manifest to standard output"; }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<hw::KernelOp>()) {
      FailureOr<std::string> text = emitManifest(kernel);
      if (failed(text))
        return signalPassFailure();
      llvm::outs() << *text;
    }
    llvm::outs().flush();
  }
};

} // namespace

void heddle::registerCUDAPasses() {
  PassRegistration<EmitCUDAPass>();
  PassRegistration<EmitManifestPass>();
}
