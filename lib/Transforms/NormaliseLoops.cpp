//===- NormaliseLoops.cpp - loops in the one form that later steps know -----===//
//
// What:      see the header. A loop over another integer type counts in index; its variable is cast back, with the sign
//            that its comparison has. An iter_arg that yields itself is dropped: it is its init. Operations without
//            effect that nobody uses go (upstream), so do such loads.
// Where:     first of all; sub-tiling, extraction and TileToWarp see only these loops.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/NormaliseLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

using namespace mlir;
namespace heddle {

static Value castTo(OpBuilder &b, Location loc, Type type, Value value, bool isUnsigned) {
  if (isUnsigned)
    return arith::IndexCastUIOp::create(b, loc, type, value);
  return arith::IndexCastOp::create(b, loc, type, value);
}

static void normalise(scf::ForOp loop) {
  Type type = loop.getInductionVar().getType();
  SmallVector<Value> inits;
  llvm::BitVector dropped(loop.getNumRegionIterArgs());
  for (auto [i, arg, init, yielded] :
       llvm::enumerate(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getYieldedValues())) {
    if (yielded == arg)
      dropped.set(i);
    else
      inits.push_back(init);
  }
  if (type.isIndex() && dropped.none())
    return;
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  bool isUnsigned = loop.getUnsignedCmp();
  if (!type.isIndex())
    for (Value *bound : {&lower, &upper, &step})
      *bound = castTo(b, loc, b.getIndexType(), *bound, isUnsigned);
  auto copy = scf::ForOp::create(b, loc, lower, upper, step, inits);
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (unsigned i : dropped.set_bits()) {
    loop.getRegionIterArg(i).replaceAllUsesWith(loop.getInitArgs()[i]);
    loop.getResult(i).replaceAllUsesWith(loop.getInitArgs()[i]);
  }
  unsigned next = 0;
  for (unsigned i = 0; i < dropped.size(); ++i)
    if (!dropped.test(i))
      loop.getResult(i).replaceAllUsesWith(copy.getResult(next++));
  loop.getBody()->getTerminator()->eraseOperands(dropped);
  dropped.resize(dropped.size() + 1);
  dropped <<= 1; // arguments begin with the counter
  loop.getBody()->eraseArguments(dropped);
  copy.getRegion().takeBody(loop.getRegion());
  if (!type.isIndex()) {
    BlockArgument counter = copy.getBody()->getArgument(0);
    counter.setType(b.getIndexType());
    OpBuilder inner = OpBuilder::atBlockBegin(copy.getBody());
    Value back = castTo(inner, loc, type, counter, isUnsigned);
    counter.replaceAllUsesExcept(back, back.getDefiningOp());
  }
  loop.erase();
}

void hoistCoordinates(tile::KernelOp kernel) {
  SmallVector<tile::ProgramIdOp> inside;
  kernel.walk([&](tile::ProgramIdOp id) {
    if (id->getParentOp() != kernel)
      inside.push_back(id);
  });
  for (tile::ProgramIdOp id : inside)
    id->moveBefore(kernel.getBody().front().findAncestorOpInBlock(*id));
}

void hoistRows(tile::KernelOp kernel) {
  DenseSet<Operation *> named;
  std::function<void(Value)> follow = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (!def || !isMemoryEffectFree(def) || def->getNumRegions() || !named.insert(def).second)
      return;
    llvm::for_each(def->getOperands(), follow);
  };
  kernel.walk([&](Operation *op) {
    if (auto gather = dyn_cast<tile::GatherOp>(op))
      follow(gather.getRows());
    else if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getRows())
      follow(store.getRows());
  });
  kernel.walk([&](LoopLikeOpInterface loop) {
    moveLoopInvariantCode(
        loop.getLoopRegions(), [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
        [&](Operation *op, Region *) { return named.contains(op) && isSpeculatable(op); },
        [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
  });
}

void normaliseLoops(tile::KernelOp kernel) {
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    normalise(loop);
  IRRewriter rewriter(kernel.getContext());
  while (succeeded(runRegionDCE(rewriter, kernel->getRegions()))) { // a loop that goes leaves what only it used
  }
}

} // namespace heddle
