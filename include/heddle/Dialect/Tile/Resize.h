//===- Resize.h - the same program on tiles of other sizes -----------------===//
//
// What:   gives some dimensions of tiles sizes of their own; all that must be equal to them follow.
// Where:  parameters of tile programs (Transforms/Parameters.h), leaves of tasks (Dialect/Task/Leaf.h).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_RESIZE_H
#define HEDDLE_DIALECT_TILE_RESIZE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace heddle::tile {

/// A dimension of a tile, the size it takes, and after whom: errors name it.
struct SizedDimension {
  mlir::Value tile;
  unsigned dim;
  mlir::StringAttr name;
  int64_t size;
};

/// Gives each use of a tile that can be made anew (one value for all elements, positions) a tile of its own: uses that
/// share one agree on its size by chance.
void separateUses(mlir::Operation *root);

/// Gives the tiles of `root` these sizes. Errors, located: a dimension that would have two sizes, an operation whose
/// tile cannot follow. The result is not verified.
mlir::LogicalResult resizeTiles(mlir::Operation *root, llvm::ArrayRef<SizedDimension> sized);

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_RESIZE_H
