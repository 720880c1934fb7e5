//===- TileValue.h - A tile or scalar with its numbers --------------------===//
//
// What:   a dense, row-major tile (rank 0: a scalar) of one ElementKind. Copies share storage until written.
// Held:   f64 as double; the other floats as float, always exactly a value of the kind; integers and index as int64_t,
//         sign-extended (i1: 0 or 1).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_TILEVALUE_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_TILEVALUE_H

#include "heddle/Simulator/Functional/Numeric.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <vector>

namespace heddle::sim {

/// The kind of a scalar type (index: I64), or nothing where tiles cannot have it.
std::optional<ElementKind> elementKindOf(mlir::Type type);

struct TileValue {
  ElementKind kind = ElementKind::I64;
  llvm::SmallVector<int64_t, 2> shape;
  /// In a bounding run (ErrorBound.h): how far a run in the program's own types may be from each element, f64 of this
  /// shape. Null: nowhere.
  std::shared_ptr<const TileValue> error;

  /// A value of zeros. `TileValue()` is a scalar without numbers.
  static TileValue zeros(ElementKind kind, llvm::ArrayRef<int64_t> shape);
  static TileValue index(int64_t value);
  static TileValue scalar(ElementKind kind, double value);
  /// A value of zeros of a scalar or ranked tensor type; with `wide`, floats are f64. Nothing: unsupported type.
  static std::optional<TileValue> zerosOf(mlir::Type type, bool wide = false);

  bool isFloat() const { return isFloatKind(kind); }
  int64_t size() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }
  /// Element `i` in row-major order; integers convert.
  double floatAt(int64_t i) const;
  int64_t intAt(int64_t i) const;
  /// The scalar as an integer (loop bounds, coordinates).
  int64_t toIndex() const { return intAt(0); }
  /// Rounds (floats) or wraps (integers) to the kind.
  void setFloat(int64_t i, double value);
  void setInt(int64_t i, int64_t value);

  /// The storage of the kind; empty for the other storage classes.
  llvm::ArrayRef<float> floats() const { return storage->floats; }
  llvm::ArrayRef<double> doubles() const { return storage->doubles; }
  llvm::ArrayRef<int64_t> ints() const { return storage->ints; }
  /// For writing: unshares first. The caller keeps the values exact values of the kind.
  llvm::MutableArrayRef<float> mutableFloats() { return unshare().floats; }
  llvm::MutableArrayRef<double> mutableDoubles() { return unshare().doubles; }
  llvm::MutableArrayRef<int64_t> mutableInts() { return unshare().ints; }

  /// Same kind, shape and bits (NaN equals NaN; 0 and -0 differ).
  bool identicalTo(const TileValue &other) const;

private:
  struct Storage {
    std::vector<float> floats;
    std::vector<double> doubles;
    std::vector<int64_t> ints;
  };
  Storage &unshare();
  std::shared_ptr<Storage> storage = std::make_shared<Storage>();
};

//===----------------------------------------------------------------------===//
// Whole-tile operations, also for callers that have no IR operation at hand
//===----------------------------------------------------------------------===//

/// Calls `fn` with the storage (a MutableArrayRef) of `dest` and the like storage of `source`.
template <typename Fn> void withStorage(TileValue &dest, const TileValue &source, Fn fn) {
  if (dest.kind == ElementKind::F64)
    fn(dest.mutableDoubles(), source.doubles());
  else if (dest.isFloat())
    fn(dest.mutableFloats(), source.floats());
  else
    fn(dest.mutableInts(), source.ints());
}

/// The rank-2 value with its dimensions exchanged.
TileValue transpose(const TileValue &value);
/// `value` at the corner of a tile of `shape`, zero elsewhere; `anything`: no number, where there is one that is none.
TileValue padded(const TileValue &value, llvm::ArrayRef<int64_t> shape, bool anything = false);
/// How much of a tile of `shape` at `at` lies below the coordinates `below`, one for each of the view's `dims` that the
/// tile has; none: all.
llvm::SmallVector<int64_t> extentBelow(llvm::ArrayRef<int64_t> below, llvm::ArrayRef<int64_t> at,
                                       llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape);
/// The part of `value` at `offsets` with extents `sizes` (inside `value`; same rank).
TileValue extractSlice(const TileValue &value, llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes);
/// Overwrites the part of `dest` at `offsets` with `source` (same kind and rank, inside `dest`).
void insertSlice(TileValue &dest, const TileValue &source, llvm::ArrayRef<int64_t> offsets);
/// acc + a * b, products and sums in acc's kind, k ascending. Shapes MxK, KxN, MxN; operands of any float kind.
TileValue dot(const TileValue &a, const TileValue &b, const TileValue &acc);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_TILEVALUE_H
