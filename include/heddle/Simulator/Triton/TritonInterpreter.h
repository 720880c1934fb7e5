//===- TritonInterpreter.h - The meaning of a Triton kernel -----------------===//
//
// What:   executes every program of a tt.func, one after the other, on memory: pointers are addresses, masks are tested
//         lane by lane, integers wrap in their types, floats are double and do not round. Knows nothing of views, so
//         that a wrong conversion to a tile program shows.
// Memory: each pointer (or descriptor) argument has its own, which begins at the address and grows with what the kernel
//         reaches. What was never written is a random number of the element's type, a function of seed, argument and
//         position. Below the beginning is an error, and so is beyond `elementLimit`.
// Watch:  a callback sees every access before it happens; the comparison of addresses and masks with a conversion's
//         views (CheckAccesses.h) is one.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_TRITON_TRITONINTERPRETER_H
#define HEDDLE_SIMULATOR_TRITON_TRITONINTERPRETER_H

#include "heddle/Dialect/Triton/Triton.h"
#include "heddle/Simulator/Functional/HostTensor.h"

#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <map>
#include <set>

namespace heddle::sim {

/// What one argument of a kernel points to.
class TritonMemory {
public:
  /// `given`: a tensor of rank 1 with the first elements, or null.
  TritonMemory(ElementKind kind, uint64_t seed, const HostTensor *given)
      : elementKind(kind), seed(seed), given(given) {}

  ElementKind kind() const { return elementKind; }
  /// What the element at `position` holds before the kernel runs.
  double initialFloat(int64_t position) const;
  int64_t initialInt(int64_t position) const;
  double floatAt(int64_t position) const;
  int64_t intAt(int64_t position) const;
  void set(int64_t position, double number, int64_t integer);
  /// Positions that were written.
  struct Element {
    double number = 0;
    int64_t integer = 0;
  };
  const std::map<int64_t, Element> &written() const { return elements; }

private:
  bool isGiven(int64_t position) const { return given && position < given->numElements(); }

  ElementKind elementKind;
  uint64_t seed;
  const HostTensor *given;
  std::map<int64_t, Element> elements;
};

/// Addresses of one access: element positions of one argument.
struct TritonAccess {
  mlir::Operation *op = nullptr;
  bool isStore = false;
  std::vector<int64_t> shape;     ///< of the tile; empty: a scalar
  std::vector<int64_t> argument;  ///< a lane: number of the argument it points into
  std::vector<int64_t> positions; ///< a lane: element from the argument's address
  std::vector<uint8_t> mask;      ///< a lane
};

struct TritonRun {
  heddle::triton::FuncOp function;
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::map<unsigned, double> scalars;    ///< by argument
  std::map<unsigned, HostTensor> given;  ///< by argument: what its memory begins with; random numbers follow
  std::set<unsigned> loaded;             ///< arguments that the kernel loads from: additions begin with what is there
  std::map<unsigned, ElementKind> kinds; ///< by argument: what its memory holds, where not what the first access has
  uint64_t seed = 1;
  bool addressesOnly = false; ///< floats are not computed: what only they need is skipped
  /// Sees every access through pointers before it happens; an error text ends the run. `valueOf` gives the current
  /// value of an SSA value.
  std::function<std::optional<std::string>(
      const TritonAccess &, llvm::function_ref<const TileValue *(mlir::Value)> valueOf, std::array<int64_t, 3> program)>
      watch;
  std::map<unsigned, TritonMemory> memory; ///< by argument, filled by the run
  std::map<unsigned, int64_t> reach;       ///< by argument: how many elements from its address the kernel reaches

  /// The memory of an argument before the kernel runs.
  TritonMemory initial(unsigned argument, ElementKind kind) const;
};

/// What numbers that an argument points to are addresses in is the memory of this number plus the argument's.
constexpr unsigned pointedTo = 1000;

/// Positions beyond this are an error: addresses that the kernel cannot mean.
constexpr int64_t elementLimit = int64_t(1) << 40;

/// Errors are emitted on the operation that cannot be executed.
mlir::LogicalResult runTriton(TritonRun &run);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_TRITON_TRITONINTERPRETER_H
