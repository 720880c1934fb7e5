//===- ConstantParts.h - parts of constant tiles ------------------------------===//
#ifndef HEDDLE_LIB_TRANSFORMS_CONSTANTPARTS_H
#define HEDDLE_LIB_TRANSFORMS_CONSTANTPARTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Part `g` of `whole` along `axis` (-1: all of it).
mlir::DenseElementsAttr partOfConstant(mlir::DenseElementsAttr whole, mlir::RankedTensorType part, int64_t g,
                                       int64_t axis);

} // namespace heddle

#endif // HEDDLE_LIB_TRANSFORMS_CONSTANTPARTS_H
