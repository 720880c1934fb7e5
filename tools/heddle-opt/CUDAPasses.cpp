//===- CUDAPasses.cpp - heddle-opt's face of the CUDA target ----------------===//
//
// --heddle-emit-cuda, --heddle-emit-manifest: what is printed of every kernel of the hw level, as kernel.cu and
// kernel.json have it.
//
//===----------------------------------------------------------------------===//
#include "PrintingPasses.h"
#include "heddle/Target/CUDA/EmitCUDA.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

namespace {

class EmitCUDAPass : public PassWrapper<EmitCUDAPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitCUDAPass)
  StringRef getArgument() const override { return "heddle-emit-cuda"; }
  StringRef getDescription() const override { return "prints every hw.kernel as CUDA to standard output"; }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<hw::KernelOp>())
      if (FailureOr<std::string> text = emitCUDA(kernel); succeeded(text))
        llvm::outs() << *text;
      else
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
      FailureOr<std::string> cuda = emitCUDA(kernel);
      FailureOr<std::string> text = failed(cuda) ? FailureOr<std::string>(failure()) : emitManifest(kernel, *cuda);
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
