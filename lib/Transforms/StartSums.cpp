//===- StartSums.cpp - sums of products that begin with an addend ------------===//
//
// What:      %s = tile.dot %a, %b, 0;  %t = arith.addf %s, (tile.broadcast %v)
//            ->  %t = tile.dot %a, %b, (tile.broadcast %v)
// Where:     on the whole program in the form that sub-tiling takes, before products get types and sizes that the
//            tensor core has: these are then the accumulator's, too.
// Why:       on Hopper additions take their cycles from the tensor core (docs/Calibration.md), copies of registers do
//            not. Attention with a bias for each key ran at 1.06 and 1.10 (heads of 64), 1.02 and 1.01 (128) of its
//            speed (4096 and 16384 rows; bench/results/2026-11-27-h100-forms-biased.json).
// Which:     products in scheduled loops alone: behind a loop the sum exists, and before one nothing hides what the
//            vector takes to come. Of the product nothing else is read. A whole tile stays an addend: it would have to
//            be there before the product, not behind it.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/StartSums.h"

#include "heddle/Analysis/LoopProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The product that `add` may begin with its other operand, the `addend`; none: it is no such sum.
static tile::DotOp productOf(arith::AddFOp add, Value &addend) {
  for (auto [product, other] : {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())}) {
    auto dot = product.getDefiningOp<tile::DotOp>();
    auto broadcast = other.getDefiningOp<tile::BroadcastOp>();
    if (!dot || !broadcast || !dot->hasOneUse() || dot->getBlock() != add->getBlock() ||
        broadcast.getSource().getType().getRank() != 1 || !matchPattern(dot.getAcc(), m_AnyZeroFloat()) ||
        dependsOn(other, dot))
      continue;
    addend = other;
    return dot;
  }
  return {};
}

namespace {
/// A product, what is added to it, and the sum.
struct StartedSum {
  arith::AddFOp add;
  tile::DotOp dot;
  Value addend;
};
} // namespace

static SmallVector<StartedSum> findSums(tile::KernelOp kernel) {
  SmallVector<StartedSum> sums;
  kernel.walk([&](arith::AddFOp add) {
    StartedSum sum{add};
    auto loop = dyn_cast<scf::ForOp>(add->getParentOp());
    if (loop && isScheduledLoop(loop) && (sum.dot = productOf(add, sum.addend)))
      sums.push_back(sum);
  });
  return sums;
}

bool hasSumsToStart(tile::KernelOp kernel) { return !findSums(kernel).empty(); }

void startSums(tile::KernelOp kernel) {
  for (StartedSum &sum : findSums(kernel)) {
    sum.dot->moveBefore(sum.add); // behind what the addend is computed from
    sum.dot.getAccMutable().assign(sum.addend);
    sum.add.replaceAllUsesWith(sum.dot.getResult());
    sum.add.erase();
  }
}

} // namespace heddle
