//===- MergeConversions.cpp - equal conversions of a tile become one ---------===//
//
// What:      %h = arith.truncf %x;  ...  %g = arith.truncf %x  ->  %h for both, in one block
// Where:     first, on the whole program; it stays sequential and executable.
// Why:       builders convert at each use. Every copy would be computed again, and, as the operand of a product, staged
//            in shared memory again.
// Which:     conversions between floats. Products and loads stay as written: who says them twice may mean it.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/MergeConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
namespace heddle {

void mergeConversions(tile::KernelOp kernel) {
  DenseMap<std::tuple<Block *, Value, Type>, Operation *> first;
  SmallVector<Operation *> equal;
  kernel.walk([&](Operation *op) {
    if (!isa<arith::TruncFOp, arith::ExtFOp>(op) || !isa<RankedTensorType>(op->getResult(0).getType()))
      return;
    auto [known, isNew] = first.try_emplace({op->getBlock(), op->getOperand(0), op->getResult(0).getType()}, op);
    if (isNew || known->second->getAttrs() != op->getAttrs())
      return;
    op->getResult(0).replaceAllUsesWith(known->second->getResult(0));
    equal.push_back(op);
  });
  for (Operation *op : equal)
    op->erase();
}

} // namespace heddle
