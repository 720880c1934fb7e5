//===- HostTensor.h - tensors in host memory: random values, NumPy arrays --------------------===//
//
// What:  typed bytes with a shape, dense and row-major; filled by a rule, or made from and into NumPy
//        arrays by the rules of docs/Manifest.md, "Tensors in files".
//
//===------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_HOSTTENSOR_H
#define HEDDLE_RUNTIME_HOSTTENSOR_H

#include "heddle/Support/Error.h"
#include "heddle_runtime/Npy.h"

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
  /// Whether elements are integers.
  bool isWhole() const;
  /// Whether a whole number is a value of the elements, which are integers.
  bool holds(double value) const;
  /// Random values; equal seeds give equal values everywhere. `high` is excluded.
  void fillNormal(uint64_t seed, double mean = 0.0, double deviation = 1.0);
  void fillUniform(uint64_t seed, double low, double high);
  void fillIntegers(uint64_t seed, int64_t low, int64_t high);
  /// Elements that are NaN.
  int64_t countNaN() const;
  /// Row-major strides in elements.
  std::vector<int64_t> strides() const;
};

/// `array` as elements of type `elem`: floats are rounded, integers have to fit, and a type that NumPy lacks takes
/// floats or its own bits. `name`: of the array, in errors.
Result<HostTensor> fromNpy(const NpyArray &array, const std::string &elem, const std::string &name);
/// The same bits as an array of NumPy's type, or where it has none, of the unsigned integer of that width.
NpyArray toNpy(const HostTensor &tensor);

/// `text` as comma- or x-separated sizes: "4096x64".
Result<std::vector<int64_t>> parseShape(const std::string &text);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_HOSTTENSOR_H
