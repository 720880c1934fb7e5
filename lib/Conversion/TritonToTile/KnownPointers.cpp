//===- KnownPointers.cpp - arguments point to something -------------------------===//
//
// What:  `if bias:` of a pointer argument (tt.ptr_to_int, compared with zero) is decided: Triton makes another kernel
//        of a call that passes None. Branches on constants are the side that is taken.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle::triton {

/// Whether `compare` asks if an argument's address is zero or not.
static bool comparesWithNull(arith::CmpIOp compare) {
  auto address = compare.getLhs().getDefiningOp<PtrToIntOp>();
  bool equality =
      compare.getPredicate() == arith::CmpIPredicate::eq || compare.getPredicate() == arith::CmpIPredicate::ne;
  auto argument = address ? dyn_cast<BlockArgument>(address->getOperand(0)) : nullptr;
  return argument && isa<FuncOp>(argument.getOwner()->getParentOp()) && argument.getOwner()->isEntryBlock() &&
         equality && matchPattern(compare.getRhs(), m_Zero());
}

static void takeSide(scf::IfOp branch) {
  APInt condition;
  if (!matchPattern(branch.getCondition(), m_ConstantInt(&condition)))
    return;
  Region &side = condition.isZero() ? branch.getElseRegion() : branch.getThenRegion();
  if (!side.empty()) {
    branch.replaceAllUsesWith(side.front().getTerminator()->getOperands());
    for (Operation &op : llvm::make_early_inc_range(side.front().without_terminator()))
      op.moveBefore(branch);
  }
  branch.erase();
}

void knowPointers(FuncOp function) {
  bool found = false;
  function.walk([&](arith::CmpIOp compare) {
    if (!comparesWithNull(compare))
      return;
    auto address = compare.getLhs().getDefiningOp<PtrToIntOp>();
    OpBuilder builder(compare);
    compare.replaceAllUsesWith(
        arith::ConstantIntOp::create(builder, compare.getLoc(), compare.getPredicate() == arith::CmpIPredicate::ne, 1)
            .getResult());
    compare.erase();
    if (address->use_empty())
      address->erase();
    found = true;
  });
  if (found)
    function.walk(takeSide);
}

} // namespace heddle::triton
