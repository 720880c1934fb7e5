//===- NarrowFolds.h - folds of repeated tiles become folds of what is repeated -===//
#ifndef HEDDLE_TRANSFORMS_NARROWFOLDS_H
#define HEDDLE_TRANSFORMS_NARROWFOLDS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Folds of tiles that are broadcast along another dimension become folds of the narrow tile, broadcast afterwards. The
/// program means the same.
void narrowFolds(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_NARROWFOLDS_H
