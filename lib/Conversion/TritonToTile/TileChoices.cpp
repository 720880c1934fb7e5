//===- TileChoices.cpp - branches that a tile decides, beside products -------===//
//
// What:   scf.if by a scalar that a tile is folded to -> both sides, and for each result a choice between tiles.
// Where:  before integers are read as polynomials, in kernels with products.
// Why:    the warp group that loads holds no tiles, so that it cannot know which way such a branch goes. Kernels of
//         attention skip blocks so that their mask excludes (`if not tl.max(mask) == 0`).
// Which:  sides that only compute and load, under masks: what a side loads where it is not taken nobody keeps. Masks
//         keep it inside of its tensor, unless the address follows from a loaded tile that the condition follows from
//         as well: then the condition may be what keeps it there.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace heddle::triton {
/// What `value` follows from: operands of what computes it, all that a loop or branch may give it, and what decides
/// that. `follows` says for each value whether to go on behind it.
static void walkBack(Value value, function_ref<bool(Value)> follows) {
  SmallVector<Value> open{value};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second || !follows(next))
      continue;
    if (std::optional<VariableRef> variable = variableOf(next)) {
      PassedVariable passed = passedVariables(variable->op)[variable->number];
      for (OpOperand *given : passed.given)
        open.push_back(given->get());
      if (auto loop = dyn_cast<scf::WhileOp>(variable->op))
        open.push_back(loop.getConditionOp().getCondition());
      else
        llvm::append_range(open, isa<scf::IfOp>(variable->op) ? variable->op->getOperands()
                                                              : variable->op->getOperands().take_front(3));
    } else if (Operation *def = next.getDefiningOp()) {
      llvm::append_range(open, def->getOperands());
    }
  }
}

bool isOfTile(Value value) {
  bool found = false;
  walkBack(value, [&](Value next) {
    found |= isa<RankedTensorType>(next.getType());
    return !found && !next.getDefiningOp<LoadOp>();
  });
  return found;
}

/// The loads of tiles that `value` follows from.
static llvm::DenseSet<Operation *> loadsBehind(Value value) {
  llvm::DenseSet<Operation *> loads;
  walkBack(value, [&](Value next) {
    if (auto load = next.getDefiningOp<LoadOp>(); load && isa<RankedTensorType>(load.getType()))
      loads.insert(load);
    return true;
  });
  return loads;
}

std::optional<std::pair<Operation *, std::string>> whySidesStay(scf::IfOp branch) {
  using Why = std::pair<Operation *, std::string>;
  llvm::DenseSet<Operation *> deciding = loadsBehind(branch.getCondition());
  for (Region *side : {&branch.getThenRegion(), &branch.getElseRegion()})
    for (Operation &op :
         side->empty() ? llvm::make_range(Block::iterator(), Block::iterator()) : side->front().without_terminator()) {
      auto load = dyn_cast<LoadOp>(op);
      if (!load && !isa<ReduceOp, ScanOp>(op) && (!isPure(&op) || op.getNumRegions()))
        return Why(&op, "it does more than compute and load");
      if (load && (!load.getMask() || load.getIsVolatile()))
        return Why(&op, "a load without a mask may lie outside of its tensor where the branch is not taken");
      if (load && llvm::any_of(loadsBehind(load.getPtr()), [&](Operation *from) { return deciding.contains(from); }))
        return Why(&op, "it loads at an address that follows from what the branch asks");
    }
  return std::nullopt;
}

void chooseByTiles(FuncOp function) {
  if (!function.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return;
  SmallVector<scf::IfOp> branches; // inner ones first
  function.walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches)
    if (branch.getNumResults() && llvm::all_of(branch.getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
        isOfTile(branch.getCondition()) && !whySidesStay(branch))
      replaceByChoices(branch, [&](OpBuilder &b, RankedTensorType truths) {
        return SplatOp::create(b, branch.getLoc(), truths, branch.getCondition()).getResult();
      });
}

} // namespace heddle::triton
