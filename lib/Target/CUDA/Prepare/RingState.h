//===- RingState.h - slots and parities that advance ------------------------------===//
//
// Use n of a ring of depth D is slot n % D with parity (n / D) & 1. Where a loop counts n up by one and D is no power
// of two, slot and parity become variables of the loop that advance: no division a trip.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_RINGSTATE_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_RINGSTATE_H

#include "heddle/Dialect/HW/HW.h"

namespace heddle::cuda {

/// In every loop of the kernel's roles that steps by one. (Powers of two are masks and shifts: Fold.h.)
void advanceRings(hw::KernelOp kernel);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_RINGSTATE_H
