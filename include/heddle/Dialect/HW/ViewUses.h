//===- ViewUses.h - what a kernel does with a view, at every level -----------------===//
#ifndef HEDDLE_DIALECT_HW_VIEWUSES_H
#define HEDDLE_DIALECT_HW_VIEWUSES_H

#include "mlir/IR/Value.h"

namespace heddle {

struct ViewUses {
  bool read = false;    ///< elements come into the kernel
  bool written = false; ///< elements are stored or added to
  bool added = false;   ///< by adding to what is there
};

/// How the tile, warp or hw kernel uses `view`, one of its arguments.
ViewUses usesOf(mlir::Value view);

} // namespace heddle

#endif // HEDDLE_DIALECT_HW_VIEWUSES_H
