//===- OrderMemory.cpp - keeps the program's order of accesses to memory ----===//
//
// What:      the sequential program orders every access to global memory; warp groups, the copy engine and the schedule
//            do not. Decides how each dependent pair (Analysis/GlobalMemory.h) is ordered:
//              - a copy-engine load, then a store of what is computed from the tile: by the data, nothing is added;
//              - both issued by one warp group: in the program's order, and the later one waits (TileToWarp) until the
//                earlier is complete and visible. The load group runs ahead of the others, so these loads leave it.
//              - issued by two compute groups: all compute groups meet between them, outside of scheduled loops, when
//                each has waited for its own.
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
#include "heddle/Analysis/LoopProblem.h"

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

/// Whether all groups execute what stands in `block` in the program's order.
static bool isInOrder(Block *block) {
  for (Operation *op = block->getParentOp(); op && !isa<tile::KernelOp>(op); op = op->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && isScheduledLoop(loop))
      return false;
  return true;
}

/// The innermost block that both stand in.
static Block *blockAround(Operation *x, Operation *y) {
  Block *block = x->getBlock();
  while (!block->findAncestorOpInBlock(*y))
    block = block->getParentOp()->getBlock();
  return block;
}

/// The block of an iteration of `loop`; null where it has two.
static Block *iterationOf(Operation *loop, Operation *x, Operation *y) {
  Block *block = nullptr;
  for (Region &region : loop->getRegions())
    if (region.isAncestor(x->getParentRegion()))
      block = &region.front();
  return block && block->findAncestorOpInBlock(*y) ? block : nullptr;
}

/// Where groups meet already between `earlier` and `later` (see meetBetween), or null.
static Operation *findMeeting(Operation *earlier, Operation *later, Block *block, bool carried) {
  auto meets = [](Operation &op) { return op.hasAttr(meetGroupsAttr); };
  for (Block *inner = later->getBlock(); inner != block; inner = inner->getParentOp()->getBlock()) {
    Operation *to = inner->findAncestorOpInBlock(*later)->getNextNode();
    for (Operation *op = &inner->front(); op != to; op = op->getNextNode())
      if (meets(*op))
        return op;
  }
  for (Block *inner = earlier->getBlock(); inner != block; inner = inner->getParentOp()->getBlock())
    for (Operation *op = inner->findAncestorOpInBlock(*earlier)->getNextNode(); op; op = op->getNextNode())
      if (meets(*op))
        return op;
  Operation *from = block->findAncestorOpInBlock(*earlier), *to = block->findAncestorOpInBlock(*later);
  for (Operation &op : *block) {
    bool behind = from->isBeforeInBlock(&op), before = &op == to || op.isBeforeInBlock(to);
    if (meets(op) && (carried ? behind || before : behind && before))
      return &op;
  }
  return nullptr;
}

/// Lets all compute groups meet between `earlier` and `later`, in one iteration of `block` or, `carried`, in different
/// ones; false where no place is between them.
static bool meetBetween(Operation *earlier, Operation *later, Block *block, bool carried) {
  if (!block || !isInOrder(block))
    return false;
  Operation *place = findMeeting(earlier, later, block, carried);
  if (!place)
    place = block->findAncestorOpInBlock(*later);
  SmallVector<Attribute> waits;
  if (auto known = place->getAttrOfType<ArrayAttr>(meetGroupsAttr))
    llvm::append_range(waits, known.getValue());
  auto add = [&](StringRef wait) {
    if (Attribute name = StringAttr::get(place->getContext(), wait); !llvm::is_contained(waits, name))
      waits.push_back(name);
  };
  if (isCopyOut(earlier))
    add(waitForCopies);
  if (isa<tile::StoreOp>(earlier) && !isCopyOut(earlier) && isCopyOut(later))
    add(waitForFence);
  place->setAttr(meetGroupsAttr, ArrayAttr::get(place->getContext(), waits));
  return true;
}

/// Lets the compute groups meet wherever one access of `pair` follows the other; false where they cannot.
static bool meetBetween(const MemoryDependence &pair) {
  Operation *first = pair.first, *second = pair.second;
  if (pair.sameIteration && !meetBetween(first, second, blockAround(first, second), /*carried=*/false))
    return false;
  return llvm::all_of(llvm::reverse(pair.carried), [&](const MemoryDependence::Carried &by) { // innermost loop first
    Block *block = iterationOf(by.loop, first, second);
    return (!by.forward || meetBetween(first, second, block, /*carried=*/true)) &&
           (!by.backward || meetBetween(second, first, block, /*carried=*/true));
  });
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
    bool copiesIn = isCopyIn(pair.first) || isCopyIn(pair.second);
    if (!copiesIn && groupOf(pair.first) != groupOf(pair.second) && meetBetween(pair))
      continue;
    if (copiesIn || groupOf(pair.first) != groupOf(pair.second)) {
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

bool groupsMeet(tile::KernelOp kernel) {
  auto meets = [](Operation *op) {
    return op->hasAttr(meetGroupsAttr) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return kernel.walk(meets).wasInterrupted();
}

bool hasMemoryWaits(tile::KernelOp kernel) {
  auto marked = [](Operation *op) {
    return op->hasAttr(waitMemoryAttr) || op->hasAttr(meetGroupsAttr) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return kernel.walk(marked).wasInterrupted();
}

} // namespace heddle
