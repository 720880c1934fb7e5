//===- ChooseTiles.h - branches that only compute ----------------------------===//
#ifndef HEDDLE_TRANSFORMS_CHOOSETILES_H
#define HEDDLE_TRANSFORMS_CHOOSETILES_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// In loops of `kernel` with products, branches that only compute a little on elements become choices between what
/// their sides give, so that the loop may be scheduled. The program means the same.
void chooseTiles(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_CHOOSETILES_H
