//===- PieceNumbers.h - numbers that differ from piece to piece -------------===//
//
// What:   a collapsed range (Divisions.h) has no variable, so that a number computed from it is another one for each
//         piece. It is kept in two parts: what all pieces have in common, and a multiple of each variable. Positions
//         count from zero in each piece: they are those of the union less the size of a piece times its number.
// Where:  Launches.cpp computes such numbers, Leaves.cpp hands them to leaves.
// Why so: a row, which is a position plus the size of a piece times its number, is a position of the union without any
//         division, so that what is known of masks by position is known of it.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TASKTOTILE_PIECENUMBERS_H
#define HEDDLE_LIB_CONVERSION_TASKTOTILE_PIECENUMBERS_H

#include "Divisions.h"

#include "heddle/Dialect/Tile/Dimensions.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {

class Tensors;

/// A multiple of the variable of a collapsed range.
struct PieceTerm {
  unsigned range, variable;
  int64_t factor;
};
using PieceTerms = llvm::SmallVector<PieceTerm, 1>;

/// a + factor * b, without terms that vanish.
PieceTerms sumOf(PieceTerms a, const PieceTerms &b, int64_t factor = 1);

/// The terms of the result of an addition, a subtraction or a multiplication by a constant; nothing for any other
/// operation on what has terms. `of` gives those of an operand, `constantOf` its value where it is known.
std::optional<PieceTerms> linearTerms(mlir::Operation *op, llvm::function_ref<PieceTerms(mlir::Value)> of,
                                      llvm::function_ref<std::optional<int64_t>(mlir::Value)> constantOf);

/// What differs from piece to piece in a leaf, whose tiles have the sizes of unions.
class LeafNumbers {
public:
  explicit LeafNumbers(mlir::Operation *leaf) : classes(leaf) {}

  /// States how a dimension of a tile of the leaf is divided; all that must be equal to it are divided so.
  void divide(mlir::Value tile, int64_t dim, const Divided &divided) { by[classes.of(tile, dim)] = divided; }
  void set(mlir::Value number, PieceTerms terms);

  /// Makes of every operand of `op` that has terms a tile without, where `op` does not pass them on; `map` has what the
  /// leaf's values have become. Failure, silent: a number that is no tile, or a tile that the range does not divide.
  mlir::LogicalResult spreadOperands(mlir::Operation *op, mlir::OpBuilder &b, mlir::IRMapping &map, Tensors &tensors);
  /// Of a value of the leaf; what it has become, in `map`, gets a tile without terms.
  mlir::LogicalResult spread(mlir::Value tile, mlir::OpBuilder &b, mlir::IRMapping &map, Tensors &tensors);
  /// Terms of the results of `op`, an operation of the leaf whose operands were spread.
  void setResults(mlir::Operation *op);
  /// How positions along one dimension are divided: nothing, unless in blocks.
  Divided dividedPositions(mlir::Value positions) const;

private:
  std::optional<PieceTerms> passedTerms(mlir::Operation *op) const;

  tile::DimensionClasses classes;
  llvm::DenseMap<unsigned, Divided> by; ///< class
  llvm::DenseMap<mlir::Value, PieceTerms> terms;
};

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TASKTOTILE_PIECENUMBERS_H
