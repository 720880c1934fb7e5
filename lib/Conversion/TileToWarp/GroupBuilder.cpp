//===- GroupBuilder.cpp - regions of the compute groups and the load group --===//
//
// What:      walks the tile kernel's body once per group and builds the group's region: its own operations in program
//            order outside scheduled loops, LoopStream for those, gets before the first reader, staging for stores.
// Where:     inside TileToWarp.
// Protocol:  a ring is got in the block of its loads (or of its stage), before the first reader there, and released
//            there behind the last; a loop or branch around readers is a reader. So every fill of a block finds the
//            slots of the block's iteration before released, whatever the loops inside do. Ring uses are numbered by an
//            explicit counter, which the loops and branches around a ring carry. Conditions are uniform and computed by
//            every group for itself: all groups go the same way, and a ring in a branch is filled and read by all that
//            use it or by none.
//
//===----------------------------------------------------------------------===//
#include "GroupWalker.h"

#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/SourceNames.h"

using namespace mlir;
namespace heddle {

LogicalResult GroupWalker::block(OpBuilder &b, Block &source, IRMapping &map) {
  SmallVector<Ring *> held;
  for (Operation &op : source.without_terminator()) {
    if (&op == turnBegins)
      takeTurn(b);
    if (failed(visit(b, &op, map, held)))
      return failure();
    if (&op == turnEnds)
      passTurn(b);
    release(b, &op, held);
  }
  assert(held.empty() && "a ring is held for its readers");
  return success();
}

LogicalResult GroupWalker::visit(OpBuilder &b, Operation *op, IRMapping &map, SmallVector<Ring *> &held) {
  if (isa<tile::GridOp, tile::ReturnOp>(op))
    return success();
  if (!isLoad())
    emitMeeting(b, op);
  if (isBranchOrLoop(op)) {
    if (!isNeeded(op))
      return success();
    getForInside(b, op, map, held);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return ifBranch(b, branch, map);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return whileLoop(b, loop, map);
    auto loop = cast<scf::ForOp>(op);
    if (loop->hasAttr(countedAttr))
      return countedPrograms(b, loop, map);
    if (!isLoad() && loop->hasAttr(turnsAttr))
      return programsInTurn(b, loop, map);
    return context.schedules.count(loop) ? scheduledLoop(b, loop, map) : outerLoop(b, loop, map);
  }
  if (auto element = dyn_cast<tile::ElementOp>(op)) // before what is inside loops, not once more in each
    return materialise(b, map, element), success();
  auto load = dyn_cast<tile::LoadOp>(op);
  if (load && isTmaLoad(load))
    return context.ringOf.lookup(load).first->filler == group ? fillAfter(b, load, map) : success();
  if (!isMine(op)) {
    // Free operations are computed on demand; scalars here, where the program does, and not in the loops that need
    // them.
    if (!touchesTiles(op) && isMemoryEffectFree(op) && !op->getNumRegions())
      for (Value scalar : op->getResults())
        materialise(b, map, scalar);
    return success();
  }
  auto stage = dyn_cast<warp::StageOp>(op);
  Operation *takes = stage && copiedSource(stage) ? copiedSource(stage) : op;
  getFor(b, takes, op->getBlock(), map, held);
  for (Value operand : takes->getOperands())
    if (isa<warp::DotOp>(op) && cast<warp::DotOp>(op).getAcc() == operand)
      materialise(b, map, operand);
    else
      complete(b, map, operand);
  if (auto store = dyn_cast<tile::StoreOp>(op); store && isTmaStore(store)) {
    SmallVector<Value> indices;
    for (Value i : store.getIndices())
      indices.push_back(materialise(b, map, i));
    staging->store(b, store, map.lookup(store.getValue()), map.lookup(store.getView()), indices,
                   isBranchOrLoop(op->getParentOp()) ? StoreStaging::Place::Loop : StoreStaging::Place::StraightLine);
    return success();
  }
  if (stage) {
    Ring *ring = context.ringOf.lookup(op).first;
    Value use = useOf(b, ring);
    if (copiedSource(stage))
      emitCopy(b, *ring, map, use);
    else
      emitPut(b, *ring, map.lookup(stage.getValue()), use);
    if (!llvm::is_contained(ring->consumers, group)) {
      advance(b, ring, constantIndex(b, op->getLoc(), 1));
      return success();
    }
    emitGet(b, *ring, use, map);
    held.push_back(ring);
    return success();
  }
  emitMemoryWait(b, op);
  Operation *clone = b.clone(*op, map);
  clone->removeAttr(groupAttr);
  clone->removeAttr(waitMemoryAttr);
  clone->removeAttr(meetGroupsAttr);
  inFlight |= isa<warp::DotOp>(op);
  return success();
}

bool GroupWalker::isNeeded(Operation *control) const {
  SmallVector<PassedVariable> variables = passedVariables(control);
  for (unsigned i : ownedVariables(control, group))
    if (Value last = variables[i].names.back(); isa<OpResult>(last) && !last.use_empty())
      return true;
  return control
      ->walk([&](Operation *op) {
        auto load = dyn_cast<tile::LoadOp>(op);
        bool needs = isLoad() ? load && isTmaLoad(load) : isMine(op) || op->hasAttr(meetGroupsAttr);
        return needs ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

Value GroupWalker::complete(OpBuilder &b, IRMapping &map, Value value) {
  Value v = materialise(b, map, value);
  if (!v.getDefiningOp<warp::DotOp>())
    return v;
  auto wait = warp::DotWaitOp::create(b, v.getLoc(), v, 0);
  map.map(value, wait.getResult(0));
  return wait.getResult(0);
}

void GroupWalker::getFor(OpBuilder &b, Operation *user, Block *block, IRMapping &map, SmallVector<Ring *> &held) {
  for (Value operand : user->getOperands())
    getValue(b, operand, block, map, held);
}

void GroupWalker::getValue(OpBuilder &b, Value v, Block *block, IRMapping &map, SmallVector<Ring *> &held) {
  Operation *def = v.getDefiningOp();
  if (!def || map.contains(v) || !(isFree(def) || isa<warp::StageOp>(def)))
    return;
  auto loaded = dyn_cast<warp::LoadedOp>(def);
  if (!loaded && !isa<warp::StageOp>(def)) {
    for (Value operand : def->getOperands())
      getValue(b, operand, block, map, held);
    return;
  }
  Ring *ring = context.ringOf.lookup(loaded ? loaded.getTile().getDefiningOp() : def).first;
  if (ring->source()->getBlock() != block)
    return;
  emitGet(b, *ring, useOf(b, ring), map);
  held.push_back(ring);
}

void GroupWalker::getForInside(OpBuilder &b, Operation *control, IRMapping &map, SmallVector<Ring *> &held) {
  if (isLoad())
    return;
  control->walk([&](Operation *op) {
    if (isMine(op))
      getFor(b, op, control->getBlock(), map, held);
    else if (!isControlFlow(op))
      return;
    for (Value operand : op->getOperands())
      if (map.contains(operand))
        complete(b, map, operand);
  });
}

bool GroupWalker::isLastReader(Operation *op, const Ring &ring) const {
  Operation *last = nullptr;
  for (Value tile : ring.tiles())
    for (Operation *user : usersThroughFree(tile)) {
      Operation *here = isMine(user) ? op->getBlock()->findAncestorOpInBlock(*user) : nullptr;
      if (here && (!last || last->isBeforeInBlock(here)))
        last = here;
    }
  return last == op;
}

void GroupWalker::release(OpBuilder &b, Operation *op, SmallVector<Ring *> &held) {
  llvm::erase_if(held, [&](Ring *ring) {
    if (!isLastReader(op, *ring))
      return false;
    Location loc = ring->source()->getLoc();
    if (inFlight)
      warp::DotWaitOp::create(b, loc, ValueRange(), 0);
    inFlight = false;
    warp::ConsumedOp::create(b, loc, ring->aref, useOf(b, ring));
    advance(b, ring, constantIndex(b, loc, 1));
    if (ring->filler == group)
      --filled[&ring->slots()];
    return true;
  });
}

Value GroupWalker::useOf(OpBuilder &b, Ring *ring) {
  Value use = counters.lookup(&ring->slots());
  return use ? use : constantIndex(b, ring->source()->getLoc(), 0);
}

void GroupWalker::advance(OpBuilder &b, Ring *ring, Value by) {
  Value now = counters.lookup(&ring->slots());
  counters[&ring->slots()] = now ? arith::AddIOp::create(b, by.getLoc(), now, by).getResult() : by;
}

LogicalResult GroupWalker::scheduledLoop(OpBuilder &b, scf::ForOp loop, IRMapping &map) {
  if (isLoad())
    return fillLoop(b, loop, map);
  Value trip;
  if (failed(LoopStream(context, group, loop, map, counters, *staging).emit(b, trip)))
    return failure();
  for (Ring &ring : context.rings)
    if (ring.loop == loop.getOperation() && uses(ring))
      advance(b, &ring, trip);
  return success();
}

void GroupWalker::fill(OpBuilder &b, Ring &ring, IRMapping &map, Value use) {
  SmallVector<SmallVector<Value>> indices;
  for (tile::LoadOp load : ring.loads) {
    indices.emplace_back();
    for (Value i : load.getIndices())
      indices.back().push_back(materialise(b, map, i));
  }
  emitFill(b, context, ring, map, indices, use);
}

void emitFill(OpBuilder &b, const KernelContext &context, Ring &ring, const IRMapping &map,
              ArrayRef<SmallVector<Value>> indices, Value use) {
  Location loc = ring.loads.front()->getLoc();
  warp::AcquireOp::create(b, loc, ring.aref, use);
  for (auto [field, load] : llvm::enumerate(ring.loads))
    warp::CopyOp::create(b, load.getLoc(), map.lookup(load.getView()), indices[field],
                         b.getDenseI64ArrayAttr(load.getTileDims()), ring.aref, use,
                         b.getI64IntegerAttr(ring.firstField + field),
                         context.multicast.contains(load) ? b.getUnitAttr() : UnitAttr(), /*rows=*/Value(),
                         load.getExtentAttr(), /*threads=*/UnitAttr());
  warp::PublishOp::create(b, loc, ring.aref, use);
}

LogicalResult GroupWalker::fillAfter(OpBuilder &b, tile::LoadOp load, IRMapping &map) {
  Ring *ring = context.ringOf.lookup(load).first;
  if (ring->loads.back() != load)
    return success();
  Value use = useOf(b, ring);
  if (isLoad()) {
    fill(b, *ring, map, use);
    advance(b, ring, constantIndex(b, load.getLoc(), 1));
    return success();
  }
  // A group that reads what it fills counts when it releases; what it has filled since takes the slots before.
  int64_t &before = filled[&ring->slots()];
  if (before)
    use = arith::AddIOp::create(b, load.getLoc(), use, constantIndex(b, load.getLoc(), before));
  fill(b, *ring, map, use);
  ring->slots().depth = std::max(ring->slots().depth, ++before);
  return success();
}

LogicalResult GroupWalker::fillLoop(OpBuilder &b, scf::ForOp loop, IRMapping &map) {
  Location loc = loop.getLoc();
  SmallVector<Ring *> rings;
  for (Ring &ring : context.rings)
    if (ring.loop == loop.getOperation() && !ring.stage)
      rings.push_back(&ring);
  llvm::stable_sort(rings, [](Ring *x, Ring *y) { return x->order < y->order; });
  Value trip = tripCount(b, map, loop);
  SmallVector<unsigned> owned = ownedVariables(loop, -1);
  SmallVector<Value> inits;
  for (unsigned i : owned)
    inits.push_back(materialise(b, map, loop.getInitArgs()[i]));
  auto copy = scf::ForOp::create(b, loc, constantIndex(b, loc, 0), trip, constantIndex(b, loc, 1), inits);
  if (inits.empty())
    copy.getBody()->getTerminator()->erase();
  OpBuilder inner = OpBuilder::atBlockEnd(copy.getBody());
  IRMapping local = map;
  for (auto [n, i] : llvm::enumerate(owned))
    local.map(loop.getRegionIterArg(i), copy.getRegionIterArg(n));
  for (auto [i, arg] : llvm::zip(owned, copy.getRegionIterArgs()))
    tile::keepName(loop.getRegionIterArg(i), arg);
  local.map(loop.getInductionVar(), inductionValue(inner, local, loop, copy.getInductionVar()));
  for (Ring *ring : rings)
    fill(inner, *ring, local, addUse(inner, loc, counters.lookup(&ring->slots()), copy.getInductionVar()));
  SmallVector<Value> yields;
  for (unsigned i : owned)
    yields.push_back(materialise(inner, local, loop.getYieldedValues()[i]));
  scf::YieldOp::create(inner, loc, yields);
  for (auto [n, i] : llvm::enumerate(owned))
    map.map(loop.getResult(i), copy.getResult(n));
  for (Ring *ring : rings)
    advance(b, ring, trip);
  return success();
}

LogicalResult buildComputeGroup(KernelContext &context, warp::GroupOp op, int64_t g, int64_t turn, int64_t number,
                                int64_t &scratchBytes) {
  OpBuilder b = OpBuilder::atBlockEnd(&op.getBody().front());
  IRMapping map = context.arguments;
  StoreStaging staging(context, number);
  if (failed(GroupWalker(context, g, &staging, turn).block(b, context.source.getBody().front(), map)))
    return failure();
  staging.finish(b, op.getLoc());
  scratchBytes += staging.bytes();
  return success();
}

LogicalResult buildLoadGroup(KernelContext &context, warp::GroupOp op) {
  OpBuilder b = OpBuilder::atBlockEnd(&op.getBody().front());
  IRMapping map = context.arguments;
  return GroupWalker(context, -1, nullptr).block(b, context.source.getBody().front(), map);
}

} // namespace heddle
