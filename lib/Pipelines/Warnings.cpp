//===- Warnings.cpp - what a program loses by how it is written ---------------===//
//
// What:   accesses that the copy engine cannot take, and loops that no schedule is made for -> warnings at their place
//         that say what the compiler expected.
// Where:  scheduleKernel; nothing is changed by them.
//
//===----------------------------------------------------------------------===//
#include "Warnings.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Dialect/Warp/Warp.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
namespace heddle {

void warnOfAlignment(tile::KernelOp kernel) {
  kernel.walk([](Operation *op) {
    if (isKeptFromTmaByAlignment(op))
      op->emitWarning("the copy engine is not used: expected a column index that is known to be a multiple of 16 bytes "
                      "(multiply by the tile's "
                      "width last)");
  });
}

void warnOfOrder(tile::KernelOp kernel) {
  auto isProduct = [](Operation *op) { return isa<tile::DotOp, warp::DotOp>(op); };
  kernel.walk([&](scf::WhileOp loop) {
    if (llvm::any_of(*loop.getAfterBody(), [&](Operation &op) { return isProduct(&op); }))
      loop.emitWarning("a loop with products is not scheduled, but runs in the program's order: expected scf.for, got "
                       "scf.while, whose end nobody knows before");
  });
  kernel.walk([&](scf::ForOp loop) {
    Operation *branch = nullptr;
    bool hasProducts = false, isInnermost = true;
    bool ownProducts = llvm::any_of(*loop.getBody(), [&](Operation &op) { return isProduct(&op); });
    for (Operation &op : *loop.getBody())
      op.walk([&](Operation *inner) {
        hasProducts |= isProduct(inner);
        // A scalar that is summed up of memory is read by a loop of its own.
        auto other = dyn_cast<scf::ForOp>(inner);
        bool reads =
            other && ownProducts && llvm::none_of(*other.getBody(), [&](Operation &o) { return isProduct(&o); });
        isInnermost &= !other || reads;
        if (reads && !branch)
          branch = inner;
        if (isa<scf::IfOp, scf::WhileOp>(inner) && !branch)
          branch = inner;
      });
    if (hasProducts && isInnermost && branch && !isScheduledLoop(loop))
      branch->emitWarning("a loop with products is not scheduled, but runs in the program's order: expected none of ")
          << branch->getName() << " in it";
  });
}

} // namespace heddle
