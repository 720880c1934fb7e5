//===- Approximation.h - functions that a program lets be approximate -------===//
#ifndef HEDDLE_DIALECT_TILE_APPROXIMATION_H
#define HEDDLE_DIALECT_TILE_APPROXIMATION_H

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace heddle::tile {

/// Whether `op` is one instruction of the special function unit because its author says so: math.tanh with
/// fastmath<afn>, of floats of at most 32 bits. Its greatest relative error is approximationError (PTX ISA,
/// tanh.approx.f32).
inline bool isApproximate(mlir::Operation *op) {
  auto tanh = mlir::dyn_cast<mlir::math::TanhOp>(op);
  return tanh && mlir::arith::bitEnumContainsAny(tanh.getFastmath(), mlir::arith::FastMathFlags::afn) &&
         mlir::getElementTypeOrSelf(tanh.getType()).getIntOrFloatBitWidth() <= 32;
}
inline constexpr double approximationError = 0x1p-11;

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_APPROXIMATION_H
