//===- Exchange.h - shared memory that register tiles pass through --------------===//
//
// Reductions over warps and conversions between layouts exchange elements through shared memory of their group. How
// much they take follows from the layouts alone: the plan of shared memory reserves it, the printer addresses it.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_HW_EXCHANGE_H
#define HEDDLE_DIALECT_HW_EXCHANGE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace heddle::hw {

/// A tile on its way from one layout to another: row-major, rows padded by 16 bytes; a truth value takes 4 bytes.
struct ExchangeTile {
  int64_t rows = 0, cols = 0, elemBytes = 0, pitchBytes = 0;
  int64_t bytes() const { return rows * pitchBytes; }
};
ExchangeTile exchangeTile(mlir::RankedTensorType type);

/// Bytes that `op`, whose tiles have layouts, exchanges between the warps of its group.
int64_t exchangeBytes(mlir::Operation *op);

} // namespace heddle::hw

#endif // HEDDLE_DIALECT_HW_EXCHANGE_H
