//===- Bindings.h - Sizes, scalars and tensors for a kernel's arguments ---===//
//
// What:   gives every argument of a kernel (tile.kernel or warp.kernel: the same argument attributes) a value: sizes by
//         dimension name (`tile.dims`), scalars by argument name (`tile.name`, `tile.default`), tensors allocated and
//         filled.
// Names:  an argument without `tile.name` is "arg0", "arg1", ...; a dimension without `tile.dims` is "<argument>.<d>".
// Sizes:  from the view type where static, else from the request (a dimension's size, or the shape of an argument that
//         has it), else from the kernel's `tile.default_dims` dictionary attribute.
// Fill:   what the kernel only writes is poisoned, what it adds to is zero, everything else is normal random.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_BINDINGS_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_BINDINGS_H

#include "heddle/Simulator/Functional/HostTensor.h"
#include "heddle/Support/Error.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <array>
#include <map>

namespace heddle::sim {

/// What the user gives.
struct BindingRequest {
  std::map<std::string, int64_t> dims;
  std::map<std::string, double> scalars;
  /// Shapes of arguments whose values the caller has.
  std::map<std::string, std::vector<int64_t>> shapes;
  /// Strides, in elements, of arguments whose elements overlap; other tensors have rows beside each other.
  std::map<std::string, std::vector<int64_t>> strides;
  uint64_t seed = 1;
  /// All tensors together may take this many bytes.
  int64_t byteLimit = int64_t(8) << 30;
};

struct BoundArgument {
  std::string name;
  /// Index into Bindings::tensors, or -1 for a scalar.
  int tensor = -1;
  TileValue scalar;
  bool isWritten = false;
  bool isRead = false;
  bool isAdded = false; ///< written, by adding to what is there
};

struct Bindings {
  /// Every named size, static ones included.
  std::map<std::string, int64_t> dims;
  /// One per kernel argument, in order.
  std::vector<BoundArgument> arguments;
  std::vector<HostTensor> tensors;
  /// In a bounding run (ErrorBound.h) one f64 tensor for each that the kernel writes (the others empty): how far a run
  /// in the program's own types may be from each element; negative where nothing is written. Else empty.
  std::vector<HostTensor> bounds;

  HostTensor *tensorOf(unsigned argument) {
    int index = arguments[argument].tensor;
    return index < 0 ? nullptr : &tensors[index];
  }
  const HostTensor *tensorOf(unsigned argument) const { return const_cast<Bindings *>(this)->tensorOf(argument); }
  /// Indices of the arguments that the kernel writes.
  std::vector<unsigned> outputs() const;
  /// The same with every float tensor and scalar held as f64, for the float64 reference.
  Bindings widened() const;
  /// Makes `bounds`: nothing is written yet.
  void startBounds();
};

/// Binds a kernel's arguments. User errors: an unknown or missing dimension or scalar name, a size below one, sizes and
/// shapes that contradict each other or a static size, names used twice, a scalar that its type cannot hold, too many
/// bytes.
Result<Bindings> bindKernel(mlir::FunctionOpInterface kernel, const BindingRequest &request);

/// Multiprocessors of the simulated device: few, so that a program which shares tiles among them takes several turns at
/// the sizes that are simulated.
constexpr int64_t simulatedMultiprocessors = 2;

/// The launch grid of a bound kernel (its one tile.grid), three sizes, absent ones 1. Emits an error on the grid
/// for a size below one or above the hardware's (2^31-1, 65535, 65535).
mlir::FailureOr<std::array<int64_t, 3>> evaluateGrid(mlir::FunctionOpInterface kernel, const Bindings &bindings);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_BINDINGS_H
