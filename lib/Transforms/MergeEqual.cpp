//===- MergeEqual.cpp - equal operations on tiles become one ----------------===//
//
// What:      %h = arith.truncf %x;  ...  %g = arith.truncf %x  ->  %h for both, in one block
// Where:     first, on the whole program, and again behind sub-tiling, which cuts a part of a tile out at each use; the
//            program stays sequential and executable.
// Why:       builders convert, repeat and fold at each use. Every copy would be computed again; as the operand of a
//            product it would be staged in shared memory again, and between rows and columns threads would exchange it
//            again.
// Which:     operations without side effects that make a tile. Products and loads stay as written: who says them twice
//            may mean it. Constants and positions, too, which are computed where they are read.
// Algorithm: operations by hash of name, attributes, operands and types, in the order of the block.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/MergeEqual.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
namespace heddle {

namespace {
struct Equality : DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    auto *given = const_cast<Operation *>(op);
    return static_cast<unsigned>(OperationEquivalence::computeHash(given, OperationEquivalence::directHashValue,
                                                                   OperationEquivalence::ignoreHashValue,
                                                                   OperationEquivalence::IgnoreLocations));
  }
  static bool isEqual(const Operation *a, const Operation *b) {
    if (a == b || a == getEmptyKey() || a == getTombstoneKey() || b == getEmptyKey() || b == getTombstoneKey())
      return a == b;
    return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(a), const_cast<Operation *>(b),
                                                OperationEquivalence::IgnoreLocations);
  }
};
} // namespace

static bool isMerged(Operation *op) {
  return op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) && op->getNumRegions() == 0 &&
         op->getNumOperands() > 0 && !isa<tile::DotOp>(op) && isMemoryEffectFree(op);
}

void mergeEqual(tile::KernelOp kernel) {
  SmallVector<Operation *> equal;
  DenseMap<Block *, llvm::DenseSet<Operation *, Equality>> first;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isMerged(op))
      return;
    auto [known, isNew] = first[op->getBlock()].insert(op);
    if (isNew)
      return;
    op->getResult(0).replaceAllUsesWith((*known)->getResult(0));
    equal.push_back(op);
  });
  for (Operation *op : equal)
    op->erase();
}

} // namespace heddle
