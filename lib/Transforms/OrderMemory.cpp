//===- OrderMemory.cpp - keeps the program's order of accesses to memory ----===//
//
// What:      the sequential program orders every access to global memory; warp groups, the copy engine and the schedule
//            do not. Decides how each dependent pair (Analysis/GlobalMemory.h) is ordered:
//              - a copy-engine load, then a store of what is computed from the tile: by the data, nothing is added;
//              - all others: both are issued by one warp group in the program's order, and the later one waits
//                (TileToWarp) until the earlier is complete and visible. The load group runs ahead of the others, so
//                these loads leave it.
//            The scheduling problem has an edge for every such pair in a loop (LoopProblem.cpp).
// Where:     loads are marked before Subtile, which copies the marks; waits are placed after it, when it is known which
//            accesses are copies. Pipelines.cpp takes one warp group where several would conflict.
//              - scalars (tile.element) are read by every group whenever it needs them: none may be stored.
// Verifies:  no dependent pair is left in two groups.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/OrderMemory.h"

#include "heddle/Analysis/GlobalMemory.h"
#include "heddle/Analysis/Instructions.h"

using namespace mlir;
namespace heddle {

/// A load that the load group issues.
static bool isCopyIn(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && isTmaLoad(load);
}

static bool isCopyOut(Operation *op) {
  auto store = dyn_cast<tile::StoreOp>(op);
  return store && isTmaStore(store);
}

/// A load by the copy engine before a store that needs its tile.
static bool isOrderedByData(const MemoryDependence &pair) {
  auto store = dyn_cast<tile::StoreOp>(pair.second);
  return store && isCopyIn(pair.first) && !pair.isBackward() && isComputedFrom(store, cast<tile::LoadOp>(pair.first));
}

void keepLoadsInOrder(tile::KernelOp kernel) {
  for (const MemoryDependence &pair : findMemoryDependences(kernel))
    if (!isOrderedByData(pair))
      for (Operation *op : {pair.first, pair.second})
        if (isa<tile::LoadOp>(op))
          op->setAttr(inOrderAttr, UnitAttr::get(kernel.getContext()));
}

/// Adds to the waits of `later` what `earlier` needs. Copies of one group are started by one thread.
static void addWaits(Operation *earlier, Operation *later) {
  SmallVector<Attribute> waits;
  if (auto known = later->getAttrOfType<ArrayAttr>(waitMemoryAttr))
    llvm::append_range(waits, known.getValue());
  auto add = [&](StringRef wait) {
    if (Attribute name = StringAttr::get(later->getContext(), wait); !llvm::is_contained(waits, name))
      waits.push_back(name);
  };
  if (isCopyOut(earlier))
    add(waitForCopies);
  if (isa<tile::StoreOp>(earlier) && !isCopyOut(earlier) && isCopyOut(later))
    add(waitForFence);
  if (!isCopyOut(earlier) || !isCopyOut(later))
    add(waitForThreads);
  later->setAttr(waitMemoryAttr, ArrayAttr::get(later->getContext(), waits));
}

LogicalResult placeMemoryWaits(tile::KernelOp kernel) {
  for (const MemoryDependence &pair : findMemoryDependences(kernel)) {
    if (isOrderedByData(pair))
      continue;
    if (auto element = dyn_cast<tile::ElementOp>(isa<tile::ElementOp>(pair.first) ? pair.first : pair.second)) {
      InFlightDiagnostic diag =
          element.emitOpError("expected a scalar that the kernel does not store, got one of a view "
                              "that it stores to: every warp group reads it when it needs it");
      diag.attachNote((element == pair.first ? pair.second : pair.first)->getLoc()) << "stored here";
      return diag;
    }
    if (isCopyIn(pair.first) || isCopyIn(pair.second) || groupOf(pair.first) != groupOf(pair.second)) {
      auto kind = [](Operation *op) { return isa<tile::StoreOp>(op) ? "store" : "load"; };
      bool forward = pair.isForward();
      Operation *earlier = forward ? pair.first : pair.second, *later = forward ? pair.second : pair.first;
      InFlightDiagnostic diag = later->emitOpError("cannot order this ")
                                << kind(later) << " after a " << kind(earlier)
                                << " of the same view by another warp group: this is not supported yet (`groups = 1` "
                                   "keeps the program's order)";
      diag.attachNote(earlier->getLoc()) << "the earlier " << kind(earlier)
                                         << (pair.sameIteration ? "" : ", in an earlier iteration");
      return diag;
    }
    if (pair.isForward())
      addWaits(pair.first, pair.second);
    if (pair.isBackward())
      addWaits(pair.second, pair.first);
  }
  return success();
}

bool hasMemoryWaits(tile::KernelOp kernel) {
  auto marked = [](Operation *op) {
    return op->hasAttr(waitMemoryAttr) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return kernel.walk(marked).wasInterrupted();
}

} // namespace heddle
