//===- ScalarsFirst.cpp - see ScalarsFirst.h ------------------------------------===//
#include "ScalarsFirst.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

static bool isTile(Type type) { return isa<RankedTensorType>(type); }

namespace {

/// Neighbours without an effect, which nothing but their operands orders.
class Stretch {
public:
  void add(Operation &op) {
    bool ofTiles = llvm::any_of(op.getOperandTypes(), isTile) || llvm::any_of(op.getResultTypes(), isTile);
    if (ofTiles)
      ++tiles;
    if (ofTiles && !first)
      first = &op;
    else if (!ofTiles && first)
      scalars.push_back(&op);
  }

  void finish(int64_t least) {
    if (tiles >= least)
      for (Operation *op : scalars)
        if (llvm::all_of(op->getOperands(), [&](Value operand) {
              Operation *def = operand.getDefiningOp();
              return !def || def->getBlock() != op->getBlock() || def->isBeforeInBlock(first);
            }))
          op->moveBefore(first);
    *this = Stretch();
  }

private:
  Operation *first = nullptr; ///< of those on tiles
  int64_t tiles = 0;
  SmallVector<Operation *> scalars; ///< behind it
};

} // namespace

static void moveScalarsFirst(Block &block, int64_t least) {
  Stretch stretch;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        moveScalarsFirst(inner, least);
    if (op.getNumRegions() || !isMemoryEffectFree(&op) || op.hasTrait<OpTrait::IsTerminator>())
      stretch.finish(least);
    else
      stretch.add(op);
  }
}

void cuda::moveScalarsFirst(hw::KernelOp kernel) {
  auto roles = kernel.getBody().getOps<hw::RoleOp>();
  int64_t least = llvm::hasSingleElement(roles) ? 1 : longFunction;
  for (hw::RoleOp role : roles)
    ::moveScalarsFirst(role.getBody().front(), least);
}
