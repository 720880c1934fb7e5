//===- WarpTime.cpp - What operations of one CTA cost, and who waits ---------===//
//
// What:   an operation of the warp level -> its cost by the machine file; clocks of groups that wait; events of the
//         timeline. Arithmetic on tiles is in WarpArithmetic.cpp.
// Trusts: the machine file, but for costs that it lacks (a fault at the operation).
//
//===----------------------------------------------------------------------===//
#include "WarpEngine.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Dialect/Warp/Notes.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

int64_t WarpEngine::ready(Group &group, Operation *op) {
  int64_t time = 0;
  for (Value operand : op->getOperands())
    time = std::max(time, group.values[operand].ready);
  return time;
}

Result<OpCost> heddle::sim::warpOpCost(Operation *op, const Machine &machine) {
  auto bytesOf = [](ArrayRef<int64_t> shape, Type element) {
    int64_t n = std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
    for (int64_t extent : shape)
      n *= extent;
    return n;
  };
  auto bytesOfTensor = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return bytesOf(tensor.getShape(), tensor.getElementType());
  };
  if (auto copy = dyn_cast<warp::CopyOp>(op)) {
    auto tile = cast<RankedTensorType>(copy.getAref().getType().getPayload()[copy.getField()]);
    int64_t whole = bytesOfTensor(tile);
    if (copy.getThreads())
      return costOfThreadCopy(whole, machine);
    int64_t bytes = copy.getExtent() ? bytesOf(*copy.getExtent(), tile.getElementType()) : whole;
    return machine.costAmongOthers("tma_load", {{"bytes", bytes}});
  }
  if (auto copy = dyn_cast<warp::CopyOutOp>(op)) {
    auto source = copy.getSource().getType();
    return machine.costAmongOthers(copy.getKind() == "add" ? "tma_reduce" : "tma_store",
                                   {{"bytes", bytesOf(source.getShape(), source.getElementType())}});
  }
  if (auto put = dyn_cast<warp::PutOp>(op); put && put.getValue().getType().isIndex())
    return OpCost();
  if (isa<warp::NextProgramOp>(op))
    return machine.cost("global_load", {{"bytes", numberBytes}});
  if (auto put = dyn_cast<warp::PutOp>(op))
    return machine.cost("smem_write", {{"bytes", bytesOfTensor(put.getValue().getType())}});
  if (auto write = dyn_cast<warp::WriteOp>(op))
    return machine.cost("smem_write", {{"bytes", bytesOfTensor(write.getValue().getType())}});
  return costOf(op, machine, /*asRun=*/true);
}

const OpCost *WarpEngine::costFor(Operation *op) {
  auto known = costs.find(op);
  if (known == costs.end()) {
    Result<OpCost> cost = warpOpCost(op, machine);
    if (!cost) {
      fault(FaultKind::Unsupported, op, cost.error().str());
      return nullptr;
    }
    known = costs.emplace(op, *cost).first;
  }
  return &known->second;
}

void WarpEngine::waitUntil(Group &group, Operation *op, int64_t time) {
  if (time <= group.clock)
    return;
  record(group.name, op, group.clock, time, false, true);
  group.waited += time - group.clock;
  group.clock = time;
}

std::string WarpEngine::nameOf(Operation *op) {
  std::string name = op->getName().stripDialect().str();
  if (auto node = op->getAttrOfType<StringAttr>(warp::nodeAttr))
    return node.getValue().str();
  for (Value operand : op->getOperands())
    if (auto ring = operand.getDefiningOp<warp::ArefOp>())
      name += " " + ring.getName().str();
  return name;
}

void WarpEngine::record(const std::string &lane, Operation *op, int64_t begin, int64_t end, bool unit, bool wait) {
  if (timeline && end > begin)
    result.events.push_back({lane, nameOf(op), op->getName().stripDialect().str(), begin, end, unit, wait});
}
