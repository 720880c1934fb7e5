//===- RegisterTiles.h - register-tile and scalar ops as CUDA -------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_REGISTERTILES_H
#define HEDDLE_LIB_TARGET_CUDA_REGISTERTILES_H

#include "EmitContext.h"
#include "mlir/Support/LogicalResult.h"

namespace heddle::cuda {

/// The array that holds one thread's part of a register tile. f32: `float[R]`; i32, index: `int[R]`; i1: `bool[R]`;
/// f16, bf16: `uint32_t[ceil(R/2)]`, register 2i in the low half of word i (what wgmma and stores take);
/// f8E4M3FN, f8E5M2: `uint32_t[ceil(R/4)]`, register 4i in the lowest byte. R = registers of the layout.
struct RegisterArray {
  std::string type;     ///< C++ element type of the array
  int64_t size = 0;     ///< elements of the array
  int64_t elements = 0; ///< registers of the layout (R)
  int64_t packing = 1;  ///< registers per array element
};
RegisterArray registerArrayOf(mlir::RankedTensorType type);
/// Registers of a thread that this array takes.
int64_t registersOf(mlir::RankedTensorType type);

/// C++ type of a scalar: f32 "float"; f16, bf16, f8 "float" (rounded values); index, i32 "int"; i1 "bool"; i64
/// "int64_t"; empty: unsupported.
std::string scalarTypeOf(mlir::Type type);

/// Whether printRegisterTileOp handles this op: element-wise and scalar arith/math, arith.constant, tensor.splat,
/// tile.reduce, broadcast, iota, transpose, tile.load/gather/element/store, hw.read/write, hw.convert_layout.
bool isRegisterTileOp(mlir::Operation *op);

/// Prints an op that assigns to already declared arrays. Scalar results: prints `const T name = ...;` itself
/// (nameOf(result) is the new name). Fails with a located error for an unsupported type or op.
mlir::LogicalResult printRegisterTileOp(mlir::Operation *op, EmitContext &ctx);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_REGISTERTILES_H
