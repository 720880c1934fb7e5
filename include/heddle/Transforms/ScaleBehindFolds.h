//===- ScaleBehindFolds.h - scales of scores behind their maximum -----------===//
#ifndef HEDDLE_TRANSFORMS_SCALEBEHINDFOLDS_H
#define HEDDLE_TRANSFORMS_SCALEBEHINDFOLDS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Scales of tiles stand behind what folds the tile to its greatest or least element, and in the differences whose
/// exponentials are taken, so that each is one instruction with the difference. For kernels with dots.
void scaleBehindFolds(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_SCALEBEHINDFOLDS_H
