//===- StartSums.h - sums of products that begin with an addend --------------===//
#ifndef HEDDLE_TRANSFORMS_STARTSUMS_H
#define HEDDLE_TRANSFORMS_STARTSUMS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// In scheduled loops a product that begins with zero, and to which a vector for each row or column is added, or what
/// another product of the iteration gives, begins with that. The program means the same but for the order of the sum,
/// which is not defined (docs/TileDialect.md).
void startSums(tile::KernelOp kernel);

/// Whether there are such products.
bool hasSumsToStart(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_STARTSUMS_H
