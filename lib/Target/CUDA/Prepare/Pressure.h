//===- Pressure.h - registers that the tiles of a role take at once ------------===//
//
// ptxas spills what does not fit, and says so when the kernel is compiled, which is too late. In: a kernel as it is
// printed. Out: how many registers its tiles take at once, where they take the most, and which branches it has no
// registers for. Neighbouring element-wise operations run element by element: what lies between them takes no tile's
// registers. The branch around a mask (UniformMask.h) costs a second copy of a tile that was computed and is carried by
// a loop: ptxas keeps the two values that meet behind the branch, and at the loop's head, apart from the registers of
// the product that they were computed from. And ptxas moves arithmetic behind the products that follow it, and then
// holds their results beside the operands of what it moved, unless a wait for an mbarrier or another branch stands
// between.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_PRESSURE_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_PRESSURE_H

#include "Arrays.h"
#include "heddle/Machine/Occupancy.h"

namespace heddle::cuda {

/// The most registers that tiles of `role` take at once.
int64_t tileRegisters(hw::RoleOp role, const RecomputedTiles &recomputed, const ArrayAssignment &arrays);

/// Selects of `role` that must not stand under a branch.
llvm::DenseSet<mlir::Operation *> findUnbranched(hw::RoleOp role, const ArrayAssignment &arrays);

/// Where a block of instructions of `role` has to end: before fences of products; on a kernel that asks for it
/// (hw::endBlocksAttr) before all of them and before waits for products, and behind commits. Also behind the arrival
/// that hands a tile to a thread that stores it: the branch around such a store ended a block there.
llvm::DenseSet<mlir::Operation *> findBlockEnds(hw::RoleOp role, const RecomputedTiles &recomputed,
                                                const ArrayAssignment &arrays);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_PRESSURE_H
