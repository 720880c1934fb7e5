//===- OrderMemory.h - keeps the program's order of accesses to memory -----===//
#ifndef HEDDLE_TRANSFORMS_ORDERMEMORY_H
#define HEDDLE_TRANSFORMS_ORDERMEMORY_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Before Subtile: marks the accesses of dependent pairs. Loads that may meet an earlier store, or a later one that does not use their tile, get
/// `heddle.in_order`; accesses that must wait for earlier ones get `heddle.wait_memory`.
void orderMemory(tile::KernelOp kernel);

/// True when operations of `kernel` are marked.
bool hasOrderedMemory(tile::KernelOp kernel);

/// After Subtile: every dependent pair belongs to one warp group, whose order the marks keep, or is ordered by the data. Reports the first that is
/// neither, at the later access.
mlir::LogicalResult verifyMemoryOrder(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ORDERMEMORY_H
