//===- LoopStream.cpp - one group's stream of one scheduled loop -----------===//
//
// What:      a scheduled loop of the tile kernel -> this group's loop: its operations, gets before the first reader,
//            waits before the first user of an asynchronous result, releases after the last reader, each with a stage
//            and a place in the kernel's order.
// Where:     inside TileToWarp; ModuloExpand turns the stream into prologue, steady state and epilogue.
// Order:     operations by start time modulo ii (ties: program order); stage = start / ii. The emitted order is the
//            schedule.
// Releases:  a slot read by a dot is released where the dot's result is waited for anyway, else right after the next
//            dot has been issued, so that the tensor core never drains for the sake of a release. Of a dot of which n
//            instances may be in flight, it is released once n - 1 more of them have been issued. Where the ring is
//            given fewer slots than that takes, it is released right behind the dot, which is waited for there.
// Rows:      where iterations do not overlap, those that a chain reads again are read before the products that stand
//            right before it, whose time then hides theirs: the registers of these products' results are taken in any
//            case. Their slots are given back at the back edge, since an arrival between the reads and the arithmetic
//            makes the latter wait for it.
// Fills:     of a ring that this group fills: use n + slots right behind the release of use n, which is so many stages
//            before, so that the first ones stand in the prologue.
// Cut:       by the rule of Scheduling/Stream; what would be in flight over the back edge is waited for there. So are
//            dots that others accumulate into for longer than an interval: the back edge copies their registers.
// Waits:     stand before the first use in the order, and no later than the next instance of the same dot (its
//            registers are reused); for a product whose operand's registers the schedule gives to the next one, before
//            that one begins.
//
//===----------------------------------------------------------------------===//
#include "GroupBuilder.h"
#include "StoreGroups.h"
#include "StoreStaging.h"

#include "heddle/Analysis/Chains.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "heddle/Dialect/Warp/Notes.h"
#include "heddle/Dialect/Warp/Waits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
namespace heddle {

LoopStream::LoopStream(KernelContext &context, int64_t group, scf::ForOp loop, IRMapping &outer,
                       const UseCounters &bases, StoreStaging &staging)
    : context(context), group(group), loop(loop), outer(outer), bases(bases), staging(staging),
      schedule(context.schedules.find(loop)->second) {
  orderNodes();
  for (Ring &ring : context.rings)
    if (ring.loop == loop.getOperation() && llvm::is_contained(ring.consumers, group))
      used.push_back(&ring);
}

/// A wait for dots whose results it does not give.
static warp::DotWaitOp waitForTokens(OpBuilder &b, Location loc, ValueRange tokens) {
  return warp::DotWaitOp::create(b, loc, TypeRange(), tokens, ValueRange(), IntegerAttr());
}

/// Waits that no reader of the result needs, for the sake of register operands.
void LoopStream::emitOperandWaits(OpBuilder &b) {
  for (Operation *node : nodes) {
    if (!isa<warp::DotOp>(node))
      continue;
    std::optional<StreamPlace> by = operandWait(node);
    auto known = waitPlace.find(node);
    if (!by || (known != waitPlace.end() && known->second < *by))
      continue;
    add({waitForTokens(b, node->getLoc(), copies.lookup(node)->getResult(1))}, *by);
    waitPlace[node] = *by;
  }
}

void LoopStream::add(ArrayRef<Operation *> ops, StreamPlace place) {
  entries.push_back({StreamItem{SmallVector<Operation *>(ops), place.stage}, place});
}

/// The clone-time value of `value` inside the body: recomputes scalars and free operations into `item`.
Value LoopStream::valueFor(OpBuilder &b, Value value, StreamItem &item, IRMapping &local) {
  if (Value v = local.lookupOrNull(value))
    return v;
  if (Value v = body.lookupOrNull(value))
    return v;
  auto record = [&](Value v) {
    if (Operation *op = v.getDefiningOp(); op && op->getBlock() == copy.getBody())
      item.ops.push_back(op);
    return v;
  };
  if (value == loop.getInductionVar()) {
    // lb + it * step, as operations of this item.
    Value it = copy.getInductionVar(), lb = materialise(b, outer, loop.getLowerBound()),
          step = materialise(b, outer, loop.getStep());
    Value v = record(arith::MulIOp::create(b, loop.getLoc(), it, step));
    v = record(arith::AddIOp::create(b, loop.getLoc(), v, lb));
    local.map(value, v);
    return v;
  }
  Operation *def = value.getDefiningOp();
  if (!def || !loop->isProperAncestor(def))
    return materialise(b, outer, value);
  IRMapping operands;
  for (Value operand : def->getOperands())
    operands.map(operand, valueFor(b, operand, item, local));
  Operation *clone = b.clone(*def, operands);
  clone->removeAttr(groupAttr);
  clone->removeAttr(recomputedAttr);
  item.ops.push_back(clone);
  for (auto [from, to] : llvm::zip(def->getResults(), clone->getResults()))
    local.map(from, to);
  return local.lookup(value);
}

/// The use number of `ring` in this iteration.
Value LoopStream::useOf(OpBuilder &b, Ring &ring) {
  return addUse(b, loop.getLoc(), bases.lookup(&ring.slots()), copy.getInductionVar());
}

/// Makes an item at `place` of what was built after `last` (null: from the body's start).
void LoopStream::addSince(OpBuilder &b, Operation *last, StreamPlace place) {
  SmallVector<Operation *> ops;
  for (Operation *op = last ? last->getNextNode() : &copy.getBody()->front(); op; op = op->getNextNode())
    ops.push_back(op);
  add(ops, place);
}

static Operation *lastOf(Block *block) { return block->empty() ? nullptr : &block->back(); }

/// The copies of the rings that this group fills; where they stand is known when the releases are.
void LoopStream::emitFills(OpBuilder &b) {
  for (Ring *ring : used) {
    if (ring->stage || ring->filler != group)
      continue;
    StreamItem item;
    IRMapping local;
    SmallVector<SmallVector<Value>> indices;
    Operation *last = lastOf(copy.getBody());
    for (tile::LoadOp load : ring->loads) {
      indices.emplace_back();
      for (Value i : load.getIndices())
        indices.back().push_back(valueFor(b, i, item, local));
    }
    emitFill(b, context, *ring, outer, indices, useOf(b, *ring));
    auto &made = fills.emplace_back(ring, SmallVector<Operation *>()).second;
    for (Operation *op = last ? last->getNextNode() : &copy.getBody()->front(); op; op = op->getNextNode())
      made.push_back(op);
  }
}

/// See the header; stages count from the first fill on.
void LoopStream::placeFills() {
  for (auto &[ring, ops] : fills)
    add(ops, ring->consumed.lookup(group).later(-ring->depth));
  int64_t first = 0;
  for (const Entry &entry : entries)
    first = std::min(first, entry.place.stage);
  for (Entry &entry : entries)
    entry.item.stage -= first;
}

/// The get of a ring, before its first reader.
void LoopStream::emitGet(OpBuilder &b, Ring &ring) {
  std::optional<StreamPlace> first;
  for (Value tile : ring.tiles())
    for (Operation *reader : usersThroughFree(tile))
      if (position.count(reader)) // one of this group
        if (StreamPlace p = rowsPlace(chainOf(reader).front()); !first || p < *first)
          first = p;
  StreamPlace place = first->at(StreamSlot::Get);
  Operation *last = lastOf(copy.getBody());
  heddle::emitGet(b, ring, useOf(b, ring), body);
  addSince(b, last, place);
  if (!ring.stage)
    ring.get[group] = place;
}

void LoopStream::emitGets(OpBuilder &b) {
  for (Ring *ring : used)
    if (!ring->stage)
      emitGet(b, *ring);
}

/// A tile for this group's own dots: the put at its place in the schedule, the get (which waits for the group's other
/// warps) before the first reader.
void LoopStream::emitStage(OpBuilder &b, warp::StageOp op) {
  Ring &ring = *context.ringOf.lookup(op).first;
  StreamPlace place = placeOf(op);
  StreamItem item;
  IRMapping local, operands;
  Operation *last = lastOf(copy.getBody());
  if (Operation *source = copiedSource(op)) {
    for (Value operand : source->getOperands())
      operands.map(operand, valueFor(b, operand, item, local));
    emitCopy(b, ring, operands, useOf(b, ring));
  } else {
    Value value = valueFor(b, op.getValue(), item, local);
    emitPut(b, ring, value, useOf(b, ring));
  }
  addSince(b, last, place);
  ring.get[group] = place;
  if (llvm::is_contained(ring.consumers, group))
    emitGet(b, ring);
}

void LoopStream::emitStore(OpBuilder &b, tile::StoreOp op) {
  StreamItem item;
  IRMapping local;
  Operation *last = lastOf(copy.getBody());
  Value value = valueFor(b, op.getValue(), item, local), view = valueFor(b, op.getView(), item, local);
  SmallVector<Value> indices;
  for (Value i : op.getIndices())
    indices.push_back(valueFor(b, i, item, local));
  if (auto handed = context.handed.find(op); handed != context.handed.end())
    putHanded(b, handed->second, op.getLoc(), value, copy.getInductionVar());
  else
    staging.store(b, op, value, view, indices, StoreStaging::Place::ScheduledLoop);
  addSince(b, last, placeOf(op));
}

/// A wait at `place` for the dot that makes `value`; gives the value.
Value LoopStream::addWait(OpBuilder &b, Value value, Location loc, StreamPlace place) {
  auto wait = warp::DotWaitOp::create(b, loc, value);
  add({wait}, place);
  return wait.getResult(0);
}

/// Results of the previous iteration's dots that are read (not only accumulated into) through iter_args.
void LoopStream::emitIterWaits(OpBuilder &b) {
  for (BlockArgument arg : loop.getRegionIterArgs()) {
    Value mapped = body.lookupOrNull(arg);
    Value y = loop.getYieldedValues()[arg.getArgNumber() - 1];
    auto dot = y.getDefiningOp<warp::DotOp>();
    if (!mapped || !dot || !position.count(dot) || !nonAccUsers(dot.getResult()).empty() || isMovedByLoop(dot) ||
        isCopiedInChain(dot))
      continue;
    SmallVector<Operation *> readers = nonAccUsers(arg);
    if (readers.empty())
      continue;
    StreamPlace fromDot = dataWait(dot)->at(StreamSlot::Wait);
    if (fromDot.stage > placeOf(dot).stage)
      continue; // waited for before the back edge, by emitNode
    body.map(arg, addWait(b, mapped, dot.getLoc(), fromDot.later(-1)));
    waitPlace[dot] = fromDot;
  }
}

void LoopStream::emitNode(OpBuilder &b, Operation *op) {
  if (auto stage = dyn_cast<warp::StageOp>(op))
    return emitStage(b, stage);
  if (auto store = dyn_cast<tile::StoreOp>(op); store && isTmaStore(store))
    return emitStore(b, store);
  StreamItem item;
  IRMapping alone, operands;
  auto chain = op->getAttrOfType<IntegerAttr>(chainAttr);
  IRMapping &local = chain ? recomputed[chain.getInt()] : alone; // a chain computes what its operations share once
  if (chain && chainOf(op).front() == op) {
    StreamItem rows; // of shared memory, before the loop over elements
    for (Operation *again : recomputedIn(chainOf(op)))
      if (isa<warp::ReadOp>(again))
        valueFor(b, again->getResult(0), rows, local);
    if (!rows.ops.empty())
      add(rows.ops, rowsPlace(op).at(StreamSlot::Wait));
  }
  for (Value operand : op->getOperands())
    operands.map(operand, valueFor(b, operand, item, local));
  llvm::append_range(item.ops, emitMemoryWait(b, op));
  Operation *clone = b.clone(*op, operands);
  clone->removeAttr(groupAttr);
  clone->removeAttr(chainAttr);
  clone->removeAttr(waitMemoryAttr);
  if (auto dot = dyn_cast<warp::DotOp>(clone))
    clone = warp::withToken(dot);
  clone->setAttr(warp::cycleAttr, b.getI64IntegerAttr(schedule.start.lookup(op) / schedule.ticks));
  clone->setAttr(warp::stageAttr, b.getI64IntegerAttr(placeOf(op).stage));
  if (auto name = schedule.names.find(op); name != schedule.names.end())
    clone->setAttr(warp::nodeAttr, b.getStringAttr(name->second));
  item.ops.push_back(clone);
  StreamPlace place = placeOf(op);
  add(item.ops, place);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    body.map(from, to);
  auto dot = dyn_cast<warp::DotOp>(op);
  if (!dot)
    return;
  copies[op] = clone;
  std::optional<StreamPlace> wait = dataWait(op);
  // Would be in flight over the back edge, or while that copies its registers.
  bool forced = (wait && wait->stage > place.stage) || isMovedByLoop(op) || isCopiedInChain(op);
  if (!forced && (!wait || nonAccUsers(dot.getResult()).empty()))
    return; // never read, or read through an iter_arg: emitIterWaits
  StreamPlace read = wait ? wait->at(StreamSlot::Wait) : backEdge(place.stage);
  wait = forced ? std::min(read, backEdge(place.stage)) : read;
  body.map(dot.getResult(), addWait(b, clone->getResult(0), op->getLoc(), *wait));
  waitPlace[op] = *wait;
}

void LoopStream::emitReleases(OpBuilder &b) {
  for (Ring *ring : used) {
    llvm::SetVector<Value> tokens;
    StreamPlace last = releasePlace(*ring, /*early=*/false, tokens);
    if (hasTooFewSlots(*ring, last))
      last = releasePlace(*ring, /*early=*/true, tokens);
    else if (holdsRowsReadAgain(*ring))
      last = backEdge(last.stage);
    SmallVector<Operation *> ops;
    Location loc = ring->source()->getLoc();
    if (!tokens.empty())
      ops.push_back(waitForTokens(b, loc, tokens.getArrayRef()));
    Value use = useOf(b, *ring);
    if (Operation *def = use.getDefiningOp(); def && def->getBlock() == copy.getBody())
      ops.push_back(def);
    ops.push_back(warp::ConsumedOp::create(b, loc, ring->aref, use));
    add(ops, last);
    ring->consumed[group] = last;
    ring->released[group] = timeOf(last);
  }
}

/// Enter before the first dot of the loop's body, leave behind the last. Both run with the latest of these dots, so
/// that prologues, where groups come as they come, stay out of it: a group that waited there for another's steady state
/// would wait for itself.
void LoopStream::emitOrder(OpBuilder &b) {
  auto known = context.orders.find(loop);
  if (known == context.orders.end())
    return;
  DotOrder &order = known->second;
  std::optional<StreamPlace> first, last;
  int64_t latest = 0;
  for (Operation *node : nodes)
    if (isa<warp::DotOp>(node)) {
      StreamPlace place = placeOf(node);
      first = first ? first : place;
      last = place;
      latest = std::max(latest, place.stage);
    }
  context.ordersDiffer |= !first || (order.stage >= 0 && order.stage != latest);
  if (!first)
    return;
  order.stage = latest;
  int64_t place = llvm::find(schedule.order, group) - schedule.order.begin();
  auto number = [&](SmallVector<Operation *> &ops) {
    Value round = useOf(b, *order.ring);
    if (Operation *def = round.getDefiningOp(); def && def->getBlock() == copy.getBody())
      ops.push_back(def);
    return round;
  };
  SmallVector<Operation *> enter, leave;
  Value round = number(enter);
  enter.push_back(warp::EnterOp::create(b, loop.getLoc(), order.order, round, place));
  // In front of what the first product waits for: a group whose turn it is finds its tiles there, and waits once.
  add(enter, {latest, first->position - 1, StreamSlot::After});
  round = number(leave);
  leave.push_back(warp::LeaveOp::create(b, loop.getLoc(), order.order, round, place));
  add(leave, {latest, last->position, StreamSlot::After});
}

void LoopStream::emitYield(OpBuilder &b) {
  SmallVector<Value> yields;
  for (unsigned i : ownedVariables(loop, group)) {
    Value y = loop.getYieldedValues()[i];
    StreamItem item;
    IRMapping local;
    Value v = valueFor(b, y, item, local);
    if (!item.ops.empty()) {
      // A recomputed value: right after the operations it needs.
      StreamPlace place{0, -1};
      for (Operation *op : item.ops)
        for (Value operand : op->getOperands())
          for (Operation *node : nodes)
            for (Value r : node->getResults())
              if (body.lookupOrNull(r) == operand)
                place = std::max(place, placeOf(node).at(StreamSlot::After));
      add(item.ops, place);
    }
    yields.push_back(v);
  }
  scf::YieldOp::create(b, loop.getLoc(), yields);
}

/// Computes at `b` what scalars and free operations of the body that lead to `value` take from outside the loop.
void LoopStream::takeFromOutside(OpBuilder &b, Value value, llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *def = value.getDefiningOp();
  if (!def || position.count(def))
    return;
  if (!loop->isProperAncestor(def)) {
    materialise(b, outer, value);
    return;
  }
  bool isElsewhere = isa<warp::StageOp>(def) || (isa<tile::LoadOp>(def) && !def->hasAttr(copiedByThreadsAttr));
  if (isElsewhere || !seen.insert(def).second)
    return;
  for (Value operand : def->getOperands())
    takeFromOutside(b, operand, seen);
}

LogicalResult LoopStream::emit(OpBuilder &b, Value &trip) {
  Location loc = loop.getLoc();
  trip = tripCount(b, outer, loop);
  SmallVector<unsigned> owned = ownedVariables(loop, group);
  SmallVector<Value> inits;
  for (unsigned i : owned)
    inits.push_back(materialise(b, outer, loop.getInitArgs()[i]));
  // What the body takes from outside is computed before the loop.
  llvm::SmallPtrSet<Operation *, 16> seen;
  for (Operation *op : nodes)
    for (Value v : op->getOperands())
      takeFromOutside(b, v, seen);
  for (unsigned i : owned)
    takeFromOutside(b, loop.getYieldedValues()[i], seen);
  for (Ring *ring : used)
    if (!ring->stage && ring->filler == group)
      for (tile::LoadOp load : ring->loads)
        for (Value index : load.getIndices())
          takeFromOutside(b, index, seen);
  copy = scf::ForOp::create(b, loc, arith::ConstantIndexOp::create(b, loc, 0), trip,
                            arith::ConstantIndexOp::create(b, loc, 1), inits);
  if (inits.empty())
    copy.getBody()->getTerminator()->erase();
  for (auto [i, arg] : llvm::zip(owned, copy.getRegionIterArgs())) {
    body.map(loop.getRegionIterArg(i), arg);
    tile::keepName(loop.getRegionIterArg(i), arg);
  }
  OpBuilder inner = OpBuilder::atBlockEnd(copy.getBody());
  emitFills(inner);
  emitGets(inner);
  emitIterWaits(inner);
  for (Operation &op : loop.getBody()->without_terminator())
    if (position.count(&op)) {
      // Tiles of other groups: not before this group has put what those may wait for, so right before the first reader
      // in program order.
      for (Ring *ring : used)
        if (ring->stage && ring->producer != group && !body.contains(ring->stage.getResult()) &&
            llvm::is_contained(usersThroughFree(ring->stage.getResult()), &op))
          emitGet(inner, *ring);
      emitNode(inner, &op);
    }
  emitOperandWaits(inner);
  emitOrder(inner);
  emitReleases(inner);
  emitYield(inner);
  placeFills();
  llvm::stable_sort(entries, [](const Entry &x, const Entry &y) { return x.place.isBeforeInLoop(y.place); });
  SmallVector<StreamItem> items;
  for (Entry &entry : entries)
    items.push_back(std::move(entry.item));
  int64_t &stages = context.stages[loop];
  for (const StreamItem &item : items)
    stages = std::max(stages, item.stage + 1);
  FailureOr<SmallVector<Value>> results = expandModulo(copy, items, context.mostStages.lookup(loop));
  if (failed(results))
    return failure();
  for (auto [i, r] : llvm::zip(owned, *results))
    outer.map(loop.getResult(i), r);
  b.setInsertionPointToEnd(b.getInsertionBlock());
  return success();
}

} // namespace heddle
