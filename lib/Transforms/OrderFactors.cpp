//===- OrderFactors.cpp - factors are multiplied as they come ------------------===//
//
// What:      (%p * %late) * %early  ->  (%p * %early) * %late, of f32 tiles, where %p and %early wait for a product
//            (`tile.dot`) that stands before the one that %late waits for
// Where:     on the whole program, once elements have one form (NormaliseElements.cpp); it stays sequential.
// Why:       what waits for the last factor is held in registers until then. The gradient of capped scores,
//            p (dP - delta) (1 - t^2), holds two tiles beside dP as written, and one with its first and last factor
//            multiplied before: with heads of 128 it is refused as written (226 of 192 registers), and not so.
// Which:     chains of multiplications of one block in which nothing else reads a product on the way. A factor that
//            waits for no product of the block (a scale, a tile from memory) comes behind those that do, as does what
//            is hoisted or folded later; a chain whose order is right stays as it is written.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/OrderFactors.h"
#include "EraseUnread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
namespace heddle {
namespace {

arith::MulFOp multiplication(Value value) {
  auto op = value.getDefiningOp<arith::MulFOp>();
  return op && isa<RankedTensorType>(op.getType()) && getElementTypeOrSelf(op.getType()).isF32() ? op : arith::MulFOp();
}

/// The chains of one block.
class Chains {
public:
  explicit Chains(Block &block) {
    unsigned products = 0;
    for (Operation &op : block) {
      unsigned waits = 0;
      op.walk([&](Operation *inner) {
        products += isa<tile::DotOp>(inner);
        for (Value operand : inner->getOperands())
          waits = std::max(waits, waitsFor.lookup(operand));
        if (isa<tile::DotOp>(inner))
          waits = products;
      });
      for (Value result : op.getResults())
        waitsFor[result] = waits;
      if (op.getNumResults() == 1 && multiplication(op.getResult(0)) && !isPart(op.getResult(0)))
        roots.push_back(cast<arith::MulFOp>(op));
    }
  }

  void order() {
    for (arith::MulFOp root : roots) {
      SmallVector<Value> factors;
      collect(root, root, factors);
      auto late = std::stable_partition(factors.begin(), factors.end(), [&](Value f) { return waitsFor.lookup(f); });
      auto isBefore = [&](Value a, Value b) { return waitsFor.lookup(a) < waitsFor.lookup(b); };
      if (factors.size() == 2 || std::is_sorted(factors.begin(), late, isBefore))
        continue;
      std::stable_sort(factors.begin(), late, isBefore);
      OpBuilder b(root);
      Value product = factors.front();
      for (Value factor : llvm::drop_begin(factors))
        product = arith::MulFOp::create(b, root.getLoc(), product, factor);
      waitsFor[product] = waitsFor.lookup(root);
      root.replaceAllUsesWith(product);
      eraseUnread(root);
    }
  }

private:
  /// Whether `value` is read by one multiplication alone, which stands beside it.
  static bool isPart(Value value) {
    return value.hasOneUse() && isa<arith::MulFOp>(*value.user_begin()) &&
           value.user_begin()->getBlock() == value.getParentBlock();
  }

  void collect(arith::MulFOp op, arith::MulFOp root, SmallVectorImpl<Value> &factors) {
    for (Value factor : op->getOperands())
      if (arith::MulFOp inner = multiplication(factor);
          inner && inner->getBlock() == root->getBlock() && isPart(factor))
        collect(inner, root, factors);
      else
        factors.push_back(factor);
  }

  llvm::DenseMap<Value, unsigned> waitsFor; ///< the number of the last product of the block that a value waits for
  SmallVector<arith::MulFOp> roots;
};

} // namespace

void orderFactors(tile::KernelOp kernel) {
  SmallVector<Block *> blocks;
  kernel.walk<WalkOrder::PreOrder>([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    Chains(*block).order();
}

} // namespace heddle
