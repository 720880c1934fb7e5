//===- WarpMutants.h - Are synchronisation faults caught? -------------------===//
//
// What:   makes every program that differs from a warp kernel by one synchronisation op deleted, loosened or moved, and
//         reports which the protocol verifier, the asynchronous interpreter or the results catch.
// Where:  tests, and `heddle verify --mutants`; never in a compilation.
// Moves:  an op is moved past the next op, in its block, against which its order matters (a wait past what it protects,
//         a signal past what it announces). Moves that only wait earlier or signal later, or past unrelated ops, keep
//         every ordering and are no faults: they are not made. Moves that would break SSA are no programs and are not
//         made either.
// Idle:   an op that the protocol verifier finds to order nothing on any path (a wait that stands for the place where a
//         loop's accumulators become ordinary values) is no synchronisation: a mutant of it that nobody notices is not
//         counted as missed. One that is noticed shows that the verifier was wrong about it.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_TIMING_WARPMUTANTS_H
#define HEDDLE_SIMULATOR_TIMING_WARPMUTANTS_H

#include "heddle/Simulator/Timing/WarpSimulator.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::sim {

enum class MutantKind { Delete, Loosen, Earlier, Later };

struct Mutant {
  MutantKind kind;
  std::string group, op; ///< where, and "acquire ab", "dot_wait", ...
  std::string past;      ///< moves: the op it was moved past
  mlir::Location loc;    ///< of the op in the original
  bool idle = false;     ///< the op orders nothing on any path
  bool global = false;   ///< the op orders global memory
  std::string str() const;
};

/// Calls `use` with each mutant and a kernel that it may change and that is gone afterwards. Deterministic order.
void forEachMutant(warp::KernelOp kernel, llvm::function_ref<void(const Mutant &, warp::KernelOp)> use);

struct MutantOutcome {
  Mutant mutant;
  std::string verifier;  ///< its error, empty: passed
  std::string simulator; ///< its fault, empty: none
  bool wrongResult = false;
  /// Survivors: why the mutant is no fault.
  std::string reason;
  bool caught() const { return !verifier.empty() || !simulator.empty() || wrongResult; }
};

struct MutationReport {
  std::vector<MutantOutcome> outcomes;
  int64_t caughtByVerifier = 0, caughtBySimulator = 0, wrongResults = 0, caught = 0;
  int64_t idle = 0; ///< not caught, of idle operations
  /// Caught ones among those that are faults.
  double rate() const {
    int64_t faults = static_cast<int64_t>(outcomes.size()) - idle;
    return faults ? double(caught) / faults : 1.0;
  }
  /// A table, one line per mutant, and the totals.
  std::string str() const;
};

/// Runs every mutant on a copy of `bindings` (one CTA each) and compares with the original's outputs. The original must
/// be sound; else the report's one outcome says why not.
MutationReport runMutationTest(warp::KernelOp kernel, const Bindings &bindings, const Machine &machine);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_TIMING_WARPMUTANTS_H
