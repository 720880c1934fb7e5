//===- WarpProtocolWalker.cpp - Control flow and rings of one group ----------===//
#include "WarpProtocolWalker.h"
#include "heddle/Analysis/WarpProtocol.h"
#include "heddle/Dialect/Tile/ControlFlow.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::warp;

std::string heddle::ringName(Value ring) {
  if (auto aref = ring.getDefiningOp<ArefOp>())
    return ("\"" + aref.getName() + "\"").str();
  return "(unknown)";
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult ProtocolWalker::run() {
  if (failed(walk(group.getBody().front())))
    return failure();
  if (!state.acquired.empty())
    return state.acquired.front().op->emitOpError("expected use ")
           << toString(exprs.eval(state.acquired.front().use.value)) << " of ring "
           << ringName(state.acquired.front().ring) << " to be published before the group ends, got no publish";
  if (!state.got.empty())
    return state.got.front().op->emitOpError("expected use ")
           << toString(exprs.eval(state.got.front().use.value)) << " of ring " << ringName(state.got.front().ring)
           << " to be consumed before the group ends, got no consumed";
  if (!state.dots.empty())
    return state.dots.front().op->emitOpError("expected a dot_wait that retires it before the group ends, got none");
  for (const ProtocolAccess &access : state.accesses)
    if (access.kind == AccessKind::CopyOut && !access.retired)
      return access.op->emitOpError("expected a copy_out_wait that retires it before the group ends, got none");
  return success();
}

LogicalResult ProtocolWalker::walk(Block &block) {
  for (Operation &op : block)
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult ProtocolWalker::visit(Operation *op) {
  // Control flow only passes values on; dots and waits look at theirs themselves.
  if (!isControlFlow(op) && !isa<DotOp, DotWaitOp>(op) && failed(checkNoPending(op)))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp o) { return visitFor(o); })
      .Case([&](scf::IfOp o) { return visitIf(o); })
      .Case([&](scf::WhileOp o) { return visitWhile(o); })
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
          result.push_back(
              part.slice(offsets[0], offsets.size() > 1 ? offsets[1] : 0, shape[0], shape.size() > 1 ? shape[1] : 1));
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
          return o->emitOpError("expected scf.for, scf.if or scf.while as control flow in a warp group, got ")
                 << o->getName();
        if (isa<tile::DotOp>(o))
          return o->emitOpError("expected warp.dot in a warp group, got ") << o->getName();
        return success();
      });
}

SmemPart ProtocolWalker::whole(Value tile, int instance) {
  SmemPart part;
  part.root = tile;
  part.instance = instance;
  auto smem = dyn_cast<SmemType>(tile.getType());
  if (!smem) // a number
    return part;
  auto shape = smem.getShape();
  part.rows = shape[0];
  part.cols = shape.size() > 1 ? shape[1] : 1;
  return part;
}

ArrayRef<SmemPart> ProtocolWalker::partsOf(Value value) {
  if (value.getDefiningOp<ScratchOp>() && !parts.count(value))
    parts[value] = {whole(value, -1)};
  return parts[value];
}

/// What `from` stands for, `to` stands for as well.
void ProtocolWalker::carry(Value from, Value to, bool unite) {
  if (isa<SmemType>(to.getType())) {
    SmallVector<SmemPart, 1> old = unite ? parts[to] : SmallVector<SmemPart, 1>(), add(partsOf(from));
    old.append(add.begin(), add.end());
    parts[to] = old;
  } else if (isa<RankedTensorType, TokenType>(to.getType())) {
    std::set<int> ids = pending.count(from) ? pending[from] : std::set<int>();
    if (unite)
      ids.insert(pending[to].begin(), pending[to].end());
    pending[to] = ids;
  }
}

LogicalResult ProtocolWalker::checkBalance(Operation *op, const GroupState &before, StringRef what) {
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

LogicalResult ProtocolWalker::visitFor(scf::ForOp loop) {
  GroupState before = state, afterFirst;
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [init, arg] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs()))
    carry(init, arg, /*unite=*/false);
  for (int trip = 0; trip < 2; ++trip) {
    if (failed(walk(*loop.getBody())) || failed(checkBalance(loop, before, "each trip of the loop")))
      return failure();
    if (trip == 0)
      afterFirst = state;
    pass(yield.getOperands(), loop.getRegionIterArgs());
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

void ProtocolWalker::pass(ValueRange values, ValueRange names) {
  SmallVector<std::pair<SmallVector<SmemPart, 1>, std::set<int>>> next;
  for (Value value : values)
    next.push_back({parts[value], pending[value]});
  for (auto [name, value] : llvm::zip(names, next)) {
    parts[name] = value.first;
    pending[name] = value.second;
  }
}

/// Two trips, as of scf.for; the loop is left behind its condition.
LogicalResult ProtocolWalker::visitWhile(scf::WhileOp loop) {
  GroupState before = state, left;
  pass(loop.getInits(), loop.getBeforeArguments());
  for (int trip = 0; trip < 2; ++trip) {
    if (failed(walk(*loop.getBeforeBody())) || failed(checkBalance(loop, before, "the condition of the loop")))
      return failure();
    ValueRange passed = loop.getConditionOp().getArgs();
    for (auto [value, result] : llvm::zip(passed, loop.getResults()))
      carry(value, result, /*unite=*/trip > 0);
    if (trip == 0)
      left = state;
    else
      left.join(state);
    pass(passed, loop.getAfterArguments());
    if (failed(walk(*loop.getAfterBody())) || failed(checkBalance(loop, before, "each trip of the loop")))
      return failure();
    pass(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
    state.shift(loop);
  }
  state = left;
  state.freeze(loop);
  return success();
}

LogicalResult ProtocolWalker::visitIf(scf::IfOp branch) {
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

std::optional<int64_t> ProtocolWalker::difference(const UseNumber &older, Value use) {
  if (older.frozen)
    return std::nullopt;
  return constantDifference(exprs.eval(use), exprs.eval(older.value, older.shifts));
}

int ProtocolWalker::find(Operation *op, std::vector<OpenUse> &open, Value ring, Value use, StringRef opener) {
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

LogicalResult ProtocolWalker::checkConsecutive(Operation *op, std::vector<std::pair<Value, UseNumber>> &last,
                                               Value ring, Value use) {
  auto aref = ring.getDefiningOp<ArefOp>();
  bool inTurn = isa<GetOp>(op) && aref && aref.getTurns() > 1; // others get what lies between
  for (auto &[known, previous] : last) {
    if (known != ring)
      continue;
    std::optional<int64_t> by = difference(previous, use);
    if (by && (inTurn ? *by < 1 : *by != 1))
      return op->emitOpError("expected ") << (inTurn ? "ascending" : "consecutive") << " use numbers of ring "
                                          << ringName(ring) << ", got a step of " << *by;
    previous = {use, {}, false};
    return success();
  }
  LinearExpr first = exprs.eval(use);
  if (!inTurn && first.terms.empty() && first.constant != 0)
    return op->emitOpError("expected the first use of ring ") << ringName(ring) << " to be 0, got " << first.constant;
  last.push_back({ring, {use, {}, false}});
  return success();
}

LogicalResult ProtocolWalker::visitAcquire(AcquireOp op) {
  if (failed(checkConsecutive(op, state.lastAcquire, op.getAref(), op.getUse())))
    return failure();
  state.acquired.push_back({op.getAref(), {op.getUse(), {}, false}, op, nextInstance++, {}});
  return success();
}

LogicalResult ProtocolWalker::visitField(Operation *op, Value ring, Value use, int64_t field, SmemPart *put) {
  int i = find(op, state.acquired, ring, use, "acquire");
  if (i < 0)
    return failure();
  if (!state.acquired[i].fields.insert(field).second)
    return op->emitOpError("expected field ")
           << field << " of ring " << ringName(ring) << " to be written once per use, got twice";
  if (put) {
    put->instance = state.acquired[i].instance;
    state.accesses.push_back({AccessKind::Write, *put, op});
  }
  return success();
}

LogicalResult ProtocolWalker::visitPublish(PublishOp op) {
  int i = find(op, state.acquired, op.getAref(), op.getUse(), "acquire");
  if (i < 0)
    return failure();
  OpenUse use = state.acquired[i];
  auto [first, end] = op.getAref().getDefiningOp<ArefOp>().filledWith(use.fields.empty() ? 0 : *use.fields.begin());
  for (int64_t f = first; f < end; ++f)
    if (!use.fields.count(f))
      return op.emitOpError("expected all ") << end - first << " fields of ring " << ringName(use.ring)
                                             << " written before publish, got field " << f << " missing";
  if (!use.fields.empty() && *use.fields.rbegin() >= end)
    return op.emitOpError("expected fields of one alternative of ring ")
           << ringName(use.ring) << " in a use, got fields " << first << " and " << *use.fields.rbegin();
  auto async = asyncFields.find(use.ring);
  for (const ProtocolAccess &access : state.accesses) {
    if (access.kind != AccessKind::Write || access.part.root != use.ring || access.part.instance != use.instance)
      continue;
    if (!access.fenced && async != asyncFields.end() && async->second.count(access.part.row))
      return op.emitOpError("expected a fence between put and publish: field ")
             << access.part.row << " of ring " << ringName(use.ring) << " is read by a dot or a copy_out, got none";
  }
  llvm::erase_if(state.accesses,
                 [&](const ProtocolAccess &a) { return a.part.root == use.ring && a.part.instance == use.instance; });
  state.acquired.erase(state.acquired.begin() + i);
  return success();
}

LogicalResult ProtocolWalker::visitGet(GetOp op) {
  int instance = nextInstance++;
  for (Value tile : op.getTiles())
    parts[tile] = {whole(tile, instance)};
  if (op->hasAttr(unsynchronisedAttr)) {
    bool number = llvm::any_of(op.getTiles(), [](Value field) { return field.getType().isIndex(); });
    return number ? checkHeld(op, partsOf(op.getTiles().front())) : success();
  }
  if (failed(checkConsecutive(op, state.lastGet, op.getAref(), op.getUse())))
    return failure();
  state.got.push_back({op.getAref(), {op.getUse(), {}, false}, op, instance, {}});
  return success();
}

LogicalResult ProtocolWalker::visitConsumed(ConsumedOp op) {
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
  for (const ProtocolAccess &access : state.accesses)
    if (access.kind == AccessKind::CopyOut && access.part.instance == instance && !access.retired)
      return op.emitOpError("expected every copy_out that reads ring ")
             << ringName(op.getAref()) << " to be waited for before consumed, got one in flight";
  llvm::erase_if(state.accesses,
                 [&](const ProtocolAccess &a) { return a.kind != AccessKind::Write && a.part.instance == instance; });
  state.got.erase(state.got.begin() + i);
  return success();
}
