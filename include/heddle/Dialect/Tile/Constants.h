//===- Constants.h - what constants are, of numbers and of tiles ------------===//
#ifndef HEDDLE_DIALECT_TILE_CONSTANTS_H
#define HEDDLE_DIALECT_TILE_CONSTANTS_H

#include "mlir/IR/Matchers.h"

namespace heddle::tile {

/// A constant that is zero everywhere: an integer, a float of either sign, or a tile of these.
inline bool isZero(mlir::Value value) {
  return mlir::matchPattern(value, mlir::m_Zero()) || mlir::matchPattern(value, mlir::m_AnyZeroFloat());
}

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_CONSTANTS_H
