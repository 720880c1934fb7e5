//===- UniformMask.h - when a whole mask is known to be true ----------------===//
//
// What:      a mask such as `column < length` -> comparisons of scalars that hold where the whole tile is inside.
// Where:     selects under such masks run under a branch that all threads take alike: their cost, the loops that are
//            split for them and their text ask here (docs/Emission.md, "Masks").
// Algorithm: interval arithmetic on 32-bit integer tiles. A bound is a constant plus scalars with signs; lower and
//            upper bound share the scalars.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_HW_UNIFORMMASK_H
#define HEDDLE_DIALECT_HW_UNIFORMMASK_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <optional>

namespace heddle {

/// All elements of a tile lie in [low + sum, high + sum], sum over 32-bit scalars with sign.
struct TileInterval {
  int64_t low = 0, high = 0;
  llvm::SmallVector<std::pair<mlir::Value, int>, 2> scalars;

  /// Whether the sum with `constant` might leave 32 bits above (or below): false only where it cannot.
  bool mayOverflow(int64_t constant, bool above) const {
    bool single = scalars.size() == 1 && scalars[0].second > 0;
    return !(scalars.empty() || (single && (above ? constant <= 0 : constant >= 0)));
  }
};

/// What is asked of a mask: `less` lies below `more` everywhere (or beside it, where equality is enough), and neither
/// wraps around in 32 bits.
struct TileOrder {
  TileInterval less, more;
  bool orEqual = false;
};

/// Where all of these hold every element of the tile of truth values `mask` is true (the converse need not hold);
/// nothing: it is not known when. Knows signed comparisons of sums and differences of tile.iota, splats and constants,
/// or with the least of such, through broadcasts, layout conversions and `arith.andi`.
std::optional<llvm::SmallVector<TileOrder>> whereAllTrue(mlir::Value mask);

/// A select of a tile that ends there, so that it changes in place, and only where its mask may be false: most blocks
/// of a loop lie inside the tensor.
bool isGuarded(mlir::arith::SelectOp select);

/// Whether the emitted code runs `op` only where a mask may be false: a guarded select, or what makes such masks alone.
bool isMasking(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_DIALECT_HW_UNIFORMMASK_H
