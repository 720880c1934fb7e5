//===- Tensors.h - the tensors of a task tree as values ----------------------===//
//
// What:   a tensor of a task is a part of a store: of a view in global memory, or of a temporary, whose current value
//         is one SSA tile. Reading a part is a load or a slice, writing it a store or an insertion; so true
//         dependences are SSA edges, and others do not exist.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_TASKTOTILE_TENSORS_H
#define HEDDLE_LIB_CONVERSION_TASKTOTILE_TENSORS_H

#include "Divisions.h"
#include "PieceNumbers.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

#include <deque>
#include <memory>

namespace heddle {

/// A number of the program: a constant, a value of the kernel, or what becomes one where it is used.
struct Scalar {
  std::optional<int64_t> constant;
  mlir::Value value;
  /// Instead of `value`: this divided by `stride`, without a remainder (a loop that counts elements).
  mlir::Value strided;
  int64_t stride = 1;
  /// The variable of a collapsed range, which has no value.
  std::optional<std::pair<unsigned, unsigned>> range;
  /// Instead of all these: what pieces have in common, and multiples of such variables.
  std::shared_ptr<const Scalar> common;
  PieceTerms terms;
  /// Of a number of blocks: what is divided, by what. Null value and no constant: of something else.
  mlir::Value total;
  std::optional<int64_t> totalConstant;
  int64_t block = 0;
  /// What the program's text says of an index that has no constant.
  std::optional<mlir::ConstantIntRanges> bounds;

  /// Is it an index from 0 to `count` - 1?
  bool isBelow(int64_t count) const;
  /// What all pieces have in common; the number itself where it is the same for each.
  Scalar commonPart() const;
  /// What is to be added to that.
  PieceTerms pieceTerms() const;
  /// The variable of a range over `bound`.
  void setVariableOf(const Scalar &bound);
};

/// A tensor that is not a part of another.
struct TensorStore {
  mlir::Value view;            ///< in global memory; null: a temporary
  mlir::RankedTensorType type; ///< of a temporary
  mlir::Value current;         ///< its value; null: nothing was written
  unsigned depth = 0;          ///< collapsed ranges around its making
  std::string name;
  mlir::Location loc;
  bool isCopy = false; ///< of a part of a view, in the memory of a mapping
};

/// One dimension of a part.
struct PartDim {
  mlir::Value offset;         ///< null: zero
  int64_t constantOffset = 0; ///< beside `offset`
  int64_t size = 0;           ///< kDynamic: all of the view's, which is then `extent`
  mlir::Value extent;
  bool whole = true;   ///< all of the store's
  bool hidden = false; ///< one element that the task does not see: its tensor has a lower rank
  Divided divided;
};

/// What a task knows as a tensor.
struct TensorPart {
  TensorStore *store = nullptr;
  llvm::SmallVector<PartDim, 4> dims;
  std::string memory; ///< where the mapping has it; empty: left open

  /// The dimensions that a task sees.
  llvm::SmallVector<PartDim *, 4> visible();
  llvm::SmallVector<const PartDim *, 4> visible() const;
};

/// Makes the operations that read and write parts, and knows how every tile is divided.
class Tensors {
public:
  explicit Tensors(mlir::OpBuilder &builder) : b(builder) {}

  TensorStore &makeView(mlir::Value view, llvm::StringRef name);
  TensorStore &makeTemporary(mlir::RankedTensorType type, llvm::StringRef name, mlir::Location loc);
  TensorPart all(TensorStore &store);

  /// The tile's type; failure, emitted: a size that is not known.
  mlir::FailureOr<mlir::RankedTensorType> typeOf(const TensorPart &part, mlir::Location loc);
  mlir::FailureOr<mlir::Value> read(const TensorPart &part, mlir::Location loc);
  /// Adds with `sum`.
  mlir::LogicalResult write(const TensorPart &part, mlir::Value value, bool sum, mlir::Location loc);

  mlir::Value index(int64_t number, mlir::Location loc);
  /// Null, with an error: the variable of a collapsed range.
  mlir::Value materialise(const Scalar &scalar, mlir::Location loc);

  DividedTile dividedOf(mlir::Value value) const;
  void setDivided(mlir::Value value, DividedTile divided) { divisions[value] = std::move(divided); }
  /// A range that is collapsed, with the number of iterations of each of its variables.
  void enterRange(unsigned number, llvm::ArrayRef<int64_t> extents);
  /// What the last range has divided is whole again behind it.
  void leaveRange();

  bool inRange() const { return !ranges.empty(); }

  /// To go back to where an attempt began.
  struct State {
    size_t stores;
    std::vector<mlir::Value> current;
    llvm::DenseMap<mlir::Value, DividedTile> divisions;
    size_t ranges;
  };
  State save() const;
  void restore(const State &state);

  std::deque<TensorStore> &stores() { return known; }

private:
  llvm::SmallVector<mlir::Value> cornerOf(const TensorPart &part, mlir::Location loc);
  std::pair<llvm::SmallVector<Division, 2>, llvm::SmallVector<Division, 2>> splitAt(const TensorStore &store,
                                                                                    const Divided &dim) const;
  /// Where a part of a temporary lies in it.
  struct Slice {
    llvm::SmallVector<int64_t> offsets, sizes, strides;
  };
  /// Failure, emitted: a place that is not known.
  mlir::FailureOr<Slice> sliceOf(const TensorPart &part, mlir::Location loc);
  mlir::LogicalResult checkWrite(const TensorPart &part, mlir::Value value, mlir::Location loc);

  mlir::OpBuilder &b;
  std::deque<TensorStore> known;
  llvm::DenseMap<mlir::Value, DividedTile> divisions;
  struct Range {
    unsigned number;
    llvm::SmallVector<int64_t> extents;
  };
  llvm::SmallVector<Range> ranges; ///< around what is made now, the outermost first
};

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TASKTOTILE_TENSORS_H
