//===- NormaliseElements.h - one form for what elements may be written as ----===//
#ifndef HEDDLE_TRANSFORMS_NORMALISEELEMENTS_H
#define HEDDLE_TRANSFORMS_NORMALISEELEMENTS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Masks of `kernel` hold where elements stay, signs are part of the arithmetic that they belong to, and quotients of
/// f32 by one number are products. The program means the same.
void normaliseElements(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_NORMALISEELEMENTS_H
