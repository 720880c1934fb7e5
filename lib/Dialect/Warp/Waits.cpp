//===- Waits.cpp - from waits that name operations to counts -------------------===//
//
// Algorithm: the dots of a group are done in the order in which they were issued, so a wait for one of them may leave
//            as many in flight as were issued after it: its *age*. The ages of tokens and tiles are followed along each
//            path; where paths meet the smallest stays. Loop bodies are walked until no age falls any more. The count
//            of a wait is the smallest age of what it names.
//
//===----------------------------------------------------------------------------===//
#include "heddle/Dialect/Warp/Waits.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::warp;

namespace {

/// The age of each token and tile of which a dot may be in flight.
using Ages = DenseMap<Value, int64_t>;

/// `name` may stand for what `value` stood for in `then`. True where its age falls.
bool give(Ages &ages, Value name, const Ages &then, Value value) {
  auto given = then.find(value);
  if (given == then.end())
    return false;
  int64_t age = given->second; // `then` may be `ages`
  auto [known, isNew] = ages.insert({name, age});
  bool falls = isNew || age < known->second;
  if (falls)
    known->second = age;
  return falls;
}

template <typename Names, typename Values> bool giveAll(Ages &ages, Names names, const Ages &then, Values values) {
  bool falls = false;
  for (auto [name, value] : llvm::zip(names, values))
    falls |= give(ages, name, then, value);
  return falls;
}

class Counter {
public:
  explicit Counter(WaitCounts &counts) : counts(counts) {}

  Ages walk(Block &block, Ages ages) {
    for (Operation &op : block) {
      if (auto dot = dyn_cast<DotOp>(op)) {
        for (auto &[value, age] : ages)
          ++age;
        for (Value result : dot->getResults())
          ages[result] = 0;
      } else if (auto wait = dyn_cast<DotWaitOp>(op)) {
        count(wait, ages);
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        walkFor(loop, ages);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        walkIf(branch, ages);
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        walkWhile(loop, ages);
      }
    }
    return ages;
  }

private:
  void count(DotWaitOp wait, const Ages &ages) {
    std::optional<int64_t> &least = counts[wait];
    if (wait.getPending())
      least = *wait.getPending();
    else
      for (Value named : wait->getOperands())
        if (auto age = ages.find(named); age != ages.end())
          least = std::min(least.value_or(age->second), age->second);
  }

  // What was issued before a loop is youngest where the loop has not run: ages before it stay those of its entry.

  void walkFor(scf::ForOp loop, Ages &ages) {
    Ages entry = ages, end;
    giveAll(entry, loop.getRegionIterArgs(), ages, loop.getInitArgs());
    do
      end = walk(*loop.getBody(), entry);
    while (giveAll(entry, loop.getRegionIterArgs(), end, loop.getYieldedValues()));
    giveAll(ages, loop.getResults(), entry, loop.getInitArgs());
    giveAll(ages, loop.getResults(), end, loop.getYieldedValues());
  }

  void walkIf(scf::IfOp branch, Ages &ages) {
    Ages before = ages;
    ages = walk(*branch.thenBlock(), before);
    if (branch.getNumResults())
      giveAll(ages, branch.getResults(), ages, branch.thenYield().getOperands());
    Ages other = branch.elseBlock() ? walk(*branch.elseBlock(), before) : before;
    for (auto &[value, age] : before)
      give(ages, value, other, value);
    if (branch.getNumResults())
      giveAll(ages, branch.getResults(), other, branch.elseYield().getOperands());
  }

  void walkWhile(scf::WhileOp loop, Ages &ages) {
    Ages entry = ages, checked, end;
    giveAll(entry, loop.getBeforeArguments(), ages, loop.getInits());
    do {
      checked = walk(*loop.getBeforeBody(), entry);
      Ages inside = checked;
      giveAll(inside, loop.getAfterArguments(), checked, loop.getConditionOp().getArgs());
      end = walk(*loop.getAfterBody(), inside);
    } while (giveAll(entry, loop.getBeforeArguments(), end, loop.getYieldOp().getOperands()));
    ages = checked;
    giveAll(ages, loop.getResults(), checked, loop.getConditionOp().getArgs());
  }

  WaitCounts &counts;
};

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// `dot` with a token or without one.
DotOp rebuild(DotOp dot, bool token) {
  OpBuilder builder(dot);
  auto made =
      DotOp::create(builder, dot.getLoc(), dot.getResult().getType(),
                    token ? Type(TokenType::get(dot.getContext())) : Type(), dot.getA(), dot.getB(), dot.getAcc());
  made->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
  dot.getResult().replaceAllUsesWith(made.getResult());
  dot.erase();
  return made;
}

BitVector tokensOf(TypeRange types) {
  BitVector found(types.size());
  for (auto [i, type] : llvm::enumerate(types))
    found[i] = isa<TokenType>(type);
  return found;
}

SmallVector<Value> withoutTokens(ValueRange values) {
  return llvm::filter_to_vector(values, [](Value value) { return !isa<TokenType>(value.getType()); });
}

void eraseTokens(Block &block) {
  block.getTerminator()->eraseOperands(tokensOf(block.getTerminator()->getOperandTypes()));
  block.eraseArguments(tokensOf(block.getArgumentTypes()));
}

/// A branch or loop that passes no tokens on; nothing inside it names one any more.
void eraseTokens(Operation *op) {
  OpBuilder builder(op);
  SmallVector<Value> results = withoutTokens(op->getResults());
  SmallVector<Type> types(ValueRange(results).getTypes());
  Operation *made;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    made = scf::ForOp::create(builder, op->getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                              withoutTokens(loop.getInitArgs()));
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    made = scf::IfOp::create(builder, op->getLoc(), types, branch.getCondition());
  else
    made = scf::WhileOp::create(builder, op->getLoc(), types, withoutTokens(cast<scf::WhileOp>(op).getInits()));
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions())) {
    to.takeBody(from);
    for (Block &block : to)
      eraseTokens(block);
  }
  for (auto [from, to] : llvm::zip(results, made->getResults()))
    from.replaceAllUsesWith(to);
  op->erase();
}

bool passesTokens(Operation *op) {
  return isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op) &&
         (tokensOf(op->getResultTypes()).any() || tokensOf(op->getOperandTypes()).any());
}

void dropVacant(DotWaitOp wait) {
  wait.getResults().replaceAllUsesWith(wait.getValues());
  wait.erase();
}

struct LowerTokensPass : PassWrapper<LowerTokensPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerTokensPass)
  StringRef getArgument() const final { return "heddle-lower-tokens"; }
  StringRef getDescription() const final { return "give the waits of warp programs counts instead of tokens"; }
  void runOnOperation() final {
    getOperation()->walk([](KernelOp kernel) { lowerTokens(kernel); });
  }
};

} // namespace

WaitCounts heddle::warp::countWaits(KernelOp kernel) {
  WaitCounts counts;
  for (GroupOp group : kernel.getBody().getOps<GroupOp>())
    Counter(counts).walk(group.getBody().front(), Ages());
  return counts;
}

DotOp heddle::warp::withToken(DotOp dot) { return dot.getToken() ? dot : rebuild(dot, /*token=*/true); }

void heddle::warp::dropVacantWaits(KernelOp kernel) {
  for (auto [op, count] : countWaits(kernel))
    if (!count)
      dropVacant(cast<DotWaitOp>(op));
  kernel.walk([](DotOp dot) {
    if (dot.getToken() && dot.getToken().use_empty())
      rebuild(dot, /*token=*/false);
  });
}

void heddle::warp::lowerTokens(KernelOp kernel) {
  for (auto [op, count] : countWaits(kernel)) {
    auto wait = cast<DotWaitOp>(op);
    if (!count) {
      dropVacant(wait);
      continue;
    }
    wait.getTokensMutable().clear();
    wait.setPending(*count);
  }
  kernel.walk([](Operation *op) { // inner ones first
    if (passesTokens(op))
      eraseTokens(op);
  });
  kernel.walk([](DotOp dot) {
    if (dot.getToken())
      rebuild(dot, /*token=*/false);
  });
}

void heddle::warp::registerLowerTokensPass() { PassRegistration<LowerTokensPass>(); }
