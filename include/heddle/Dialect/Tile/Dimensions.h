//===- Dimensions.h - which dimensions of tiles are equal ------------------===//
//
// What:   dimensions of tiles that must be equal form classes: those of operands and results of element-wise
//         operations, of dots, of what control flow passes on, ...
// Where:  what changes sizes of tiles (Resize.h, Transforms/PadTiles.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_DIMENSIONS_H
#define HEDDLE_DIALECT_TILE_DIMENSIONS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

namespace heddle::tile {

class DimensionClasses {
public:
  /// Those of the tiles in `root` as it is now.
  explicit DimensionClasses(mlir::Operation *root);

  /// The class of a dimension of a tile, whatever its size has become.
  unsigned of(mlir::Value tile, int64_t dim) const { return classes[first.at(tile) + dim]; }

private:
  void number(mlir::Operation *root);
  void join(mlir::Value a, int64_t dimOfA, mlir::Value b, int64_t dimOfB);
  void join(mlir::Value a, mlir::Value b);
  void joinWithout(mlir::Value less, mlir::Value more, int64_t axis);
  void joinDimensions(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, unsigned> first; ///< number of a tile's first dimension
  llvm::IntEqClasses classes;
};

/// Whether `slice` has another rank than its source.
bool dropsDimensions(mlir::tensor::ExtractSliceOp slice);

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_DIMENSIONS_H
