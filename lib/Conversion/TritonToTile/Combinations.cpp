//===- Combinations.cpp - see Combinations.h --------------------------------===//
#include "Combinations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace heddle::triton {

/// 1: `op` compares whether `a` is greater than `b`; -1: less; 0: something else.
static int orderOf(Value op, Value a, Value b) {
  int sign = 0;
  Value left, right;
  if (auto cmp = op.getDefiningOp<arith::CmpFOp>()) {
    left = cmp.getLhs(), right = cmp.getRhs();
    sign = cmp.getPredicate() == arith::CmpFPredicate::OGT   ? 1
           : cmp.getPredicate() == arith::CmpFPredicate::OLT ? -1
                                                             : 0;
  } else if (auto cmp = op.getDefiningOp<arith::CmpIOp>()) {
    left = cmp.getLhs(), right = cmp.getRhs();
    sign = cmp.getPredicate() == arith::CmpIPredicate::sgt   ? 1
           : cmp.getPredicate() == arith::CmpIPredicate::slt ? -1
                                                             : 0;
  }
  return left == a && right == b ? sign : left == b && right == a ? -sign : 0;
}

/// `value` is true where `number` is NaN.
static bool isTestOfNaN(Value value, Value number) {
  auto cmp = value.getDefiningOp<arith::CmpFOp>();
  return cmp && cmp.getLhs() == number && cmp.getRhs() == number &&
         (cmp.getPredicate() == arith::CmpFPredicate::UNE || cmp.getPredicate() == arith::CmpFPredicate::UNO);
}

/// The greater or the lesser of two, as (a > b or a is NaN) ? a : b, which is NaN where one of them is, or of integers
/// a > b ? a : b.
static std::optional<tile::FoldKind> chosenOf(Block &block) {
  Value a = block.getArgument(0), b = block.getArgument(1);
  auto chosen = block.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  if (!chosen || chosen.getTrueValue() != a || chosen.getFalseValue() != b)
    return std::nullopt;
  Value greater = chosen.getCondition();
  if (auto either = greater.getDefiningOp<arith::OrIOp>())
    greater = isTestOfNaN(either.getRhs(), a)   ? either.getLhs()
              : isTestOfNaN(either.getLhs(), a) ? either.getRhs()
                                                : Value();
  else if (isa<FloatType>(a.getType()))
    return std::nullopt;
  int order = greater ? orderOf(greater, a, b) : 0;
  if (order == 0)
    return std::nullopt;
  return order > 0 ? tile::FoldKind::Max : tile::FoldKind::Min;
}

std::optional<tile::FoldKind> kindOf(Region &combination) {
  Block &block = combination.front();
  if (block.getNumArguments() != 2)
    return std::nullopt;
  Operation *op = &block.front();
  bool plain = llvm::hasNItems(block, 2) && op->getNumOperands() == 2 &&
               block.getTerminator()->getOperands() == op->getResults() &&
               ((op->getOperand(0) == block.getArgument(0) && op->getOperand(1) == block.getArgument(1)) ||
                (op->getOperand(1) == block.getArgument(0) && op->getOperand(0) == block.getArgument(1)));
  return plain ? tile::foldOf(op) : chosenOf(block);
}

static bool isEqual(Value op, Value a, Value b) {
  auto floats = op.getDefiningOp<arith::CmpFOp>();
  auto integers = op.getDefiningOp<arith::CmpIOp>();
  if (!(floats && floats.getPredicate() == arith::CmpFPredicate::OEQ) &&
      !(integers && integers.getPredicate() == arith::CmpIPredicate::eq))
    return false;
  Operation *cmp = op.getDefiningOp();
  return (cmp->getOperand(0) == a && cmp->getOperand(1) == b) || (cmp->getOperand(0) == b && cmp->getOperand(1) == a);
}

std::optional<Extreme> extremeOf(ReduceOp reduce) {
  Block &block = reduce.getCombineOp().front();
  Operation *results = block.getTerminator();
  if (block.getNumArguments() != 4 || results->getNumOperands() != 2)
    return std::nullopt;
  Value v = block.getArgument(0), i = block.getArgument(1), w = block.getArgument(2), j = block.getArgument(3);
  auto value = results->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto number = results->getOperand(1).getDefiningOp<arith::SelectOp>();
  if (!value || !number || value.getCondition() != number.getCondition() || value.getTrueValue() != v ||
      value.getFalseValue() != w || number.getTrueValue() != i || number.getFalseValue() != j)
    return std::nullopt;
  Value condition = value.getCondition();
  tile::FoldKind among = tile::FoldKind::Max;
  if (auto either = condition.getDefiningOp<arith::OrIOp>()) {
    for (auto [strict, tie] :
         {std::pair(either.getLhs(), either.getRhs()), std::pair(either.getRhs(), either.getLhs())})
      if (auto both = tie.getDefiningOp<arith::AndIOp>())
        if ((isEqual(both.getLhs(), v, w) && orderOf(both.getRhs(), i, j) == -1) ||
            (isEqual(both.getRhs(), v, w) && orderOf(both.getLhs(), i, j) == -1)) {
          condition = strict;
          among = tile::FoldKind::Min;
        }
  }
  int order = orderOf(condition, v, w);
  if (order == 0 || !j.getType().isInteger())
    return std::nullopt;
  return Extreme{order > 0 ? tile::FoldKind::Max : tile::FoldKind::Min, among};
}

} // namespace heddle::triton
