//===- WarpProtocolMemory.cpp - Shared memory and dots of one group ----------===//
#include "WarpProtocolWalker.h"
#include "heddle/Analysis/WarpProtocol.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::warp;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// A ring's tile is read between its get and its consumed. (Of several tiles that a loop may carry, one must be held.)
LogicalResult ProtocolWalker::checkHeld(Operation *op, ArrayRef<SmemPart> source) {
  auto isHeld = [&](const SmemPart &part) {
    return part.instance < 0 ||
           llvm::any_of(state.got, [&](const OpenUse &use) { return use.instance == part.instance; });
  };
  if (source.empty() || llvm::any_of(source, isHeld))
    return success();
  auto get = source.front().root.getDefiningOp<GetOp>();
  return op->emitOpError("expected tiles of ring ")
         << ringName(get.getAref()) << " to be read between get and consumed, got a read outside";
}

LogicalResult ProtocolWalker::checkAsyncSource(Operation *op, const SmemPart &part, StringRef reader) {
  for (const ProtocolAccess &access : state.accesses) {
    if (access.kind != AccessKind::Write || !access.part.overlaps(part))
      continue;
    if (!access.fenced)
      return op->emitOpError("expected a fence between write and ") << reader << ", got none";
    if (!access.asyncReady)
      return op->emitOpError("expected a barrier after the fence before ") << reader << ", got none";
  }
  return success();
}

LogicalResult ProtocolWalker::visitWrite(WriteOp op) {
  for (const SmemPart &part : partsOf(op.getDest())) {
    if (part.instance >= 0)
      return op.emitOpError("expected a scratch tile as destination, got a tile of a ring");
    for (const ProtocolAccess &access : state.accesses) {
      if (access.kind == AccessKind::Write || !access.part.overlaps(part))
        continue;
      if (access.kind == AccessKind::DotRead && !access.retired)
        return op.emitOpError(
            "expected the dot that reads this scratch to be waited for before write, got it in flight");
      if (access.kind == AccessKind::CopyOut && !access.retired)
        return op.emitOpError(
            "expected the copy_out that reads this scratch to be waited for before write, got it in flight");
      return op.emitOpError("expected a barrier between the last read of this scratch and write, got none");
    }
    llvm::erase_if(state.accesses,
                   [&](const ProtocolAccess &a) { return a.kind == AccessKind::Write && part.contains(a.part); });
    state.accesses.push_back({AccessKind::Write, part, op});
    state.accesses.back().met = oneThread;
  }
  return success();
}

LogicalResult ProtocolWalker::visitRead(ReadOp op) {
  auto source = partsOf(op.getSource());
  if (failed(checkHeld(op, source)))
    return failure();
  for (const SmemPart &part : source) {
    for (const ProtocolAccess &access : state.accesses)
      if (access.kind == AccessKind::Write && access.part.overlaps(part) && !access.met)
        return op.emitOpError("expected a barrier between write and read, got none");
    if (!oneThread && part.instance < 0)
      state.accesses.push_back({AccessKind::Read, part, op});
  }
  return success();
}

LogicalResult ProtocolWalker::visitCopyOut(CopyOutOp op) {
  for (ProtocolAccess &access : state.accesses)
    access.newer += access.kind == AccessKind::CopyOut;
  auto source = partsOf(op.getSource());
  if (failed(checkHeld(op, source)))
    return failure();
  for (const SmemPart &part : source) {
    if (failed(checkAsyncSource(op, part, "copy_out")))
      return failure();
    state.accesses.push_back({AccessKind::CopyOut, part, op});
  }
  return success();
}

void ProtocolWalker::visitCopyOutWait(CopyOutWaitOp op) {
  for (ProtocolAccess &access : state.accesses)
    if (access.kind == AccessKind::CopyOut && !access.retired &&
        access.newer >= static_cast<int64_t>(op.getPending())) {
      access.retired = true;
      effective.insert(op);
    }
  prune();
}

void ProtocolWalker::visitFence(FenceOp op) {
  if (op.getGlobal())
    return;
  // Of what goes to rings only the fields that the asynchronous proxy reads need it.
  auto isReadAsynchronously = [&](const SmemPart &part) {
    auto ring = asyncFields.find(part.root);
    return part.instance < 0 || (ring != asyncFields.end() && ring->second.count(part.row));
  };
  for (ProtocolAccess &access : state.accesses) {
    if (access.kind == AccessKind::Write && !access.fenced && isReadAsynchronously(access.part))
      effective.insert(op);
    access.fenced = true;
    access.asyncReady |= oneThread;
  }
  prune();
}

void ProtocolWalker::visitBarrier(BarrierOp op) {
  for (ProtocolAccess &access : state.accesses) {
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
void ProtocolWalker::prune() {
  llvm::erase_if(state.accesses, [&](const ProtocolAccess &a) {
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
LogicalResult ProtocolWalker::checkNoPending(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto ids = pending.find(operand);
    if (ids == pending.end())
      continue;
    for (const DotInFlight &dot : state.dots)
      if (ids->second.count(dot.id)) {
        InFlightDiagnostic diag =
            op->emitOpError("expected the dot to be retired by a dot_wait before its result is used, got it in flight");
        diag.attachNote(dot.op->getLoc()) << "the dot";
        return diag;
      }
  }
  return success();
}

LogicalResult ProtocolWalker::visitDot(DotOp op) {
  for (DotInFlight &dot : state.dots)
    ++dot.newer;
  DotInFlight dot{nextInstance++, op, 0, {}};
  for (Value operand : {op.getA(), Value(op.getB())}) {
    if (isa<RankedTensorType>(operand.getType())) {
      auto ids = pending.find(operand);
      for (const DotInFlight &other : state.dots)
        if (ids != pending.end() && ids->second.count(other.id))
          return op.emitOpError(
              "expected operand a to be retired by a dot_wait before it is used, got its dot in flight");
      continue;
    }
    auto source = partsOf(operand);
    if (failed(checkHeld(op, source)))
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
  for (Value result : op->getResults())
    pending[result] = {dot.id};
  state.dots.push_back(dot);
  return success();
}

LogicalResult ProtocolWalker::visitDotWait(DotWaitOp op) {
  int64_t count = op.getPending().value_or(state.dots.size());
  if (!op.getPending()) // names what it retires, with all that was issued before
    for (Value named : op->getOperands())
      for (const DotInFlight &dot : state.dots)
        if (pending.count(named) && pending[named].count(dot.id))
          count = std::min(count, dot.newer);
  for (ProtocolAccess &access : state.accesses)
    for (const DotInFlight &dot : state.dots)
      if (access.kind == AccessKind::DotRead && access.dot == dot.id && dot.newer >= count)
        access.retired = true;
  llvm::erase_if(state.dots, [&](const DotInFlight &dot) {
    if (dot.newer < count)
      return false;
    effective.insert(op);
    retired[op].insert(dot.op);
    return true;
  });
  prune();
  for (auto [value, result] : llvm::zip(op.getValues(), op.getResults())) {
    for (const DotInFlight &dot : state.dots)
      if (pending.count(value) && pending[value].count(dot.id))
        return op.emitOpError("expected at most ") << dot.newer << " pending so that the dot is retired, got " << count;
    pending[result] = {};
  }
  return success();
}
