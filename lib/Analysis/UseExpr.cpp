//===- UseExpr.cpp - Use numbers as linear expressions ----------------------===//
#include "UseExpr.h"

#include "heddle/Analysis/Differences.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {

using Shifts = ArrayRef<std::pair<Operation *, int64_t>>;

static LinearExpr combine(const LinearExpr &a, const LinearExpr &b, int64_t factor) {
  LinearExpr result = a;
  result.constant += factor * b.constant;
  for (const auto &[name, coefficient] : b.terms)
    if ((result.terms[name] += factor * coefficient) == 0)
      result.terms.erase(name);
  return result;
}

std::optional<int64_t> constantDifference(const LinearExpr &a, const LinearExpr &b) {
  LinearExpr difference = combine(a, b, -1);
  if (!difference.terms.empty())
    return std::nullopt;
  return difference.constant;
}

std::string toString(const LinearExpr &expr) {
  std::string text;
  for (const auto &[name, coefficient] : expr.terms)
    text += (text.empty() ? "" : " + ") + (coefficient == 1 ? name : std::to_string(coefficient) + "*" + name);
  if (text.empty() || expr.constant)
    text += (text.empty() ? "" : " + ") + std::to_string(expr.constant);
  return text;
}

static int64_t shiftOf(Operation *loop, Shifts shifts) {
  for (auto [op, count] : shifts)
    if (op == loop)
      return count;
  return 0;
}

std::string UseExprBuilder::nameOf(Value value) {
  return "v" + std::to_string(ids.try_emplace(value, ids.size()).first->second);
}

/// An opaque value; inside a loop that has moved on, an older instance of it is another leaf.
LinearExpr UseExprBuilder::leaf(Value value, Shifts shifts) {
  std::string name = nameOf(value);
  for (auto [loop, count] : shifts)
    if (count && loop->isAncestor(value.getParentBlock()->getParentOp()))
      name += "@" + std::to_string(count);
  LinearExpr expr;
  expr.terms[name] = 1;
  return expr;
}

LinearExpr UseExprBuilder::blockArgument(BlockArgument arg, Shifts shifts) {
  auto loop = dyn_cast_or_null<scf::ForOp>(arg.getOwner()->getParentOp());
  int64_t count = loop ? shiftOf(loop, shifts) : 0;
  if (!loop || !count)
    return leaf(arg, shifts);
  std::optional<int64_t> increment;
  if (arg == loop.getInductionVar()) {
    increment = getConstantIntValue(loop.getStep());
  } else {
    Value next = loop.getYieldedValues()[arg.getArgNumber() - 1];
    increment = constantDifference(eval(next), eval(arg));
  }
  if (!increment)
    return leaf(arg, shifts);
  LinearExpr expr = leaf(arg, {});
  expr.constant -= count * *increment;
  return expr;
}

LinearExpr UseExprBuilder::eval(Value value, Shifts shifts) {
  if (auto constant = getConstantIntValue(value)) {
    LinearExpr expr;
    expr.constant = *constant;
    return expr;
  }
  if (auto arg = dyn_cast<BlockArgument>(value))
    return blockArgument(arg, shifts);
  Operation *op = value.getDefiningOp();
  if (auto add = dyn_cast<arith::AddIOp>(op))
    return combine(eval(add.getLhs(), shifts), eval(add.getRhs(), shifts), 1);
  if (auto sub = dyn_cast<arith::SubIOp>(op))
    return combine(eval(sub.getLhs(), shifts), eval(sub.getRhs(), shifts), -1);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return eval(op->getOperand(0), shifts);
  if (auto mul = dyn_cast<arith::MulIOp>(op)) {
    LinearExpr a = eval(mul.getLhs(), shifts), b = eval(mul.getRhs(), shifts);
    if (a.terms.empty())
      std::swap(a, b);
    if (b.terms.empty())
      return combine(LinearExpr(), a, b.constant);
    LinearExpr expr;
    expr.terms["(" + toString(a) + ")*(" + toString(b) + ")"] = 1;
    return expr;
  }
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivUIOp, arith::CeilDivSIOp>(op)) {
    LinearExpr a = eval(op->getOperand(0), shifts), b = eval(op->getOperand(1), shifts), expr;
    // (e + q*c) / c = e / c + q
    if (b.terms.empty() && b.constant > 0) {
      expr.constant = llvm::divideFloorSigned(a.constant, b.constant);
      a.constant -= expr.constant * b.constant;
    }
    if (a.terms.empty() && a.constant == 0)
      return expr;
    bool ceil = isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op);
    expr.terms[(ceil ? "ceildiv(" : "div(") + toString(a) + ", " + toString(b) + ")"] = 1;
    return expr;
  }
  return leaf(value, shifts);
}

std::optional<int64_t> knownDifference(Value a, Value b) {
  UseExprBuilder expressions;
  return constantDifference(expressions.eval(a), expressions.eval(b));
}

} // namespace heddle
