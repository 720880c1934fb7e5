//===- TensorSource.h - where the values of a tensor come from -------------------------------===//
//
// What:   the text after NAME= of --input, for `heddle run`, `heddle verify` and heddle-launch: a .npy
//         file or a rule.
// Rules:  zeros, ones, const(X), arange, arange(START, STEP), uniform(LOW, HIGH), normal,
//         normal(MEAN, DEVIATION), integers(LOW, HIGH), with NumPy's meaning: HIGH is excluded, arange
//         counts in row-major order.
// Types:  docs/Manifest.md, "Tensors in files".
// Errors: user errors, naming the file or the rule.
//
//===------------------------------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_TENSORSOURCE_H
#define HEDDLE_RUNTIME_TENSORSOURCE_H

#include "heddle_runtime/HostTensor.h"
#include "heddle_runtime/Npy.h"

#include <optional>

namespace heddle::runtime {

class TensorSource {
public:
  /// Reads the file, if `text` names one.
  static Result<TensorSource> parse(const std::string &text);

  /// Null: a rule, which fills any shape.
  const std::vector<int64_t> *shape() const { return array ? &array->shape : nullptr; }
  /// The tensor; `shape` is the file's where there is one. Equal seeds give equal values everywhere.
  Result<HostTensor> make(const std::string &elem, const std::vector<int64_t> &shape, uint64_t seed) const;

private:
  std::string text;
  std::optional<NpyArray> array;
  std::string rule;
  std::vector<double> numbers;
};

/// "NAME=TEXT" in two; a user error names `option`.
Result<std::pair<std::string, std::string>> splitBinding(const std::string &option, const std::string &text);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TENSORSOURCE_H
