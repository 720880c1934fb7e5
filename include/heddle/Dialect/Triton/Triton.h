//===- Triton.h - C++ face of the tt dialect (see TritonOps.td) ----------------===//
#ifndef HEDDLE_DIALECT_TRITON_TRITON_H
#define HEDDLE_DIALECT_TRITON_TRITON_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "heddle/Dialect/Triton/TritonDialect.h.inc"
#include "heddle/Dialect/Triton/TritonEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "heddle/Dialect/Triton/TritonTypes.h.inc"
#define GET_OP_CLASSES
#include "heddle/Dialect/Triton/TritonOps.h.inc"

namespace heddle::triton {

/// Registers `tt` and every upstream dialect that occurs in Triton's kernels.
void registerTritonDialects(mlir::DialectRegistry &registry);

/// Says something to the compiler or to the threads of a program, and nothing to a program as a whole: an assumption, a
/// barrier.
bool isMeaningless(mlir::Operation *op);

/// What pointers of `type`, a pointer or a tile of them, point to, in their shape; null where it is none.
mlir::Type pointee(mlir::Type type);

} // namespace heddle::triton

#endif // HEDDLE_DIALECT_TRITON_TRITON_H
