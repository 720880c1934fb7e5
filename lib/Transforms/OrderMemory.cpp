//===- OrderMemory.cpp - keeps the program's order of accesses to memory ----===//
//
// What:      the sequential program orders every access to global memory; warp groups, the copy engine and the schedule do not. Decides how each
//            dependent pair (Analysis/GlobalMemory.h) is ordered:
//              - a copy-engine load, then a store of what is computed from the tile: by the data, nothing is added;
//              - all others: both are issued by one warp group in the program's order, and the later one waits (TileToWarp) until the earlier
//                is complete and visible. The load group runs ahead of the others, so these loads leave it.
//            The scheduling problem has an edge for every such pair in a loop (LoopProblem.cpp).
// Where:     marks before Subtile, which copies them; the check after it. Pipelines.cpp takes one warp group where several would conflict.
// Verifies:  no dependent pair is left in two groups.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/OrderMemory.h"

#include "heddle/Analysis/GlobalMemory.h"
#include "heddle/Analysis/Instructions.h"

using namespace mlir;
namespace heddle {

/// A load by the copy engine before a store that needs its tile.
static bool isOrderedByData(const MemoryDependence &pair) {
  auto load = dyn_cast<tile::LoadOp>(pair.first);
  auto store = dyn_cast<tile::StoreOp>(pair.second);
  return load && store && isTmaLoad(load) && !pair.isBackward() && isComputedFrom(store, load);
}

void orderMemory(tile::KernelOp kernel) {
  SmallVector<MemoryDependence> pairs = findMemoryDependences(kernel);
  UnitAttr mark = UnitAttr::get(kernel.getContext());
  for (const MemoryDependence &pair : pairs)
    if (!isOrderedByData(pair))
      for (Operation *op : {pair.first, pair.second})
        if (isa<tile::LoadOp>(op))
          op->setAttr(inOrderAttr, mark);
  for (const MemoryDependence &pair : pairs) {
    if (isOrderedByData(pair))
      continue;
    if (pair.isForward())
      pair.second->setAttr(waitMemoryAttr, mark);
    if (pair.isBackward())
      pair.first->setAttr(waitMemoryAttr, mark);
  }
}

bool hasOrderedMemory(tile::KernelOp kernel) {
  auto marked = [](Operation *op) { return op->hasAttr(waitMemoryAttr) ? WalkResult::interrupt() : WalkResult::advance(); };
  return kernel.walk(marked).wasInterrupted();
}

static int64_t groupOf(Operation *op) {
  auto tag = op->getAttrOfType<IntegerAttr>(groupAttr);
  return tag ? tag.getInt() : 0;
}

/// A load that the load group issues.
static bool isCopiedIn(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && isTmaLoad(load);
}

LogicalResult verifyMemoryOrder(tile::KernelOp kernel) {
  for (const MemoryDependence &pair : findMemoryDependences(kernel)) {
    if (isOrderedByData(pair))
      continue;
    bool waits = (!pair.isForward() || pair.second->hasAttr(waitMemoryAttr)) &&
                 (!pair.isBackward() || pair.first->hasAttr(waitMemoryAttr));
    if (!isCopiedIn(pair.first) && !isCopiedIn(pair.second) && waits && groupOf(pair.first) == groupOf(pair.second))
      continue;
    auto kind = [](Operation *op) { return isa<tile::LoadOp>(op) ? "load" : "store"; };
    bool forward = pair.isForward();
    Operation *earlier = forward ? pair.first : pair.second, *later = forward ? pair.second : pair.first;
    InFlightDiagnostic diag = later->emitOpError("cannot order this ")
                              << kind(later) << " after a " << kind(earlier)
                              << " of the same view by another warp group: this is not supported yet (`groups = 1` keeps the program's order)";
    diag.attachNote(earlier->getLoc()) << "the earlier " << kind(earlier) << (pair.sameIteration ? "" : ", in an earlier iteration");
    return diag;
  }
  return success();
}

} // namespace heddle
