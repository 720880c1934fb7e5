//===- SeparatePositions.cpp - positions along rows and along columns --------===//
//
// What:      %f = arith.sitofp %positions;  tile.broadcast %f axis 1;  tile.broadcast %f axis 0
//            ->  %f twice, one for each axis
// Where:     on the whole program, before sub-tiling divides tiles over warp groups.
// Why:       groups divide rows: what lies along them is divided, what lies along columns is whole, and one vector
//            cannot be both. Positions cost next to nothing to compute again.
// Which:     vectors that element-wise operations make of positions and constants alone.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/SeparatePositions.h"

#include "heddle/Analysis/Partition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
namespace heddle {

/// Whether `op` makes a vector of positions and constants, and is none of these itself.
static bool isOfPositions(Operation *op) {
  if (!op || op->getNumResults() != 1 || !op->hasTrait<OpTrait::Elementwise>())
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.getRank() == 1 && llvm::all_of(op->getOperands(), [](Value operand) {
           Operation *def = operand.getDefiningOp();
           return !isa<RankedTensorType>(operand.getType()) || isRematerialisable(def) || isOfPositions(def);
         });
}

/// The axis along which the only kind of use of `user`'s result is broadcast; -1: another use.
static int64_t axisOf(Operation *user) {
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(user))
    return static_cast<int64_t>(broadcast.getAxis());
  return isOfPositions(user) && !user->use_empty() ? axisOf(*user->user_begin()) : -1;
}

void separatePositions(tile::KernelOp kernel) {
  SmallVector<Operation *> made;
  kernel.walk([&](Operation *op) {
    if (isOfPositions(op))
      made.push_back(op);
  });
  for (Operation *op : llvm::reverse(made)) { // users first: then each of theirs has one axis
    llvm::MapVector<int64_t, SmallVector<OpOperand *>> uses;
    for (OpOperand &use : op->getUses())
      uses[axisOf(use.getOwner())].push_back(&use);
    for (auto &[axis, along] : llvm::drop_begin(uses)) {
      OpBuilder builder(op);
      Operation *own = builder.clone(*op);
      for (OpOperand *use : along)
        use->set(own->getResult(0));
    }
  }
}

} // namespace heddle
