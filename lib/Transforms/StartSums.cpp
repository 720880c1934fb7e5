//===- StartSums.cpp - sums of products that begin with an addend ------------===//
//
// What:      %s = tile.dot %a, %b, 0;  %t = arith.addf %s, (tile.broadcast %v)
//            ->  %t = tile.dot %a, %b, (tile.broadcast %v)
//            and the same with what element-wise operations make of another product of the iteration.
// Where:     on the whole program in the form that sub-tiling takes, before products get types and sizes that the
//            tensor core has: these are then the accumulator's, too.
// Why:       on Hopper additions take their cycles from the tensor core (docs/Calibration.md), copies of registers do
//            not. Attention with a bias for each key ran at 1.06 and 1.10 (heads of 64), 1.02 and 1.01 (128) of its
//            speed (4096 and 16384 rows; bench/results/2026-11-27-h100-forms-biased.json).
// Which:     products in scheduled loops alone: behind a loop the sum exists, and before one nothing hides what the
//            vector takes to come. Of the product nothing else is read. A loaded tile stays an addend: it would have to
//            be there before the product, not behind it. Of two products one accumulates onto the other, which takes
//            the registers of one (linear attention: what a chunk adds to what the state gives). Products of 8-bit
//            floats begin with zero: the tensor core cuts what they are added to (docs/Calibration.md, "Sums of 8-bit
//            products").
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/StartSums.h"

#include "heddle/Analysis/LoopProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
namespace heddle {

/// Whether `value` is computed from `op` in their block.
static bool dependsOn(Value value, Operation *op) {
  SmallVector<Value> work{value};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *def = next.getDefiningOp();
    if (!def || def->getBlock() != op->getBlock() || !seen.insert(next).second)
      continue;
    if (def == op)
      return true;
    work.append(def->operand_begin(), def->operand_end());
  }
  return false;
}

/// Whether `value`, which one operation reads, is made of a product of `block` by element-wise operations with one such
/// tile each.
static bool isOfProduct(Value value, Block *block) {
  while (value.hasOneUse()) {
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != block)
      return false;
    if (isa<tile::DotOp>(def))
      return true;
    if (!isa<arith::MulFOp, arith::NegFOp, arith::SubFOp, arith::AddFOp>(def))
      return false;
    Value next;
    for (Value operand : def->getOperands())
      if (!operand.getDefiningOp<tile::BroadcastOp>() && !operand.getDefiningOp<tensor::SplatOp>() &&
          !operand.getDefiningOp<arith::ConstantOp>()) {
        if (next)
          return false;
        next = operand;
      }
    if (!next)
      return false;
    value = next;
  }
  return false;
}

/// The product that `add` may begin with its other operand, the `addend`; none: it is no such sum.
static tile::DotOp productOf(arith::AddFOp add, Value &addend) {
  for (auto [product, other] : {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
    auto dot = product.getDefiningOp<tile::DotOp>();
    auto broadcast = other.getDefiningOp<tile::BroadcastOp>();
    if (!dot || dot.getA().getType().getElementTypeBitWidth() < 16)
      continue;
    bool starts = broadcast ? broadcast.getSource().getType().getRank() == 1 : isOfProduct(other, add->getBlock());
    if (!starts || !dot->hasOneUse() || dot->getBlock() != add->getBlock() ||
        !matchPattern(dot.getAcc(), m_AnyZeroFloat()) || dependsOn(other, dot))
      continue;
    addend = other;
    return dot;
  }
  return {};
}

/// The sums in scheduled loops, in the program's order.
static SmallVector<arith::AddFOp> sumsInLoops(tile::KernelOp kernel) {
  SmallVector<arith::AddFOp> sums;
  kernel.walk([&](arith::AddFOp add) {
    if (auto loop = dyn_cast<scf::ForOp>(add->getParentOp()); loop && isScheduledLoop(loop))
      sums.push_back(add);
  });
  return sums;
}

bool hasSumsToStart(tile::KernelOp kernel) {
  Value addend;
  return llvm::any_of(sumsInLoops(kernel), [&](arith::AddFOp add) { return productOf(add, addend); });
}

void startSums(tile::KernelOp kernel) {
  for (arith::AddFOp add : sumsInLoops(kernel)) {
    Value addend; // asked now: one before may have become a product
    tile::DotOp dot = productOf(add, addend);
    if (!dot)
      continue;
    dot->moveBefore(add); // behind what the addend is computed from
    dot.getAccMutable().assign(addend);
    add.replaceAllUsesWith(dot.getResult());
    add.erase();
  }
}

} // namespace heddle
