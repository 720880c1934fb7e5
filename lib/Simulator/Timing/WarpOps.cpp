//===- WarpOps.cpp - The warp dialect's operations, executed ----------------===//
//
// What:   what each operation of the warp dialect does to the state of one CTA (WarpEngine.h): values, rings, units and
//         the clock of its group. An operation that has to wait changes nothing and is tried again.
//
//===----------------------------------------------------------------------===//
#include "WarpEngine.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Support/Integers.h"
#include "heddle/Target/TargetInterface.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

HostTensor &WarpEngine::tensorOf(Value view) {
  return *bindings.tensorOf(cast<BlockArgument>(tile::memoryOf(view)).getArgNumber());
}

SmallVector<int64_t> WarpEngine::coordinates(Group &group, ValueRange indices) {
  SmallVector<int64_t> result;
  for (Value index : indices)
    result.push_back(indexOf(group, index));
  return result;
}

WarpEngine::Step WarpEngine::checkBoxStart(Operation *op, Value view, ArrayRef<int64_t> at) {
  int64_t bits = cast<tile::ViewType>(view.getType()).getElementType().getIntOrFloatBitWidth();
  int64_t alignment = targetOf(op).boxAlignment();
  if (at.back() * (bits / 8) % alignment == 0)
    return Step::Ran;
  return fault(FaultKind::Protocol, op,
               "expected a box whose first column is a multiple of " + std::to_string(alignment) +
                   " bytes, got column " + std::to_string(at.back()) + " of " + std::to_string(bits) + "-bit elements");
}

static void joinClock(VectorClock &into, const VectorClock &other) {
  for (size_t i = 0; i < into.size() && i < other.size(); ++i)
    into[i] = std::max(into[i], other[i]);
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

WarpEngine::Step WarpEngine::executeRing(Group &group, Operation *op) {
  if (auto o = dyn_cast<warp::AcquireOp>(op))
    return acquire(group, o);
  if (auto o = dyn_cast<warp::CopyOp>(op))
    return fill(group, o, o.getAref(), o.getUse(), o.getField());
  if (auto o = dyn_cast<warp::PutOp>(op))
    return fill(group, o, o.getAref(), o.getUse(), o.getField());
  if (auto o = dyn_cast<warp::PublishOp>(op))
    return publish(group, o);
  if (auto o = dyn_cast<warp::GetOp>(op))
    return get(group, o);
  return consumed(group, cast<warp::ConsumedOp>(op));
}

WarpEngine::Step WarpEngine::acquire(Group &group, warp::AcquireOp op) {
  Ring &ring = ringOf(op.getAref());
  int64_t n = indexOf(group, op.getUse());
  if (n != ring.nextAcquire)
    return fault(FaultKind::Protocol, op,
                 "expected acquire of " + where(ring, ring.nextAcquire) + " by @" + group.name + ", got use " +
                     std::to_string(n));
  int64_t time = group.clock;
  for (WarpEngine *other : n >= ring.depth ? sharing(ring) : ArrayRef<WarpEngine *>()) {
    Ring &theirs = other->ringOf(op.getAref());
    Use &old = theirs.use(n - ring.depth);
    if (int c = theirs.missing(n - ring.depth, &Use::Consumer::consumed); c >= 0)
      return block(group, op,
                   "acquire of " + where(ring, n) + " (use " + std::to_string(n - ring.depth) +
                       " is not consumed by @" + other->groups[ring.consumers[c]].name + ")");
    for (Use::Consumer &consumer : old.consumers) {
      time = std::max(time, consumer.time);
      joinClock(group.vector, consumer.clock);
    }
  }
  if (n >= ring.depth)
    group.clock += passLatency;
  waitUntil(group, op, time);
  ++ring.nextAcquire;
  Use &use = ring.use(n);
  use.acquired = true;
  use.op = op;
  return Step::Ran;
}

WarpEngine::Step WarpEngine::fill(Group &group, Operation *op, Value ringValue, Value useValue, int64_t field) {
  Ring &ring = ringOf(ringValue);
  int64_t n = indexOf(group, useValue);
  if (n < 0)
    return fault(FaultKind::Protocol, op, "expected a use number of at least 0, got " + std::to_string(n));
  Use &use = ring.use(n);
  std::string what = isa<warp::CopyOp>(op) ? "copy" : "put";
  if (!use.acquired)
    return fault(FaultKind::Race, op,
                 "expected acquire before " + what + " to " + where(ring, n) + " by @" + group.name +
                     ", got a slot that may be in use");
  if (use.published)
    return fault(FaultKind::Race, op,
                 "expected " + what + " to " + where(ring, n) + " by @" + group.name +
                     " before its publish, got it after");
  if (use.fields[field])
    return fault(FaultKind::Protocol, op,
                 "expected field " + std::to_string(field) + " of " + where(ring, n) +
                     " to be written once, got twice");
  auto [first, end] = ringValue.getDefiningOp<warp::ArefOp>().filledWith(field);
  for (auto [other, filled] : llvm::enumerate(use.fields))
    if (filled && (static_cast<int64_t>(other) < first || static_cast<int64_t>(other) >= end))
      return fault(FaultKind::Protocol, op,
                   "expected fields of one alternative of " + where(ring, n) + ", got fields " + std::to_string(other) +
                       " and " + std::to_string(field));
  use.fields[field] = true;
  int index = ring.firstTile + (n % ring.depth) * ring.fields + field;
  SmemTile &tile = memory.tiles[index];
  auto copy = dyn_cast<warp::CopyOp>(op);
  bool multicast = copy && copy.getMulticast();
  Rect part = tile.extent; // this block's
  if (multicast) {
    part.rows /= place.blocks;
    part.row = place.rank * part.rows;
  }
  ArrayRef<WarpEngine *> into = multicast ? cluster : cluster.slice(place.rank, 1);
  for (WarpEngine *other : into) {
    Access kind = copy ? Access::CopyWrite : Access::Write;
    if (Complaint complaint = other->memory.write(accessor(group), index, part, kind, op))
      return fault(FaultKind::Race, op, *complaint);
    other->memory.tiles[index].use = n;
  }
  int64_t done = issue(group, op, ready(group, op));
  if (done < 0)
    return Step::Fault;
  if (copy) {
    auto shape = tile.data.shape;
    shape[0] = part.rows;
    SmallVector<int64_t> at = coordinates(group, copy.getIndices()),
                         dims = copy.getView().getType().getTileDims(copy.getDims(), shape.size());
    at[dims.front()] += part.row;
    use.copies.push_back(nextId++);
    TileValue value;
    auto load = [&] {
      if (Value rows = copy.getRows())
        return loadRows(group, op, copy.getView(), at, dims, shape, rows, value, GlobalKind::Copy, use.copies.back());
      ArrayRef<int64_t> inside = copy.getExtent().value_or(ArrayRef<int64_t>(shape));
      return loadGlobal(group, op, copy.getView(), at, dims, inside, value, GlobalKind::Copy, use.copies.back());
    };
    if ((!copy.getThreads() && checkBoxStart(op, copy.getView(), at) == Step::Fault) || load() == Step::Fault)
      return Step::Fault;
    if (copy.getExtent()) // behind what the copy engine brings there may be anything
      value = padded(value, shape, /*anything=*/!copy.getThreads());
    for (WarpEngine *other : into) {
      other->memory.land(index, part.row, done, value);
      Use &theirs = other->ringOf(ringValue).use(n);
      theirs.ready = std::max(theirs.ready, done);
    }
  } else {
    TileValue value = group.values[cast<warp::PutOp>(op).getValue()].tile;
    value.shape = tile.data.shape; // a number lies in a tile of one element
    memory.store({index, tile.extent, false, n}, value);
    group.clock = std::max(group.clock, done);
  }
  return Step::Ran;
}

WarpEngine::Step WarpEngine::publish(Group &group, warp::PublishOp op) {
  Ring &ring = ringOf(op.getAref());
  int64_t n = indexOf(group, op.getUse());
  if (n < 0 || !ring.use(n).acquired || ring.use(n).published)
    return fault(FaultKind::Protocol, op,
                 "expected publish of an acquired use of ring \"" + ring.name + "\" by @" + group.name + ", got use " +
                     std::to_string(n));
  Use &use = ring.use(n);
  auto [first, end] =
      op.getAref().getDefiningOp<warp::ArefOp>().filledWith(llvm::find(use.fields, true) - use.fields.begin());
  for (int field = first; field < end; ++field)
    if (!use.fields[field])
      return fault(FaultKind::Protocol, op,
                   "expected every field of " + where(ring, n) + " to be written before publish, got field " +
                       std::to_string(field) + " missing");
  for (WarpEngine *other : sharing(ring))
    for (int field = first; field < end; ++field)
      other->memory.publish(group.id, ring.firstTile + (n % ring.depth) * ring.fields + field, group.vector[group.id]);
  // The last of: the arrival seen by the consumers, the copies landed (their own signal is part of their latency).
  bool copies = use.ready > 0;
  use.ready = std::max(use.ready, group.clock + (copies ? 0 : signalLatency));
  use.published = true;
  use.clock = group.vector;
  ++group.vector[group.id];
  group.clock += 1;
  wakeAll();
  return Step::Ran;
}

WarpEngine::Step WarpEngine::get(Group &group, warp::GetOp op) {
  Ring &ring = ringOf(op.getAref());
  int64_t n = indexOf(group, op.getUse());
  if (n < 0)
    return fault(FaultKind::Protocol, op, "expected a use number of at least 0, got " + std::to_string(n));
  if (!op->hasAttr(unsynchronisedAttr)) {
    int c = ring.consumerIndex(group.index);
    bool inTurn = ring.turns > 1;
    if (n != ring.nextGet[c] && (!inTurn || n < ring.nextGet[c]))
      return fault(FaultKind::Protocol, op,
                   "expected get of " + where(ring, ring.nextGet[c]) + (inTurn ? " or a later one" : "") + " by @" +
                       group.name + ", got use " + std::to_string(n));
    Use &use = ring.use(n);
    if (use.count(&Use::Consumer::got) == ring.readers())
      return fault(FaultKind::Protocol, op,
                   "expected get of a use of ring \"" + ring.name + "\" that is left by @" + group.name + ", got use " +
                       std::to_string(n));
    for (WarpEngine *other : sharing(ring))
      if (!other->ringOf(op.getAref()).use(n).published)
        return block(group, op, "get of " + where(ring, n) + " (not published)");
    // A barrier tells two successive uses of a slot apart: the one before must be known to have come.
    if (inTurn && n >= ring.depth) {
      bool known = false;
      for (auto [other, before] : llvm::zip(ring.consumers, ring.use(n - ring.depth).consumers))
        known |= before.got && before.since <= group.vector[groups[other].id];
      if (!known)
        return fault(FaultKind::Race, op,
                     "expected get of " + where(ring, n) + " by @" + group.name + " after a get of use " +
                         std::to_string(n - ring.depth) + " in every interleaving, got a race");
    }
    group.clock += passLatency;
    waitUntil(group, op, use.ready);
    for (WarpEngine *other : sharing(ring))
      joinClock(group.vector, other->ringOf(op.getAref()).use(n).clock);
    for (int64_t id : use.copies)
      global.got(id, group.id, group.vector[group.id]);
    use.consumers[c].got = true;
    use.consumers[c].since = group.vector[group.id];
    use.consumers[c].op = op;
    ring.nextGet[c] = n + 1;
  }
  for (auto [field, tile] : llvm::enumerate(op.getTiles())) {
    WarpValue &value = group.values[tile];
    value = WarpValue();
    value.smem.tile = ring.firstTile + (n % ring.depth) * ring.fields + field;
    value.smem.rect = memory.tiles[value.smem.tile].extent;
    value.smem.use = n;
    if (!tile.getType().isIndex())
      continue;
    if (readView(group, op, value.smem, Access::Read, 0) == Step::Fault)
      return Step::Fault;
    value.tile = TileValue::index(memory.load(value.smem, group.clock).intAt(0));
    value.smem = SmemView();
  }
  return Step::Ran;
}

WarpEngine::Step WarpEngine::consumed(Group &group, warp::ConsumedOp op) {
  Ring &ring = ringOf(op.getAref());
  int64_t n = indexOf(group, op.getUse());
  int c = ring.consumerIndex(group.index);
  if (n < 0 || !ring.use(n).consumers[c].got || ring.use(n).consumers[c].consumed)
    return fault(FaultKind::Protocol, op,
                 "expected consumed of a use of ring \"" + ring.name + "\" that @" + group.name + " got, got use " +
                     std::to_string(n));
  int id = ringIds.lookup(op.getAref());
  for (const auto *list : {&group.dots, &group.copyOuts})
    for (const InFlight &reader : *list)
      for (auto [readRing, readUse] : reader.slots)
        if (readRing == id && readUse == n)
          return fault(FaultKind::Race, op,
                       "expected the " + reader.op->getName().stripDialect().str() + " that reads " + where(ring, n) +
                           " in @" + group.name + " to be waited for before consumed, got it in flight");
  Use::Consumer &consumer = ring.use(n).consumers[c];
  consumer.consumed = true;
  consumer.time = group.clock + signalLatency;
  consumer.clock = group.vector;
  ++group.vector[group.id];
  group.clock += 1;
  wakeAll();
  return Step::Ran;
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

// The order that it makes among groups guards no memory, so that clocks of groups stay as they are: what is a race
// without it is one with it.
WarpEngine::Step WarpEngine::enter(Group &group, warp::EnterOp op) {
  Order &order = orders[op.getOrder()];
  int64_t n = indexOf(group, op.getRound()), mine = n * order.places + static_cast<int64_t>(op.getPlace());
  if (order.left < mine)
    return block(group, op,
                 "enter of order \"" + order.name + "\" round " + std::to_string(n) + " at place " +
                     std::to_string(op.getPlace()));
  if (order.left > mine)
    return fault(FaultKind::Protocol, op,
                 "expected rounds of order \"" + order.name + "\" one after the other by @" + group.name +
                     ", got round " + std::to_string(n));
  group.clock += passLatency;
  waitUntil(group, op, order.seen);
  return Step::Ran;
}

WarpEngine::Step WarpEngine::leave(Group &group, warp::LeaveOp op) {
  Order &order = orders[op.getOrder()];
  int64_t n = indexOf(group, op.getRound());
  if (order.left != n * order.places + static_cast<int64_t>(op.getPlace()))
    return fault(FaultKind::Protocol, op,
                 "expected leave of the round of order \"" + order.name + "\" that @" + group.name +
                     " entered, got round " + std::to_string(n));
  ++order.left;
  order.seen = group.clock + signalLatency;
  group.clock += 1;
  wakeAll();
  return Step::Ran;
}

WarpEngine::Step WarpEngine::meet(Group &group, warp::BarrierOp op) {
  if (group.met == meeting.passed && !llvm::is_contained(meeting.waiting, group.id)) {
    memory.barrier(group.id);
    global.barrier(group.id, group.vector[group.id]);
    meeting.waiting.push_back(group.id);
    meeting.time = std::max(meeting.time, group.clock);
    meeting.gathering.resize(group.vector.size());
    joinClock(meeting.gathering, group.vector);
    ++group.vector[group.id];
    if (static_cast<int64_t>(meeting.waiting.size()) == meeting.groups) {
      ++meeting.passed;
      meeting.waiting.clear();
      meeting.clock = meeting.gathering;
      wakeAll();
    }
  }
  if (group.met == meeting.passed)
    return block(group, op, "the other groups at a barrier of all groups");
  ++group.met;
  joinClock(group.vector, meeting.clock);
  waitUntil(group, op, meeting.time + barrierLatency);
  return Step::Ran;
}

//===----------------------------------------------------------------------===//
// Shared and global memory
//===----------------------------------------------------------------------===//

/// The rules of a read: between get and consumed of its use, the slot still holding that use, ordered after the write.
WarpEngine::Step WarpEngine::readView(Group &group, Operation *op, const SmemView &view, Access kind, int64_t id) {
  SmemTile &tile = memory.tiles[view.tile];
  if (view.use >= 0) {
    Ring &ring = rings[tile.ring];
    int c = ring.consumerIndex(group.index);
    Use &use = ring.use(view.use);
    if (c < 0 || !use.consumers[c].got)
      return fault(FaultKind::Race, op,
                   "expected get before the read of " + where(ring, view.use) + " by @" + group.name + ", got none");
    if (use.consumers[c].consumed)
      return fault(FaultKind::Race, op,
                   "expected the read of " + where(ring, view.use) + " by @" + group.name +
                       " before its consumed, got it after");
    if (tile.use != view.use)
      return fault(FaultKind::Race, op,
                   "expected " + tile.name + " to hold use " + std::to_string(view.use) + " at the read by @" +
                       group.name + ", got use " + std::to_string(tile.use));
  }
  if (Complaint complaint = memory.read(accessor(group), view, kind, op, id))
    return fault(FaultKind::Race, op, *complaint);
  return Step::Ran;
}

WarpEngine::Step WarpEngine::executeMemory(Group &group, Operation *op) {
  if (auto fetch = dyn_cast<warp::NextProgramOp>(op)) {
    int64_t done = issue(group, op, ready(group, op));
    if (done < 0)
      return Step::Fault;
    WarpValue value;
    value.tile = TileValue::index(*given);
    value.ready = done;
    group.values[fetch.getResult()] = value;
    given.reset();
    return Step::Ran;
  }
  if (auto slice = dyn_cast<warp::SliceOp>(op)) {
    WarpValue value = group.values[slice.getSource()];
    auto shape = slice.getType().getShape();
    auto offsets = slice.getOffsets();
    int64_t row = offsets[0], col = offsets.size() > 1 ? offsets[1] : 0, rows = shape[0],
            cols = shape.size() > 1 ? shape[1] : 1;
    if (value.smem.transposed) {
      std::swap(row, col);
      std::swap(rows, cols);
    }
    value.smem.rect = {value.smem.rect.row + row, value.smem.rect.col + col, rows, cols};
    group.values[slice.getResult()] = value;
    return Step::Ran;
  }
  if (auto transposed = dyn_cast<warp::TransposeOp>(op)) {
    WarpValue value = group.values[transposed.getSource()];
    value.smem.transposed = !value.smem.transposed;
    group.values[transposed.getResult()] = value;
    return Step::Ran;
  }
  if (isa<warp::FenceOp>(op)) {
    if (cast<warp::FenceOp>(op).getGlobal())
      global.fence(group.id, group.oneThread);
    else
      memory.fence(group.id, group.oneThread);
    group.clock += fenceLatency;
    return Step::Ran;
  }
  if (auto barrier = dyn_cast<warp::BarrierOp>(op)) {
    if (barrier.getGroups())
      return meet(group, barrier);
    memory.barrier(group.id);
    global.barrier(group.id, group.vector[group.id]);
    waitUntil(group, op, group.clock + barrierLatency);
    return Step::Ran;
  }
  if (auto wait = dyn_cast<warp::CopyOutWaitOp>(op)) {
    while (static_cast<int64_t>(group.copyOuts.size()) > static_cast<int64_t>(wait.getPending())) {
      InFlight oldest = group.copyOuts.front();
      group.copyOuts.erase(group.copyOuts.begin());
      waitUntil(group, op, oldest.done);
      memory.retire(group.id, Access::CopyRead, oldest.id, group.vector[group.id], group.oneThread);
    }
    while (wait.getComplete() &&
           static_cast<int64_t>(group.underWay.size()) > static_cast<int64_t>(wait.getPending())) {
      waitUntil(group, op, group.underWay.front().done);
      global.complete(group.underWay.front().id, group.id, group.vector[group.id], group.oneThread);
      group.underWay.erase(group.underWay.begin());
    }
    return Step::Ran;
  }
  if (isa<tile::LoadOp, tile::GatherOp, tile::ElementOp, tile::StoreOp>(op))
    return executeAccess(group, op);
  if (auto read = dyn_cast<warp::ReadOp>(op)) {
    SmemView view = group.values[read.getSource()].smem;
    if (readView(group, op, view, Access::Read, 0) == Step::Fault)
      return Step::Fault;
    int64_t done = issue(group, op, 0);
    if (done < 0)
      return Step::Fault;
    WarpValue value;
    value.tile = memory.load(view, group.clock);
    value.ready = done;
    group.values[read.getResult()] = value;
    return Step::Ran;
  }
  if (auto write = dyn_cast<warp::WriteOp>(op)) {
    SmemView view = group.values[write.getDest()].smem;
    if (view.use >= 0)
      return fault(FaultKind::Protocol, op, "expected a scratch tile as destination, got a tile of a ring");
    if (Complaint complaint = memory.write(accessor(group), view.tile, view.rect, Access::Write, op))
      return fault(FaultKind::Race, op, *complaint);
    int64_t done = issue(group, op, ready(group, op));
    if (done < 0)
      return Step::Fault;
    memory.store(view, group.values[write.getValue()].tile);
    return Step::Ran;
  }
  if (auto copy = dyn_cast<warp::CopyOutOp>(op)) {
    SmemView view = group.values[copy.getSource()].smem;
    int64_t id = nextId++;
    if (readView(group, op, view, Access::CopyRead, id) == Step::Fault)
      return Step::Fault;
    int64_t done = issue(group, op, ready(group, op));
    if (done < 0)
      return Step::Fault;
    InFlight entry{id, done, op, {}};
    if (view.use >= 0)
      entry.slots.push_back({memory.tiles[view.tile].ring, view.use});
    group.copyOuts.push_back(entry);
    group.underWay.push_back(entry);
    TileValue value = memory.load(view, group.clock);
    SmallVector<int64_t> at = coordinates(group, copy.getIndices()),
                         dims = copy.getView().getType().getTileDims(copy.getDims(), value.shape.size());
    bool add = copy.getKind() == "add";
    for (int64_t first : at)
      if (first < 0)
        return fault(FaultKind::Protocol, op,
                     "expected a stored box at coordinates of at least 0, got " + std::to_string(first));
    GlobalKind kind = add ? GlobalKind::CopyOutAdd : GlobalKind::CopyOut;
    if (checkBoxStart(op, copy.getView(), at) == Step::Fault)
      return Step::Fault;
    return storeGlobal(group, op, copy.getView(), at, dims, value, add, kind, id);
  }
  return fault(FaultKind::Unsupported, op,
               "expected an operation that the simulator can execute, got " + op->getName().getStringRef().str());
}

//===----------------------------------------------------------------------===//
// Tensor core
//===----------------------------------------------------------------------===//

bool WarpEngine::issueDot(Group &group, warp::DotOp dot, int64_t id, int64_t operandsReady) {
  const OpCost *cost = costFor(dot);
  if (!cost)
    return false;
  auto [shape, element] = [](Type type) {
    if (auto smem = dyn_cast<warp::SmemType>(type))
      return std::pair(smem.getShape(), smem.getElementType());
    return std::pair(cast<RankedTensorType>(type).getShape(), cast<RankedTensorType>(type).getElementType());
  }(dot.getA().getType());
  const TargetInterface &target = targetOf(dot);
  std::optional<DotForm> form = target.dotForm(element);
  int64_t instructions = form ? ceilDiv(shape[0], target.dotRows()) * ceilDiv(shape[1], form->contraction) : 1;
  int64_t begin = std::max(group.clock, operandsReady);
  dots.add({id, begin, instructions, cost->hold, cost->latency - cost->hold});
  group.clock = begin + cost->issue;
  group.issuing = id;
  record(group.name, dot, begin, std::max(group.clock, begin + 1), false, false);
  return true;
}

WarpEngine::Step WarpEngine::executeTensorCore(Group &group, Operation *op) {
  auto inFlight = [&](int64_t id) {
    return id && llvm::any_of(group.dots, [&](const InFlight &dot) { return dot.id == id; });
  };
  if (auto wait = dyn_cast<warp::DotWaitOp>(op)) {
    int64_t left = waits.find(op)->second.value_or(group.dots.size());
    while (static_cast<int64_t>(group.dots.size()) > left) {
      InFlight oldest = group.dots.front();
      if (int64_t done = dots.done(oldest.id); done > group.clock) { // by then others may have been in its way
        waitUntil(group, op, done);
        return Step::Blocked;
      }
      group.dots.erase(group.dots.begin());
      dots.forget(oldest.id);
      memory.retire(group.id, Access::DotRead, oldest.id, group.vector[group.id], group.oneThread);
    }
    group.clock += 1;
    for (Value named : op->getOperands())
      if (inFlight(group.values[named].dot))
        return fault(FaultKind::Protocol, op,
                     "expected the dot_wait in @" + group.name +
                         " to retire the dots that it names, got one in flight");
    for (auto [from, to] : llvm::zip(wait.getValues(), wait.getResults())) {
      WarpValue value = group.values[from];
      value.dot = 0;
      value.ready = group.clock;
      group.values[to] = value;
    }
    return Step::Ran;
  }
  auto dot = cast<warp::DotOp>(op);
  int64_t id = nextId++;
  InFlight entry{id, 0, op, {}};
  SmallVector<TileValue, 2> operands;
  int64_t operandsReady = 0;
  for (Value operand : {dot.getA(), Value(dot.getB())}) {
    WarpValue value = group.values[operand];
    if (isa<RankedTensorType>(operand.getType())) {
      if (inFlight(value.dot))
        return fault(FaultKind::Protocol, op,
                     "expected a dot_wait before the result of a dot becomes operand a in @" + group.name +
                         ", got it in flight");
      operands.push_back(value.tile);
      operandsReady = std::max(operandsReady, value.ready);
      continue;
    }
    if (readView(group, op, value.smem, Access::DotRead, id) == Step::Fault)
      return Step::Fault;
    if (value.smem.use >= 0)
      entry.slots.push_back({memory.tiles[value.smem.tile].ring, value.smem.use});
    operands.push_back(memory.load(value.smem, group.clock));
  }
  auto type = dot.getResult().getType();
  TileValue acc = dot.getAcc() ? group.values[dot.getAcc()].tile
                               : TileValue::zeros(*elementKindOf(type.getElementType()), type.getShape());
  if (dot.getAcc() && !inFlight(group.values[dot.getAcc()].dot))
    operandsReady = std::max(operandsReady, group.values[dot.getAcc()].ready);
  if (!issueDot(group, dot, id, operandsReady))
    return Step::Fault;
  group.dots.push_back(entry);
  WarpValue value;
  value.tile = sim::dot(operands[0], operands[1], acc);
  value.dot = id;
  for (Value result : dot->getResults())
    group.values[result] = value;
  return Step::Ran;
}
