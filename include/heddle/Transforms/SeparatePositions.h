//===- SeparatePositions.h - positions along rows and along columns ----------===//
#ifndef HEDDLE_TRANSFORMS_SEPARATEPOSITIONS_H
#define HEDDLE_TRANSFORMS_SEPARATEPOSITIONS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Vectors that are computed from positions and constants alone are computed once for each dimension along which they
/// are used.
void separatePositions(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_SEPARATEPOSITIONS_H
