//===- OrderPrograms.h - which program of a grid comes first ---------------===//
#ifndef HEDDLE_TRANSFORMS_ORDERPROGRAMS_H
#define HEDDLE_TRANSFORMS_ORDERPROGRAMS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Gives the programs of `kernel` other coordinates, so that those with the largest along dimension 0 begin first:
/// `section` programs along dimension 1 side by side, dimension 0 downward, then the next section (in a grid of one
/// size: downward). The kernel means the same.
void orderDescending(tile::KernelOp kernel, int64_t section);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ORDERPROGRAMS_H
