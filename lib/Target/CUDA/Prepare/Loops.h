//===- Loops.h - element-wise operations that share a printed loop ---------------===//
//
// Neighbours that compute element r of tiles of one size from elements r of others are one loop over r. In: a role, its
// recomputed tiles and its arrays. Out: runs of such operations, each in the program's order. An operation ends a run
// where it reads an array that the run writes, or writes one that the run reads, at another place than r.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_LOOPS_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_LOOPS_H

#include "Arrays.h"

namespace heddle::cuda {

/// First operation of a run -> the run, of two operations and more.
using SharedLoops = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>>;

SharedLoops findSharedLoops(hw::RoleOp role, const RecomputedTiles &recomputed, const ArrayAssignment &arrays);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_LOOPS_H
