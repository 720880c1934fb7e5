//===- OrderMemory.h - keeps the program's order of accesses to memory -----===//
#ifndef HEDDLE_TRANSFORMS_ORDERMEMORY_H
#define HEDDLE_TRANSFORMS_ORDERMEMORY_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Before Subtile: gives `heddle.in_order` to the loads of dependent pairs that the data does not order.
void keepLoadsInOrder(tile::KernelOp kernel);

/// After Subtile: gives `heddle.wait_memory` to the later access of every such pair. Both belong to one warp group, or
///                it is an error at the later one.
mlir::LogicalResult placeMemoryWaits(tile::KernelOp kernel);

/// True when accesses of `kernel` wait for earlier ones.
bool hasMemoryWaits(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ORDERMEMORY_H
