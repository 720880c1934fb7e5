//===- CarryAmounts.cpp - loops carry how far, not where -----------------------===//
//
// What:  a pointer, a tile of pointers or of numbers that a loop moves by an amount that is not the same every time,
//        and alike for all its elements (`p += tl.load(jumps + i) * B`), becomes what it begins with plus a number,
//        which the loop carries: its address is then a sum that can be followed.
// Where: in loops that count (CountLoops.cpp), right before pointers are followed; amounts that are the same every time
//        are followed anyway.
// Note:  a factor that all amounts have, and the loop does not change, is left outside of the number: what is a whole
//        number of rows stays one.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace heddle::triton {

/// The scalar that all elements of `value` are; null: it is no splat.
static Value scalarOf(Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  Operation *def = value.getDefiningOp();
  if (isa_and_nonnull<BroadcastOp, ExpandDimsOp>(def))
    return scalarOf(def->getOperand(0));
  return isa_and_nonnull<SplatOp>(def) ? def->getOperand(0) : Value();
}

namespace {
/// What a loop adds to one of its variables in an iteration, each as a factor that it does not change and the rest.
struct Amounts {
  SmallVector<Value> amounts; ///< without the factor
  Value factor;               ///< null: one
};
} // namespace

/// Whether `value` is the same in all iterations.
static bool isInvariant(Value value, scf::ForOp loop) {
  SmallVector<Value> open{value};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (loop.isDefinedOutsideOfLoop(next) || !seen.insert(next).second)
      continue;
    Operation *def = next.getDefiningOp();
    if (!def || def->getNumRegions() || !isPure(def))
      return false;
    llvm::append_range(open, def->getOperands());
  }
  return true;
}

/// An amount as `rest` times what `loop` does not change; null: there is no such factor.
static std::pair<Value, Value> factored(Value amount, scf::ForOp loop) {
  if (auto product = amount.getDefiningOp<arith::MulIOp>())
    for (auto [rest, factor] : {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
      if (loop.isDefinedOutsideOfLoop(factor))
        return {rest, factor};
  return {amount, Value()};
}

static std::optional<Amounts> amountsOf(BlockArgument variable, scf::ForOp loop) {
  Value at = loop.getTiedLoopYieldedValue(variable)->get();
  Amounts result;
  bool varies = false, first = true;
  while (at != variable) {
    Operation *def = at.getDefiningOp();
    if (!isa_and_nonnull<AddPtrOp, arith::AddIOp>(def) || def->getBlock() != loop.getBody())
      return std::nullopt;
    Value next = def->getOperand(0), by = scalarOf(def->getOperand(1));
    if (isa<arith::AddIOp>(def) && !by) {
      next = def->getOperand(1);
      by = scalarOf(def->getOperand(0));
    }
    if (!by || !by.getType().isSignlessInteger() ||
        (!result.amounts.empty() && by.getType() != result.amounts[0].getType()))
      return std::nullopt;
    varies |= !isInvariant(by, loop);
    auto [rest, factor] = factored(by, loop);
    if (!first && factor != result.factor)
      return std::nullopt;
    first = false;
    result.factor = factor;
    result.amounts.push_back(rest);
    at = next;
  }
  return varies ? std::optional(result) : std::nullopt;
}

/// Where `carried` stood for a pointer or tile, that is now what it begins with, moved by `carried` times the factor.
static void replaceByMoved(OpBuilder &b, Value carried, Value begin, Value factor) {
  Location loc = carried.getLoc();
  SmallVector<OpOperand *> uses = llvm::map_to_vector(carried.getUses(), [](OpOperand &use) { return &use; });
  Value by = factor ? arith::MulIOp::create(b, loc, carried, factor).getResult() : carried;
  Type type = begin.getType();
  if (auto tile = dyn_cast<RankedTensorType>(type))
    by = SplatOp::create(b, loc, tile.clone(by.getType()), by);
  Value moved = isa<PointerType>(getElementTypeOrSelf(type)) ? AddPtrOp::create(b, loc, type, begin, by).getResult()
                                                             : arith::AddIOp::create(b, loc, begin, by).getResult();
  for (OpOperand *use : uses)
    use->set(moved);
}

static void carryAmounts(scf::ForOp loop) {
  OpBuilder b(loop);
  for (BlockArgument variable : loop.getRegionIterArgs()) {
    Type element = getElementTypeOrSelf(variable.getType());
    bool isPointer = isa<PointerType>(element);
    if (!isPointer && !(element.isSignlessInteger() && isa<RankedTensorType>(variable.getType())))
      continue;
    std::optional<Amounts> amounts = amountsOf(variable, loop);
    if (!amounts || (!isPointer && amounts->amounts[0].getType() != element))
      continue;
    Location loc = variable.getLoc();
    Value begin = loop.getTiedLoopInit(variable)->get();
    OpOperand *yielded = loop.getTiedLoopYieldedValue(variable);
    Value result = loop.getTiedLoopResult(variable), factor = amounts->factor;
    // The number takes the variable's place in the loop.
    b.setInsertionPoint(loop);
    Type number = amounts->amounts[0].getType();
    Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(number, 0));
    loop.getTiedLoopInit(variable)->set(zero);
    variable.setType(number);
    result.setType(number);
    b.setInsertionPointToStart(loop.getBody());
    replaceByMoved(b, variable, begin, factor);
    b.setInsertionPoint(yielded->getOwner());
    Value sum = variable;
    for (Value amount : amounts->amounts)
      sum = arith::AddIOp::create(b, loc, sum, amount);
    yielded->set(sum);
    b.setInsertionPointAfter(loop);
    if (!result.use_empty())
      replaceByMoved(b, result, begin, factor);
  }
}

void carryAmounts(FuncOp function) {
  function.walk([](scf::ForOp loop) { carryAmounts(loop); });
}

} // namespace heddle::triton
