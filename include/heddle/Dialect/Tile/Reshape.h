//===- Reshape.h - tiles in another shape ------------------------------------===//
//
// tensor.expand_shape and tensor.collapse_shape: the same elements in the same (row-major) order, where runs of
// dimensions of one side are one dimension of the other.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_RESHAPE_H
#define HEDDLE_DIALECT_TILE_RESHAPE_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle {

/// One reshape, whichever way it goes.
struct Reshape {
  /// Nothing where `op` is none.
  static std::optional<Reshape> of(mlir::Operation *op);

  mlir::Value source, result;
  bool expands;                                            ///< the result has the runs
  llvm::SmallVector<mlir::ReassociationIndices, 4> groups; ///< per dimension of the other side: its run

  /// The dimension of the result (`ofSource`) or of the source that is divided where dimension `axis` of the other is:
  /// the first of a run with more than one element stands for the whole; none for the others.
  std::optional<int64_t> axisOf(int64_t axis, bool ofSource) const;
  /// Every size of a run but the first is a power of two, so that coordinates are split between bits.
  bool splitsBits() const;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_TILE_RESHAPE_H
