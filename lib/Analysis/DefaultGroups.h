//===- DefaultGroups.h - see DefaultGroups.cpp --------------------------------===//
#ifndef HEDDLE_LIB_ANALYSIS_DEFAULTGROUPS_H
#define HEDDLE_LIB_ANALYSIS_DEFAULTGROUPS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Elements of the largest sum of a product.
int64_t largestSum(tile::KernelOp kernel);

/// Whether one group can hold a sum of so many elements at all.
bool fitsOneGroup(int64_t elements);

} // namespace heddle

#endif // HEDDLE_LIB_ANALYSIS_DEFAULTGROUPS_H
