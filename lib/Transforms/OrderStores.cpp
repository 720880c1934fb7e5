//===- OrderStores.cpp - small stores by threads before those of the copy engine ---===//
//
// What:      tile.store %tile, %O ... (by the copy engine);  tile.store %vector, %LSE ... (by threads)
//            ->  tile.store %vector, %LSE ...;  tile.store %tile, %O ...
// Where:     on the whole program in the form that sub-tiling takes: outside scheduled loops everything after keeps the
//            order of the program.
// Why:       writers of a staged tile meet before and behind it. What a vector costs in latency (a logarithm, the
//            shuffles before it) then stands beside the arithmetic of the tile, and not alone behind the last meeting:
//            causal attention ran at 1.006 of its speed with the same main loop (08_E1 and 08_E2 in
//            bench/results/2026-11-27-h100-attention-stores.json).
// Keeps:     the order of stores by the copy engine, of loads, and of what Analysis/GlobalMemory.h calls dependent. A
//            larger tile by threads stays behind: both tiles would be in registers at once.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/OrderStores.h"

#include "heddle/Analysis/GlobalMemory.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
namespace heddle {

static int64_t bitsOf(tile::StoreOp store) {
  RankedTensorType type = store.getValue().getType();
  return type.getNumElements() * type.getElementTypeBitWidth();
}

void orderStores(tile::KernelOp kernel) {
  SmallVector<tile::StoreOp> staged;
  kernel.walk([&](tile::StoreOp store) {
    auto loop = dyn_cast<scf::ForOp>(store->getParentOp());
    if (isTmaStore(store) && !(loop && isScheduledLoop(loop)))
      staged.push_back(store);
  });
  if (staged.empty())
    return;
  llvm::DenseSet<std::pair<Operation *, Operation *>> dependent;
  for (const MemoryDependence &pair : findMemoryDependences(kernel))
    dependent.insert({pair.first, pair.second});
  for (tile::StoreOp store : llvm::reverse(staged)) {
    Operation *last = nullptr;
    for (Operation *op = store->getNextNode(); op && !op->getNumRegions(); op = op->getNextNode()) {
      if (auto other = dyn_cast<tile::StoreOp>(op); other && !isTmaStore(other)) {
        if (dependent.contains({store, other}) || bitsOf(other) >= bitsOf(store))
          break;
        last = other;
      } else if (!other && !isMemoryEffectFree(op)) {
        break;
      }
    }
    if (last)
      store->moveAfter(last);
  }
}

} // namespace heddle
