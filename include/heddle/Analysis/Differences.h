//===- Differences.h - how far two indices are apart ------------------------===//
#ifndef HEDDLE_ANALYSIS_DIFFERENCES_H
#define HEDDLE_ANALYSIS_DIFFERENCES_H

#include "mlir/IR/Value.h"

#include <optional>

namespace heddle {

/// a - b, where it is a constant whatever the inputs are. Trusts that index arithmetic does not overflow.
std::optional<int64_t> knownDifference(mlir::Value a, mlir::Value b);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_DIFFERENCES_H
