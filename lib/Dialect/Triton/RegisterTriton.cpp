//===- RegisterTriton.cpp - the dialects that occur in Triton's kernels ----===//
//
// Alone in its file: the headers of the dialects llvm (for llvm.intr.assume) and gpu (for gpu.barrier) are large.
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

void heddle::triton::registerTritonDialects(mlir::DialectRegistry &registry) {
  registry.insert<TritonDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::gpu::GPUDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::ub::UBDialect>();
}
