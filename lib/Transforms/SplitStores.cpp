//===- SplitStores.cpp - whole tiles of bounded stores by the copy engine ---===//
//
// What:      tile.store %t, %v[%i, %j] below [%a, %b]  ->  scf.if (%i + rows <= %a and %j + columns <= %b)
//              { tile.store %t, %v[%i, %j] } else { tile.store %t, %v[%i, %j] below [%a, %b] }
// Where:     before sub-tiling, so that all warp groups decide alike; later steps see an ordinary branch. The copy
//            engine knows the ends of views, which the launch decides, and none that the kernel does.
// An end that is the view's own size bounds nothing and is not asked for; where all are, the store loses its bounds.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/SplitStores.h"

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
namespace heddle {

/// True where `op` stands in an scf.for with no loop or branch in it: such a loop is scheduled.
static bool isInScheduledLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  return loop && llvm::none_of(*loop.getBody(), [](Operation &inner) { return inner.getNumRegions() > 0; });
}

static void split(tile::StoreOp store) {
  OpBuilder b(store);
  Location loc = store.getLoc();
  Value isWhole;
  SmallVector<int64_t> dims = store.getTileDims();
  for (auto [dim, end, size] : llvm::zip(dims, store.getBelow(), store.getValue().getType().getShape())) {
    auto own = end.getDefiningOp<tile::DimOp>();
    if (own && own.getView() == store.getView() && static_cast<int64_t>(own.getDim()) == dim)
      continue;
    Value last = arith::AddIOp::create(b, loc, store.getIndices()[dim], arith::ConstantIndexOp::create(b, loc, size));
    Value ends = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, last, end);
    isWhole = isWhole ? arith::AndIOp::create(b, loc, isWhole, ends) : ends;
  }
  if (!isWhole) {
    store.getBelowMutable().clear();
    return;
  }
  auto branch = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
  auto whole = cast<tile::StoreOp>(branch.getThenBodyBuilder().clone(*store));
  whole.getBelowMutable().clear();
  store->moveBefore(branch.elseBlock(), branch.elseBlock()->begin());
}

void splitStores(tile::KernelOp kernel) {
  SmallVector<tile::StoreOp> bounded;
  kernel.walk([&](tile::StoreOp store) {
    if (store.isBounded() && !isInScheduledLoop(store))
      bounded.push_back(store);
  });
  for (tile::StoreOp store : bounded)
    split(store);
}

} // namespace heddle
