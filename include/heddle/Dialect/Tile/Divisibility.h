//===- Divisibility.h - what an index is surely a multiple of ---------------===//
#ifndef HEDDLE_DIALECT_TILE_DIVISIBILITY_H
#define HEDDLE_DIALECT_TILE_DIVISIBILITY_H

#include "mlir/IR/Value.h"

namespace heddle {

/// The largest number that is known to divide `index` (of integer or index type) whatever the inputs are: 0 for the
/// constant zero, which every number divides, and 1 where nothing is known. Trusts that index arithmetic does not
/// overflow.
int64_t knownDivisor(mlir::Value index);

} // namespace heddle

#endif // HEDDLE_DIALECT_TILE_DIVISIBILITY_H
