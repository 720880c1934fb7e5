//===- StoreOnce.h - what programs repeat is computed by one of them -------===//
#ifndef HEDDLE_TRANSFORMS_STOREONCE_H
#define HEDDLE_TRANSFORMS_STOREONCE_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Finds loops with products that also carry what all programs along one dimension of the grid compute and store alike,
/// moves that into loops of its own in front, and lets one program of these run and store it. The kernel means the
/// same. True where there were any.
bool storeOnce(tile::KernelOp kernel);

/// Whether `kernel` has such loops.
bool repeatsStores(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_STOREONCE_H
