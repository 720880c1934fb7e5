//===- SharedFunctions.h - functions of vectors that threads share --------------===//
//
// What:      the rule of the lowering (Conversion/WarpToHW/ConvertOperands.cpp), which the timing simulator follows: of
//            a vector that a loop computes, of which each thread holds a large part for the columns of its tiles, as
//            all rows of threads do, each thread computes a share, and they exchange these.
// Why:       in the layout of an accumulator's columns 128 numbers are computed 32 times: gradients and attention ran
//            at 1.17 to 1.53 of their speed with a hyperbolic tangent shared, at 1.12 with an exponential; exponentials
//            of 64 numbers at 0.98 to 0.99 (bench/results/2026-11-30-h200-shared-rows.json).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_SHAREDFUNCTIONS_H
#define HEDDLE_DIALECT_TILE_SHAREDFUNCTIONS_H

#include "heddle/Dialect/Tile/Approximation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::tile {

/// What an element of a function takes about, in results of the special functions unit; 0: it is none that needs this
/// unit. Several: two, and arithmetic at eight times their rate (14 operations in hd::tanh).
inline int64_t costOfFunction(mlir::Operation *op) {
  using namespace mlir;
  constexpr int64_t several = 4;
  if (isa<arith::DivFOp, arith::RemFOp>(op))
    return several;
  if (!isa<math::MathDialect>(op->getDialect()) || isa<math::FmaOp, math::AbsFOp, math::AbsIOp>(op))
    return 0;
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op>(op) || isApproximate(op) ? 1 : several;
}

/// Whether threads share what `op`, an element-wise operation on tiles, computes, where each would hold `held` numbers
/// of it, and `shared` if they did.
inline bool isShared(mlir::Operation *op, int64_t held, int64_t shared) {
  constexpr int64_t exchanged = 16; // results that take as long as an exchange
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  return type && type.getRank() == 1 && op->getParentOfType<mlir::scf::ForOp>() &&
         costOfFunction(op) * held > exchanged * shared;
}

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_SHAREDFUNCTIONS_H
