//===- EvaluateCasts.h - comparisons and conversions of tiles (private) ----===//
//
// What:   the part of evaluateElementwise (Evaluate.h) whose results are of another type than the operands. Each
//         function returns false where `op` is none of its own.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SIMULATOR_FUNCTIONAL_EVALUATECASTS_H
#define HEDDLE_LIB_SIMULATOR_FUNCTIONAL_EVALUATECASTS_H

#include "heddle/Simulator/Functional/TileValue.h"

#include "mlir/IR/Operation.h"

namespace heddle::sim::detail {

/// Rounds what `out` holds to its type.
void roundAll(TileValue &out);

bool evaluateCompare(mlir::Operation *op, llvm::ArrayRef<TileValue> in, TileValue &out);
/// arith.select, by one condition for all or one for each element.
bool evaluateSelect(llvm::ArrayRef<TileValue> in, TileValue &out);
/// Conversions of arith, and operations of math on the bits of integers.
bool evaluateCast(mlir::Operation *op, const TileValue &in, TileValue &out);

} // namespace heddle::sim::detail

#endif // HEDDLE_LIB_SIMULATOR_FUNCTIONAL_EVALUATECASTS_H
