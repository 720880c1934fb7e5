//===- NestLoops.cpp - loops that count iterations of two at once ---------------===//
//
// What:  for _ in range(n * m):                         for _ in range(m):
//          k = 0 if k == n - 1 else k + 1                 head
//          if k == 0: head                        ->      for k in range(n):
//          body                                             body
//          if k == n - 1: tail                            tail
//        as kernels that take tile after tile were written to keep loads of the next tile ahead.
// Where: behind CountLoops.cpp, in front of everything that asks what loops carry. Products in a loop with
//        branches would run in the program's order; the loop around loops keeps loads ahead of tiles by itself.
// How:   a variable that the head sets anew, or leaves, is one of the outer loop; what the body changes is carried by
//        the inner loop as well. Where the tail asks for more of the last iteration than what that hands on, or than
//        can be computed again, the loop stays as it is.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace heddle::triton {
namespace {

/// Whether `value` is `count` - 1.
bool isLast(Value value, Value count) {
  APInt last, all;
  if (matchPattern(value, m_ConstantInt(&last)) && matchPattern(count, m_ConstantInt(&all)))
    return last.getSExtValue() + 1 == all.getSExtValue();
  auto sub = value.getDefiningOp<arith::SubIOp>();
  auto add = value.getDefiningOp<arith::AddIOp>();
  return (sub && sub.getLhs() == count && isConstantIntValue(sub.getRhs(), 1)) ||
         (add && add.getLhs() == count && isConstantIntValue(add.getRhs(), -1));
}

/// `left` == a number that `isRight` accepts, and that is left in `right`.
template <typename Test> bool isEqual(Value condition, Value left, Test isRight, Value *right = nullptr) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq || compare.getLhs() != left ||
      !isRight(compare.getRhs()))
    return false;
  if (right)
    *right = compare.getRhs();
  return true;
}

class Nest {
public:
  explicit Nest(scf::ForOp loop) : loop(loop), yield(cast<scf::YieldOp>(loop.getBody()->getTerminator())) {}

  bool run() { return matches() && isDivided() && build(); }

private:
  /// A choice by whether an iteration is the first or the last one of the inner loop: what it is then, and else.
  struct Choice {
    Value result, then, otherwise;
  };

  bool matches() {
    if (!isConstantIntValue(loop.getLowerBound(), 0) || !isConstantIntValue(loop.getStep(), 1) ||
        !loop.getInductionVar().use_empty())
      return false;
    auto product = loop.getUpperBound().getDefiningOp<arith::MulIOp>();
    for (auto [argument, next] : llvm::zip_equal(loop.getRegionIterArgs(), yield.getOperands()))
      for (bool first : {true, false})
        if (Operation *made = product ? next.getDefiningOp() : nullptr;
            isa_and_nonnull<arith::SelectOp, scf::IfOp>(made) && made->getBlock() == loop.getBody()) {
          count = first ? product.getLhs() : product.getRhs();
          times = first ? product.getRhs() : product.getLhs();
          if (isCounter(argument, made))
            return true;
        }
    return false;
  }

  bool isCounter(BlockArgument argument, Operation *made) {
    SmallVector<Choice> choices;
    note(made, choices);
    auto next = choices.front().otherwise.getDefiningOp<arith::AddIOp>();
    bool counts = choices.size() == 1 && isConstantIntValue(choices.front().then, 0) && next &&
                  next.getLhs() == argument && isConstantIntValue(next.getRhs(), 1) && isMemoryEffectFree(made) &&
                  isEqual(made->getOperand(0), argument, [&](Value v) { return isLast(v, count); }, &last);
    Value init = loop.getTiedLoopInit(argument)->get();
    if (!counts || argument.getType() != loop.getInductionVar().getType() ||
        !(isConstantIntValue(init, -1) || isLast(init, count)) || !loop.getTiedLoopResult(argument).use_empty())
      return false;
    number = argument.getArgNumber() - 1;
    position = choices.front().result;
    return true;
  }

  /// Whether the inner loop does what `op` does: count.
  bool isOfCounter(Operation *op) {
    return op == position.getDefiningOp() || llvm::is_contained(op->getOperands(), loop.getRegionIterArg(number));
  }

  /// Sorts the operations of the body. False: something stands where it cannot.
  bool isDivided() {
    bool afterTail = false, begun = false;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isOfCounter(&op))
        continue; // the inner loop does it
      Value condition = isa<scf::IfOp, arith::SelectOp>(op) ? op.getOperand(0) : Value();
      bool isHead = condition && isEqual(condition, position, [](Value v) { return isConstantIntValue(v, 0); });
      bool isTail = condition && isEqual(condition, position, [&](Value v) { return v == last || isLast(v, count); });
      bool isFree = isPure(&op) && !op.getNumRegions();
      if (isHead || isTail) {
        if (isHead && (begun || afterTail) && !isFree)
          return false;
        (isHead ? head : tail).push_back(&op);
        afterTail |= isTail;
        note(&op, isHead ? headChoices : tailChoices);
      } else if (afterTail && !isFree) {
        return false;
      } else {
        begun |= !isFree;
        body.push_back(&op);
      }
    }
    auto counts = [&](Operation *user) { return position.getDefiningOp()->isAncestor(user); };
    return llvm::all_of(loop.getRegionIterArg(number).getUsers(),
                        [&](Operation *user) { return counts(user) || llvm::all_of(user->getUsers(), counts); });
  }

  static void note(Operation *op, SmallVector<Choice> &choices) {
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      choices.push_back({select, select.getTrueValue(), select.getFalseValue()});
      return;
    }
    auto branch = cast<scf::IfOp>(op);
    for (OpResult result : branch.getResults())
      choices.push_back({result, branch.thenYield().getOperand(result.getResultNumber()),
                         branch.elseYield().getOperand(result.getResultNumber())});
  }

  static const Choice *find(ArrayRef<Choice> choices, Value result) {
    auto it = llvm::find_if(choices, [&](const Choice &choice) { return choice.result == result; });
    return it == choices.end() ? nullptr : it;
  }

  /// `value` where `map` gives what of the loop's body is known; computed again where nothing hinders. Null: unknown.
  Value known(OpBuilder &b, IRMapping &map, Value value) {
    Operation *op = value.getDefiningOp();
    if (map.contains(value) || !loop->isAncestor(value.getParentRegion()->getParentOp()))
      return map.lookupOrDefault(value);
    if (!op || op->getBlock() != loop.getBody() || !isPure(op) || op->getNumRegions())
      return {};
    for (Value operand : op->getOperands())
      if (!map.contains(operand)) {
        Value made = known(b, map, operand);
        if (!made)
          return {};
        map.map(operand, made);
      }
    return b.clone(*op, map)->getResult(llvm::find(op->getResults(), value) - op->result_begin());
  }

  /// What `op`, or its side for the case that is met, uses from the loop's body is known then.
  bool knowOperands(OpBuilder &b, IRMapping &map, Operation *op) {
    auto isKnown = [&](Value value) {
      Value made = known(b, map, value);
      if (made)
        map.map(value, made);
      return made != Value();
    };
    auto inside = [&](Value value) { return op->isAncestor(value.getParentRegion()->getParentOp()); };
    if (!isa<scf::IfOp>(op))
      return isKnown(op->getOperand(1));
    return !cast<scf::IfOp>(op)
                .getThenRegion()
                .walk([&](Operation *inner) {
                  for (Value value : inner->getOperands())
                    if (!inside(value) && !isKnown(value))
                      return WalkResult::interrupt();
                  return WalkResult::advance();
                })
                .wasInterrupted();
  }

  /// Puts what `choices`' operations do when their case is met in front of `b`.
  bool meet(OpBuilder &b, IRMapping &map, ArrayRef<Operation *> ops, ArrayRef<Choice> choices) {
    for (Operation *op : ops) {
      if (!knowOperands(b, map, op))
        return false;
      if (auto branch = dyn_cast<scf::IfOp>(op))
        for (Operation &inner : branch.thenBlock()->without_terminator())
          b.clone(inner, map);
      for (Value result : op->getResults())
        map.map(result, map.lookupOrDefault(find(choices, result)->then));
    }
    return true;
  }

  bool build();

  scf::ForOp loop;
  scf::YieldOp yield;
  Value count, times, last, position; ///< of the inner and the outer loop; n - 1; what the inner loop counts
  unsigned number = 0;                ///< of the variable that counts
  SmallVector<Operation *> head, body, tail;
  SmallVector<Choice> headChoices, tailChoices;
};

bool Nest::build() {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  Type type = loop.getInductionVar().getType();
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value)).getResult();
  };
  Value zero = constant(0), one = constant(1);
  Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, count, zero);
  Value outerTimes = arith::SelectOp::create(b, loc, any, times, zero);
  SmallVector<Value> inits;
  SmallVector<unsigned> variables; // all but the one that counts
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
    if (i != number)
      inits.push_back(init), variables.push_back(i);
  auto outer = scf::ForOp::create(b, loc, zero, outerTimes, one, inits);
  auto giveUp = [&] { return outer.erase(), false; };
  b.setInsertionPointToStart(outer.getBody());

  IRMapping map;
  map.map(position, zero);
  for (auto [i, argument] : llvm::zip_equal(variables, outer.getRegionIterArgs()))
    map.map(loop.getRegionIterArg(i), argument);
  if (!meet(b, map, head, headChoices))
    return giveUp();

  // What the head sets or leaves is the variable from there on.
  SmallVector<Value> entering(loop.getNumRegionIterArgs());
  DenseMap<Value, unsigned> variableOf;
  for (unsigned i : variables) {
    variableOf[loop.getRegionIterArg(i)] = i;
    entering[i] = map.lookup(loop.getRegionIterArg(i));
  }
  for (const Choice &choice : headChoices) {
    auto it = variableOf.find(choice.otherwise);
    auto argument = dyn_cast<BlockArgument>(choice.otherwise);
    bool isSetHere = argument && it != variableOf.end() && llvm::all_of(argument.getUsers(), [&](Operation *user) {
                       return llvm::any_of(head, [&](Operation *op) { return op->isAncestor(user); });
                     });
    if (!isSetHere)
      return giveUp();
    entering[it->second] = map.lookup(choice.result);
    variableOf[choice.result] = it->second;
  }

  SmallVector<unsigned> carried;
  SmallVector<Value> begins, nexts; // of an iteration that is not the last one
  for (unsigned i : variables) {
    Value next = yield.getOperand(i);
    const Choice *choice = find(tailChoices, next);
    Value inside = choice ? choice->otherwise : next;
    if (auto it = variableOf.find(inside); it != variableOf.end() && it->second == i)
      continue;
    carried.push_back(i);
    begins.push_back(entering[i]);
    nexts.push_back(inside);
  }
  auto inner = scf::ForOp::create(b, loc, zero, count, one, begins);
  inner->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  IRMapping inside;
  inside.map(position, inner.getInductionVar());
  for (auto [value, i] : variableOf) {
    auto it = llvm::find(carried, i);
    inside.map(value, it == carried.end() ? entering[i] : Value(inner.getRegionIterArg(it - carried.begin())));
  }
  OpBuilder in = OpBuilder::atBlockBegin(inner.getBody());
  if (!inner.getBody()->empty())
    inner.getBody()->getTerminator()->erase();
  in.setInsertionPointToEnd(inner.getBody());
  DenseSet<Value> ofTail;
  for (Operation *op : body) {
    // Beside the tail: what only it uses is computed there.
    bool late = llvm::any_of(op->getOperands(), [&](Value v) { return find(tailChoices, v) || ofTail.contains(v); });
    if (late) {
      ofTail.insert(op->result_begin(), op->result_end());
      continue;
    }
    in.clone(*op, inside);
  }
  SmallVector<Value> handed;
  for (Value next : nexts) {
    if (ofTail.contains(next))
      return giveUp();
    handed.push_back(inside.lookupOrDefault(next));
  }
  scf::YieldOp::create(in, loc, handed);

  b.setInsertionPointAfter(inner);
  IRMapping after;
  after.map(position, last);
  if (Operation *made = last.getDefiningOp(); made && loop->isAncestor(made))
    after.map(position, arith::SubIOp::create(b, loc, count, one).getResult());
  for (auto [value, i] : variableOf)
    if (!llvm::is_contained(carried, i))
      after.map(value, entering[i]);
  for (auto [next, result] : llvm::zip_equal(nexts, inner.getResults()))
    if (!after.contains(next))
      after.map(next, result);
  if (!meet(b, after, tail, tailChoices))
    return giveUp();
  SmallVector<Value> leaving;
  for (unsigned i : variables) {
    leaving.push_back(known(b, after, yield.getOperand(i)));
    if (!leaving.back())
      return giveUp();
  }
  if (!outer.getBody()->empty() && outer.getBody()->back().hasTrait<OpTrait::IsTerminator>())
    outer.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(outer.getBody());
  scf::YieldOp::create(b, loc, leaving);
  for (auto [i, result] : llvm::zip_equal(variables, outer.getResults()))
    loop.getResult(i).replaceAllUsesWith(result);
  for (auto [i, argument] : llvm::zip_equal(variables, outer.getRegionIterArgs()))
    argument.setLoc(loop.getRegionIterArg(i).getLoc());
  loop.erase();
  return true;
}
} // namespace

void nestLoops(FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    (void)Nest(loop).run();
}

} // namespace heddle::triton
