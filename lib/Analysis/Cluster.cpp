//===- Cluster.cpp - see Cluster.h ------------------------------------------===//
// Forward from what differs by itself, through operands, variables and control, until nothing more is added.
#include "heddle/Analysis/Cluster.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Warp/Warp.h"

using namespace mlir;
namespace heddle {

/// What decides how often the regions of `op` run.
static SmallVector<Value, 3> decidersOf(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.getCondition()};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getCondition()};
  return {};
}

/// What is read at one place by all may have changed in between.
static bool readsWhatIsWritten(Operation *op) {
  if (isa<warp::GetOp>(op))
    return true;
  for (Value operand : op->getOperands())
    if (isa<tile::ViewType>(operand.getType()) &&
        llvm::any_of(operand.getUsers(), llvm::IsaPred<tile::StoreOp, warp::CopyOutOp>))
      return !isa<tile::DimOp>(op);
  return false;
}

Differences::Differences(Operation *kernel, llvm::function_ref<bool(Operation *)> begins) {
  bool changed = true;
  auto add = [&](Value value) { changed |= values.insert(value).second; };
  auto anyDiffers = [&](auto &&range) { return llvm::any_of(range, [&](Value v) { return differs(v); }); };
  while (changed) {
    changed = false;
    kernel->walk([&](Operation *op) {
      if (!isBranchOrLoop(op)) {
        if (begins(op) || readsWhatIsWritten(op) || anyDiffers(op->getOperands()))
          for (Value result : op->getResults())
            add(result);
        return;
      }
      bool way = anyDiffers(decidersOf(op));
      if (way)
        changed |= control.insert(op).second;
      for (const PassedVariable &variable : passedVariables(op))
        if (way || llvm::any_of(variable.given, [&](OpOperand *given) { return differs(given->get()); }))
          for (Value name : variable.names)
            add(name);
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && way)
        add(loop.getInductionVar());
    });
  }
}

bool Differences::isRunDifferently(Operation *op) const {
  for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
    if (control.contains(around))
      return true;
  return false;
}

SmallVector<tile::LoadOp> sharedLoads(tile::KernelOp kernel, int64_t blocks,
                                      llvm::function_ref<bool(Operation *)> begins) {
  SmallVector<tile::LoadOp> shared;
  if (blocks < 2)
    return shared;
  Differences differences(kernel, begins);
  kernel.walk([&](tile::LoadOp load) {
    if (isTmaLoad(load) && tile::dividesOverCluster(load.getResult().getType(), blocks) &&
        llvm::none_of(load.getIndices(), [&](Value index) { return differences.differs(index); }) &&
        !differences.isRunDifferently(load) && !readsWhatIsWritten(load))
      shared.push_back(load);
  });
  return shared;
}

} // namespace heddle
