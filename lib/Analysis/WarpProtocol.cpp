//===- WarpProtocol.cpp - The static protocol verifier of the warp level ---===//
//
// Rules across groups are checked once per kernel (captures, one producer group per ring, scratch private to a group). Inside a group an
// abstract interpreter follows the ops in program order with a GroupState: a loop body is walked twice, the second time from the state at
// its own end, so that rules across the back-edge are seen; after the loop, no trip, one trip and more trips are joined. Both arms of an
// `scf.if` are walked and joined. Every rule is decided on the state: a dot is retired by a dot_wait when at least `pending` dots were
// issued after it on every path; use numbers are compared as linear expressions, and only provable differences are errors.
// The first broken rule is reported at its op.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/WarpProtocol.h"
#include "WarpProtocolState.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::warp;

namespace {

std::string ringName(Value ring) {
  if (auto aref = ring.getDefiningOp<ArefOp>())
    return ("\"" + aref.getName() + "\"").str();
  return "(unknown)";
}

/// Which fields of which rings some group reads by a dot or a copy_out, that is: through the asynchronous proxy.
using AsyncFields = llvm::DenseMap<Value, std::set<int64_t>>;

class GroupWalker {
public:
  GroupWalker(GroupOp group, const AsyncFields &asyncFields)
      : group(group), asyncFields(asyncFields), oneThread(group.getWarps() == 1) {}

  LogicalResult run();
  /// Waits, fences and barriers that changed the state on some path.
  llvm::DenseSet<Operation *> effective;

private:
  LogicalResult walk(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult visitFor(scf::ForOp loop);
  LogicalResult visitIf(scf::IfOp branch);
  LogicalResult checkBalance(Operation *op, const GroupState &before, StringRef what);

  LogicalResult visitAcquire(AcquireOp op);
  LogicalResult visitField(Operation *op, Value ring, Value use, int64_t field, SmemPart *put);
  LogicalResult visitPublish(PublishOp op);
  LogicalResult visitGet(GetOp op);
  LogicalResult visitConsumed(ConsumedOp op);
  LogicalResult visitDot(DotOp op);
  LogicalResult visitDotWait(DotWaitOp op);
  LogicalResult visitWrite(WriteOp op);
  LogicalResult visitRead(ReadOp op);
  LogicalResult visitCopyOut(CopyOutOp op);
  void visitCopyOutWait(CopyOutWaitOp op);
  void visitFence(FenceOp op);
  void visitBarrier(BarrierOp op);

  LogicalResult checkNoPending(Operation *op);
  LogicalResult checkHeld(Operation *op, const SmemPart &part);
  LogicalResult checkAsyncSource(Operation *op, const SmemPart &part, StringRef reader);
  LogicalResult checkConsecutive(Operation *op, std::vector<std::pair<Value, UseNumber>> &last, Value ring, Value use);
  /// Index of the open use that `use` names, or -1 with a diagnostic.
  int find(Operation *op, std::vector<OpenUse> &open, Value ring, Value use, StringRef opener);
  std::optional<int64_t> difference(const UseNumber &older, Value use);
  ArrayRef<SmemPart> partsOf(Value value);
  SmemPart whole(Value tile, int instance);
  void carry(Value from, Value to, bool unite);
  void prune();

  GroupOp group;
  const AsyncFields &asyncFields;
  bool oneThread;
  UseExprBuilder exprs;
  GroupState state;
  int nextInstance = 1;
  llvm::DenseMap<Value, SmallVector<SmemPart, 1>> parts;
  llvm::DenseMap<Value, std::set<int>> pending; ///< register tile -> dots that produce it
};

} // namespace

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult GroupWalker::run() {
  if (failed(walk(group.getBody().front())))
    return failure();
  if (!state.acquired.empty())
    return state.acquired.front().op->emitOpError("expected use ")
           << toString(exprs.eval(state.acquired.front().use.value)) << " of ring " << ringName(state.acquired.front().ring)
           << " to be published before the group ends, got no publish";
  if (!state.got.empty())
    return state.got.front().op->emitOpError("expected use ")
           << toString(exprs.eval(state.got.front().use.value)) << " of ring " << ringName(state.got.front().ring)
           << " to be consumed before the group ends, got no consumed";
  if (!state.dots.empty())
    return state.dots.front().op->emitOpError("expected a dot_wait that retires it before the group ends, got none");
  for (const SmemAccess &access : state.accesses)
    if (access.kind == AccessKind::CopyOut && !access.retired)
      return access.op->emitOpError("expected a copy_out_wait that retires it before the group ends, got none");
  return success();
}

LogicalResult GroupWalker::walk(Block &block) {
  for (Operation &op : block)
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult GroupWalker::visit(Operation *op) {
  // Yields and loop entries only pass values on; dots and waits look at theirs themselves.
  if (!isa<scf::YieldOp, scf::ForOp, DotOp, DotWaitOp>(op) && failed(checkNoPending(op)))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp o) { return visitFor(o); })
      .Case([&](scf::IfOp o) { return visitIf(o); })
      .Case([&](AcquireOp o) { return visitAcquire(o); })
      .Case([&](CopyOp o) { return visitField(o, o.getAref(), o.getUse(), o.getField(), nullptr); })
      .Case([&](PutOp o) {
        SmemPart whole;
        whole.root = o.getAref();
        whole.row = o.getField(); // fields are told apart by their row
        return visitField(o, o.getAref(), o.getUse(), o.getField(), &whole);
      })
      .Case([&](PublishOp o) { return visitPublish(o); })
      .Case([&](GetOp o) { return visitGet(o); })
      .Case([&](ConsumedOp o) { return visitConsumed(o); })
      .Case([&](SliceOp o) {
        auto shape = o.getType().getShape();
        auto offsets = o.getOffsets();
        SmallVector<SmemPart, 1> result;
        for (const SmemPart &part : partsOf(o.getSource()))
          result.push_back(part.slice(offsets[0], offsets.size() > 1 ? offsets[1] : 0, shape[0],
                                      shape.size() > 1 ? shape[1] : 1));
        parts[o.getResult()] = result;
        return success();
      })
      .Case([&](TransposeOp o) {
        auto source = partsOf(o.getSource());
        SmallVector<SmemPart, 1> result(source.begin(), source.end());
        for (SmemPart &part : result)
          part.transposed = !part.transposed;
        parts[o.getResult()] = result;
        return success();
      })
      .Case([&](ReadOp o) { return visitRead(o); })
      .Case([&](WriteOp o) { return visitWrite(o); })
      .Case([&](FenceOp o) { return visitFence(o), success(); })
      .Case([&](BarrierOp o) { return visitBarrier(o), success(); })
      .Case([&](CopyOutOp o) { return visitCopyOut(o); })
      .Case([&](CopyOutWaitOp o) { return visitCopyOutWait(o), success(); })
      .Case([&](DotOp o) { return visitDot(o); })
      .Case([&](DotWaitOp o) { return visitDotWait(o); })
      .Default([&](Operation *o) -> LogicalResult {
        if (o->getNumRegions())
          return o->emitOpError("expected scf.for or scf.if as control flow in a warp group, got ") << o->getName();
        if (isa<tile::DotOp>(o))
          return o->emitOpError("expected warp.dot in a warp group, got ") << o->getName();
        return success();
      });
}

SmemPart GroupWalker::whole(Value tile, int instance) {
  auto shape = cast<SmemType>(tile.getType()).getShape();
  SmemPart part;
  part.root = tile;
  part.rows = shape[0];
  part.cols = shape.size() > 1 ? shape[1] : 1;
  part.instance = instance;
  return part;
}

ArrayRef<SmemPart> GroupWalker::partsOf(Value value) {
  if (value.getDefiningOp<ScratchOp>() && !parts.count(value))
    parts[value] = {whole(value, -1)};
  return parts[value];
}

/// What `from` stands for, `to` stands for as well.
void GroupWalker::carry(Value from, Value to, bool unite) {
  if (isa<SmemType>(to.getType())) {
    SmallVector<SmemPart, 1> old = unite ? parts[to] : SmallVector<SmemPart, 1>(), add(partsOf(from));
    old.append(add.begin(), add.end());
    parts[to] = old;
  } else if (isa<RankedTensorType>(to.getType())) {
    std::set<int> ids = pending.count(from) ? pending[from] : std::set<int>();
    if (unite)
      ids.insert(pending[to].begin(), pending[to].end());
    pending[to] = ids;
  }
}

LogicalResult GroupWalker::checkBalance(Operation *op, const GroupState &before, StringRef what) {
  llvm::MapVector<Value, int64_t> acquires, gets;
  auto count = [](llvm::MapVector<Value, int64_t> &map, const std::vector<OpenUse> &open, int64_t by) {
    for (const OpenUse &use : open)
      map[use.ring] += by;
  };
  count(acquires, state.acquired, 1);
  count(acquires, before.acquired, -1);
  count(gets, state.got, 1);
  count(gets, before.got, -1);
  for (auto [ring, net] : acquires)
    if (net)
      return op->emitOpError("expected ") << what << " to publish as many uses of ring " << ringName(ring)
                                          << " as it acquires, got " << net << " more acquired";
  for (auto [ring, net] : gets)
    if (net)
      return op->emitOpError("expected ") << what << " to consume as many uses of ring " << ringName(ring)
                                          << " as it gets, got " << net << " more got";
  return success();
}

LogicalResult GroupWalker::visitFor(scf::ForOp loop) {
  GroupState before = state, afterFirst;
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [init, arg] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs()))
    carry(init, arg, /*unite=*/false);
  for (int trip = 0; trip < 2; ++trip) {
    if (failed(walk(*loop.getBody())) || failed(checkBalance(loop, before, "each trip of the loop")))
      return failure();
    if (trip == 0)
      afterFirst = state;
    // All yields are read before any argument changes.
    SmallVector<std::pair<SmallVector<SmemPart, 1>, std::set<int>>> next;
    for (Value value : yield.getOperands())
      next.push_back({parts[value], pending[value]});
    for (auto [arg, value] : llvm::zip(loop.getRegionIterArgs(), next)) {
      parts[arg] = value.first;
      pending[arg] = value.second;
    }
    state.shift(loop);
  }
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    carry(loop.getInitArgs()[i], result, /*unite=*/false);
    carry(loop.getRegionIterArgs()[i], result, /*unite=*/true); // what the last trip yielded
  }
  state.freeze(loop);
  state.join(afterFirst);
  state.join(before);
  return success();
}

LogicalResult GroupWalker::visitIf(scf::IfOp branch) {
  GroupState before = state;
  if (failed(walk(*branch.thenBlock())))
    return failure();
  GroupState afterThen = state;
  state = before;
  if (branch.elseBlock() && failed(walk(*branch.elseBlock())))
    return failure();
  if (failed(checkBalance(branch, afterThen, "both arms of the branch")))
    return failure();
  for (auto [i, result] : llvm::enumerate(branch.getResults())) {
    carry(branch.thenYield().getOperand(i), result, /*unite=*/false);
    carry(branch.elseYield().getOperand(i), result, /*unite=*/true);
  }
  state.join(afterThen);
  return success();
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

std::optional<int64_t> GroupWalker::difference(const UseNumber &older, Value use) {
  if (older.frozen)
    return std::nullopt;
  return constantDifference(exprs.eval(use), exprs.eval(older.value, older.shifts));
}

int GroupWalker::find(Operation *op, std::vector<OpenUse> &open, Value ring, Value use, StringRef opener) {
  int unknown = -1;
  for (auto [i, candidate] : llvm::enumerate(open)) {
    if (candidate.ring != ring)
      continue;
    std::optional<int64_t> by = difference(candidate.use, use);
    if (by && *by == 0)
      return i;
    if (!by && unknown < 0)
      unknown = i;
  }
  if (unknown < 0)
    op->emitOpError("expected ") << opener << " of ring " << ringName(ring) << " use " << toString(exprs.eval(use))
                                 << " before, got none";
  return unknown;
}

LogicalResult GroupWalker::checkConsecutive(Operation *op, std::vector<std::pair<Value, UseNumber>> &last, Value ring,
                                            Value use) {
  for (auto &[known, previous] : last) {
    if (known != ring)
      continue;
    std::optional<int64_t> by = difference(previous, use);
    if (by && *by != 1)
      return op->emitOpError("expected consecutive use numbers of ring ") << ringName(ring) << ", got a step of " << *by;
    previous = {use, {}, false};
    return success();
  }
  LinearExpr first = exprs.eval(use);
  if (first.terms.empty() && first.constant != 0)
    return op->emitOpError("expected the first use of ring ") << ringName(ring) << " to be 0, got " << first.constant;
  last.push_back({ring, {use, {}, false}});
  return success();
}

LogicalResult GroupWalker::visitAcquire(AcquireOp op) {
  if (failed(checkConsecutive(op, state.lastAcquire, op.getAref(), op.getUse())))
    return failure();
  state.acquired.push_back({op.getAref(), {op.getUse(), {}, false}, op, nextInstance++, {}});
  return success();
}

LogicalResult GroupWalker::visitField(Operation *op, Value ring, Value use, int64_t field, SmemPart *put) {
  int i = find(op, state.acquired, ring, use, "acquire");
  if (i < 0)
    return failure();
  if (!state.acquired[i].fields.insert(field).second)
    return op->emitOpError("expected field ") << field << " of ring " << ringName(ring) << " to be written once per use, got twice";
  if (put) {
    put->instance = state.acquired[i].instance;
    state.accesses.push_back({AccessKind::Write, *put, op});
  }
  return success();
}

LogicalResult GroupWalker::visitPublish(PublishOp op) {
  int i = find(op, state.acquired, op.getAref(), op.getUse(), "acquire");
  if (i < 0)
    return failure();
  OpenUse use = state.acquired[i];
  int64_t fields = op.getAref().getType().getPayload().size();
  for (int64_t f = 0; f < fields; ++f)
    if (!use.fields.count(f))
      return op.emitOpError("expected all ") << fields << " fields of ring " << ringName(use.ring)
                                             << " written before publish, got field " << f << " missing";
  auto async = asyncFields.find(use.ring);
  for (const SmemAccess &access : state.accesses) {
    if (access.kind != AccessKind::Write || access.part.root != use.ring || access.part.instance != use.instance)
      continue;
    if (!access.fenced && async != asyncFields.end() && async->second.count(access.part.row))
      return op.emitOpError("expected a fence between put and publish: field ")
             << access.part.row << " of ring " << ringName(use.ring) << " is read by a dot or a copy_out, got none";
  }
  llvm::erase_if(state.accesses, [&](const SmemAccess &a) { return a.part.root == use.ring && a.part.instance == use.instance; });
  state.acquired.erase(state.acquired.begin() + i);
  return success();
}

LogicalResult GroupWalker::visitGet(GetOp op) {
  int instance = nextInstance++;
  for (Value tile : op.getTiles())
    parts[tile] = {whole(tile, instance)};
  if (op->hasAttr(unsynchronisedAttr))
    return success();
  if (failed(checkConsecutive(op, state.lastGet, op.getAref(), op.getUse())))
    return failure();
  state.got.push_back({op.getAref(), {op.getUse(), {}, false}, op, instance, {}});
  return success();
}

LogicalResult GroupWalker::visitConsumed(ConsumedOp op) {
  int i = find(op, state.got, op.getAref(), op.getUse(), "get");
  if (i < 0)
    return failure();
  int instance = state.got[i].instance;
  for (const DotInFlight &dot : state.dots)
    if (dot.reads.count(instance)) {
      InFlightDiagnostic diag = op.emitOpError("expected every dot that reads ring ")
                                << ringName(op.getAref()) << " to be waited for before consumed, got one in flight";
      diag.attachNote(dot.op->getLoc()) << "the dot";
      return diag;
    }
  for (const SmemAccess &access : state.accesses)
    if (access.kind == AccessKind::CopyOut && access.part.instance == instance && !access.retired)
      return op.emitOpError("expected every copy_out that reads ring ")
             << ringName(op.getAref()) << " to be waited for before consumed, got one in flight";
  llvm::erase_if(state.accesses, [&](const SmemAccess &a) { return a.kind != AccessKind::Write && a.part.instance == instance; });
  state.got.erase(state.got.begin() + i);
  return success();
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// A ring's tile is read between its get and its consumed. (Of several tiles that a loop may carry, one must be held.)
LogicalResult GroupWalker::checkHeld(Operation *op, const SmemPart &part) {
  if (part.instance < 0)
    return success();
  for (const OpenUse &use : state.got)
    if (use.instance == part.instance)
      return success();
  auto get = part.root.getDefiningOp<GetOp>();
  return op->emitOpError("expected tiles of ring ")
         << ringName(get.getAref()) << " to be read between get and consumed, got a read outside";
}

static LogicalResult checkAny(ArrayRef<SmemPart> parts, llvm::function_ref<bool(const SmemPart &)> held,
                              llvm::function_ref<LogicalResult(const SmemPart &)> report) {
  if (parts.empty() || llvm::any_of(parts, held))
    return success();
  return report(parts.front());
}

LogicalResult GroupWalker::checkAsyncSource(Operation *op, const SmemPart &part, StringRef reader) {
  for (const SmemAccess &access : state.accesses) {
    if (access.kind != AccessKind::Write || !access.part.overlaps(part))
      continue;
    if (!access.fenced)
      return op->emitOpError("expected a fence between write and ") << reader << ", got none";
    if (!access.asyncReady)
      return op->emitOpError("expected a barrier after the fence before ") << reader << ", got none";
  }
  return success();
}

LogicalResult GroupWalker::visitWrite(WriteOp op) {
  for (const SmemPart &part : partsOf(op.getDest())) {
    if (part.instance >= 0)
      return op.emitOpError("expected a scratch tile as destination, got a tile of a ring");
    for (const SmemAccess &access : state.accesses) {
      if (access.kind == AccessKind::Write || !access.part.overlaps(part))
        continue;
      if (access.kind == AccessKind::DotRead && !access.retired)
        return op.emitOpError("expected the dot that reads this scratch to be waited for before write, got it in flight");
      if (access.kind == AccessKind::CopyOut && !access.retired)
        return op.emitOpError("expected the copy_out that reads this scratch to be waited for before write, got it in flight");
      return op.emitOpError("expected a barrier between the last read of this scratch and write, got none");
    }
    llvm::erase_if(state.accesses, [&](const SmemAccess &a) { return a.kind == AccessKind::Write && part.contains(a.part); });
    state.accesses.push_back({AccessKind::Write, part, op});
    state.accesses.back().met = oneThread;
  }
  return success();
}

LogicalResult GroupWalker::visitRead(ReadOp op) {
  auto source = partsOf(op.getSource());
  if (failed(checkAny(source, [&](const SmemPart &p) {
        return p.instance < 0 || llvm::any_of(state.got, [&](const OpenUse &u) { return u.instance == p.instance; });
      }, [&](const SmemPart &p) { return checkHeld(op, p); })))
    return failure();
  for (const SmemPart &part : source) {
    for (const SmemAccess &access : state.accesses)
      if (access.kind == AccessKind::Write && access.part.overlaps(part) && !access.met)
        return op.emitOpError("expected a barrier between write and read, got none");
    if (!oneThread && part.instance < 0)
      state.accesses.push_back({AccessKind::Read, part, op});
  }
  return success();
}

LogicalResult GroupWalker::visitCopyOut(CopyOutOp op) {
  for (SmemAccess &access : state.accesses)
    access.newer += access.kind == AccessKind::CopyOut;
  auto source = partsOf(op.getSource());
  if (failed(checkAny(source, [&](const SmemPart &p) {
        return p.instance < 0 || llvm::any_of(state.got, [&](const OpenUse &u) { return u.instance == p.instance; });
      }, [&](const SmemPart &p) { return checkHeld(op, p); })))
    return failure();
  for (const SmemPart &part : source) {
    if (failed(checkAsyncSource(op, part, "copy_out")))
      return failure();
    state.accesses.push_back({AccessKind::CopyOut, part, op});
  }
  return success();
}

void GroupWalker::visitCopyOutWait(CopyOutWaitOp op) {
  for (SmemAccess &access : state.accesses)
    if (access.kind == AccessKind::CopyOut && !access.retired && access.newer >= static_cast<int64_t>(op.getPending())) {
      access.retired = true;
      effective.insert(op);
    }
  prune();
}

void GroupWalker::visitFence(FenceOp op) {
  for (SmemAccess &access : state.accesses) {
    if (access.kind == AccessKind::Write && !access.fenced)
      effective.insert(op);
    access.fenced = true;
    access.asyncReady |= oneThread;
  }
  prune();
}

void GroupWalker::visitBarrier(BarrierOp op) {
  for (SmemAccess &access : state.accesses) {
    bool met = access.met || access.kind == AccessKind::Write || access.kind == AccessKind::Read || access.retired;
    bool asyncReady = access.asyncReady || access.fenced;
    if ((met && !access.met) || (access.kind == AccessKind::Write && asyncReady && !access.asyncReady))
      effective.insert(op);
    access.met = met;
    access.asyncReady = asyncReady;
  }
  prune();
}

/// Forgets accesses that nothing can conflict with any more.
void GroupWalker::prune() {
  llvm::erase_if(state.accesses, [&](const SmemAccess &a) {
    bool ordered = a.met || oneThread;
    switch (a.kind) {
    case AccessKind::Write: return a.part.instance < 0 && ordered && a.asyncReady;
    case AccessKind::Read: return ordered;
    case AccessKind::DotRead:
    case AccessKind::CopyOut: return a.retired && ordered;
    }
    return false;
  });
}

//===----------------------------------------------------------------------===//
// Tensor core
//===----------------------------------------------------------------------===//

/// No operand is the result of a dot still in flight.
LogicalResult GroupWalker::checkNoPending(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto ids = pending.find(operand);
    if (ids == pending.end())
      continue;
    for (const DotInFlight &dot : state.dots)
      if (ids->second.count(dot.id)) {
        InFlightDiagnostic diag = op->emitOpError("expected the dot to be retired by a dot_wait before its result is used, got it in flight");
        diag.attachNote(dot.op->getLoc()) << "the dot";
        return diag;
      }
  }
  return success();
}

LogicalResult GroupWalker::visitDot(DotOp op) {
  for (DotInFlight &dot : state.dots)
    ++dot.newer;
  DotInFlight dot{nextInstance++, op, 0, {}};
  for (Value operand : {op.getA(), Value(op.getB())}) {
    if (isa<RankedTensorType>(operand.getType())) {
      auto ids = pending.find(operand);
      for (const DotInFlight &other : state.dots)
        if (ids != pending.end() && ids->second.count(other.id))
          return op.emitOpError("expected operand a to be retired by a dot_wait before it is used, got its dot in flight");
      continue;
    }
    auto source = partsOf(operand);
    if (failed(checkAny(source, [&](const SmemPart &p) {
          return p.instance < 0 || llvm::any_of(state.got, [&](const OpenUse &u) { return u.instance == p.instance; });
        }, [&](const SmemPart &p) { return checkHeld(op, p); })))
      return failure();
    for (const SmemPart &part : source) {
      if (failed(checkAsyncSource(op, part, "dot")))
        return failure();
      if (part.instance >= 0)
        dot.reads.insert(part.instance);
      else
        state.accesses.push_back({AccessKind::DotRead, part, op, dot.id});
    }
  }
  pending[op.getResult()] = {dot.id};
  state.dots.push_back(dot);
  return success();
}

LogicalResult GroupWalker::visitDotWait(DotWaitOp op) {
  int64_t count = op.getPending();
  for (SmemAccess &access : state.accesses)
    for (const DotInFlight &dot : state.dots)
      if (access.kind == AccessKind::DotRead && access.dot == dot.id && dot.newer >= count)
        access.retired = true;
  size_t before = state.dots.size();
  llvm::erase_if(state.dots, [&](const DotInFlight &dot) { return dot.newer >= count; });
  if (state.dots.size() != before)
    effective.insert(op);
  prune();
  for (auto [value, result] : llvm::zip(op.getValues(), op.getResults())) {
    for (const DotInFlight &dot : state.dots)
      if (pending.count(value) && pending[value].count(dot.id))
        return op.emitOpError("expected at most ") << dot.newer << " pending so that the dot is retired, got " << count;
    pending[result] = {};
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Across groups
//===----------------------------------------------------------------------===//

/// The rings' tiles (get results) that a shared-memory value may be a view of.
static void collectRoots(Value value, llvm::DenseSet<Value> &seen, SmallVectorImpl<OpResult> &roots) {
  if (!isa<SmemType>(value.getType()) || !seen.insert(value).second)
    return;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp())) {
      collectRoots(loop.getInitArgs()[arg.getArgNumber() - 1], seen, roots);
      collectRoots(loop.getYieldedValues()[arg.getArgNumber() - 1], seen, roots);
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (isa<GetOp>(op)) {
    roots.push_back(cast<OpResult>(value));
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    collectRoots(loop.getInitArgs()[number], seen, roots);
    collectRoots(loop.getYieldedValues()[number], seen, roots);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    collectRoots(branch.thenYield().getOperand(number), seen, roots);
    collectRoots(branch.elseYield().getOperand(number), seen, roots);
  } else if (isa<SliceOp, TransposeOp>(op)) {
    collectRoots(op->getOperand(0), seen, roots);
  }
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
      if (!argument && !operand.getDefiningOp<ArefOp>() && !operand.getDefiningOp<ScratchOp>()) {
        result = op->emitOpError("expected groups to capture arefs, scratches and arguments only, got a value of ")
                 << operand.getDefiningOp()->getName();
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return result;
}

LogicalResult heddle::verifyWarpProtocol(KernelOp kernel) {
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
  }
  for (ScratchOp scratch : kernel.getBody().getOps<ScratchOp>())
    if (auto owners = ownersOf(scratch, [](Operation *) { return true; }); owners.size() > 1)
      return scratch.emitOpError("expected scratch \"") << scratch.getName() << "\" in one group, got " << owners.size();
  AsyncFields asyncFields = findAsyncFields(kernel);
  for (GroupOp group : groups)
    if (failed(GroupWalker(group, asyncFields).run()))
      return failure();
  return success();
}

SmallVector<Operation *> heddle::findIdleSynchronisation(KernelOp kernel) {
  AsyncFields asyncFields = findAsyncFields(kernel);
  SmallVector<Operation *> idle;
  for (GroupOp group : kernel.getBody().getOps<GroupOp>()) {
    GroupWalker walker(group, asyncFields);
    if (failed(walker.run()))
      return {};
    group.walk([&](Operation *op) {
      if (isa<DotWaitOp, CopyOutWaitOp, FenceOp, BarrierOp>(op) && !walker.effective.count(op))
        idle.push_back(op);
    });
  }
  return idle;
}
