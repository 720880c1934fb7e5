//===- CheapClones.h - a copy of what is cheap for each use (private) ------------===//
//
// What:   values that are cheap to recompute (constants, splats, iotas, and broadcasts and element-wise operations of
//         these) are cloned for each use, so that each use may have its layout; clones that got equal layouts become
//         one again.
// Where:  around the assignment of layouts (AssignLayouts.cpp).
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_WARPTOHW_CHEAPCLONES_H
#define HEDDLE_LIB_CONVERSION_WARPTOHW_CHEAPCLONES_H

#include "heddle/Dialect/Warp/Warp.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

class CheapClones {
public:
  /// Clones what is cheap in `group`.
  explicit CheapClones(warp::GroupOp group);
  /// Merges clones of equal types and operands.
  void merge();

private:
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> clones; ///< all copies, the original last
};

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_WARPTOHW_CHEAPCLONES_H
