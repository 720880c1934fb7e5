//===- MarkFactors.h - factors of rows that are often one -------------------===//
#ifndef HEDDLE_TRANSFORMS_MARKFACTORS_H
#define HEDDLE_TRANSFORMS_MARKFACTORS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Marks products with factors that are one unless a running maximum or minimum has changed (Dialect/Tile/Factors.h).
void markFactors(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_MARKFACTORS_H
