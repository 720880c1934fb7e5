//===- TileChoices.cpp - branches that a tile decides, beside products -------===//
//
// What:   scf.if by a scalar that a tile is folded to -> both sides, and for each result a choice between tiles.
// Where:  before integers are read as polynomials, in kernels with products.
// Why:    the warp group that loads holds no tiles, so that it cannot know which way such a branch goes. Kernels of
//         attention skip blocks so that their mask excludes (`if not tl.max(mask) == 0`).
// Which:  sides that only compute and load, under masks: what a side loads where it is not taken nobody keeps, and a
//         mask keeps it inside of its tensor as it does where the side is taken.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace heddle::triton {
namespace {

/// Whether the scalar `value` is made of what a tile is folded to.
bool isOfTile(Value value) {
  SmallVector<Value> open{value};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Operation *def = open.pop_back_val().getDefiningOp();
    if (!def)
      continue;
    for (Value operand : def->getOperands()) {
      if (isa<RankedTensorType>(operand.getType()))
        return true;
      if (!isa<LoadOp>(def) && seen.insert(operand).second)
        open.push_back(operand);
    }
  }
  return false;
}

bool mayRunAlways(Block &side) {
  return llvm::all_of(side.without_terminator(), [](Operation &op) {
    auto load = dyn_cast<LoadOp>(op);
    return load ? load.getMask() && !load.getIsVolatile()
                : isa<ReduceOp, ScanOp>(op) || (isPure(&op) && !op.getNumRegions());
  });
}

} // namespace

void chooseByTiles(FuncOp function) {
  if (!function.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return;
  SmallVector<scf::IfOp> branches; // inner ones first
  function.walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches)
    if (branch.getNumResults() && llvm::all_of(branch.getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
        isOfTile(branch.getCondition()) && mayRunAlways(*branch.thenBlock()) && mayRunAlways(*branch.elseBlock()))
      replaceByChoices(branch, [&](OpBuilder &b, RankedTensorType truths) {
        return SplatOp::create(b, branch.getLoc(), truths, branch.getCondition()).getResult();
      });
}

} // namespace heddle::triton
