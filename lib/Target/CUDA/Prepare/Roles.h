//===- Roles.h - roles that one function can serve ------------------------------===//
//
// Compute groups that do the same work are equal operation by operation but for numbers: rows of their part, places in
// shared memory, barriers. Such roles form one class: the text of its first member, with each number that
// differs as an expression of the member's index, serves all.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_PREPARE_ROLES_H
#define HEDDLE_LIB_TARGET_CUDA_PREPARE_ROLES_H

#include "heddle/Dialect/HW/HW.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace heddle::cuda {

/// An integer constant that stands where it is used, and may differ between the members of a class.
bool isNumber(mlir::Operation *op);
/// A scalar truth value that is known: true or false where it is read.
bool isKnownTruth(mlir::Operation *op);

struct RoleClass {
  llvm::SmallVector<hw::RoleOp> members;
  /// Of an operation of the first member: the corresponding ones of all members, itself included.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> twins;
  /// Of a scalar constant of the first member: its value in each member. Of barriers: where theirs lie.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> numbers;

  mlir::Operation *twin(mlir::Operation *op, size_t member) const;
};

/// Classes of the roles of `kernel` (after foldScalars), in the order of their first members.
std::vector<RoleClass> classifyRoles(hw::KernelOp kernel);

/// True where moving the tile's corner only moves its address: whole swizzle periods and chunks.
bool isCornerInAddress(hw::TileType type);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_PREPARE_ROLES_H
