//===- SplitStores.h - whole tiles of bounded stores by the copy engine -----===//
#ifndef HEDDLE_TRANSFORMS_SPLITSTORES_H
#define HEDDLE_TRANSFORMS_SPLITSTORES_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// A store whose end the kernel decides (`below`) goes two ways: a tile that lies before it whole is stored as any
/// other, a tile that does not keeps its bounds. So does a store whose coordinates may be negative, where the copy
/// engine stores nothing: it ends the kernel. The program means the same. Stores in a loop that will be scheduled get
/// no branch, which would keep it from that: they keep their bounds, or go by ordinary instructions.
void splitStores(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_SPLITSTORES_H
