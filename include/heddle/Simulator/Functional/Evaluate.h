//===- Evaluate.h - The meaning of one pure operation ---------------------===//
//
// What:   evaluates one side-effect-free operation on tiles and scalars: arith, math, tensor.splat, parts and
//         shapes of tensors, tile.{dot,transpose,reduce,broadcast,iota}. The only statement of their numbers: the tile
//         interpreter and the warp simulator both call it.
// Rounds: after every operation, to nearest even, in the operation's own type; reductions and dots ascend in index.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_EVALUATE_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_EVALUATE_H

#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Simulator/Functional/TileValue.h"

#include "mlir/IR/Operation.h"

namespace heddle::sim {

struct EvaluateOptions {
  /// Every float is a double and no conversion rounds: the float64 reference. Operands must be wide too.
  bool wide = false;
  /// With `wide`: the tile interpreter also bounds the rounding errors of a run in the written types (ErrorBound.h).
  /// `evaluate` ignores it.
  bool bounds = false;
};

/// Evaluates `op` on values of its operands' types. An unsupported operation or type, or an integer division by
/// zero, is an error on `op`; `results` is then unspecified. Never reads memory, never looks at regions.
mlir::LogicalResult evaluate(mlir::Operation *op, llvm::ArrayRef<TileValue> operands,
                             llvm::SmallVectorImpl<TileValue> &results, const EvaluateOptions &options = {});

/// Folds dimension `axis` of `value` away.
TileValue reduce(const TileValue &value, tile::FoldKind fold, int64_t axis);
/// Every fold of a beginning of dimension `axis`, or with `reverse` of an end.
TileValue scan(const TileValue &value, tile::FoldKind fold, int64_t axis, bool reverse);
/// The tile of shape `shape` that a rearrangement by `dims` makes of `value` (Dialect/Tile/Rearrangement.h).
TileValue rearrange(const TileValue &value, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape);

namespace detail {
/// arith and math. Returns false where `op` is neither or is not known; `failed` is set after an emitted error.
bool evaluateElementwise(mlir::Operation *op, llvm::ArrayRef<TileValue> operands, TileValue &out, bool &failed);
/// tensor.extract_slice, insert_slice, concat, reshape, expand_shape, collapse_shape, empty, on values of any kind.
/// `out` holds zeros of the result's shape before; returns and fails as above.
bool moveElements(mlir::Operation *op, llvm::ArrayRef<TileValue> operands, TileValue &out, bool &failed);
} // namespace detail
} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_EVALUATE_H
