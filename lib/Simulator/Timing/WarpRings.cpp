//===- WarpRings.cpp - Rings, orders and barriers, executed ------------------===//
//
// What:      what operations between groups do to the state of one CTA (WarpEngine.h): the uses of rings, the rounds of
//            orders, the barrier of all groups, and what each group knows of the others (vector clocks).
// Where:     beside WarpOps.cpp, which has the operations of one group alone.
// Verifies:  the protocol, as it comes to run: uses in their order, fields written once, slots that are free.
// Algorithm: an operation that has to wait changes nothing and is tried again.
//
//===----------------------------------------------------------------------===//
#include "WarpEngine.h"
#include "heddle/Analysis/WarpProtocol.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

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
