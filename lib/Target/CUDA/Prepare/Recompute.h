//===- Recompute.h - register tiles without an array ----------------------------===//
//
// Constants, splats, iotas, broadcasts, slices and what is computed from coordinates alone are free to make again: an
// element of such a tile is an expression where it is read, and no C++ array holds the tile. In: a role whose tensors
// have layouts. Out: the values that have no array. A value needs one where a reader takes whole arrays: wgmma, loops
// and branches (constants excepted), conversions through shuffles or shared memory.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_RECOMPUTE_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_RECOMPUTE_H

#include "heddle/Dialect/HW/HW.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::cuda {

using RecomputedTiles = llvm::DenseSet<mlir::Value>;

RecomputedTiles findRecomputed(hw::RoleOp role);

/// Calls `read` for every operation that reads `value`, directly or through recomputed tiles.
void forEachReader(mlir::Value value, const RecomputedTiles &recomputed,
                   llvm::function_ref<void(mlir::Operation *reader, bool direct)> read);

/// Calls `read` for every tile with an array that an element of `value` is made of; `direct`: `value` itself.
void forEachSource(mlir::Value value, const RecomputedTiles &recomputed,
                   llvm::function_ref<void(mlir::Value source, bool direct)> read);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_RECOMPUTE_H
