//===- NormaliseElements.cpp - one form for what elements may be written as --===//
//
// What:      select (%i >= %n), constant, %x     ->  select (%i < %n), %x, constant
//            select (not %c), %x, %y             ->  select %c, %y, %x
//            %x + (- %y), %x - (- %y), - (- %x)  ->  %x - %y, %x + %y, %x
//            - (%x * splat %s)                   ->  %x * splat (- %s)
//            %x / splat %s                       ->  %x * splat (1 / %s), of f32
//            select (%x > %y or %x != %x), %x, %y  ->  arith.maximumf %x, %y, and minimumf alike
// Where:     first, on the whole program; it stays sequential and executable.
// Why:       what knows masks and scales (blocks of loops, branches around masks, scales behind maxima) knows one form
//            of each. A program that writes the other one should not be refused, or be slower.
// Which:     rules that keep every bit, but for quotients, which are products with a reciprocal for every target anyhow
//            (docs/TileDialect.md, functions), and for which of two zeros is the greater one. A comparison is turned
//            only where nothing reads it as it was; comparisons of floats never, since those turned hold for what is
//            no number.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/NormaliseElements.h"
#include "EraseUnread.h"
#include "Splats.h"

#include "heddle/Dialect/Tile/Rearrangement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
namespace heddle {
namespace {

/// x of "not x"; null: `truth` is something else.
Value negated(Value truth) {
  auto differs = truth.getDefiningOp<arith::XOrIOp>();
  if (!differs || !getElementTypeOrSelf(truth).isInteger(1))
    return {};
  for (unsigned i : {0, 1})
    if (matchPattern(differs->getOperand(i), m_One()))
      return differs->getOperand(1 - i);
  return {};
}

Value negative(Value number) {
  auto neg = number.getDefiningOp<arith::NegFOp>();
  return neg ? neg.getOperand() : Value();
}

bool isConstant(Value value) { return matchPattern(value, m_Constant()); }

/// A choice with what is masked as its first side.
bool masksFirst(arith::SelectOp choice) {
  bool least = matchPattern(choice.getTrueValue(), m_NegInfFloat());
  return isConstant(choice.getTrueValue()) && (least || !isConstant(choice.getFalseValue()));
}

/// Whether all that reads `truth` would rather have it negated.
bool isReadNegated(Value truth) {
  return !truth.use_empty() && llvm::all_of(truth.getUses(), [](OpOperand &use) {
    auto choice = dyn_cast<arith::SelectOp>(use.getOwner());
    return choice && use.getOperandNumber() == 0
               ? masksFirst(choice)
               : use.getOwner()->getNumResults() == 1 && negated(use.getOwner()->getResult(0)) == use.get();
  });
}

/// Whether `truth` can be negated by other comparisons alone; what it is made of is read by nothing else.
bool isTurnable(Value truth) {
  Operation *op = truth.getDefiningOp();
  if (isa_and_nonnull<arith::CmpIOp>(op))
    return true;
  auto isTurnableAlone = [](Value of) { return of.hasOneUse() && isTurnable(of); };
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op))
    return llvm::all_of(op->getOperands(), isTurnableAlone);
  std::optional<Rearrangement> moved = Rearrangement::of(op);
  return moved && isTurnableAlone(moved->source);
}

/// Makes what is turnable its negation, where it stands; and and or change places. Returns the value that it is then.
Value turn(Value truth) {
  Operation *op = truth.getDefiningOp();
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    compare.setPredicate(arith::invertPredicate(compare.getPredicate()));
    return truth;
  }
  for (OpOperand &operand : op->getOpOperands())
    operand.set(turn(operand.get()));
  if (!isa<arith::AndIOp, arith::OrIOp>(op))
    return truth;
  OpBuilder b(op);
  Value a = op->getOperand(0), c = op->getOperand(1);
  Value other = isa<arith::AndIOp>(op) ? arith::OrIOp::create(b, op->getLoc(), a, c).getResult()
                                       : arith::AndIOp::create(b, op->getLoc(), a, c).getResult();
  truth.replaceAllUsesWith(other);
  op->erase();
  return other;
}

/// Swaps the sides of choices by `truth`, which was turned, and lets go of its negations.
void readTurned(Value truth) {
  for (Operation *user : llvm::to_vector(truth.getUsers()))
    if (auto choice = dyn_cast<arith::SelectOp>(user)) {
      Value first = choice.getTrueValue();
      choice.getTrueValueMutable().assign(choice.getFalseValue());
      choice.getFalseValueMutable().assign(first);
    } else {
      user->getResult(0).replaceAllUsesWith(truth);
      user->erase();
    }
}

/// `value`, a splat, as what divides one.
Value reciprocalOf(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto one = [&](Type of) { return arith::ConstantOp::create(b, loc, b.getOneAttr(of)); };
  auto splat = value.getDefiningOp<tensor::SplatOp>();
  if (!splat)
    return b.createOrFold<arith::DivFOp>(loc, one(type), value);
  Value inverse = arith::DivFOp::create(b, loc, one(type.getElementType()), splat.getInput());
  return tensor::SplatOp::create(b, loc, inverse, type);
}

/// The greater or the smaller one of two numbers, and what is no number if one is none (torch.maximum, as Inductor
/// writes it); null: `choice` is something else.
Value extremeOf(OpBuilder &b, arith::SelectOp choice) {
  Value x = choice.getTrueValue(), y = choice.getFalseValue();
  auto either = choice.getCondition().getDefiningOp<arith::OrIOp>();
  using Predicate = arith::CmpFPredicate;
  for (unsigned i : {0, 1}) {
    auto compare = either ? either->getOperand(i).getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
    auto isNone = either ? either->getOperand(1 - i).getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
    if (!compare || !isNone || !llvm::is_contained({Predicate::UNE, Predicate::UNO}, isNone.getPredicate()) ||
        isNone.getLhs() != x || isNone.getRhs() != x)
      continue;
    bool greater = llvm::is_contained({Predicate::OGT, Predicate::OGE}, compare.getPredicate());
    if (!greater && !llvm::is_contained({Predicate::OLT, Predicate::OLE}, compare.getPredicate()))
      continue;
    bool isTurned = compare.getLhs() == y && compare.getRhs() == x;
    if (!isTurned && (compare.getLhs() != x || compare.getRhs() != y))
      continue;
    return greater != isTurned ? arith::MaximumFOp::create(b, choice.getLoc(), x, y).getResult()
                               : arith::MinimumFOp::create(b, choice.getLoc(), x, y).getResult();
  }
  return {};
}

/// What `op` gives in another form, made before it; null: it has the form that it should have.
Value normalised(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  if (auto choice = dyn_cast<arith::SelectOp>(op)) {
    if (Value extreme = extremeOf(b, choice))
      return extreme;
    Value other = negated(choice.getCondition());
    return other ? arith::SelectOp::create(b, loc, other, choice.getFalseValue(), choice.getTrueValue()) : Value();
  }
  if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    bool adds = isa<arith::AddFOp>(op);
    Value x = op->getOperand(0), y = op->getOperand(1);
    if (Value less = negative(y))
      return adds ? arith::SubFOp::create(b, loc, x, less).getResult()
                  : arith::AddFOp::create(b, loc, x, less).getResult();
    Value less = adds ? negative(x) : Value();
    return less ? arith::SubFOp::create(b, loc, y, less).getResult() : Value();
  }
  if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
    Value x = quotient.getLhs(), by = quotient.getRhs();
    if (!isa<RankedTensorType>(x.getType()) || !getElementTypeOrSelf(x).isF32() || !isSplat(by) || isSplat(x))
      return {};
    return arith::MulFOp::create(b, loc, x, reciprocalOf(b, loc, by));
  }
  auto neg = dyn_cast<arith::NegFOp>(op);
  if (!neg)
    return {};
  if (Value twice = negative(neg.getOperand()))
    return twice;
  auto product = neg.getOperand().getDefiningOp<arith::MulFOp>();
  for (unsigned i : {1, 0})
    if (product && product->hasOneUse() && isSplat(product->getOperand(i))) {
      Value scale = b.createOrFold<arith::NegFOp>(loc, product->getOperand(i));
      return arith::MulFOp::create(b, loc, product->getOperand(1 - i), scale);
    }
  return {};
}

} // namespace

void normaliseElements(tile::KernelOp kernel) {
  SmallVector<Operation *> ops; // in the program's order: what is read has its form
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<arith::SelectOp, arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::DivFOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (Value value = normalised(op)) {
      op->getResult(0).replaceAllUsesWith(value);
      eraseUnread(op);
    }
  SmallVector<Value> turned; // turning one leaves the others what they are: none is part of another one
  kernel.walk([&](Operation *op) {
    Value truth = op->getNumResults() == 1 ? Value(op->getResult(0)) : Value();
    if (truth && getElementTypeOrSelf(truth).isInteger(1) && isReadNegated(truth) && isTurnable(truth))
      turned.push_back(truth);
  });
  for (Value truth : turned)
    readTurned(turn(truth));
}

} // namespace heddle
