//===- OrderMemory.h - keeps the program's order of accesses to memory -----===//
#ifndef HEDDLE_TRANSFORMS_ORDERMEMORY_H
#define HEDDLE_TRANSFORMS_ORDERMEMORY_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Before Subtile: gives `heddle.in_order` to the loads of dependent pairs that the data does not order.
void keepLoadsInOrder(tile::KernelOp kernel);

/// After Subtile: gives `heddle.wait_memory` to the later access of every such pair of one warp group. Where the two
/// belong to different compute groups, an operation between them gets `heddle.meet_groups`, or, where the iterations of
/// a loop overlap, it is an error at the later one.
mlir::LogicalResult placeMemoryWaits(tile::KernelOp kernel);

/// True when compute groups of `kernel` meet to keep accesses in order.
bool groupsMeet(tile::KernelOp kernel);

/// True when accesses of `kernel` wait for earlier ones.
bool hasMemoryWaits(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ORDERMEMORY_H
