//===- CountLoops.cpp - loops that count become scf.for -----------------------===//
//
// What:  `while i < n: ...; i += step` (scf.while) -> scf.for, whose pointers are followed and whose operations are
//        scheduled. MLIR's uplift decides which loops these are: the condition is one comparison, the step is the same
//        throughout. Loops that begin at a negative constant, as Triton writes those that descend, begin at zero, so
//        that counters are not negative.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
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

static void beginAtZero(scf::ForOp loop) {
  APInt begin;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&begin)) || !begin.isNegative())
    return;
  OpBuilder builder(loop);
  Value from = loop.getLowerBound();
  loop.setUpperBound(arith::SubIOp::create(builder, loop.getLoc(), loop.getUpperBound(), from));
  loop.setLowerBound(arith::ConstantOp::create(builder, loop.getLoc(), builder.getIntegerAttr(from.getType(), 0)));
  builder.setInsertionPointToStart(loop.getBody());
  Value counter = loop.getInductionVar();
  auto moved = arith::AddIOp::create(builder, counter.getLoc(), counter, from);
  counter.replaceAllUsesExcept(moved, moved);
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
  function.walk(beginAtZero);
}

} // namespace heddle::triton
