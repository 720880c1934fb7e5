//===- StreamTiles.cpp - programs that only move and map tiles -------------===//
//
// What:      see the header. Such programs are bound by memory: what counts is how many bytes are in flight on a
//            multiprocessor, and that tiles fit in registers.
// Where:     before Subtile; the attributes travel with the operations.
// Warps:     the smallest of 1, 2 and 4 warp groups with which a thread holds at most 32 elements of the largest tile:
//            thread blocks then need few registers, several of them share a multiprocessor, and one loads while another
//            computes.
// Accesses:  stores are direct: threads hold 16 contiguous bytes each (AssignLayouts.cpp), so that the way through
//            shared memory would only cost. Loads are direct outside of loops, for the same reason; in loops the copy
//            engine fetches tiles ahead.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/StreamTiles.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Machine/Occupancy.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
namespace heddle {

constexpr int64_t elementsPerThread = 32, leastWarps = warpsPerGroup, mostWarps = 4 * warpsPerGroup;

void streamTiles(tile::KernelOp kernel, int64_t groups) {
  int64_t largest = 0;
  Builder b(kernel.getContext());
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        largest = std::max(largest, tile.getNumElements());
    if (isa<tile::StoreOp>(op) || (isa<tile::LoadOp>(op) && !op->getParentOfType<LoopLikeOpInterface>()))
      op->setAttr(directAttr, b.getUnitAttr());
  });
  auto asked = kernel->getAttrOfType<IntegerAttr>("groups");
  if (groups > 1 || (groups == 0 && asked && asked.getInt() > 1))
    return;
  int64_t warps = leastWarps;
  while (warps < mostWarps && largest > elementsPerThread * threadsPerWarp * warps)
    warps *= 2;
  kernel->setAttr(groupWarpsAttr, b.getI64IntegerAttr(warps));
}

} // namespace heddle
