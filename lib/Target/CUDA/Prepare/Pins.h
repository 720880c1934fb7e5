//===- Pins.h - values that are computed before a large tile is read -------------===//
//
// ptxas keeps reads of shared memory in their order, but moves arithmetic behind them, and then holds the operands of
// what it moved beside the tile that was read: a product of 128 x 256 with bias, gelu and residual spills, although
// what lives at each place of the text fits. In: a role and its recomputed tiles. Out: for reads of tiles outside of
// innermost loops, where many registers are live, the element-wise results that an empty `asm volatile` in front of the
// read makes ptxas compute first. Innermost loops keep the order that their schedule gives.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_PINS_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_PINS_H

#include "Recompute.h"

namespace heddle::cuda {

/// Read -> values that are computed before it.
using Pins = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>>;

Pins findPins(hw::RoleOp role, const RecomputedTiles &recomputed);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_PINS_H
