//===- CheckAccesses.h - Views beside the pointers that they stand for ------===//
//
// What:   compares every access of a running Triton kernel with the view that its conversion gave it: under the mask
//         the addresses are the view's, and the lanes inside the view are those of the mask. Lanes that the conversion
//         says never reach memory (wraps) may differ.
// Sizes:  also finds how far the dimensions without a bound are used, so that tensors of that size stand for them.
// Then:   binds the converted kernel's tensors to what the source's memory held before, and compares what both wrote.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_TRITON_CHECKACCESSES_H
#define HEDDLE_SIMULATOR_TRITON_CHECKACCESSES_H

#include "heddle/Conversion/TritonToTile/TritonToTile.h"
#include "heddle/Simulator/Functional/Bindings.h"
#include "heddle/Simulator/Triton/TritonInterpreter.h"

namespace heddle::sim {

class AccessCheck {
public:
  /// `run` has the grid and the scalars; both outlive this.
  AccessCheck(const triton::Conversion &conversion, TritonRun &run);

  /// Installs itself as the run's watch.
  void watch();
  int64_t compared() const { return count; }

  /// Tensors and scalars for the converted kernel: what the source's memory held before it ran. User errors: sizes
  /// below one, too large tensors.
  Result<Bindings> bind() const;
  /// Compares what the converted kernel wrote in float64 (`exact`, with bounds) with the source's memory. Empty: equal.
  std::string compare(const Bindings &exact) const;

private:
  std::optional<std::string> check(const TritonAccess &access,
                                   llvm::function_ref<const TileValue *(mlir::Value)> valueOf,
                                   std::array<int64_t, 3> program);
  std::optional<int64_t> hostValue(const address::Poly &poly) const;
  std::optional<int64_t> scalarOf(unsigned argument) const;
  llvm::SmallVector<int64_t> overlappingStrides(const triton::View &view, llvm::ArrayRef<int64_t> sizes) const;
  /// Calls fn(position in the source's memory, element number of the tensor) for each element of a view.
  void forEachElement(const triton::View &view, llvm::ArrayRef<int64_t> sizes,
                      llvm::function_ref<void(int64_t, int64_t)> fn) const;

  const triton::Conversion &conversion;
  TritonRun &run;
  llvm::DenseMap<mlir::Operation *, const triton::Access *> accesses;
  std::vector<std::vector<int64_t>> extents; ///< of each view's dimensions, as far as they are used
  int64_t count = 0;
};

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_TRITON_CHECKACCESSES_H
