//===- HighProducts.h - the upper half of a product of 32 bits --------------===//
#ifndef HEDDLE_TRANSFORMS_HIGHPRODUCTS_H
#define HEDDLE_TRANSFORMS_HIGHPRODUCTS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Where `kernel` takes the upper 32 bits of a product of tiles of unsigned 32-bit integers by way of 64 bits, the
/// device's function gives them (`hd::multiplyHigh`). The program means the same.
void callHighProducts(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_HIGHPRODUCTS_H
