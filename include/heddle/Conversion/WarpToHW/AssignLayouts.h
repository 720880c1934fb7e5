//===- AssignLayouts.h - register layouts for the tiles of warp groups ----------===//
#ifndef HEDDLE_CONVERSION_WARPTOHW_ASSIGNLAYOUTS_H
#define HEDDLE_CONVERSION_WARPTOHW_ASSIGNLAYOUTS_H

#include "heddle/Dialect/Warp/Warp.h"
#include "mlir/Support/LogicalResult.h"

namespace heddle {

/// Gives every register tile of every group an #hw.layout encoding and inserts hw.convert_layout where two
/// layouts meet. The hw dialect must be loaded. Errors: register tiles in a group of one warp, unknown ops on tiles.
mlir::LogicalResult assignLayouts(warp::KernelOp kernel);

/// Checks that every register tile below `op` has a legal layout for 4 warps, and that every op has the
/// layouts it needs. Works on warp and hw kernels.
mlir::LogicalResult verifyLayouts(mlir::Operation *op);

/// heddle-assign-layouts, heddle-verify-layouts.
void registerLayoutPasses();

} // namespace heddle

#endif // HEDDLE_CONVERSION_WARPTOHW_ASSIGNLAYOUTS_H
