//===- Gains.h - what pays, by the problems and schedules of a kernel --------===//
#ifndef HEDDLE_LIB_PIPELINES_GAINS_H
#define HEDDLE_LIB_PIPELINES_GAINS_H

#include "FormOptions.h"

namespace heddle {

/// Cycles of an iteration in which the busiest unit of products, of arithmetic, of copies by threads, and of the copy
/// engine works.
struct BusyUnits {
  double products = 0, arithmetic = 0, copies = 0, loads = 0;
};
BusyUnits busyUnits(const LoopProblem &loop);

/// Whether arithmetic keeps no unit busy for more than half as long as products do theirs, in every loop that has some:
/// it takes longer beside products than the machine file says (docs/Truth.md).
bool arithmeticHides(const Compilation &compilation);

/// Whether reductions over threads that run behind the loop gain in some loop of several groups: where products bind (a
/// sum that needs no other thread hides under the exponentials of the same row: attention with heads of 128 ran at 1.00
/// to 1.05 of its speed, bench/results/2026-11-23-h100-forward-orders.json), and where arithmetic keeps a unit busy for
/// an eighth longer than products keep theirs (heads of 64: 1.02 to 1.08,
/// bench/results/2026-11-22-h100-attention-masks.json). In between little was gained: attention with a soft-cap or
/// ALiBi, 4 and 8 % above the products' time, got schedules that are 11 and 13 % longer. A group alone, which no other
/// one fills the latencies of, got schedules of 0.98 to 1.03 of the interval for up to 52 registers more, and three of
/// nine spilled. Loops without products lose their shuffles, and nothing else changes in them: where no other loop
/// reduces, they gain. Times that a plan gives are those of loops as they are.
bool gainsFromDeferral(tile::KernelOp prepared, int64_t most, const Machine &machine, const Plan &plan,
                       const FormOptions &options);

/// Whether groups of their own for each of several programs could be worth it where the groups of `one` share a
/// program: its loops keep a unit other than the copy engine busy, so that nothing but another program's time between
/// loops can run beside them, and the copy engine has time left over.
bool mayGainFromTurns(const Compilation &one);
/// Whether the programs of `several` take less time than those of `one`, by more than what scaling of costs may be.
bool gainsFromTurns(const Compilation &several, const Compilation &one);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_GAINS_H
