//===- PrepareDots.h - sizes and types that instructions have --------------===//
#ifndef HEDDLE_TRANSFORMS_PREPAREDOTS_H
#define HEDDLE_TRANSFORMS_PREPAREDOTS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Gives tiles sizes that the tensor core and coalesced accesses have: a size that is no multiple of what its users
/// need grows everywhere in the kernel; what lies beyond the old size is neither read, nor stored, nor counted in a
/// reduction or a contraction. Nothing grows where a part of a tile of that size is taken or rows are gathered.
void padTiles(tile::KernelOp kernel);

/// Rewrites dots whose types the tensor core has in another form: accumulators of 16 bits, integers of 8 bits, 8-bit
/// floats that are not contiguous along the contraction.
void prepareDots(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_PREPAREDOTS_H
