//===- NormaliseShapes.h - parts and shapes of tiles that layouts have ------===//
#ifndef HEDDLE_TRANSFORMS_NORMALISESHAPES_H
#define HEDDLE_TRANSFORMS_NORMALISESHAPES_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Leaves of tensor.reshape, concat, extract_slice, insert_slice and empty only reshapes that split bits, and parts
/// with constant corners that threads hold of the whole. The program means the same. Errors, located: parts that would
/// have to move through memory.
mlir::LogicalResult normaliseShapes(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_NORMALISESHAPES_H
