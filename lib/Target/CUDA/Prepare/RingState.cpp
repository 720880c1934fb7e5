//===- RingState.cpp - see RingState.h ------------------------------------------===//
#include "RingState.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace heddle;

namespace {

/// What a loop computes of one use number and one depth.
struct State {
  SmallVector<Operation *> slots, parities, turns;
};

/// Whether `value` is the counter of `loop` plus what the loop does not change: goes up by one a trip.
bool countsUp(Value value, scf::ForOp loop, SmallVectorImpl<Operation *> &chain) {
  if (value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) || op->getBlock() != loop.getBody())
    return false;
  Value left = op->getOperand(0), right = op->getOperand(1);
  bool onLeft = loop.isDefinedOutsideOfLoop(right) || matchPattern(right, m_Constant());
  bool onRight = isa<arith::AddIOp>(op) && (loop.isDefinedOutsideOfLoop(left) || matchPattern(left, m_Constant()));
  if (onLeft == onRight || !countsUp(onLeft ? left : right, loop, chain))
    return false;
  chain.push_back(op);
  return true;
}

void advanceIn(scf::ForOp loop) {
  APInt one;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&one)) || !one.isOne())
    return;
  llvm::MapVector<std::pair<Value, int64_t>, State> states;
  for (Operation &op : loop.getBody()->without_terminator()) {
    APInt depth, lowest;
    if (!isa<arith::RemUIOp, arith::DivUIOp>(op) || !matchPattern(op.getOperand(1), m_ConstantInt(&depth)) ||
        depth.isPowerOf2() || !depth.isStrictlyPositive())
      continue;
    State &state = states[{op.getOperand(0), depth.getSExtValue()}];
    if (isa<arith::RemUIOp>(op)) {
      state.slots.push_back(&op);
      continue;
    }
    state.turns.push_back(&op);
    for (Operation *user : op.getUsers())
      state.parities.push_back(isa<arith::AndIOp>(user) && matchPattern(user->getOperand(1), m_ConstantInt(&lowest)) &&
                                       lowest.isOne()
                                   ? user
                                   : nullptr);
  }
  IRRewriter rewriter(loop.getContext());
  for (auto &[key, state] : states) {
    if (state.slots.empty() || llvm::is_contained(state.parities, nullptr))
      continue;
    int64_t depth = key.second;
    Value use = state.slots.front()->getOperand(0); // the key's is gone where the loop was replaced for another ring
    SmallVector<Operation *> chain;
    if (!countsUp(use, loop, chain))
      continue;
    // Slot and parity of the first trip.
    rewriter.setInsertionPoint(loop);
    Location loc = use.getLoc();
    auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(rewriter, loc, value).getResult(); };
    IRMapping first;
    first.map(loop.getInductionVar(), loop.getLowerBound());
    for (Operation *op : chain) {
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && matchPattern(operand, m_Constant()))
          first.map(operand, rewriter.clone(*def)->getResult(0));
      rewriter.clone(*op, first);
    }
    Value start = first.lookup(use);
    SmallVector<Value> inits{arith::RemUIOp::create(rewriter, loc, start, constant(depth))};
    Value turn = arith::DivUIOp::create(rewriter, loc, start, constant(depth));
    inits.push_back(arith::AndIOp::create(rewriter, loc, turn, constant(1)));
    auto advance = [&](OpBuilder &b, Location at, ArrayRef<BlockArgument> args) {
      return SmallVector<Value>(hw::AdvanceOp::create(b, at, args[0], args[1], depth)->getResults());
    };
    auto name = [&](StringRef text) { return NameLoc::get(rewriter.getStringAttr(text), loc); };
    SmallVector<Location> names;
    for (BlockArgument argument : loop.getBody()->getArguments())
      names.push_back(argument.getLoc());
    FailureOr<LoopLikeOpInterface> longer =
        loop.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, advance);
    if (failed(longer))
      return;
    loop = cast<scf::ForOp>(longer->getOperation());
    for (auto [argument, loc] : llvm::zip(loop.getBody()->getArguments(), names)) // what the program calls them
      argument.setLoc(loc);
    BlockArgument slot = *std::prev(loop.getRegionIterArgs().end(), 2), parity = loop.getRegionIterArgs().back();
    slot.setLoc(name("slot"));
    parity.setLoc(name("parity"));
    for (auto [ops, value] : {std::pair{&state.slots, slot}, std::pair{&state.parities, parity}})
      for (Operation *op : *ops) {
        op->getResult(0).replaceAllUsesWith(value);
        op->erase();
      }
    for (Operation *op : state.turns)
      op->erase();
  }
}

} // namespace

void cuda::advanceRings(hw::KernelOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (loop->getParentOfType<hw::RoleOp>())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) // inner ones first: no loop that is still to come is replaced
    advanceIn(loop);
}
