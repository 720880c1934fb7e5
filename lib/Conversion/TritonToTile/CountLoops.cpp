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

/// What stands for the counter behind `loop`, in place of its results: `upliftWhileToForLoop` gives the number of the
/// last iteration there, where the loop as written gives the one that ended it.
static SmallVector<Operation *> markEnds(OpBuilder &builder, scf::WhileOp loop, Value counter) {
  SmallVector<Operation *> marks;
  builder.setInsertionPointAfter(loop);
  for (auto [result, passed] : llvm::zip_equal(loop.getResults(), loop.getConditionOp().getArgs())) {
    if (passed != counter || result.use_empty())
      continue;
    auto mark = BitcastOp::create(builder, loop.getLoc(), result.getType(), result);
    result.replaceAllUsesExcept(mark.getResult(), mark);
    marks.push_back(mark);
  }
  return marks;
}

/// The first number from the loop's beginning on, in its steps, that is not below its end.
static Value endOf(OpBuilder &builder, scf::ForOp loop) {
  Location loc = loop.getLoc();
  builder.setInsertionPointAfter(loop);
  Value begin = loop.getLowerBound(), step = loop.getStep();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(begin.getType(), 0));
  Value distance = arith::SubIOp::create(builder, loc, loop.getUpperBound(), begin);
  Value least = arith::MaxSIOp::create(builder, loc, distance, zero);
  Value trips = arith::CeilDivSIOp::create(builder, loc, least, step);
  return arith::AddIOp::create(builder, loc, begin, arith::MulIOp::create(builder, loc, trips, step));
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
    SmallVector<Operation *> marks = markEnds(rewriter, loop, counter);
    rewriter.setInsertionPoint(loop);
    FailureOr<scf::ForOp> made = scf::upliftWhileToForLoop(rewriter, loop);
    for (Operation *mark : marks) {
      rewriter.replaceAllUsesWith(mark->getResult(0), failed(made) ? mark->getOperand(0) : endOf(rewriter, *made));
      rewriter.eraseOp(mark);
    }
    if (failed(made) || made->getBody()->getNumArguments() != names.size())
      continue; // it does not count, or has been given other variables
    for (auto [argument, name] : llvm::zip(made->getBody()->getArguments(), names))
      argument.setLoc(name);
  }
  function.walk(beginAtZero);
}

} // namespace heddle::triton
