//===- ViewUses.h - what a kernel does with a view, at every level -----------------===//
#ifndef HEDDLE_DIALECT_HW_VIEWUSES_H
#define HEDDLE_DIALECT_HW_VIEWUSES_H

#include "heddle/Dialect/Tile/ViewUses.h"

namespace heddle {

/// How the tile, warp or hw kernel, or the chain of kernels uses `view`, one of its arguments.
ViewUses usesOf(mlir::Value view);

} // namespace heddle

#endif // HEDDLE_DIALECT_HW_VIEWUSES_H
