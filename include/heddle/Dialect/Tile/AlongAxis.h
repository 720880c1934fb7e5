//===- AlongAxis.h - operations that work along one dimension of a tile ---------===//
//
// tile.scan: the result has the source's shape, and each of its elements is made of elements of the source that differ
// from it along one dimension only. What divides, lays out, keeps or prints tiles asks here, so that another operation
// of this kind is named in this file, in its own definition, where it is evaluated, and where its text is made.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_ALONGAXIS_H
#define HEDDLE_DIALECT_TILE_ALONGAXIS_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace heddle {

struct AlongAxis {
  /// Nothing where `op` is none.
  static std::optional<AlongAxis> of(mlir::Operation *op);

  mlir::Value source, result;
  int64_t axis = 0;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_TILE_ALONGAXIS_H
