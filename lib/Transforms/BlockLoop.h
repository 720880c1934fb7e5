//===- BlockLoop.h - a loop over blocks of positions ---------------------------===//
//
// What:   which dimensions of the tiles of a loop are a block's positions, and what of the loop is a function of
//         positions alone: the same for a position, whatever block it is computed in.
// Where:  private to RetileLoops.cpp.
// Drift:  by how much what is computed for a position changes where its block begins one block earlier: the loop's
//         variable falls by its step, a number that counts the positions of the block grows by the block's extent. What
//         has no drift is a function of positions.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TRANSFORMS_BLOCKLOOP_H
#define HEDDLE_LIB_TRANSFORMS_BLOCKLOOP_H

#include "heddle/Dialect/Tile/Dimensions.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace heddle {

class BlockLoop {
public:
  /// `classes` of the kernel around `loop`, in which no use of positions shares a tile with another by chance
  /// (tile::separateUses).
  BlockLoop(mlir::scf::ForOp loop, const tile::DimensionClasses &classes);

  /// Whether `loop` goes over blocks of positions that follow one another, and nothing else has their dimension.
  bool hasBlocks() const { return blocks; }
  /// Positions of a block.
  int64_t extent() const { return positions; }
  int64_t step() const { return increment; }
  mlir::scf::ForOp forOp() const { return loop; }
  /// The tiles that bring the blocks, and which of their dimensions are the positions.
  llvm::ArrayRef<std::pair<tile::LoadOp, unsigned>> loads() const { return seeds; }

  const tile::DimensionClasses &dimensions() const { return classes; }

  bool isOfBlock(mlir::Value tile, int64_t dim) const;
  /// How many dimensions of `value` are a block's positions.
  int64_t blockDimensions(mlir::Value value) const;
  /// Whether `value` is a function of positions, and of what the loop does not change.
  bool isOfPositions(mlir::Value value) { return drift(value) == 0; }
  /// Whether `op` folds the positions of a block to one value.
  bool folds(mlir::Operation *op) const;

private:
  std::optional<int64_t> drift(mlir::Value value);
  std::optional<int64_t> findDrift(mlir::Value value);
  std::optional<int64_t> driftOf(mlir::Operation *op);
  bool findBlocks();
  bool keepsBlocks();
  bool storesPositions(tile::StoreOp store);

  mlir::scf::ForOp loop;
  const tile::DimensionClasses &classes;
  int64_t increment = 0, positions = 0;
  bool blocks = false;
  llvm::SmallVector<std::pair<tile::LoadOp, unsigned>> seeds;
  llvm::DenseSet<unsigned> ofBlock; ///< classes of dimensions
  llvm::DenseMap<mlir::Value, std::optional<int64_t>> known;
};

/// What the variables of a loop are that folds any blocks alike: behind an iteration over two blocks as one they are
/// what they are behind an iteration over each of them in turn, in exact arithmetic (RunningSums.cpp).
enum class Folded {
  Nothing,  ///< or not all of them
  Sums,     ///< sums over positions
  Extremes, ///< extremes, and sums that these rescale
};
Folded variablesOf(BlockLoop &blocks);

/// How a loop ends whose iterations take other blocks.
struct BlockEnd {
  /// Comparisons of positions that must not hold behind the last position that the loop as written visits, with the
  /// operand that bounds them.
  llvm::SmallVector<std::pair<mlir::arith::CmpIOp, unsigned>> compares;
  /// The loop ends with the last whole block as written: the parts of that one are visited as well.
  bool wholeBlocks = false;

  /// Makes them, and the loop's end, so. The loop has still its own step.
  void narrow(const BlockLoop &blocks) const;
};

/// How iterations over `positions` may take the loop's blocks so that positions which only they visit, or which only
/// the loop as written visits, change nothing; none: they may not. Parts of the loop's blocks always may,
/// since they can visit what the blocks do.
std::optional<BlockEnd> endWith(BlockLoop &blocks, int64_t positions);

} // namespace heddle

#endif // HEDDLE_LIB_TRANSFORMS_BLOCKLOOP_H
