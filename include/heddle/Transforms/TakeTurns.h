//===- TakeTurns.h - several programs of a persistent kernel in flight -----===//
#ifndef HEDDLE_TRANSFORMS_TAKETURNS_H
#define HEDDLE_TRANSFORMS_TAKETURNS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Lets `turns` programs of a persistent, selected kernel be in flight (turnsAttr on its loop over programs). Fails
/// with a located error where programs cannot take turns.
mlir::LogicalResult takeTurns(tile::KernelOp kernel, int64_t turns);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_TAKETURNS_H
