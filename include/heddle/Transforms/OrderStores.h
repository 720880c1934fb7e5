//===- OrderStores.h - small stores by threads before those of the copy engine -----===//
#ifndef HEDDLE_TRANSFORMS_ORDERSTORES_H
#define HEDDLE_TRANSFORMS_ORDERSTORES_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Outside scheduled loops a store by the copy engine moves behind smaller stores by threads that follow it in its
/// block and do not depend on it. The program means the same.
void orderStores(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ORDERSTORES_H
