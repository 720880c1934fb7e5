//===- WarpOps.cpp - The warp dialect's operations, executed ----------------===//
//
// What:     what operations of the warp dialect on memory and the tensor core do to the state of one CTA
//           (WarpEngine.h): values, units and the clock of their group. Those between groups are in WarpRings.cpp,
//           accesses of global memory by threads in WarpAccesses.cpp.
// Verifies: that what is read of a ring lies between get and consumed, and that results of dots are waited for.
//
//===----------------------------------------------------------------------===//
#include "WarpEngine.h"
#include "heddle/Analysis/Instructions.h"
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
