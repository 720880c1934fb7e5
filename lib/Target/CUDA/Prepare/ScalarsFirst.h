//===- ScalarsFirst.h - scalars before the tiles beside them --------------------===//
//
// A scalar between two element-wise operations on tiles keeps them from sharing a loop, and a tile between two loops
// has an array of its own: the rounds of a generator of random numbers (tl.rand) had four tiles live at once where one
// element's numbers would do. In kernels of one group without rings, which live on few registers (Residency.h), scalars
// are computed in front of the operations on tiles that they stand among. So are they in other kernels among many such
// operations: attention with dropout stored 1344 bytes of registers with them in between.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_SCALARSFIRST_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_SCALARSFIRST_H

#include "heddle/Dialect/HW/HW.h"

namespace heddle::cuda {

/// Operations on tiles, one behind the other, among which scalars move in every kernel.
inline constexpr int64_t longFunction = 32;

void moveScalarsFirst(hw::KernelOp kernel);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_SCALARSFIRST_H
