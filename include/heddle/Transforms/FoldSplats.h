//===- FoldSplats.h - what is alike everywhere is computed once -----------------===//
#ifndef HEDDLE_TRANSFORMS_FOLDSPLATS_H
#define HEDDLE_TRANSFORMS_FOLDSPLATS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Element-wise operations on tiles with one value everywhere become operations on numbers. The program means the same.
void foldSplats(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_FOLDSPLATS_H
