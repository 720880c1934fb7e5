//===- SeparateFolds.h - folds of whole loaded tiles -------------------------===//
#ifndef HEDDLE_TRANSFORMS_SEPARATEFOLDS_H
#define HEDDLE_TRANSFORMS_SEPARATEFOLDS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Gives each fold of a vector to one number, as of a norm of a tile that the copy engine loads, what it folds for
/// itself, where something else reads that as well. False: there is none.
bool separateFolds(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_SEPARATEFOLDS_H
