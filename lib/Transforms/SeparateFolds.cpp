//===- SeparateFolds.cpp - folds of whole loaded tiles -----------------------===//
//
// What:      %f = arith.extf %x;  %n = sum of all of %f * %f;  %y = %f / sqrt(%n)
//            ->  %f twice, once for the sum alone
// Where:     before sub-tiling, where the warp groups cannot divide the program as it is.
// Why:       groups divide rows, and a sum of all rows needs those of every group: each computes it from memory, where
//            nothing that the groups divide goes into it (Partition's wholes).
// Which:     folds of a vector that element-wise operations and folds make of loads by the copy engine alone.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/SeparateFolds.h"

#include "heddle/Analysis/Partition.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace heddle {

/// Collects the operations of the block of `fold` that make what it folds; false where more than loads by the copy
/// engine go into it.
static bool collect(Operation *op, tile::ReduceOp fold, llvm::SetVector<Operation *> &made) {
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!isa<RankedTensorType>(operand.getType()) || isRematerialisable(def) || isSharedView(operand) ||
        (def && made.contains(def)))
      continue;
    bool computes = def && def->getBlock() == fold->getBlock() &&
                    (def->hasTrait<OpTrait::Elementwise>() || isa<tile::ReduceOp>(def));
    if (!computes || !collect(def, fold, made))
      return false;
    made.insert(def); // behind its operands
  }
  return true;
}

bool separateFolds(tile::KernelOp kernel) {
  SmallVector<tile::ReduceOp> folds;
  kernel.walk([&](tile::ReduceOp fold) {
    if (fold.getSource().getType().getRank() == 1)
      folds.push_back(fold);
  });
  bool changed = false;
  for (tile::ReduceOp fold : folds) {
    llvm::SetVector<Operation *> made;
    if (!collect(fold, fold, made))
      continue;
    bool shared = llvm::any_of(made, [&](Operation *op) {
      return llvm::any_of(op->getUsers(), [&](Operation *user) { return user != fold && !made.contains(user); });
    });
    if (!shared)
      continue;
    IRMapping own;
    OpBuilder b(fold);
    for (Operation *op : made)
      b.clone(*op, own);
    fold->setOperand(0, own.lookup(fold.getSource()));
    changed = true;
  }
  return changed;
}

} // namespace heddle
