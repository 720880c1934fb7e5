//===- SplitStores.h - whole tiles of bounded stores by the copy engine -----===//
#ifndef HEDDLE_TRANSFORMS_SPLITSTORES_H
#define HEDDLE_TRANSFORMS_SPLITSTORES_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// A store whose end the kernel decides (`below`) goes two ways: a tile that lies before it whole is stored as any
/// other, a tile that does not keeps its bounds. The program means the same. Stores in a loop that will be scheduled
/// stay as they are: a branch would keep it from that.
void splitStores(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_SPLITSTORES_H
