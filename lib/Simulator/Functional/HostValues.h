//===- HostValues.h - values that the host knows of a kernel ----------===//
#ifndef HEDDLE_LIB_SIMULATOR_FUNCTIONAL_HOSTVALUES_H
#define HEDDLE_LIB_SIMULATOR_FUNCTIONAL_HOSTVALUES_H

#include "heddle/Simulator/Functional/Bindings.h"

namespace heddle::sim {

/// Evaluates a host-computable value (see tile.grid) of the kernel or chain that `bindings` belongs to; `known`
/// memoises.
mlir::LogicalResult evaluateOnHost(mlir::Value value, const Bindings &bindings,
                                   llvm::DenseMap<mlir::Value, TileValue> &known);

/// Bounds (Bindings::bounds) of a tensor in which nothing is written yet.
HostTensor unwrittenBounds(const HostTensor &tensor);

} // namespace heddle::sim

#endif // HEDDLE_LIB_SIMULATOR_FUNCTIONAL_HOSTVALUES_H
