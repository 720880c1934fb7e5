//===- GlobalAddress.h - where the elements of a register tile lie in a view ------===//
//
// What:  addresses, bounds and alignment of what threads load, store and copy, as expressions of the text.
// Where: private to the printers of GlobalTiles.cpp and ThreadCopies.cpp.
//
//===------------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TARGET_CUDA_GLOBALADDRESS_H
#define HEDDLE_LIB_TARGET_CUDA_GLOBALADDRESS_H

#include "RegisterTilesImpl.h"

#include <limits>
#include <string>
#include <utility>

namespace heddle::cuda {

/// C++ type of an element in memory; empty: none.
std::string memoryTypeOf(mlir::Type element);
/// Errors: elements that no memory type holds.
mlir::LogicalResult checkMemoryElement(mlir::Operation *op, mlir::Type element);

/// That a coordinate is inside; `index` times `stride`.
std::string inside(const std::string &index, const std::string &size);
std::string scaled(const std::string &index, const std::string &stride);

/// The size of a window without a bound.
inline constexpr int64_t unbounded = std::numeric_limits<int32_t>::max();

/// What `values` are called in the text.
llvm::SmallVector<std::string> namesOf(EmitContext &ctx, mlir::ValueRange values);

/// Numbers of rows: an array, and which of its elements each register of the tile takes.
struct NamedRows {
  std::string array;
  llvm::SmallVector<int64_t> map; ///< empty: none are named
};

/// The rows of a tile of `type` that `numbers` names. Errors: their layout is no slice of the tile's.
mlir::FailureOr<NamedRows> namedRows(mlir::Operation *op, mlir::Value numbers, mlir::RankedTensorType type,
                                     EmitContext &ctx);

/// Pointer, offset and bounds of a register tile in a view.
class GlobalAddress {
public:
  GlobalAddress(EmitContext &ctx, mlir::RankedTensorType type, mlir::Value view, mlir::ValueRange indices,
                llvm::ArrayRef<int64_t> tileDims, llvm::ArrayRef<int64_t> extent, bool isConst, NamedRows rows = {},
                mlir::ValueRange below = {}, bool turned = false);

  // Of element elements[r] of the tile for loop trip r:
  /// Condition under which it is inside; `ofRows`: its row.
  std::string condition(llvm::ArrayRef<int64_t> elements, bool ofRows = false);
  /// Column of the first of these elements, and how many the view has there: none where the row is outside.
  std::pair<std::string, std::string> columns(llvm::ArrayRef<int64_t> elements);

  /// The element as an lvalue, and its address.
  std::string access(llvm::ArrayRef<int64_t> elements);
  std::string address(llvm::ArrayRef<int64_t> elements);

  /// Condition under which accesses of `vector` elements are aligned, and inside the view where their first element is;
  /// empty where they surely are.
  std::string aligned();

  int64_t vector = 1;  ///< elements that one access may take
  std::string element; ///< C++ type in memory

private:
  struct Dim {
    std::string first, size, stride;
    int64_t divisor = 1;                ///< of what all threads begin at, `first` without the thread's part
    int64_t sizeDivisor = 1;            ///< of `size`
    std::string array;                  ///< of row numbers, or empty
    llvm::SmallVector<int64_t> offsets; ///< per register: from `first`, or where `array` has that

    std::string step(EmitContext &ctx, llvm::ArrayRef<int64_t> elements) const;
  };

  /// Named rows begin at multiples where their distance is one, or all their numbers are (rows that are named by
  /// elements; numbers below 0 name none).
  struct RowsBegin {
    std::string numbers, stride; ///< all numbers at once; empty: no rows are named
  };
  static RowsBegin atMultiples(const Dim &dim);

  /// Rows that the program names lie anywhere: those of the tile from `count` on are none of them.
  void limitRows(const LinearLayout &layout, int64_t count);

  /// `vector` neighbouring registers must be neighbours in the innermost dimension, each thread's first at a multiple,
  /// and a size that is known must be a multiple too.
  void limitVector(const Dim &dim, bool inTile, int64_t reach, int64_t registers);

  std::string offsetOf(llvm::ArrayRef<int64_t> elements);

  EmitContext &ctx;
  int64_t elementBytes;
  bool turned;
  bool promised;                         ///< that the view's address and strides are multiples of 16 bytes
  llvm::SmallVector<Dim> moving, limits; ///< `limits`: of rows of the tile, for the condition alone
  Dim inner;
  llvm::SmallVector<std::string> strides; ///< of the other dimensions along which registers lie
  RowsBegin rowsBegin;
  std::string fixed, pointer;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_TARGET_CUDA_GLOBALADDRESS_H
