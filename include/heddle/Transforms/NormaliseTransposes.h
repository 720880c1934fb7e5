//===- NormaliseTransposes.h - transposes that nothing needs -----------------===//
#ifndef HEDDLE_TRANSFORMS_NORMALISETRANSPOSES_H
#define HEDDLE_TRANSFORMS_NORMALISETRANSPOSES_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Folds and products of `kernel` take tiles as they are, instead of transposing them. The program means the same.
void normaliseTransposes(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_NORMALISETRANSPOSES_H
