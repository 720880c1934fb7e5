//===- Parts.h - tensors of a running task program, and parts of them -------===//
//
// What:   a tensor with its numbers, and a part of one as a list of coordinates along each dimension: blocks, the
//         instruction's pieces and pieces of pieces are all such products.
// Private to lib/Simulator/Task.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SIMULATOR_TASK_PARTS_H
#define HEDDLE_LIB_SIMULATOR_TASK_PARTS_H

#include "heddle/Simulator/Functional/TileValue.h"

#include <memory>
#include <vector>

namespace heddle::sim {

/// A tensor: a parameter of the entry, or a temporary.
struct Tensor {
  Tensor(TileValue values, bool bounds, bool isDefined);

  TileValue values;
  TileValue errors;          ///< with bounds: f64 of the same shape
  bool hasErrors;            ///< whether `errors` is kept
  std::vector<bool> defined; ///< by a write, or from outside
  std::vector<bool> written;
};

/// A part of a tensor, as a tensor that begins at zero.
struct Part {
  static constexpr int64_t outside = -1; ///< a coordinate that the tensor does not have

  std::shared_ptr<Tensor> tensor;
  /// Along each dimension of the tensor.
  llvm::SmallVector<std::vector<int64_t>, 2> coordinates;
  /// The tensor's dimensions that the part has.
  llvm::SmallVector<unsigned, 2> dims;

  static Part whole(std::shared_ptr<Tensor> tensor);
  llvm::SmallVector<int64_t> shape() const;
  int64_t extent(unsigned dim) const { return coordinates[dims[dim]].size(); }
  int64_t numElements() const;
  /// Keeps the coordinates at these places along one of its dimensions.
  void take(unsigned dim, const std::vector<int64_t> &places);

  /// The values, zero outside. False: some were never written.
  bool read(TileValue &out) const;
  /// Overwrites, or with `add` adds (rounding once): false if it adds to what was never written.
  bool write(const TileValue &value, bool add);
  /// What is there now is not to be read.
  void forget();

private:
  /// fn(element of the part, element of the tensor or `outside`) in row-major order.
  template <typename Fn> void forEach(Fn fn) const;
};

} // namespace heddle::sim

#endif // HEDDLE_LIB_SIMULATOR_TASK_PARTS_H
