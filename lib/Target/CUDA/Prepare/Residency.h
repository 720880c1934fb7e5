//===- Residency.h - thread blocks that share a multiprocessor ------------------===//
//
// A kernel of one group and without rings hides the latency of memory by other blocks of its multiprocessor. ptxas,
// left alone, takes registers for loads that it issues early, and blocks become few: a LayerNorm of 8192 columns has
// 128 registers a thread and 2 blocks where 64 do. So the launch bounds say how many blocks there should be: as many as
// the registers allow that must be live at once, which is what crosses a load, a store, a reduction, an exchange
// between threads or the end of a loop's iteration; everything between can be computed element by element.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_RESIDENCY_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_RESIDENCY_H

#include "heddle/Dialect/HW/HW.h"

namespace heddle::cuda {

/// Decides how many blocks the launch bounds of `kernel` ask for.
void chooseResidency(hw::KernelOp kernel);

/// What was decided, at least 1.
int64_t residentBlocks(hw::KernelOp kernel);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_RESIDENCY_H
