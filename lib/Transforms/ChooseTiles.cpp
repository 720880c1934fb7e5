//===- ChooseTiles.cpp - branches that only compute --------------------------===//
//
// What:      %t = scf.if %c { elements } else { elements }  ->  both sides; %t = arith.select (splat %c), ..., ...
// Where:     first, on the whole program; it stays sequential and executable.
// Why:       a loop that holds a branch runs in the program's order (docs/TileDialect.md). A mask on the last block, or
//            on the one of the diagonal, should not cost a pipeline: attention with such a branch had an iteration
//            after the other.
// Which:     sides of at most a few element-wise operations and broadcasts, in a loop with products. Sides that load or
//            multiply stay: as choices they cost what they skip, and some programs ran at 0.4 of their speed
//            (bench/results/2026-11-28-h100-branches-as-choices.json).
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/ChooseTiles.h"

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
namespace heddle {
namespace {

/// Operations on tiles of two dimensions in both sides: a mask has its comparison, its choice, and their broadcasts.
constexpr int64_t few = 8;

bool isCheap(scf::IfOp branch) {
  int64_t tiles = 0;
  for (Block *side : {branch.thenBlock(), branch.elseBlock()})
    for (Operation &op : side->without_terminator()) {
      bool elementwise = OpTrait::hasElementwiseMappableTraits(&op) ||
                         isa<tile::BroadcastOp, tile::IotaOp, tensor::SplatOp, arith::ConstantOp>(op);
      if (!elementwise || !isPure(&op) || op.getNumRegions())
        return false;
      auto tile = dyn_cast<RankedTensorType>(op.getResult(0).getType());
      tiles += tile && tile.getRank() > 1 && !isa<arith::ConstantOp>(op);
    }
  return tiles <= few;
}

} // namespace

void chooseTiles(tile::KernelOp kernel) {
  SmallVector<scf::IfOp> branches; // inner ones first
  kernel.walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches) {
    auto loop = branch->getParentOfType<scf::ForOp>();
    if (loop && !loop.getOps<tile::DotOp>().empty() && branch.getNumResults() && isCheap(branch))
      replaceByChoices(branch, [&](OpBuilder &b, RankedTensorType truths) {
        return tensor::SplatOp::create(b, branch.getLoc(), truths, branch.getCondition()).getResult();
      });
  }
}

} // namespace heddle
