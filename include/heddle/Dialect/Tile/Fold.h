//===- Fold.h - what tile.reduce may combine elements by ---------------------===//
//
// Every fact of a kind of reduction that more than one place needs: its name, the types it is for, the element that
// changes nothing, and the operation that combines two elements. How the simulator computes it, how far its result may
// be off and how CUDA text says it stand there (docs/howto/add-an-op.md).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_FOLD_H
#define HEDDLE_DIALECT_TILE_FOLD_H

#include "heddle/Dialect/Tile/Tile.h"

#include <optional>
#include <string>

namespace heddle::tile {

enum class FoldKind { Add, Mul, Max, Min, And, Or, Xor };

/// By its name in the program; none: there is no such kind.
std::optional<FoldKind> findFold(llvm::StringRef name);
llvm::StringRef nameOf(FoldKind fold);
/// The names for a message: "add", "mul", ... or "xor".
std::string foldNames();
/// The kind of a verified operation.
FoldKind foldOf(ReduceOp reduce);
/// The kind that `op` is one step of; none: it is of no kind.
std::optional<FoldKind> foldOf(mlir::Operation *op);

/// Bits are folded of integers only.
bool folds(FoldKind fold, mlir::Type element);
/// Whether a result is one of the folded elements.
inline bool isExtreme(FoldKind fold) { return fold == FoldKind::Max || fold == FoldKind::Min; }
/// What `extreme` is towards `direction`: below zero a "max" is a "min", and the other way round.
inline FoldKind towards(FoldKind extreme, double direction) {
  return direction < 0 ? (extreme == FoldKind::Max ? FoldKind::Min : FoldKind::Max) : extreme;
}
/// The element that changes no result.
mlir::TypedAttr neutralOf(FoldKind fold, mlir::Type element);
/// `x` and `y`, scalars or tiles of one type, as one. Of floats NaN wins.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc, FoldKind fold, mlir::Value x, mlir::Value y);

} // namespace heddle::tile

#endif // HEDDLE_DIALECT_TILE_FOLD_H
