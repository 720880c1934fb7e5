//===- FoldBroadcasts.h - what repeats is computed before it is repeated --------===//
#ifndef HEDDLE_TRANSFORMS_FOLDBROADCASTS_H
#define HEDDLE_TRANSFORMS_FOLDBROADCASTS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Element-wise operations on tiles that are broadcast along one dimension become operations on what is broadcast. The
/// program means the same.
void foldBroadcasts(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_FOLDBROADCASTS_H
