//===- Divisions.h - how parallel ranges divide tiles ------------------------===//
//
// What:   a parallel range over processors inside a block is not executed as a loop: its iterations run side by side,
//         so the range is collapsed, and its body is made once, on the union of the pieces. That is right where every
//         operation gives the same on the union as on each piece. Here is which dimension of a value is divided by
//         which ranges, and what an operation makes of it.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TASKTOTILE_DIVISIONS_H
#define HEDDLE_LIB_CONVERSION_TASKTOTILE_DIVISIONS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace heddle {

/// One range divides a dimension.
struct Division {
  unsigned range = 0;    ///< number of the range
  unsigned variable = 0; ///< of the range
  bool fragment = false; ///< as the tensor core's instruction does; else in blocks
  int64_t size = 0;      ///< of a block
  int64_t pieces = 0;    ///< of a fragment: 4 warps or 32 threads
  char role = ' ';       ///< of a fragment: 'm' or 'n'

  bool operator==(const Division &other) const {
    return range == other.range && variable == other.variable && fragment == other.fragment && size == other.size &&
           pieces == other.pieces && role == other.role;
  }
  /// Which of the pieces has element `i` of the dimension that is divided. For columns of a fragment: which of the four
  /// threads of a row.
  int64_t ownerOf(int64_t i) const;
};

/// How one dimension is divided, the outermost range first.
struct Divided {
  llvm::SmallVector<Division, 2> by;
  bool uniform = false; ///< all elements along it are equal: it may be divided anyhow

  bool isWhole() const { return by.empty() && !uniform; }
  bool operator==(const Divided &other) const { return by == other.by && uniform == other.uniform; }
};

/// Of each dimension of a tile.
using DividedTile = llvm::SmallVector<Divided, 4>;

/// What two values have in common whose elements meet; nothing where they are divided differently.
std::optional<Divided> meet(const Divided &a, const Divided &b);

/// How the results of `op` are divided where its operands are as `of` says; false where the operation on the union of
/// the pieces is another one than on each.
bool divideResults(mlir::Operation *op, llvm::function_ref<DividedTile(mlir::Value)> of,
                   std::vector<DividedTile> &results);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TASKTOTILE_DIVISIONS_H
