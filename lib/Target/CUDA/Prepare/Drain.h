//===- Drain.h - no product runs where a loop begins ----------------------------===//
//
// A pipeline's prologue leaves products running, and its loop waits for them. ptxas then has to find one place for the
// registers of what the prologue began and of what an iteration leaves for the next one, and where it does not, it
// serialises all products of the kernel (C7512), with registers to spare: so it did with 8 of 12 gradients of attention
// that have one element-wise operation more than the examples (docs/Emission.md). Where a kernel asks for it
// (hw::drainsAttr), what runs is waited for before such a loop; in the loop, products overlap as before.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_DRAIN_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_DRAIN_H

#include "heddle/Dialect/HW/HW.h"

namespace heddle::cuda {

void drainBeforeLoops(hw::KernelOp kernel);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_DRAIN_H
