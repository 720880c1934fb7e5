//===- FlattenBranches.cpp - branches in loops with products become choices --===//
//
// What:      scf.if in the body of an scf.for with products -> the operations of both sides, and arith.select of what
//            they give. A load of a side that is not taken is of a box outside of its view, which costs the copy engine
//            next to nothing and gives zeros. A mask that one side puts on what the other gives becomes one mask.
// Where:     before block sizes, sub-tiling and schedules: a loop with a branch has no schedule.
// Not:       sides with products, stores or loops, which are there to be skipped; operations that may fail where their
//            side is not taken (divisions); loads of what the kernel stores to.
// Algorithm: inner branches first.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/FlattenBranches.h"

#include "heddle/Dialect/Tile/ViewUses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
namespace heddle {
namespace {

/// The view that `op` loads from, none of whose elements the kernel changes; null: it is no such load.
Value loadedView(Operation *op) {
  Value view;
  if (isa<tile::LoadOp, tile::GatherOp, tile::ElementOp>(op))
    view = op->getOperand(0);
  return view && !tile::isStored(view) ? view : Value();
}

bool canBeComputed(Region &side) {
  for (Operation &op : side.getOps())
    if (!isa<scf::YieldOp>(op) && !loadedView(&op) &&
        (op.getNumRegions() || isa<tile::DotOp, tile::WindowOp>(op) || !isMemoryEffectFree(&op) || !isSpeculatable(&op)))
      return false;
  return true;
}

/// The operations of `side` in front of `branch`, its loads where `taken` holds; what it yields.
SmallVector<Value> computeBefore(scf::IfOp branch, Region &side, Value taken) {
  if (side.empty())
    return {};
  OpBuilder b(branch);
  SmallVector<Value> given(side.front().getTerminator()->getOperands());
  for (Operation &op : llvm::make_early_inc_range(side.front().without_terminator())) {
    op.moveBefore(branch);
    if (!loadedView(&op))
      continue;
    b.setInsertionPoint(&op);
    Value coordinate = op.getOperand(1);
    op.setOperand(1, arith::SelectOp::create(b, op.getLoc(), taken, coordinate,
                                             arith::ConstantIndexOp::create(b, op.getLoc(), tile::outsideCoordinate)));
    b.setInsertionPoint(branch);
  }
  return given;
}

/// taken ? (mask ? other : v) : other, as one mask; null: `value` is no such mask.
Value maskOf(OpBuilder &b, Location loc, Value value, Value other, Value notTaken) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto mask = select ? dyn_cast<RankedTensorType>(select.getCondition().getType()) : RankedTensorType();
  if (!mask || select.getTrueValue() != other)
    return {};
  Value passes = arith::OrIOp::create(b, loc, select.getCondition(), tensor::SplatOp::create(b, loc, mask, notTaken));
  return arith::SelectOp::create(b, loc, passes, other, select.getFalseValue());
}

void flatten(scf::IfOp branch) {
  OpBuilder b(branch);
  Location loc = branch.getLoc();
  Value taken = branch.getCondition(), yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value notTaken = arith::XOrIOp::create(b, loc, taken, yes);
  SmallVector<Value> first = computeBefore(branch, branch.getThenRegion(), taken);
  SmallVector<Value> second = computeBefore(branch, branch.getElseRegion(), notTaken);
  for (auto [result, x, y] : llvm::zip_equal(branch.getResults(), first, second)) {
    Value chosen = x == y ? x : maskOf(b, loc, x, y, notTaken);
    if (!chosen)
      chosen = maskOf(b, loc, y, x, taken);
    if (!chosen)
      chosen = arith::SelectOp::create(b, loc, taken, x, y);
    result.replaceAllUsesWith(chosen);
  }
  branch.erase();
}

/// Both sides are the same: one of them is what the branch is.
bool mergeSides(scf::IfOp branch) {
  if (branch.getElseRegion().empty() ||
      !OperationEquivalence::isRegionEquivalentTo(&branch.getThenRegion(), &branch.getElseRegion(),
                                                  OperationEquivalence::IgnoreLocations))
    return false;
  SmallVector<Value> given(branch.thenYield().getOperands());
  for (Operation &op : llvm::make_early_inc_range(branch.thenBlock()->without_terminator()))
    op.moveBefore(branch);
  branch.replaceAllUsesWith(given);
  branch.erase();
  return true;
}

} // namespace

void flattenBranches(tile::KernelOp kernel) {
  SmallVector<scf::IfOp> branches; // inner ones first
  kernel.walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches) {
    auto loop = branch->getParentOfType<scf::ForOp>();
    bool beside = loop && llvm::any_of(*loop.getBody(), llvm::IsaPred<tile::DotOp>);
    if (loop && mergeSides(branch))
      continue;
    if (beside && canBeComputed(branch.getThenRegion()) && canBeComputed(branch.getElseRegion()))
      flatten(branch);
  }
}

} // namespace heddle
