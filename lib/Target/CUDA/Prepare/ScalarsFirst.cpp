//===- ScalarsFirst.cpp - see ScalarsFirst.h ------------------------------------===//
#include "ScalarsFirst.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

static bool isTile(Type type) { return isa<RankedTensorType>(type); }

/// In runs of operations without an effect: nothing but their operands orders them.
static void moveScalarsFirst(Block &block) {
  Operation *firstOfTiles = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        moveScalarsFirst(inner);
    bool ofTiles = llvm::any_of(op.getOperandTypes(), isTile) || llvm::any_of(op.getResultTypes(), isTile);
    if (op.getNumRegions() || !isMemoryEffectFree(&op) || op.hasTrait<OpTrait::IsTerminator>()) {
      firstOfTiles = nullptr;
      continue;
    }
    if (ofTiles) {
      firstOfTiles = firstOfTiles ? firstOfTiles : &op;
      continue;
    }
    bool isKnown = llvm::all_of(op.getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return !def || def->getBlock() != &block || !firstOfTiles || def->isBeforeInBlock(firstOfTiles);
    });
    if (firstOfTiles && isKnown)
      op.moveBefore(firstOfTiles);
  }
}

void cuda::moveScalarsFirst(hw::KernelOp kernel) {
  auto roles = kernel.getBody().getOps<hw::RoleOp>();
  if (llvm::hasSingleElement(roles))
    ::moveScalarsFirst((*roles.begin()).getBody().front());
}
