//===- Meaning.h - A kernel's result beside its sequential meaning --------===//
//
// What:   the one comparison behind the word "verified", for the simulator, the emulation and the GPU.
// Rules:  every element that the program writes is within its bound (ErrorBound.h) of the float64 result; it is NaN, or
//         an infinity, where the sequential meaning's is, and only there; integers are equal unless a rounding decides.
//         All other bytes are unchanged.
// Proof:  elements that are not finite, or whose bound is more than half of their tensor's root mean square and of
//         themselves, tell nothing, unless they are within a 64th of the sequential meaning in the program's own types.
//         Bounds of a recurrence grow with each iteration, whatever its roundings come to.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_FUNCTIONAL_MEANING_H
#define HEDDLE_SIMULATOR_FUNCTIONAL_MEANING_H

#include "heddle/Simulator/Functional/TileInterpreter.h"

namespace heddle::sim {

/// What a program computes from its inputs: in its own types, and in float64 with bounds.
struct Meaning {
  Bindings reference, exact;
};

/// Interprets `kernel` on the inputs of `bound`. Errors are emitted on the operation that cannot be executed.
mlir::FailureOr<Meaning> meaningOf(tile::KernelOp kernel, const Bindings &bound);

struct Comparison {
  int64_t written = 0; ///< elements that the program writes
  int64_t wrong = 0;   ///< of these, how many are not what they should be
  int64_t silent = 0;  ///< of these, how many tell nothing (see above)
  int64_t near = 0;    ///< of these, how many tell something though their bounds do not: they are near to the meaning
  int64_t changed = 0; ///< elements (also of inputs, also padding) that are changed and should not be
  std::string first;   ///< the first wrong or changed element: "'C'[3, 7]: expected 1.5 within 0.001, got NaN"
  double used = 0;     ///< the largest share of its bound that an element uses
  std::vector<std::string> zeros; ///< tensors of which everything that is written should be zero

  bool isWrong() const { return wrong + changed > 0; }
  /// More than one element in twenty tells nothing, or none is written.
  bool provesNothing() const { return silent * 20 > written || written == 0; }
  /// One sentence on what is wrong, or on why nothing is proved; empty if verified.
  std::string str() const;
};

/// The tensors after a run (`got`, from the same inputs) beside the meaning.
Comparison compareWith(const Meaning &meaning, const Bindings &got);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_FUNCTIONAL_MEANING_H
