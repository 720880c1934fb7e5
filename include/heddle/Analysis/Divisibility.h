//===- Divisibility.h - what is known of an index whatever the inputs are ---===//
#ifndef HEDDLE_ANALYSIS_DIVISIBILITY_H
#define HEDDLE_ANALYSIS_DIVISIBILITY_H

#include "mlir/IR/Value.h"

#include <optional>

namespace heddle {

/// The largest number that is known to divide `index` (of integer or index type) whatever the inputs are: 0 for the
/// constant zero, which every number divides, and 1 where nothing is known. Trusts that index arithmetic does not
/// overflow.
int64_t knownDivisor(mlir::Value index);

/// a - b, where it is a constant whatever the inputs are. Trusts the same.
std::optional<int64_t> knownDifference(mlir::Value a, mlir::Value b);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_DIVISIBILITY_H
