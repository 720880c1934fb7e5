//===- SplitLoops.h - iterations that need no mask ---------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_SPLITLOOPS_H
#define HEDDLE_LIB_TARGET_CUDA_SPLITLOOPS_H

#include "heddle/Dialect/HW/HW.h"

namespace heddle::cuda {

/// A loop with products whose masks are all true in an interval of its iterations becomes up to three: that interval,
/// without the masks, between the rest as it was. The kernel means the same.
void splitAtMasks(hw::KernelOp kernel);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_SPLITLOOPS_H
