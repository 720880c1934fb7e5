//===- HoldOrder.h - arithmetic that stays in front of a wait for products -------===//
//
// ptxas moves arithmetic over waits for products: in attention forward nearly all exponentials that the schedule runs
// beside a product run behind the wait for it, so that nothing hides the product. It moves no instruction over an
// arrival on an mbarrier, and no arrival over a wait. In: the steady states of a kernel as they are printed. Out: where
// the schedule has element-wise arithmetic in front of a wait for products, the release of a slot that stood before
// this arithmetic stands behind it, and depends on its last element (`behind` of hw.arrive). No release moves over
// anything that waits, so that it cannot deadlock; it comes later by the time of that arithmetic, which only rings of
// two and more slots have to spare. With a branch that ends a block of instructions instead (hd::endBlock) the same
// kernels ran at 0.93 to 0.97 of their speed.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_HOLDORDER_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_HOLDORDER_H

#include "heddle/Dialect/HW/HW.h"

namespace heddle::cuda {

void holdOrder(hw::KernelOp kernel);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_HOLDORDER_H
