//===- Verify.h - what kernels and chains verify alike ----------------------------===//
#ifndef HEDDLE_LIB_DIALECT_TILE_VERIFY_H
#define HEDDLE_LIB_DIALECT_TILE_VERIFY_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle::tile {

/// No results; arguments are views, f32, i32 or index; `tile.dims` names the sizes of views.
mlir::LogicalResult verifyArguments(mlir::FunctionOpInterface kernel);

/// The host can compute `sizes` of `op`, integers, and they are short enough for a manifest.
mlir::LogicalResult verifyHostSizes(mlir::Operation *op, mlir::ValueRange sizes);

} // namespace heddle::tile

#endif // HEDDLE_LIB_DIALECT_TILE_VERIFY_H
