//===- ControlFlow.cpp - see ControlFlow.h ---------------------------------===//
#include "heddle/Dialect/Tile/ControlFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
namespace heddle {

bool isBranchOrLoop(Operation *op) { return isa_and_nonnull<scf::ForOp, scf::IfOp, scf::WhileOp>(op); }

bool isControlFlow(Operation *op) {
  return isBranchOrLoop(op) || (isa<scf::YieldOp, scf::ConditionOp>(op) && isBranchOrLoop(op->getParentOp()));
}

SmallVector<PassedVariable> passedVariables(Operation *op) {
  SmallVector<PassedVariable> variables;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Operation *yield = loop.getBody()->getTerminator();
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
      variables.push_back(
          {{&loop.getInitArgsMutable()[i], &yield->getOpOperand(i)}, {loop.getRegionIterArg(i), loop.getResult(i)}});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (unsigned i = 0; i < branch.getNumResults(); ++i)
      variables.push_back(
          {{&branch.thenYield()->getOpOperand(i), &branch.elseYield()->getOpOperand(i)}, {branch.getResult(i)}});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    Operation *yield = loop.getAfterBody()->getTerminator();
    for (unsigned i = 0; i < loop.getBeforeArguments().size(); ++i)
      variables.push_back({{&loop.getInitsMutable()[i], &yield->getOpOperand(i)}, {loop.getBeforeArguments()[i]}});
    for (unsigned i = 0; i < loop.getNumResults(); ++i)
      variables.push_back(
          {{&loop.getConditionOp().getArgsMutable()[i]}, {loop.getAfterArguments()[i], loop.getResult(i)}});
  }
  return variables;
}

std::optional<VariableRef> variableOf(OpOperand &use) {
  Operation *user = use.getOwner(), *parent = user->getParentOp();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return number < loop.getNumControlOperands()
               ? std::nullopt
               : std::optional<VariableRef>({user, number - loop.getNumControlOperands()});
  if (isa<scf::WhileOp>(user) || (isa<scf::YieldOp>(user) && isBranchOrLoop(parent)))
    return VariableRef{isa<scf::WhileOp>(user) ? user : parent, number};
  if (isa<scf::ConditionOp>(user) && number > 0)
    return VariableRef{parent, static_cast<unsigned>(cast<scf::WhileOp>(parent).getInits().size()) + number - 1};
  return std::nullopt;
}

std::optional<VariableRef> variableOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *op = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (isa_and_nonnull<scf::ForOp>(op) && number > 0)
      return VariableRef{op, number - 1};
    if (auto loop = dyn_cast_or_null<scf::WhileOp>(op))
      return VariableRef{
          op,
          number + (argument.getOwner() == loop.getAfterBody() ? static_cast<unsigned>(loop.getInits().size()) : 0)};
    return std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    number += loop.getInits().size();
  return isBranchOrLoop(op) ? std::optional<VariableRef>({op, number}) : std::nullopt;
}

void replaceByChoices(scf::IfOp branch, function_ref<Value(OpBuilder &, RankedTensorType)> repeat) {
  OpBuilder b(branch);
  for (Block *side : {branch.thenBlock(), branch.elseBlock()})
    for (Operation &op : llvm::make_early_inc_range(side->without_terminator()))
      op.moveBefore(branch);
  SmallVector<Value> results;
  for (auto [taken, other] : llvm::zip(branch.thenYield().getOperands(), branch.elseYield().getOperands())) {
    if (taken == other) {
      results.push_back(taken);
      continue;
    }
    auto tile = dyn_cast<RankedTensorType>(taken.getType());
    Value condition = tile ? repeat(b, tile.clone(b.getI1Type())) : branch.getCondition();
    results.push_back(arith::SelectOp::create(b, branch.getLoc(), condition, taken, other));
  }
  branch.replaceAllUsesWith(results);
  branch.erase();
}

} // namespace heddle
