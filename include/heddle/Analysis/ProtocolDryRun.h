//===- ProtocolDryRun.h - do the rings of a warp program deadlock? ---------===//
//
// What:   runs the ring operations and the scalar control of all groups of one CTA, without data and without time: a
//         deadlock, a use number out of order or a use left open at the end is one located error, which names the sizes
//         and, for a deadlock, what each stuck group waits for.
// Where:  behind the static protocol verifier, on every final warp program and in `heddle verify`. It needs no inputs;
//         the simulator, which does, also sees data and time.
// How:    ring operations name the use they wait for and never choose, so one interleaving decides for all. Sizes,
//         scalar arguments and program numbers that control depends on are unknown: each takes the values that make the
//         loops they bound run 0, 1, 2 and (the deepest ring, or the largest number compared with) + 1 times; sizes are
//         at least 1, program numbers inside the grid. All combinations up to a cap, then an even sample.
// Limits: control that depends on data is not followed (such a program passes); so does a combination that takes too
//         many steps.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_PROTOCOLDRYRUN_H
#define HEDDLE_ANALYSIS_PROTOCOLDRYRUN_H

#include "heddle/Dialect/Warp/Warp.h"

namespace heddle {

struct DryRunOptions {
  int64_t maxCombinations = 256; ///< of values of the unknowns
  int64_t maxSteps = 1 << 21;    ///< of all combinations together; each may take an eighth of what is left
};

/// Fails, with one located error, at the first combination that does not come to its end.
mlir::LogicalResult dryRunProtocol(warp::KernelOp kernel, const DryRunOptions &options = {});

} // namespace heddle

#endif // HEDDLE_ANALYSIS_PROTOCOLDRYRUN_H
