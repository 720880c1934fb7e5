//===- Npy.h - NumPy's .npy files ------------------------------------------------------------===//
//
// What:   an array as NumPy's format 1.0, 2.0 and 3.0 hold it, read into one form (row-major, little
//         endian) from files of either order and byte order; written as 1.0.
// Errors: user errors at the file: another kind of file, a version, header or type that is not known,
//         too few or too many bytes of data.
// Source: numpy.lib.format of NumPy's manual, which states the format.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_NPY_H
#define HEDDLE_RUNTIME_NPY_H

#include "heddle/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::runtime {

struct NpyArray {
  char kind = 'f'; ///< as in NumPy: b (bool), i, u (integers), f (floats), V (bytes without a meaning)
  int width = 4;   ///< bytes of an element
  std::vector<int64_t> shape;
  std::string data; ///< row-major, little endian

  int64_t size() const; ///< elements
  /// NumPy's name of the element type: "float16", "uint8", "bool", "void2".
  std::string typeName() const;
};

/// The array in `file`, the bytes of `path`.
Result<NpyArray> parseNpy(const std::string &file, const std::string &path);
Result<NpyArray> readNpy(const std::string &path);
/// The bytes of a file that holds `array`.
std::string npyText(const NpyArray &array);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_NPY_H
