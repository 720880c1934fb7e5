//===- RegisterTilesImpl.h - shared between the printers of register tiles ------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_REGISTERTILESIMPL_H
#define HEDDLE_LIB_TARGET_CUDA_REGISTERTILESIMPL_H

#include "RegisterTiles.h"
#include "heddle/Layout/LinearLayout.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle::cuda {

/// Expression `map[var]` for var in [0, map.size()): a sum of bit fields where the map is one, else a constexpr table printed first.
std::string indexExpr(EmitContext &ctx, llvm::ArrayRef<int64_t> map, llvm::StringRef var = "r");

/// Coordinate along `dim` of the thread's register 0, from lane and warp.
std::string threadCoordinate(EmitContext &ctx, const LinearLayout &layout, int dim);

/// Condition under which a thread holds the first replica of its elements; empty: always.
std::string ownerCondition(EmitContext &ctx, const LinearLayout &layout);

/// Prints `#pragma unroll for (int r = 0; r < count; ++r) body`; count 1: the body's lines must not mention r.
void printLoop(EmitContext &ctx, int64_t begin, int64_t end, llvm::ArrayRef<std::string> body);

/// "hd::f16" etc.: the device library's tag of a packed element type; empty if not packed.
std::string packedTag(mlir::Type elementType);

/// Expression of array element `index` (any integer expression) of a tile as its compute type (float, int, bool).
std::string elementAt(EmitContext &ctx, mlir::Value tile, llvm::StringRef index);

/// Prints assignments to all registers of `tile`'s array: register e gets value(e's index expression in terms of r).
/// `value` is called with an index expression and gives the compute-typed value.
void printFill(EmitContext &ctx, mlir::RankedTensorType type, llvm::StringRef array,
               llvm::function_ref<std::string(llvm::StringRef)> value);

/// The scalar function of an element-wise op on operands given as expressions; empty if the op has none.
std::string scalarExpression(mlir::Operation *op, llvm::ArrayRef<std::string> operands);
bool hasScalarExpression(mlir::Operation *op);

/// Literal of a constant in its compute type.
std::string literal(mlir::Attribute value);

/// Puts parentheses around an expression that is not a name, call, subscript or number.
std::string atom(llvm::StringRef expression);

mlir::LogicalResult printSharedRead(mlir::Operation *op, EmitContext &ctx);
mlir::LogicalResult printSharedWrite(mlir::Operation *op, EmitContext &ctx);
mlir::LogicalResult printDirectLoad(mlir::Operation *op, EmitContext &ctx);
mlir::LogicalResult printDirectStore(mlir::Operation *op, EmitContext &ctx);
mlir::LogicalResult printReduce(mlir::Operation *op, EmitContext &ctx);
mlir::LogicalResult printConversion(mlir::Operation *op, EmitContext &ctx);

/// Register tile from and to shared memory; `array` holds it.
mlir::LogicalResult printTileToShared(mlir::Operation *op, mlir::RankedTensorType type, llvm::StringRef array,
                                      const SmemTile &tile, EmitContext &ctx);
mlir::LogicalResult printTileFromShared(mlir::Operation *op, mlir::RankedTensorType type, llvm::StringRef array,
                                        const SmemTile &tile, EmitContext &ctx);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_REGISTERTILESIMPL_H
