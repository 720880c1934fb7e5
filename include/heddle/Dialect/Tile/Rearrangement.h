//===- Rearrangement.h - operations that place elements elsewhere --------------===//
//
// tile.transpose and tile.broadcast: each element of the result is one of the source, at the same coordinates in some
// order, and some dimensions of the result repeat. What divides, pads, reads, computes, lays out or prints tiles asks
// here, so that another operation of this kind is named in this file alone.
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_REARRANGEMENT_H
#define HEDDLE_DIALECT_TILE_REARRANGEMENT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace heddle {

struct Rearrangement {
  static constexpr int64_t repeated = -1;

  /// Nothing where `op` is none.
  static std::optional<Rearrangement> of(mlir::Operation *op);

  mlir::Value source, result;
  /// Of each dimension of the result: the dimension of the source that it is, or `repeated`. Every dimension of the
  /// source occurs.
  llvm::SmallVector<int64_t, 4> dims;

  /// The dimension of the result that dimension `d` of the source is.
  int64_t inResult(int64_t d) const { return llvm::find(dims, d) - dims.begin(); }
  bool repeats() const { return llvm::is_contained(dims, repeated); }
  /// Dimensions of the source come in their order.
  bool keepsOrder() const;
  /// What is given for each dimension of the result, for those of the source.
  template <typename T> llvm::SmallVector<T> ofSource(llvm::ArrayRef<T> ofResult) const {
    llvm::SmallVector<T> values;
    for (size_t d = 0; d < dims.size() - llvm::count(dims, repeated); ++d)
      values.push_back(ofResult[inResult(d)]);
    return values;
  }
};

} // namespace heddle

#endif // HEDDLE_DIALECT_TILE_REARRANGEMENT_H
