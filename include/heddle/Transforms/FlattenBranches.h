//===- FlattenBranches.h - branches in loops with products become choices ---===//
#ifndef HEDDLE_TRANSFORMS_FLATTENBRANCHES_H
#define HEDDLE_TRANSFORMS_FLATTENBRANCHES_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Branches beside a product of an scf.for that compute and load alone are computed on both sides, and their results
/// chosen; branches whose sides are the same are one side. The program means the same.
void flattenBranches(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_FLATTENBRANCHES_H
