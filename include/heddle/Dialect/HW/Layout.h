//===- Layout.h - register layouts of tensor types ------------------------------===//
//
// A register tile is a RankedTensorType whose encoding is #hw.layout. These helpers go
// between the type and the algebra (heddle/Layout/LinearLayout.h).
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_HW_LAYOUT_H
#define HEDDLE_DIALECT_HW_LAYOUT_H

#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Layout/LinearLayout.h"
#include "mlir/IR/BuiltinTypes.h"

namespace heddle::hw {

/// Whether the type is a tensor with a register layout.
bool hasLayout(mlir::Type type);

/// The layout of a register tile; the type must have one.
LinearLayout layoutOf(mlir::RankedTensorType type);

/// The same shape and element type in another layout.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const LinearLayout &layout);

/// Gives a tile another layout; a constant's elements have its type.
void setLayout(mlir::Value tile, const LinearLayout &layout);

/// The same shape and element type without a layout.
mlir::RankedTensorType withoutLayout(mlir::RankedTensorType type);

/// The layout of the source (`ofSource`) or the result of a reshape, the other held in `layout`: registers hold what
/// they held.
LinearLayout layoutAcross(const Reshape &reshape, const LinearLayout &layout, bool ofSource);

/// The layout of the source of a rearrangement that holds in each thread what `layout` of the result has there.
LinearLayout layoutOfSource(const Rearrangement &moved, const LinearLayout &layout);
/// The other way round; only for those that repeat nothing.
LinearLayout layoutOfResult(const Rearrangement &moved, const LinearLayout &layout);
/// Of each register of the result the one of the source in the same thread; none where layouts do not fit.
std::optional<std::vector<int64_t>> registersOfSource(const Rearrangement &moved);

} // namespace heddle::hw

#endif // HEDDLE_DIALECT_HW_LAYOUT_H
