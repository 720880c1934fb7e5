//===- Accumulators.h - sums that dots start from ------------------------------===//
#ifndef HEDDLE_DIALECT_WARP_ACCUMULATORS_H
#define HEDDLE_DIALECT_WARP_ACCUMULATORS_H

#include "mlir/IR/Operation.h"

namespace heddle::warp {

/// Every dot below `root` that adds to zero overwrites instead: no registers are cleared for it, and none that the
/// tensor core would have to read. Expansion of loops makes such dots of sums that begin at zero.
void dropZeroAccumulators(mlir::Operation *root);

} // namespace heddle::warp

#endif // HEDDLE_DIALECT_WARP_ACCUMULATORS_H
