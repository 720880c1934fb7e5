//===- HostTensor.h - A tensor of the simulated global memory -------------===//
//
// What:   a named strided tensor, its numbers held as raw bytes of the element type, as a GPU would hold them, so that
//         the runtime can copy them to a device. Innermost dimension contiguous; row pitch rounded up to 16 bytes
//         (TMA's rule); the padding is poisoned. Or with strides that are given, by which elements may overlap.
// Tiles:  a load gives zero outside the sizes, a store outside is dropped.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_HOSTTENSOR_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_HOSTTENSOR_H

#include "heddle/Simulator/Functional/TileValue.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace heddle::sim {

/// Deterministic random numbers (xorshift64*), the same on every host.
class Random {
public:
  explicit Random(uint64_t seed);
  uint64_t next();
  /// Uniform in (0, 1].
  double uniform();
  /// Standard normal (Box-Muller).
  double normal();

private:
  uint64_t state;
};

class HostTensor {
public:
  HostTensor() = default;
  /// Zero-filled (padding poisoned). Sizes in elements, at least one dimension.
  HostTensor(std::string name, ElementKind kind, llvm::ArrayRef<int64_t> sizes);
  /// With strides of its own, not negative, the last 1: elements at one position are one element (rows that begin
  /// before the row in front of them ends).
  HostTensor(std::string name, ElementKind kind, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);

  const std::string &name() const { return tensorName; }
  ElementKind kind() const { return elementKind; }
  llvm::ArrayRef<int64_t> sizes() const { return extents; }
  /// In elements; the last is 1.
  llvm::ArrayRef<int64_t> strides() const { return steps; }
  int64_t numElements() const;
  /// Several elements may be one.
  bool mayOverlap() const { return hasGivenStrides; }
  /// The whole allocation, padding included.
  llvm::ArrayRef<uint8_t> bytes() const { return data; }
  llvm::MutableArrayRef<uint8_t> bytes() { return data; }

  /// Element at `position` (an offset in elements: sum of coordinate * stride).
  double floatAt(int64_t position) const;
  int64_t intAt(int64_t position) const;
  void setFloat(int64_t position, double value);
  void setInt(int64_t position, int64_t value);
  /// Position of logical element `i` counted in row-major order over the sizes.
  int64_t positionOf(int64_t i) const;

  /// Normal numbers times `scale` for floats, 0..15 for integers.
  void fillRandom(uint64_t seed, double scale = 1.0);
  void fillZero();
  /// NaN (floats) or 0x55... (integers) everywhere: whatever is not written shows.
  void fillPoison();

  /// The tile with its corner at `coords` (one per dimension); tile dimension i runs along dimension `dims[i]`. Zero
  /// outside.
  TileValue load(llvm::ArrayRef<int64_t> coords, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape) const;
  /// Writes (or with `add` adds, rounding once per element) the part of the tile inside the sizes.
  void store(const TileValue &tile, llvm::ArrayRef<int64_t> coords, llvm::ArrayRef<int64_t> dims, bool add = false);

  /// Calls fn(tile element, position, length, step) for each run of elements along the tile's last dimension that lie
  /// inside.
  void forEachRun(llvm::ArrayRef<int64_t> coords, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t)> fn) const;

  /// The same numbers held as f64 (integers: unchanged).
  HostTensor widened() const;
  /// A zero-filled tensor of another type for the same elements: those that are one element here are one there.
  HostTensor alike(ElementKind other) const;

private:
  void allocate(int64_t count);

  std::string tensorName;
  ElementKind elementKind = ElementKind::F32;
  llvm::SmallVector<int64_t, 4> extents, steps;
  bool hasGivenStrides = false;
  std::vector<uint8_t> data;
};

/// A part of a tensor of rank 1 as a view of its own (tile.window).
struct Window {
  int64_t first = 0; ///< element of the tensor
  llvm::SmallVector<int64_t, 4> sizes, strides;

  /// Of what evaluate() gives for a tile.window. Addresses count elements of `bytes` bytes, however wide the tensor's
  /// are (in float64).
  Window(const TileValue &numbers, int64_t rank, int64_t bytes);
  /// Calls fn(corner in the tile, first element of the tensor, length) for the parts of a tile that lie inside of the
  /// sizes and beside each other in the tensor.
  void forEachRun(llvm::ArrayRef<int64_t> coords, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>, int64_t, int64_t)> fn) const;
  /// What is wrong with `length` elements from `position` on in `memory`, or nothing.
  static std::optional<std::string> complaint(const HostTensor &memory, int64_t position, int64_t length);
};

/// ||got - want|| / ||want|| over all elements in double (equal infinities differ by 0; 0/0 is 0). Infinite where one
/// side is not a finite number and the other differs. Sizes must be equal.
double relativeError(const HostTensor &got, const HostTensor &want);
/// The largest |got - want|, with the same rule for what is not finite.
double largestError(const HostTensor &got, const HostTensor &want);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_HOSTTENSOR_H
