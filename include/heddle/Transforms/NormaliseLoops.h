//===- NormaliseLoops.h - loops in the one form that later steps know -------===//
#ifndef HEDDLE_TRANSFORMS_NORMALISELOOPS_H
#define HEDDLE_TRANSFORMS_NORMALISELOOPS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// A program's coordinates are asked for in front of the loops and branches that use them: steps that say which program
/// runs replace them there. The program means the same.
void hoistCoordinates(tile::KernelOp kernel);

/// What names the rows of gathers and stores leaves loops in which it does not change: threads exchange such numbers.
/// Nothing is computed that a loop without an iteration would not have to be able to (a division by what may be zero).
void hoistRows(tile::KernelOp kernel);

/// Every scf.for of `kernel` counts in index, no iter_arg yields itself, and nothing is computed or loaded that nobody
/// uses. The program means the same.
void normaliseLoops(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_NORMALISELOOPS_H
