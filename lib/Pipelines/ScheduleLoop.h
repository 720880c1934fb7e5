//===- ScheduleLoop.h - from a loop to its schedule ------------------------===//
#ifndef HEDDLE_LIB_PIPELINES_SCHEDULELOOP_H
#define HEDDLE_LIB_PIPELINES_SCHEDULELOOP_H

#include "FormOptions.h"

namespace heddle {

/// Whether each tile that a loop loads has one slot: the schedule frees it within an interval.
inline bool hasOneSlot(const FormOptions &options) { return options.oneSlot || options.warp.maxDepth == 1; }
/// Whether products give back the only slot that they read when they end: then the next load waits for nothing that
/// waits for it, where loads also keep their order.
inline bool releasesAtOnce(const FormOptions &options) { return options.releases && hasOneSlot(options); }
/// Whether `node` is a copy to a slot of a ring.
inline bool takesSlot(const Node &node) { return node.variableLatency && !node.footprints.empty(); }

/// The problem of `loop` as `options` ask for it: joint or with fixed groups, in program order without overlap.
mlir::FailureOr<LoopProblem> extractLoop(mlir::scf::ForOp loop, const Machine &machine, ExtractOptions how,
                                         const FormOptions &options);
/// Schedules scheduled loop number `index`, and makes the certificate of an optimal result. Errors: no schedule
/// (infeasible, limit), files that do not parse or are illegal; internal ones.
mlir::LogicalResult scheduleLoop(ScheduledLoop &loop, const Machine &machine, const FormOptions &options, size_t index);

/// Schedules the loop over programs of `kernel` around the loops of `out`, by the exact scheduler; nothing where it is
/// not persistent or has no loop inside.
mlir::LogicalResult schedulePrograms(tile::KernelOp kernel, const Machine &machine, const FormOptions &options,
                                     Compilation &out);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_SCHEDULELOOP_H
