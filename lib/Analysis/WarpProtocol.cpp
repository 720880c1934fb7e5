//===- WarpProtocol.cpp - The static protocol verifier of the warp level ---===//
//
// Rules across groups are checked once per kernel (captures, one producer group per ring, scratch private to a group).
// Inside a group an abstract interpreter follows the ops in program order with a GroupState: a loop body is walked
// twice, the second time from the state at its own end, so that rules across the back-edge are seen; after the loop, no
// trip, one trip and more trips are joined (of an `scf.while`: behind its condition). Both arms of an `scf.if` are
// walked and joined. Every rule is decided on the state: a dot is retired by a dot_wait that names it or one issued
// after it, or by one with a count when at least so many dots were issued after it on every path; use numbers are
// compared as linear expressions, and only provable differences are errors. The first broken rule is reported at its
// op.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/WarpProtocol.h"
#include "WarpProtocolWalker.h"
#include "heddle/Analysis/Cluster.h"
#include "heddle/Dialect/Tile/ControlFlow.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::warp;

/// The rings' tiles (get results) that a shared-memory value may be a view of.
static void collectRoots(Value value, llvm::DenseSet<Value> &seen, SmallVectorImpl<OpResult> &roots) {
  if (!isa<SmemType>(value.getType()) || !seen.insert(value).second)
    return;
  if (std::optional<VariableRef> variable = variableOf(value)) {
    PassedVariable passed = passedVariables(variable->op)[variable->number];
    for (OpOperand *given : passed.given)
      collectRoots(given->get(), seen, roots);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<GetOp>(op))
    roots.push_back(cast<OpResult>(value));
  else if (isa_and_nonnull<SliceOp, TransposeOp>(op))
    collectRoots(op->getOperand(0), seen, roots);
}

static AsyncFields findAsyncFields(KernelOp kernel) {
  AsyncFields fields;
  kernel.walk([&](Operation *op) {
    if (!isa<DotOp, CopyOutOp>(op))
      return;
    for (Value operand : op->getOperands()) {
      llvm::DenseSet<Value> seen;
      SmallVector<OpResult> roots;
      collectRoots(operand, seen, roots);
      for (OpResult root : roots)
        fields[cast<GetOp>(root.getOwner()).getAref()].insert(root.getResultNumber());
    }
  });
  return fields;
}

static LogicalResult verifyCaptures(GroupOp group, KernelOp kernel) {
  LogicalResult result = success();
  group.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (op == group || group->isAncestor(operand.getParentBlock()->getParentOp()))
        continue;
      bool argument = isa<BlockArgument>(operand) && operand.getParentBlock()->getParentOp() == kernel;
      if (!argument && !isa<ArefOp, OrderOp, ScratchOp>(operand.getDefiningOp())) {
        result = op->emitOpError("expected groups to capture arefs, orders, scratches and arguments only, got a value "
                                 "of ")
                 << operand.getDefiningOp()->getName();
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return result;
}

/// A ring that the blocks of a cluster fill for each other: all of them must use it equally often and in the same
/// order, and copy parts of one tile. Then what holds of one block with its own slots holds of all: a cycle of waits
/// through several blocks would be one in a single block, too.
static LogicalResult verifyMulticast(KernelOp kernel) {
  auto rings = kernel.getBody().getOps<ArefOp>();
  if (llvm::none_of(rings, [](ArefOp ring) { return ring.isMulticast(); }))
    return success();
  Differences differences(kernel, llvm::IsaPred<tile::ClusterRankOp>);
  auto verifyUse = [&](Operation *op) -> LogicalResult {
    ArefOp ring;
    for (Value operand : op->getOperands())
      if (auto used = operand.getDefiningOp<ArefOp>(); used && used.isMulticast())
        ring = used;
    if (!ring)
      return success();
    if (differences.isRunDifferently(op))
      return op->emitOpError("expected all blocks of the cluster to use ring ")
             << ringName(ring) << " equally often, got control that depends on the block";
    auto copy = dyn_cast<CopyOp>(op);
    bool multicast = copy && copy.getMulticast();
    if (multicast && llvm::any_of(copy.getIndices(), [&](Value index) { return differences.differs(index); }))
      return op->emitOpError("expected coordinates of a multicast copy that all blocks of the cluster compute alike");
    if (differences.differs(op->getOperands().back())) // the use number
      return op->emitOpError("expected a use of ring ")
             << ringName(ring) << " that all blocks of the cluster compute alike";
    return success();
  };
  return failure(kernel.walk([&](Operation *op) { return WalkResult(verifyUse(op)); }).wasInterrupted());
}

/// Every group at one place, and a group at every place.
static LogicalResult verifyOrder(OrderOp order, KernelOp kernel) {
  llvm::MapVector<Operation *, int64_t> placeOf;
  llvm::DenseSet<int64_t> taken;
  auto visit = [&](Operation *op) -> LogicalResult {
    if (!isa<EnterOp, LeaveOp>(op) || op->getOperand(0) != order.getResult())
      return success();
    auto enter = dyn_cast<EnterOp>(op);
    int64_t place = enter ? enter.getPlace() : cast<LeaveOp>(op).getPlace();
    auto [known, isNew] = placeOf.insert({op->getParentOfType<GroupOp>(), place});
    if (known->second != place)
      return op->emitOpError("expected one place of the group in order \"")
             << order.getName() << "\", got " << known->second << " and " << place;
    if (isNew && !taken.insert(place).second)
      return op->emitOpError("expected one group at place ")
             << place << " of order \"" << order.getName() << "\", got another";
    return success();
  };
  if (kernel.walk([&](Operation *op) { return WalkResult(visit(op)); }).wasInterrupted())
    return failure();
  int64_t places = order.getType().getPlaces();
  if (!placeOf.empty() && static_cast<int64_t>(taken.size()) != places)
    return order.emitOpError("expected a group at each of ") << places << " places, got " << taken.size();
  return success();
}

LogicalResult heddle::verifyWarpProtocol(KernelOp kernel) {
  if (failed(verifyMulticast(kernel)))
    return failure();
  SmallVector<GroupOp> groups(kernel.getBody().getOps<GroupOp>());
  for (GroupOp group : groups)
    if (failed(verifyCaptures(group, kernel)))
      return failure();
  auto ownersOf = [&](Value value, llvm::function_ref<bool(Operation *)> counts) {
    llvm::SetVector<Operation *> owners;
    for (Operation *user : value.getUsers())
      if (counts(user))
        owners.insert(user->getParentOfType<GroupOp>());
    return owners;
  };
  for (ArefOp ring : kernel.getBody().getOps<ArefOp>()) {
    if (ring.getResult().use_empty())
      continue;
    auto producers = ownersOf(ring, [](Operation *op) { return isa<AcquireOp, CopyOp, PutOp, PublishOp>(op); });
    if (producers.size() != 1)
      return ring.emitOpError("expected one producer group of ring ") << ringName(ring) << ", got " << producers.size();
    auto consumers = ownersOf(ring, [](Operation *op) { return isa<GetOp>(op); });
    if (consumers.empty())
      return ring.emitOpError("expected at least one consumer group of ring ") << ringName(ring) << ", got none";
    int64_t turns = ring.getTurns(), readers = consumers.size();
    if (turns < 1 || readers % turns)
      return ring.emitOpError("expected turns that divide the ")
             << readers << " consumer groups of ring " << ringName(ring) << ", got " << turns;
  }
  for (OrderOp order : kernel.getBody().getOps<OrderOp>())
    if (failed(verifyOrder(order, kernel)))
      return failure();
  for (ScratchOp scratch : kernel.getBody().getOps<ScratchOp>())
    if (auto owners = ownersOf(scratch, [](Operation *) { return true; }); owners.size() > 1)
      return scratch.emitOpError("expected scratch \"")
             << scratch.getName() << "\" in one group, got " << owners.size();
  AsyncFields asyncFields = findAsyncFields(kernel);
  for (GroupOp group : groups)
    if (failed(ProtocolWalker(group, asyncFields).run()))
      return failure();
  return success();
}

SmallVector<Operation *> heddle::findIdleSynchronisation(KernelOp kernel) {
  AsyncFields asyncFields = findAsyncFields(kernel);
  // What global memory needs is not known here.
  auto forGlobal = [](Operation *op) {
    if (auto wait = dyn_cast<CopyOutWaitOp>(op))
      return wait.getComplete();
    if (auto fence = dyn_cast<FenceOp>(op))
      return fence.getGlobal();
    auto barrier = dyn_cast<BarrierOp>(op);
    return barrier && barrier.getGlobal();
  };
  SmallVector<Operation *> idle;
  for (GroupOp group : kernel.getBody().getOps<GroupOp>()) {
    ProtocolWalker walker(group, asyncFields);
    if (failed(walker.run()))
      return {};
    group.walk([&](Operation *op) {
      if (isa<DotWaitOp, CopyOutWaitOp, FenceOp, BarrierOp>(op) && !forGlobal(op) && !walker.effective.count(op))
        idle.push_back(op);
    });
  }
  return idle;
}

RetiredDots heddle::findRetiredDots(KernelOp kernel) {
  AsyncFields asyncFields = findAsyncFields(kernel);
  RetiredDots retired;
  for (GroupOp group : kernel.getBody().getOps<GroupOp>()) {
    ProtocolWalker walker(group, asyncFields);
    if (failed(walker.run()))
      return RetiredDots();
    retired.insert(walker.retired.begin(), walker.retired.end());
  }
  return retired;
}
