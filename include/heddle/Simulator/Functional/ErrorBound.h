//===- ErrorBound.h - How far roundings may move a result -----------------===//
//
// What:      beside a float64 run of the tile interpreter, a bound for each element on how far a run in the program's
//            own types, in any order of its sums, on any supported hardware, may be from the exact number.
// Algorithm: forward error analysis. An operation's operands are moved to the ends of their intervals and the operation
//            evaluated there (exact for what is monotone in each operand); then its own rounding is added: one unit
//            roundoff of its type, six for functions that hardware approximates. A sum of n terms adds 2 sqrt(n) + 4
//            unit roundoffs of the sum of magnitudes: rounding errors are independent (Higham and Mary 2019), and the
//            tensor core truncates once in 16 terms. Sums of products of 8-bit floats lose more there (boundDot).
// Decisions: where a comparison or a conversion to integers may go either way, both results are allowed.
// Not known: infinite. Whoever compares must not count such an element as checked.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_ERRORBOUND_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_ERRORBOUND_H

#include "heddle/Simulator/Functional/TileValue.h"

#include "mlir/IR/Operation.h"

namespace heddle::sim {

/// Sets `result.error` of `op`, whose wide result from wide `operands` is `result`. Fails only where `evaluate` does.
mlir::LogicalResult boundError(mlir::Operation *op, llvm::ArrayRef<TileValue> operands, TileValue &result);

/// The errors of `value`, zeros where it has none.
TileValue errorOf(const TileValue &value);
/// Errors as read from memory, where negative stands for "not written": zero. Null if all are zero.
std::shared_ptr<const TileValue> errorRead(TileValue errors);
/// The errors of `old + value` in memory of `kind`, where additions come in any order. `size` and `count`, of f64: for
/// each element the sum of all magnitudes and the number of additions before, and then after this one.
TileValue errorOfSum(const TileValue &old, const TileValue &value, ElementKind kind, TileValue &size, TileValue &count);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_ERRORBOUND_H
