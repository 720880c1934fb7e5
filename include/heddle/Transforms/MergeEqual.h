//===- MergeEqual.h - equal operations on tiles become one ------------------===//
#ifndef HEDDLE_TRANSFORMS_MERGEEQUAL_H
#define HEDDLE_TRANSFORMS_MERGEEQUAL_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Equal operations of one block that compute the same tile from the same operands become one. The program means the
/// same.
void mergeEqual(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_MERGEEQUAL_H
