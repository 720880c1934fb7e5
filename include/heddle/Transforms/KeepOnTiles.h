//===- KeepOnTiles.h - numbers of tiles that only tiles take -----------------===//
#ifndef HEDDLE_TRANSFORMS_KEEPONTILES_H
#define HEDDLE_TRANSFORMS_KEEPONTILES_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Beside products, a float that a tile without dimensions gives, and that ends in tiles alone, stays such a tile. The
/// program means the same.
void keepOnTiles(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_KEEPONTILES_H
