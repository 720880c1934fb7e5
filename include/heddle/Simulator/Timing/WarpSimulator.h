//===- WarpSimulator.h - The asynchronous interpreter of the warp level -----===//
//
// What:   runs a warp kernel on bound tensors as the hardware would: warp groups concurrent and in order, copies and
//         dots asynchronous on their units, slots of rings as real memory, time from the machine file. Finds deadlocks,
//         races, early slot reuse, missing waits, fences and barriers, and unbalanced rings; gives cycles, unit use and
//         a timeline.
// Where:  `heddle run --device=sim`, `heddle verify`, `heddle tune` (lib/Pipelines/SimulatedTime.cpp), tests; never
//         needed to compile.
// Races:  by happens-before (vector clocks over the groups), so a fault is found whichever way this run's timing went:
//         the ring operations block on named uses and never choose, hence one run decides for all interleavings of one
//         input.
// Docs:   docs/Simulator.md
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_TIMING_WARPSIMULATOR_H
#define HEDDLE_SIMULATOR_TIMING_WARPSIMULATOR_H

#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Machine/Machine.h"
#include "heddle/Simulator/Functional/Bindings.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace heddle::sim {

enum class FaultKind {
  Race,        ///< two conflicting accesses are not ordered, or a tile is read that nothing wrote
  Protocol,    ///< a ring, dot, fence or copy-out rule is broken in one group
  Deadlock,    ///< every group that has not ended waits
  Imbalance,   ///< something is left open at the end
  Unsupported, ///< an operation that cannot be executed (user error, also emitted as a diagnostic)
  Limit        ///< SimOptions::maxSteps
};

struct SimFault {
  FaultKind kind;
  mlir::Location loc;
  std::string message; ///< lower-case, names group, ring and use
  std::array<int64_t, 3> cta;
};

/// One bar of the timeline, in cycles of one CTA.
struct SimEvent {
  std::string lane; ///< a group's or a unit's name
  std::string name; ///< the op and its ring, or its `heddle.node` attribute
  std::string op;   ///< "dot", "copy", "exp2", ...
  int64_t begin = 0, end = 0;
  bool onUnit = false;
  bool wait = false; ///< a group that waited (acquire, get, dot_wait, copy_out_wait)
};

struct SimOptions {
  /// CTAs to run in grid order; 0: all.
  int64_t maxCtas = 0;
  /// Operations executed in all; more is a Limit fault.
  int64_t maxSteps = 500'000'000;
  /// Record the timeline of the first CTA.
  bool timeline = true;
  /// Emit faults as diagnostics as well.
  bool emit = true;
};

struct SimResult {
  std::vector<SimFault> faults;              ///< at most one: the run stops there
  std::vector<int64_t> ctaCycles;            ///< per CTA run, in grid order (dimension 0 fastest)
  int64_t maxCycles = 0;                     ///< the slowest CTA
  std::map<std::string, int64_t> unitBusy;   ///< of the first CTA: cycles each unit was held
  std::map<std::string, int64_t> groupWaits; ///< of the first CTA: cycles each group waited
  std::vector<std::string> groups;           ///< names in program order
  std::vector<SimEvent> events;              ///< of the first CTA
  int64_t orderedPairs = 0;                  ///< conflicting accesses found ordered
  bool ok() const { return faults.empty(); }
};

const char *faultKindName(FaultKind kind);

/// Runs the kernel on `bindings` (from bindKernel), writing its output tensors. Deterministic. Faults are results, not
/// exceptions: see SimResult::faults. The kernel must have passed the verifiers of the dialect; the protocol verifier
/// need not have run.
SimResult simulateWarpKernel(warp::KernelOp kernel, Bindings &bindings, const Machine &machine,
                             const SimOptions &options = {});

/// An SVG of the first CTA: one lane per group and per unit, coloured by operation, a cycle axis below. `title` stands
/// above.
std::string drawTimeline(const SimResult &result, const std::string &title);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_TIMING_WARPSIMULATOR_H
