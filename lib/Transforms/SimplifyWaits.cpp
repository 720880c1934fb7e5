//===- SimplifyWaits.cpp - removes synchronisation that does nothing --------===//
//
// What:   warp program -> the same without waits that retire nothing, and without fences and barriers that order
//         nothing.
// Where:  after TileToWarp and the protocol verifier, before the dry run and the lowering to hw.
// How:    the protocol verifier's abstract interpreter says what is idle. A tile named by an idle dot_wait was retired
//         by an earlier wait: the last one before it in the block, or, for a value that a loop carries, the last one in
//         the loop's body; the tile moves there. All that is idle goes at once, or else one after the other; every step
//         is checked with the protocol verifier and undone where it fails.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/SimplifyWaits.h"
#include "heddle/Analysis/WarpProtocol.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace heddle;

/// The wait with `value` appended, also in `idle`; the result that stands for the value behind it.
static Value appendTo(warp::DotWaitOp wait, Value value, MutableArrayRef<Operation *> idle) {
  OpBuilder builder(wait);
  SmallVector<Value> values(wait.getValues());
  values.push_back(value);
  SmallVector<Type> types(ValueRange(values).getTypes());
  auto longer = warp::DotWaitOp::create(builder, wait.getLoc(), types, wait.getTokens(), values, wait.getPendingAttr());
  longer->setDiscardableAttrs(wait->getDiscardableAttrDictionary());
  for (auto [old, now] : llvm::zip(wait.getResults(), longer.getResults()))
    old.replaceAllUsesWith(now);
  std::replace(idle.begin(), idle.end(), wait.getOperation(), longer.getOperation());
  wait.erase();
  return longer.getResults().back();
}

/// The last dot_wait before `end` (an op of the block, or null for the block's end) and after the definition of
/// `value`, or null.
static warp::DotWaitOp lastWaitBefore(Block *block, Operation *end, Value value) {
  Operation *def = value.getDefiningOp();
  for (Operation *op = end ? end->getPrevNode() : &block->back(); op && op != def; op = op->getPrevNode())
    if (auto wait = dyn_cast<warp::DotWaitOp>(op))
      return wait;
  return {};
}

/// True if no dot makes this value: a constant or the result of arithmetic or of a wait.
static bool isSettled(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return !isa<warp::DotOp, scf::ForOp, scf::IfOp, scf::WhileOp>(result.getOwner());
  return false;
}

/// Moves one tile of the wait `done`, one of `idle`, to the wait that retired it; returns what stands for it there, or
/// null.
static Value moveUp(warp::DotWaitOp done, Value value, MutableArrayRef<Operation *> idle) {
  if (isSettled(value))
    return value;
  if (warp::DotWaitOp wait = lastWaitBefore(done->getBlock(), done, value))
    return appendTo(wait, value, idle);
  // Carried by a loop, as an argument inside or as a result behind it: the loop's last wait retires it in every trip.
  scf::ForOp loop;
  unsigned number = 0;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || loop.getBody() != done->getBlock() || arg == loop.getInductionVar())
      return {};
    number = arg.getArgNumber() - 1;
  } else {
    loop = value.getDefiningOp<scf::ForOp>();
    number = cast<OpResult>(value).getResultNumber();
  }
  if (!loop || !isSettled(loop.getInitArgs()[number]))
    return {};
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  Value next = yield.getOperand(number);
  if (isSettled(next))
    return value;
  if (next.getParentBlock() != loop.getBody())
    return {};
  warp::DotWaitOp wait = lastWaitBefore(loop.getBody(), yield, next);
  if (!wait || wait == done)
    return {};
  yield.setOperand(number, appendTo(wait, next, idle));
  return value;
}

/// Removes `op`, one of `idle`; false where its tiles have no other wait.
static bool removeIdle(Operation *op, MutableArrayRef<Operation *> idle) {
  auto wait = dyn_cast<warp::DotWaitOp>(op);
  if (!wait || wait.getValues().empty()) {
    op->erase();
    return true;
  }
  // One at a time: a second tile that moves to the same wait makes that wait anew, and with it the result that stands
  //                for the first.
  for (auto [value, result] : llvm::zip(wait.getValues(), wait.getResults())) {
    Value standIn = moveUp(wait, value, idle);
    if (!standIn)
      return false;
    result.replaceAllUsesWith(standIn);
  }
  wait.erase();
  return true;
}

/// Removes `chosen` of `kernel`, where what is left is correct; tried on a copy, so that a failure leaves no trace.
static bool tryRemoving(warp::KernelOp kernel, ArrayRef<Operation *> chosen) {
  IRMapping copies;
  OwningOpRef<warp::KernelOp> trial(cast<warp::KernelOp>(kernel->clone(copies)));
  auto idle = llvm::map_to_vector(chosen, [&](Operation *op) { return copies.lookup(op); });
  for (size_t i = 0; i < idle.size(); ++i)
    if (!removeIdle(idle[i], MutableArrayRef(idle).drop_front(i + 1)))
      return false;
  if (failed(verifyWarpProtocol(*trial)))
    return false;
  kernel.getBody().takeBody((*trial).getBody());
  return true;
}

int64_t heddle::simplifyWaits(warp::KernelOp kernel) {
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  int64_t removed = 0;
  size_t skip = 0; // idle ops that have to stay
  bool together = true;
  while (true) {
    SmallVector<Operation *> idle = findIdleSynchronisation(kernel);
    if (idle.size() <= skip)
      return removed;
    // What is idle changes nothing, so that mostly all can go at once.
    if (together && tryRemoving(kernel, idle))
      removed += static_cast<int64_t>(idle.size());
    else if (together)
      together = false;
    else if (tryRemoving(kernel, idle[skip]))
      ++removed;
    else
      ++skip;
  }
}

namespace {
struct SimplifyWaitsPass : PassWrapper<SimplifyWaitsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyWaitsPass)
  StringRef getArgument() const final { return "heddle-simplify-waits"; }
  StringRef getDescription() const final {
    return "remove waits, fences and barriers of warp programs that do nothing";
  }
  void runOnOperation() final {
    getOperation()->walk([](warp::KernelOp kernel) { simplifyWaits(kernel); });
  }
};
} // namespace

void heddle::registerSimplifyWaitsPass() { PassRegistration<SimplifyWaitsPass>(); }
