//===- MergeConversions.h - equal conversions of a tile become one ----------===//
#ifndef HEDDLE_TRANSFORMS_MERGECONVERSIONS_H
#define HEDDLE_TRANSFORMS_MERGECONVERSIONS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Conversions of one tile to one type in one block become one. The program means the same.
void mergeConversions(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_MERGECONVERSIONS_H
