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

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
namespace heddle {

namespace {

class Separator {
public:
  void run(tile::KernelOp kernel) {
    SmallVector<Operation *> made;
    kernel.walk([&](Operation *op) {
      if (isOfPositions(op)) {
        vectors.insert(op);
        made.push_back(op);
      }
    });
    for (Operation *op : llvm::reverse(made)) { // users first: then each of theirs has one axis
      llvm::MapVector<int64_t, SmallVector<OpOperand *>> uses;
      for (OpOperand &use : op->getUses())
        uses[axisOf(use.getOwner())].push_back(&use);
      if (uses.empty())
        continue;
      axes[op] = uses.front().first;
      for (auto &[axis, along] : llvm::drop_begin(uses)) {
        Operation *own = OpBuilder(op).clone(*op);
        axes[own] = axis;
        for (OpOperand *use : along)
          use->set(own->getResult(0));
      }
    }
  }

private:
  /// Whether `op` makes a vector of positions and constants, and is none of these itself; asked in program order.
  bool isOfPositions(Operation *op) const {
    if (op->getNumResults() != 1 || !op->hasTrait<OpTrait::Elementwise>())
      return false;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    return type && type.getRank() == 1 && llvm::all_of(op->getOperands(), [&](Value operand) {
             Operation *def = operand.getDefiningOp();
             return !isa<RankedTensorType>(operand.getType()) || isRematerialisable(def) || vectors.contains(def);
           });
  }
  /// The axis along which all that is made of `user`'s result is broadcast; -1: another use.
  int64_t axisOf(Operation *user) const {
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(user))
      return static_cast<int64_t>(broadcast.getAxis());
    auto known = axes.find(user);
    return known == axes.end() ? -1 : known->second;
  }

  DenseSet<Operation *> vectors;
  DenseMap<Operation *, int64_t> axes;
};

} // namespace

void separatePositions(tile::KernelOp kernel) { Separator().run(kernel); }

} // namespace heddle
