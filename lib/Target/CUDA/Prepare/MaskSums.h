//===- MaskSums.h - masks with a sum instead of a difference ---------------------===//
//
// A mask that keeps n - j columns and one that keeps columns whose number plus j is below n are the same; ptxas orders
// the loop around them differently, and was faster with the second (docs/Emission.md, "Masks"). So both are printed as
// the second.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_MASKSUMS_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_MASKSUMS_H

#include "heddle/Dialect/HW/HW.h"

namespace heddle::cuda {

/// x < splat(n - j) -> x + splat(j) < splat(n), where x are coordinates of a tile, n is the size of a tensor, and j
/// belongs to the loop around. The sum reaches as far as that size rounded up to tiles, which grids need as well.
void addInMasks(hw::KernelOp kernel);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_MASKSUMS_H
