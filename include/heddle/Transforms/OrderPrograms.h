//===- OrderPrograms.h - which program of a grid comes first ---------------===//
#ifndef HEDDLE_TRANSFORMS_ORDERPROGRAMS_H
#define HEDDLE_TRANSFORMS_ORDERPROGRAMS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Gives the programs of `kernel` other coordinates, so that those with the largest along dimension 0 begin first:
/// `section` programs along dimension 1 side by side, dimension 0 downward, then the next section (in a grid of one
/// size: downward). The kernel means the same. Error, located: the grid's size depends on the device.
mlir::LogicalResult orderDescending(tile::KernelOp kernel, int64_t section);

/// True where the work of programs is known to grow with their coordinate along dimension 0: of their scheduled loops
/// no bound but the upper one depends on it, and that one never falls.
bool growsWithFirstCoordinate(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ORDERPROGRAMS_H
