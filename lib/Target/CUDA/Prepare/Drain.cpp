//===- Drain.cpp - see Drain.h --------------------------------------------------===//
#include "Drain.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;

/// Whether a product of the same block may run where `loop` begins.
static bool beginsAmongProducts(scf::ForOp loop) {
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto wait = dyn_cast<hw::WgmmaWaitOp>(op); wait && wait.getPending() == 0)
      return false;
    if (op->walk([](hw::WgmmaOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return true;
  }
  return false;
}

void cuda::drainBeforeLoops(hw::KernelOp kernel) {
  if (!kernel->hasAttr(hw::drainsAttr))
    return;
  kernel.walk([](scf::ForOp loop) {
    if (loop.getOps<hw::WgmmaOp>().empty() || !beginsAmongProducts(loop))
      return;
    OpBuilder b(loop);
    hw::WgmmaWaitOp::create(b, loop.getLoc(), TypeRange(), ValueRange(), /*pending=*/0, /*retired=*/false);
  });
}
