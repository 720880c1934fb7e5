//===- Splats.h - tiles with one value everywhere -----------------------------===//
#ifndef HEDDLE_LIB_TRANSFORMS_SPLATS_H
#define HEDDLE_LIB_TRANSFORMS_SPLATS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace heddle {

/// Whether `tile` is one number for all elements, by what makes it.
inline bool isSplat(mlir::Value tile) {
  mlir::DenseElementsAttr elements;
  return tile.getDefiningOp<mlir::tensor::SplatOp>() ||
         (matchPattern(tile, mlir::m_Constant(&elements)) && elements.isSplat());
}

} // namespace heddle

#endif // HEDDLE_LIB_TRANSFORMS_SPLATS_H
