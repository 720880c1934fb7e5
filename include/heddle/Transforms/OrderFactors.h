//===- OrderFactors.h - factors are multiplied as they come ------------------===//
#ifndef HEDDLE_TRANSFORMS_ORDERFACTORS_H
#define HEDDLE_TRANSFORMS_ORDERFACTORS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Factors of f32 tiles that wait for an earlier product (`tile.dot`) are multiplied before those that wait for a later
/// one. The program means the same, but for the roundings of other products of the factors.
void orderFactors(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ORDERFACTORS_H
