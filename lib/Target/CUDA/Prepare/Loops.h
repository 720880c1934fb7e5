//===- Loops.h - element-wise operations that share a printed loop ---------------===//
//
// Neighbours that compute element r of tiles of one size from elements r of others are one loop over r. In: a role, its
// recomputed tiles and its arrays. Out: runs of such operations, each in the program's order. An operation ends a run
// where it reads an array that the run writes, or writes one that the run reads, at another place than r.
//
// Slices: ptxas computes elements of a large tile side by side, and holds for each what its function needs, and what
// one loop of the text computes for all elements until the next loop reads it. Where registers lack for that, runs are
// printed slice by slice, packed elements and selects included: all operations for 16 elements, what leaves the run
// pinned, and the end of a block of instructions, over which ptxas moves nothing. (Without the pins NVVM moves what is
// read elsewhere to its reader; without the end of the block ptxas takes slices side by side.) Long functions behind
// loops are always computed so (erf on 128 x 192 elements spilled 1504 bytes, and none so), and so is all of a role in
// whose loop a run unpacks a tile of 8 or 16 bits that was read from memory, where the loops of that run, one after the
// other, leave no registers (attention with a tile of biases spilled 124 to 320 bytes). Others only on a kernel that
// asks for it (hw::slicesAttr), for all of them or for those outside of innermost loops: each end of a block costs the
// latency of what is computed last.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_LOOPS_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_LOOPS_H

#include "Arrays.h"

namespace heddle::cuda {

/// First operation of a run -> the run, of two operations and more.
using SharedLoops = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>>;

SharedLoops findSharedLoops(hw::RoleOp role, const RecomputedTiles &recomputed, const ArrayAssignment &arrays);

/// Elements of a slice; and of the least tile whose long functions are computed in slices.
inline constexpr int64_t sliceElements = 16, manyElements = 64;
/// Registers beside tiles and addresses that ptxas needs to move arithmetic of a loop.
inline constexpr int64_t toMove = 12;

/// Runs that are printed slice by slice, of one operation or more.
SharedLoops findSlices(hw::RoleOp role, const RecomputedTiles &recomputed, const ArrayAssignment &arrays);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_LOOPS_H
