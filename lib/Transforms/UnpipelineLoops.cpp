//===- UnpipelineLoops.cpp - what is computed an iteration ahead, in its own ===//
//
// What:      a loop that was pipelined by hand becomes the sequential one. Where a variable begins as f(lower bound)
//            and every iteration i yields f(i + step), it is f(i) in iteration i: f moves to its reader, and with it
//            goes what the first value took and what the last iteration computed for nobody.
// Where:     first of all, on the whole program, so that every decision is about the sequential loop: which iteration
//            computes what is the schedule's to say. Not where iterations must not overlap: the order is the author's
//            then.
// Takes:     f of loads of memory that the kernel does not store to and of operations without effect, whose operations
//            no plan pins (a label is no pin), where nobody reads the variable behind the loop.
// Algorithm: the two expressions are compared operation by operation, with i + step for the lower bound; numbers that
//            are constants there are compared by value. All variables of a loop share the copies.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/UnpipelineLoops.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Transforms/NormaliseLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
namespace heddle {

namespace {

/// One loop, and what its iterations compute for the next one.
class Ahead {
public:
  explicit Ahead(scf::ForOp loop) : loop(loop) {}

  /// Whether `later`, of iteration i, is for i + step what `first`, of before the loop, is for the lower bound.
  bool matches(Value first, Value later);

  /// `later` for iteration i, computed at the beginning of the body.
  Value inItsOwn(Value later);

private:
  /// i + step.
  bool isNext(Value value) {
    auto sum = value.getDefiningOp<arith::AddIOp>();
    Value counter = loop.getInductionVar();
    return sum &&
           ((sum.getLhs() == counter && isStep(sum.getRhs())) || (sum.getRhs() == counter && isStep(sum.getLhs())));
  }
  bool isStep(Value value) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    return value == loop.getStep() || (step && getConstantIntValue(value) == step);
  }
  /// The number that `later` is where i + step is the lower bound.
  std::optional<int64_t> atFirst(Value later);
  std::optional<int64_t> findAtFirst(Value later);
  bool inBody(Value value) { return value.getParentBlock() == loop.getBody(); }

  scf::ForOp loop;
  llvm::DenseSet<std::pair<Value, Value>> matched;
  llvm::DenseMap<Value, std::optional<int64_t>> firsts; // each asked once: operands may stand for many
  IRMapping copies;
  Operation *lastCopy = nullptr;
};

/// Operations that may run in another iteration: without effect, or loads of memory that the kernel does not store to.
bool mayMove(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  if (load ? tile::isStored(load.getView()) : !isMemoryEffectFree(op))
    return false;
  auto pins = op->getAttrOfType<DictionaryAttr>(planAttr);
  return !op->getNumRegions() &&
         (!pins || llvm::all_of(pins, [](NamedAttribute pin) { return pin.getName() == "label"; }));
}

/// Without labels, which name different operations.
SmallVector<NamedAttribute> meaningOf(Operation *op) {
  return llvm::filter_to_vector(op->getAttrs(), [](NamedAttribute attr) { return attr.getName() != planAttr; });
}

} // namespace

std::optional<int64_t> Ahead::atFirst(Value later) {
  if (auto known = firsts.find(later); known != firsts.end())
    return known->second;
  std::optional<int64_t> found = findAtFirst(later);
  firsts[later] = found;
  return found;
}

std::optional<int64_t> Ahead::findAtFirst(Value later) {
  if (std::optional<int64_t> constant = getConstantIntValue(later))
    return constant;
  if (isNext(later))
    return getConstantIntValue(loop.getLowerBound());
  Operation *op = later.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<int64_t> x = atFirst(op->getOperand(0)), y = atFirst(op->getOperand(1));
  int64_t result = 0;
  bool overflows = !x || !y ||
                   (isa<arith::AddIOp>(op)   ? llvm::AddOverflow(*x, *y, result)
                    : isa<arith::SubIOp>(op) ? llvm::SubOverflow(*x, *y, result)
                                             : llvm::MulOverflow(*x, *y, result));
  return overflows ? std::nullopt : std::optional(result);
}

bool Ahead::matches(Value first, Value later) {
  if (matched.contains({first, later}))
    return true;
  if (first.getType() != later.getType())
    return false;
  std::optional<int64_t> number = getConstantIntValue(first);
  bool same =
      first == later || (isNext(later) && first == loop.getLowerBound()) || (number && atFirst(later) == number);
  auto from = dyn_cast<OpResult>(first), to = dyn_cast<OpResult>(later);
  if (!same) {
    if (!from || !to || from.getResultNumber() != to.getResultNumber())
      return false;
    Operation *a = from.getOwner(), *b = to.getOwner();
    if (a->getName() != b->getName() || !mayMove(a) || !mayMove(b) || meaningOf(a) != meaningOf(b) ||
        a->getNumOperands() != b->getNumOperands() ||
        !llvm::all_of(llvm::zip(a->getOperands(), b->getOperands()),
                      [&](auto pair) { return matches(std::get<0>(pair), std::get<1>(pair)); }))
      return false;
  }
  matched.insert({first, later});
  return true;
}

Value Ahead::inItsOwn(Value later) {
  if (isNext(later))
    return loop.getInductionVar();
  if (!inBody(later))
    return later;
  if (Value copy = copies.lookupOrNull(later))
    return copy;
  Operation *op = later.getDefiningOp();
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value v) { return inItsOwn(v); });
  // Behind the copies that were made before, so that operands come first.
  OpBuilder b(loop.getContext());
  if (lastCopy)
    b.setInsertionPointAfter(lastCopy);
  else
    b.setInsertionPointToStart(loop.getBody());
  lastCopy = b.clone(*op);
  lastCopy->setOperands(operands);
  copies.map(op->getResults(), lastCopy->getResults());
  return copies.lookup(later);
}

bool unpipelineLoops(tile::KernelOp kernel) {
  bool changed = false;
  kernel.walk([&](scf::ForOp loop) {
    Ahead ahead(loop);
    for (auto [n, init, yielded] : llvm::enumerate(loop.getInitArgs(), loop.getYieldedValues())) {
      BlockArgument variable = loop.getRegionIterArg(n);
      if (variable.use_empty() || !loop.getResult(n).use_empty() || !ahead.matches(init, yielded))
        continue;
      variable.replaceAllUsesWith(ahead.inItsOwn(yielded));
      loop.getBody()->getTerminator()->setOperand(n, variable); // normaliseLoops lets it go
      changed = true;
    }
  });
  if (changed)
    normaliseLoops(kernel);
  return changed;
}

} // namespace heddle
