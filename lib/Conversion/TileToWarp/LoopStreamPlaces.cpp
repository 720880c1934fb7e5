//===- LoopStreamPlaces.cpp - where things stand in a group's stream --------===//
//
// What:      the order of a group's operations in a scheduled loop, and the places of what the stream adds to them:
//            waits, gets and releases (LoopStream.cpp has the rules). Nothing is made here.
//
//===----------------------------------------------------------------------===//
#include "GroupBuilder.h"

#include "heddle/Analysis/Chains.h"
#include "heddle/Analysis/Instructions.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace heddle {

bool LoopStream::mine(Operation *op) const {
  return groupOf(op) == group && schedule.start.count(op) &&
         !(isa<tile::LoadOp>(op) && isTmaLoad(cast<tile::LoadOp>(op)));
}

void LoopStream::orderNodes() {
  SmallVector<Operation *> program;
  for (Operation &op : loop.getBody()->without_terminator())
    if (mine(&op)) {
      position[&op] = program.size();
      program.push_back(&op);
    }
  findLongChains(program);
  StreamProgram unordered = describe(program);
  std::optional<int64_t> given;
  if (context.options.cutAtStart)
    given = 0;
  if (group < static_cast<int64_t>(schedule.cut.size()))
    given = schedule.cut[group] * schedule.ticks % schedule.ii;
  stream = given ? cutStream(unordered, *given) : cutStream(unordered);
  context.cuts[loop][group] = stream.cut;
  for (int v : stream.order)
    nodes.push_back(program[v]);
  for (auto [v, op] : llvm::enumerate(program)) {
    position[op] = stream.position[v];
    stage[op] = stream.stage[v];
  }
}

/// Finds dots whose results other dots accumulate into for longer than an interval: the next instance of the first of
/// such a chain, or of what computes its accumulator, begins before the last one's result has been read, so that two
/// chains are alive, and the back edge copies registers. `position` numbers the operations of `program`.
void LoopStream::findLongChains(ArrayRef<Operation *> program) {
  scf::ForOp carrier = loop;
  auto reached = [&](Operation *op, int64_t distance) {
    return std::pair(schedule.start.lookup(op) + distance * schedule.ii, position.lookup(op));
  };
  for (Operation *first : program) {
    auto dot = dyn_cast<warp::DotOp>(first);
    if (!dot)
      continue;
    Operation *made = dot.getAcc() ? dot.getAcc().getDefiningOp() : nullptr;
    auto next = reached(made && position.count(made) && !isa<warp::DotOp>(made) ? made : first, 1);
    llvm::SetVector<Operation *> chain;
    SmallVector<std::pair<Operation *, int64_t>> open{{first, 0}};
    bool isLong = false;
    while (!open.empty()) {
      auto [from, distance] = open.pop_back_val();
      if (!chain.insert(from))
        continue;
      auto follow = [&, from = from](Value value, int64_t later) {
        for (Operation *user : nonAccUsers(value))
          isLong |= next < reached(user, later);
        for (Operation *user : accUsers(value)) {
          isLong |= !chain.contains(user) && next < reached(user, later);
          open.push_back({user, later});
        }
      };
      follow(from->getResult(0), distance);
      for (auto [arg, y] : llvm::zip(carrier.getRegionIterArgs(), carrier.getYieldedValues()))
        if (y == from->getResult(0))
          follow(arg, distance + 1);
    }
    if (isLong)
      longChains.insert(chain.begin(), chain.end());
  }
}

/// What the cut depends on: `position` numbers the operations of `program`.
StreamProgram LoopStream::describe(ArrayRef<Operation *> program) const {
  StreamProgram result;
  result.ii = schedule.ii;
  for (Operation *op : program)
    result.operations.push_back({schedule.start.lookup(op), isa<warp::DotOp>(op)});
  scf::ForOp carrier = loop;
  for (auto [v, op] : llvm::enumerate(program)) {
    auto dot = dyn_cast<warp::DotOp>(op);
    if (!dot)
      continue;
    auto reads = [&, v = v](Value value, int64_t distance) {
      SmallVector<Operation *> users = nonAccUsers(value);
      if (longChains.contains(program[v]))
        llvm::append_range(users, accUsers(value));
      for (Operation *user : users)
        result.uses.push_back({static_cast<int>(v), static_cast<int>(position.lookup(user)), distance});
    };
    reads(dot.getResult(), 0);
    for (auto [arg, y] : llvm::zip(carrier.getRegionIterArgs(), carrier.getYieldedValues()))
      if (y == dot.getResult())
        reads(arg, 1);
    if (Operation *producer = registerOperand(dot))
      result.uses.push_back({static_cast<int>(position.lookup(producer)), static_cast<int>(v), 0, StreamUse::Holds});
  }
  return result;
}

/// What computes the left operand of `dot` in registers, in this iteration and group, or null.
Operation *LoopStream::registerOperand(warp::DotOp dot) const {
  if (!isa<RankedTensorType>(dot.getA().getType()))
    return nullptr;
  // What is free, a reshape for one, leaves elements in the registers that they were computed in.
  llvm::SetVector<Operation *> open;
  scf::ForOp around = loop;
  auto add = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (def && isa<RankedTensorType>(value.getType()) && around->isProperAncestor(def))
      open.insert(def);
  };
  add(dot.getA());
  for (size_t i = 0; i < open.size(); ++i) {
    if (position.count(open[i]))
      return open[i];
    for (Value operand : open[i]->getOperands())
      add(operand);
  }
  return nullptr;
}

StreamPlace LoopStream::placeOf(Operation *node) const { return {stage.lookup(node), position.lookup(node)}; }

/// Behind the last operation of the loop, for what stage `s` runs.
StreamPlace LoopStream::backEdge(int64_t s) const { return {s, static_cast<int64_t>(nodes.size())}; }

/// When `place` is reached, in iteration 0: at the start of the node it stands at.
int64_t LoopStream::timeOf(StreamPlace place) const {
  Operation *node = nodes[std::clamp<int64_t>(place.position, 0, nodes.size() - 1)];
  return schedule.start.lookup(node) + (place.stage - placeOf(node).stage) * schedule.ii;
}

/// Where the order first reads (other than accumulates into) the result of `dot`, directly or through an iter_arg,
/// counted in `dot`'s iteration; no later than the dot's next instance.
std::optional<StreamPlace> LoopStream::dataWait(Operation *dot) const {
  Value result = dot->getResult(0);
  std::optional<StreamPlace> wait = earliest(nonAccUsers(result), 0);
  for (auto [arg, y] : llvm::zip(const_cast<LoopStream *>(this)->loop.getRegionIterArgs(),
                                 const_cast<LoopStream *>(this)->loop.getYieldedValues()))
    if (y == result)
      if (std::optional<StreamPlace> p = earliest(nonAccUsers(arg), 1); p && (!wait || *p < *wait))
        wait = p;
  if (!wait)
    return std::nullopt;
  return std::min(*wait, placeOf(dot).later(1));
}

std::optional<StreamPlace> LoopStream::earliest(ArrayRef<Operation *> users, int64_t addStage) const {
  std::optional<StreamPlace> first;
  for (Operation *user : users) {
    if (!position.count(user))
      continue;
    StreamPlace p = placeOf(user);
    p.stage += addStage;
    if (!first || p < *first)
      first = p;
  }
  return first;
}

static bool onlyAccumulates(Operation *user, Value value) {
  auto dot = dyn_cast<warp::DotOp>(user);
  return dot && dot.getAcc() == value && dot.getA() != value;
}

/// Users in this group and loop that read `value` other than as a dot's accumulator.
SmallVector<Operation *> LoopStream::nonAccUsers(Value value) const {
  SmallVector<Operation *> result;
  for (Operation *user : usersThroughFree(value))
    if (position.count(user) && !onlyAccumulates(user, value))
      result.push_back(user);
  return result;
}

/// Dots of this group and loop that `value` is the accumulator of, and nothing else.
SmallVector<Operation *> LoopStream::accUsers(Value value) const {
  SmallVector<Operation *> result;
  for (Operation *user : value.getUsers())
    if (position.count(user) && onlyAccumulates(user, value))
      result.push_back(user);
  return result;
}

/// Whether registers of the result of `dot` are copied at the back edge, where dots that accumulate into it run later.
bool LoopStream::isCopiedInChain(Operation *dot) const {
  if (!longChains.contains(dot))
    return false;
  scf::ForOp carrier = loop;
  std::optional<StreamPlace> next = earliest(accUsers(dot->getResult(0)), 0);
  for (auto [arg, y] : llvm::zip(carrier.getRegionIterArgs(), carrier.getYieldedValues()))
    if (y == dot->getResult(0))
      if (std::optional<StreamPlace> p = earliest(accUsers(arg), 1); p && (!next || *p < *next))
        next = p;
  return next && next->stage > placeOf(dot).stage;
}

/// Where the schedule gives the registers of the operands of `dot` to another instruction of this loop.
std::optional<StreamPlace> LoopStream::takenFrom(Operation *dot) const {
  auto known = schedule.done.find(dot);
  if (known == schedule.done.end() || !position.count(known->second.first))
    return std::nullopt;
  // The cut moves the iteration that an instruction runs in.
  auto [next, distance] = known->second;
  StreamPlace place = placeOf(next).later(distance).at(StreamSlot::Wait);
  return placeOf(dot) < place && place < placeOf(dot).later(1) ? std::optional(place) : std::nullopt;
}

/// By when a dot with a register operand must be retired: before the next instance of what computes the operand writes
/// those registers (the tensor core reads them until the dot ends, PTX ISA wgmma.mma_async), or before the back edge
/// does. Where iterations do not overlap it ends with its own, so that the next one has its registers.
std::optional<StreamPlace> LoopStream::operandWait(Operation *op) const {
  Operation *producer = registerOperand(cast<warp::DotOp>(op));
  if (!producer)
    return std::nullopt;
  StreamPlace by = placeOf(producer).later(1).at(StreamSlot::Wait), end = backEdge(placeOf(op).stage);
  if (std::optional<StreamPlace> taken = takenFrom(op); taken && *taken < by)
    by = *taken;
  if (context.options.cutAtStart && end < by)
    return end;
  if (placeOf(op) < by)
    return by;
  // The next instance runs before this dot: the operand comes through iter_args, whose registers the back edge writes.
  return end;
}

/// True when the loop carries the result of `dot` on from one iter_arg to another: registers are copied, so that it has
/// to be complete.
bool LoopStream::isMovedByLoop(Operation *dot) const {
  scf::ForOp carrier = loop;
  for (auto [arg, y] : llvm::zip(carrier.getRegionIterArgs(), carrier.getYieldedValues()))
    if (y == dot->getResult(0) && llvm::is_contained(carrier.getYieldedValues(), Value(arg)))
      return true;
  return false;
}

/// The operations of this group that run as one with `op`, in their order.
SmallVector<Operation *> LoopStream::chainOf(Operation *op) const {
  Attribute chain = op->getAttr(chainAttr);
  if (!chain)
    return {op};
  SmallVector<Operation *> members;
  llvm::copy_if(nodes, std::back_inserter(members), [&](Operation *node) { return node->getAttr(chainAttr) == chain; });
  return members;
}

/// Where the rows that the chain of `first` reads again are read: where iterations do not overlap, before the products
/// right before it. One that holds its left operand in registers ends that run, since these are free again behind it.
StreamPlace LoopStream::rowsPlace(Operation *first) const {
  StreamPlace place = placeOf(first);
  if (!context.options.cutAtStart || !first->hasAttr(chainAttr) || recomputedIn(chainOf(first)).empty())
    return place;
  for (; place.position > 0; --place.position) {
    auto dot = dyn_cast<warp::DotOp>(nodes[place.position - 1]);
    if (!dot || isa<RankedTensorType>(dot.getA().getType()))
      break;
  }
  return place;
}

/// Whether `ring` has rows that only chains which read them again have, and iterations do not overlap.
bool LoopStream::holdsRowsReadAgain(const Ring &ring) const {
  if (!context.options.cutAtStart)
    return false;
  for (Value tile : ring.tiles())
    for (Operation *loaded : tile.getUsers())
      for (Operation *read : loaded->getUsers())
        if (!isa<warp::ReadOp>(read) || !read->hasAttr(recomputedAttr) ||
            cast<RankedTensorType>(read->getResult(0).getType()).getRank() != 1)
          return false;
  return true;
}

/// Where the shared memory that `dot` reads is free: its wait, or after the next dot in the cyclic order (of its own
/// instances as many as may be in flight, where that is said), whichever comes first.
StreamPlace LoopStream::releasePlace(Operation *dot) const {
  auto wait = waitPlace.find(dot);
  auto orWait = [&](StreamPlace next) { return wait != waitPlace.end() && wait->second < next ? wait->second : next; };
  if (int64_t most = schedule.inflight.lookup(dot))
    return orWait(placeOf(dot).later(most - 1).at(StreamSlot::After));
  StreamPlace next = placeOf(dot);
  int64_t n = nodes.size(), at = position.lookup(dot);
  for (int64_t i = 1; i <= n; ++i) {
    Operation *candidate = nodes[(at + i) % n];
    if (!isa<warp::DotOp>(candidate))
      continue;
    next = {next.stage + (at + i >= n), position.lookup(candidate), StreamSlot::After};
    break;
  }
  return orWait(next);
}

/// Where `ring` is free, and the dots that are waited for there (each once, whatever it reads); `early`: behind the
/// last reader, whatever is in flight then.
StreamPlace LoopStream::releasePlace(const Ring &ring, bool early, llvm::SetVector<Value> &tokens) const {
  std::optional<StreamPlace> last;
  for (Value tile : ring.tiles())
    for (Operation *reader : usersThroughFree(tile)) {
      if (!position.count(reader))
        continue;
      StreamPlace p = placeOf(chainOf(reader).back()).at(StreamSlot::After);
      if (isa<warp::DotOp>(reader)) {
        p = early ? p : releasePlace(reader);
        tokens.insert(copies.lookup(reader)->getResult(1));
      }
      if (!last || *last < p)
        last = p;
    }
  return *last;
}

/// Whether another use of `ring` begins before `released` than it is given slots for.
bool LoopStream::hasTooFewSlots(const Ring &ring, StreamPlace released) const {
  if (ring.stage)
    return false;
  FailureOr<int64_t> given = givenDepth(ring, context.schedules); // chooseDepths reports
  int64_t slots = succeeded(given) && *given ? *given : ring.filler >= 0 ? ring.depth : 0;
  StreamPlace get = ring.get.lookup(group);
  return slots && released.stage - get.stage + (get.isBeforeInLoop(released) ? 1 : 0) > slots;
}

} // namespace heddle
