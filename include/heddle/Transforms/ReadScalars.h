//===- ReadScalars.h - scalars of tiles become scalars of memory -----------===//
#ifndef HEDDLE_TRANSFORMS_READSCALARS_H
#define HEDDLE_TRANSFORMS_READSCALARS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Replaces every tensor.extract by scalar operations on elements of memory (tile.element), constants and scalars.
/// Fails, at the tensor.extract, where the tile is computed by an operation that no group can repeat for one element.
mlir::LogicalResult readScalars(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_READSCALARS_H
