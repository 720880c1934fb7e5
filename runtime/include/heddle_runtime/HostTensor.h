//===- HostTensor.h - tensors in host memory: random values, .npy files ----------------------===//
//
// What:  typed bytes with a shape, dense and row-major; filled with normal values or read from and
// written to
//        NumPy files. 16- and 8-bit floats that NumPy lacks (bf16, e4m3, e5m2) are written as f4.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_HOSTTENSOR_H
#define HEDDLE_RUNTIME_HOSTTENSOR_H

#include "heddle/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::runtime {

struct HostTensor {
  std::string elem;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  HostTensor() = default;
  /// All bits one: NaN in every float type.
  HostTensor(std::string elem, std::vector<int64_t> shape);

  int64_t size() const; ///< elements
  double get(int64_t index) const;
  /// Rounds to nearest even; 8-bit floats saturate.
  void set(int64_t index, double value);
  /// Standard normal values; equal seeds give equal values everywhere.
  void fillNormal(uint64_t seed);
  /// Elements that are NaN.
  int64_t countNaN() const;
  /// Row-major strides in elements.
  std::vector<int64_t> strides() const;
};

/// NumPy 1.0 format, C order; f2, f4, f8 and integers as they are.
Status writeNpy(const std::string &path, const HostTensor &tensor);
/// Reads f2, f4 or f8 of C order and converts to `elem`.
Result<HostTensor> readNpy(const std::string &path, const std::string &elem);

/// `text` as comma- or x-separated sizes: "4096x64".
Result<std::vector<int64_t>> parseShape(const std::string &text);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_HOSTTENSOR_H
