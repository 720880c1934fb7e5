//===- RegisterTriton.cpp - the dialects that occur in Triton's kernels ----===//
//
// Alone in its file: the headers of the dialects llvm (for llvm.intr.assume) and gpu (for gpu.barrier) are large. Of
// Triton's second dialect, ttg, only ttg.barrier occurs in TTIR (from Triton 3.9 on), with a list of memories.
//
//===----------------------------------------------------------------------===//
#include "heddle/Dialect/Triton/Triton.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace {

class TritonGPUDialect : public mlir::Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TritonGPUDialect)
  explicit TritonGPUDialect(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context, mlir::TypeID::get<TritonGPUDialect>()) {
    allowUnknownOperations();
  }
  static constexpr llvm::StringLiteral getDialectNamespace() { return llvm::StringLiteral("ttg"); }

  std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef name) const override {
    if (name != "ttg.barrier")
      return std::nullopt;
    return ParseOpHook(parseBarrier);
  }

private:
  /// `local|global_read`, say: what it is for makes no difference.
  static mlir::ParseResult parseBarrier(mlir::OpAsmParser &parser, mlir::OperationState &) {
    do {
      llvm::StringRef memory;
      if (parser.parseKeyword(&memory))
        return mlir::failure();
    } while (mlir::succeeded(parser.parseOptionalVerticalBar()));
    return mlir::success();
  }
};

} // namespace

void heddle::triton::registerTritonDialects(mlir::DialectRegistry &registry) {
  registry.insert<TritonDialect, TritonGPUDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::ub::UBDialect>();
}
