//===- UniformMask.h - the branch around a select ---------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_UNIFORMMASK_H
#define HEDDLE_LIB_TARGET_CUDA_UNIFORMMASK_H

#include "EmitContext.h"

namespace heddle::cuda {

/// C++ condition, equal in all threads of the group, under which every element of the tile of truth values `mask` is
/// true; empty: none is known (heddle/Dialect/HW/UniformMask.h). 64-bit arithmetic: an index that would wrap in 32 bits
/// never counts as true.
std::string allTrueCondition(mlir::Value mask, EmitContext &ctx);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_UNIFORMMASK_H
