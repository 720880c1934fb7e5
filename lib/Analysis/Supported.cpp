//===- Supported.cpp - see Supported.h -------------------------------------===//
//
// The list:
//   control flow     scf.for, scf.if, scf.while; steps are at least 1
//   scalars of tiles that memory or scalars decide (Transforms/ReadScalars.cpp says which)
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Supported.h"

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle {

static LogicalResult verifyLoop(scf::ForOp loop) {
  APInt step;
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.getSExtValue() < 1)
    return loop.emitOpError("expected a step of at least 1, got ") << step.getSExtValue();
  return success();
}

LogicalResult verifySupported(tile::KernelOp kernel) {
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    LogicalResult fine = success();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      fine = verifyLoop(loop);
    else if (op->getNumRegions() && op != kernel.getOperation() && !isBranchOrLoop(op))
      fine = op->emitError("expected scf.for, scf.if or scf.while as control flow, got ") << op->getName();
    return failed(fine) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

} // namespace heddle
