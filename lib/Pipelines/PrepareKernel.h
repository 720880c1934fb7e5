//===- PrepareKernel.h - the program in the form that is scheduled ----------===//
#ifndef HEDDLE_LIB_PIPELINES_PREPAREKERNEL_H
#define HEDDLE_LIB_PIPELINES_PREPAREKERNEL_H

#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/IR/OwningOpRef.h"
#include <optional>

namespace heddle {

/// The kernel in the form that sub-tiling takes, still whole; `starts`: products begin with what is added to them, and
/// whether there are such (none: there are not); `transposes`: the same of products that are computed transposed.
mlir::LogicalResult prepareToSplit(tile::KernelOp kernel, std::optional<bool> &starts, std::optional<bool> &transposes,
                                   mlir::OwningOpRef<mlir::ModuleOp> &out);

/// The prepared kernel split over `groups` compute warp groups (0: up to `most`), its accesses to global memory in the
/// program's order; it `defers` what loops reduce over threads until behind them. Still sequential, still executable.
mlir::LogicalResult split(tile::KernelOp prepared, int64_t groups, int64_t most, bool defers,
                          mlir::OwningOpRef<mlir::ModuleOp> &out);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_PREPAREKERNEL_H
