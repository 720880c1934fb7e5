//===- CountLoops.cpp - loops that count become scf.for -----------------------===//
//
// What:  `while i < n: ...; i += step` (scf.while) -> scf.for, whose pointers are followed and whose operations are
//        scheduled. MLIR's uplift decides which loops these are: the condition is one comparison, the step is the same
//        throughout.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace heddle::triton {

/// The variable that the condition compares; null: it compares none.
static Value counterOf(scf::WhileOp loop) {
  Operation *condition = loop.getConditionOp().getCondition().getDefiningOp();
  if (!condition)
    return {};
  for (Value operand : condition->getOperands())
    if (llvm::is_contained(loop.getBeforeArguments(), operand))
      return operand;
  return {};
}

void countLoops(FuncOp function) {
  SmallVector<scf::WhileOp> loops;
  function.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  IRRewriter rewriter(function.getContext());
  for (scf::WhileOp loop : loops) { // inner ones first
    SmallVector<Location> names;    // what the author calls the variables, the counter first
    Value counter = counterOf(loop);
    for (BlockArgument argument : loop.getBeforeArguments())
      names.insert(argument == counter ? names.begin() : names.end(), argument.getLoc());
    rewriter.setInsertionPoint(loop);
    FailureOr<scf::ForOp> made = scf::upliftWhileToForLoop(rewriter, loop);
    if (failed(made) || made->getBody()->getNumArguments() != names.size())
      continue; // it does not count, or has been given other variables
    for (auto [argument, name] : llvm::zip(made->getBody()->getArguments(), names))
      argument.setLoc(name);
  }
}

} // namespace heddle::triton
