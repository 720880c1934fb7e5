//===- HoldOrder.cpp - see HoldOrder.h ------------------------------------------===//
#include "HoldOrder.h"

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

/// Whether the hardware computes the elements of `op`: no signalling NaN is among them, which mbarrierArriveBehind
/// relies on.
static bool isArithmetic(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, math::FmaOp, math::Exp2Op, math::ExpOp>(op);
}

/// Elements of a tile whose arithmetic is long enough to be worth holding.
static constexpr int64_t manyElements = 64 * 32;

static bool isLong(Operation *op) {
  auto tile = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : nullptr;
  return tile && isArithmetic(op) && tile.getElementType().isF32() && tile.getRank() > 1 &&
         tile.getNumElements() >= manyElements;
}

static bool waitsForNothing(Operation *op) {
  return isMemoryEffectFree(op) && !op->getNumRegions() && !isa<hw::WgmmaFenceOp, hw::WgmmaOp, hw::WgmmaCommitOp>(op);
}

/// The release that `wait` can be held by, with the last value of the arithmetic between the two.
static std::pair<hw::ArriveOp, Value> findHold(hw::WgmmaWaitOp wait) {
  Value last;
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto arrive = dyn_cast<hw::ArriveOp>(op)) {
      bool plain = !arrive.getSync() && !arrive.getCluster() && !arrive.getBehind();
      return {last && plain && arrive.getBars().getType().getSize() > 1 ? arrive : nullptr, last};
    }
    if (!waitsForNothing(op))
      break;
    if (!last && isLong(op))
      last = op->getResult(0);
  }
  return {nullptr, nullptr};
}

void cuda::holdOrder(hw::KernelOp kernel) {
  SmallVector<std::tuple<hw::ArriveOp, hw::WgmmaWaitOp, Value>> found;
  kernel->walk([&](hw::WgmmaWaitOp wait) {
    if (wait.getRetired() || !isa<scf::ForOp>(wait->getParentOp()))
      return;
    if (auto [arrive, value] = findHold(wait); arrive)
      found.push_back({arrive, wait, value});
  });
  for (auto [arrive, wait, value] : found) {
    arrive->moveBefore(wait);
    arrive.getBehindMutable().assign(value);
  }
}
