//===- Supported.cpp - see Supported.h -------------------------------------===//
//
// The list:
//   control flow     scf.for, scf.if, scf.while; steps are at least 1; iter_args of a scheduled loop do not only
//                    exchange places
//   scalars          from sizes, arguments, program numbers and loops, not from tiles
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/Supported.h"

#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle {

/// True when the value of iter_arg `i` is, in every iteration, an init: arguments that yield each other and nothing
/// else.
static bool onlyExchanges(scf::ForOp loop, unsigned i) {
  unsigned at = i;
  for (unsigned hops = 0; hops <= loop.getNumRegionIterArgs(); ++hops) {
    auto next = dyn_cast<BlockArgument>(loop.getYieldedValues()[at]);
    if (!next || next.getOwner() != loop.getBody() || next.getArgNumber() == 0 || next.getArgNumber() - 1 == at)
      return false;
    at = next.getArgNumber() - 1;
  }
  return true;
}

static LogicalResult verifyLoop(scf::ForOp loop) {
  APInt step;
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.getSExtValue() < 1)
    return loop.emitOpError("expected a step of at least 1, got ") << step.getSExtValue();
  for (unsigned i = 0; isScheduledLoop(loop) && i < loop.getNumRegionIterArgs(); ++i)
    if (onlyExchanges(loop, i))
      return loop.emitOpError("expected an iter_arg ")
             << i << " that the loop computes or keeps, got one that only changes places with others: "
             << "this is not supported yet";
  return success();
}

LogicalResult verifySupported(tile::KernelOp kernel) {
  WalkResult walk = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    LogicalResult fine = success();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      fine = verifyLoop(loop);
    else if (op->getNumRegions() && op != kernel.getOperation() && !isBranchOrLoop(op))
      fine = op->emitError("expected scf.for, scf.if or scf.while as control flow, got ") << op->getName();
    else if (isa<tensor::ExtractOp>(op))
      fine = op->emitOpError("expected scalars from sizes, arguments and program numbers, got one from a tile: scalars "
                             "from memory are not supported yet");
    return failed(fine) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

} // namespace heddle
