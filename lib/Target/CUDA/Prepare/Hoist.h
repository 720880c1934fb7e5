//===- Hoist.h - divisions before loops, before printing ------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_HOIST_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_HOIST_H

#include "heddle/Dialect/HW/HW.h"

namespace heddle::cuda {

/// Whether `op` divides by what is known at run time only: a C++ compiler, which cannot know that the divisor is not
/// zero, leaves it in a loop that may run no trip or that waits before it gets there.
bool dividesAtRunTime(mlir::Operation *op);

/// In every role: such divisions of integers that no trip of a counting loop changes, with what they are computed from,
/// stand before it. They divide by one there where the divisor is zero: no trip gets to them then. The warp that copies
/// for Triton's tutorial 03 divided twice an iteration, which took longer than the products: its kernels ran at 0.56 to
/// 0.92 of their speed (bench/results/2026-11-23-h100-triton-divisions.json).
void hoistDivisions(hw::KernelOp kernel);

/// Whether the result of `op` would be computed in or behind a loop that follows it, if written where it is read.
bool wouldPassLoop(mlir::Operation *op);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_HOIST_H
