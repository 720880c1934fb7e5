//===- Prepare.h - a kernel as it is printed ------------------------------------===//
//
// Everything that is decided about the text, before a printer that only walks:
//   RingState.h  slots and parities that advance instead of divisions
//   MaskSums.h masks that add instead of subtracting
//   SplitLoops.h  iterations that need no mask apart from those that do
//   Drain.h    no product runs where a loop begins
//   Fold.h     scalars folded, what nobody uses removed
//   Hoist.h    divisions of integers before the loops that do not change them
//   Roles.h    roles that one function serves
//   Recompute.h  register tiles whose elements are expressions
//   Arrays.h   which of the others share a C++ array
//   Loops.h    element-wise operations that share a loop
//   Pins.h     values that are computed before a large tile is read
//   UniformMask.h  masks that whole blocks pass
//   Pressure.h   registers that tiles take at once
//   Stores.h  which way threads store their tiles
//   Residency.h  thread blocks that share a multiprocessor
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_PREPARE_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_PREPARE_H

#include "heddle/Dialect/HW/HW.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle::cuda {

/// A copy of `kernel` that means the same and prints well. Text and manifest are made from it.
mlir::OwningOpRef<hw::KernelOp> prepare(hw::KernelOp kernel);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_PREPARE_H
