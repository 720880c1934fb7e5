//===- ScheduleChains.h - a loop with less room, or in smaller nodes ----------===//
#ifndef HEDDLE_LIB_PIPELINES_SCHEDULECHAINS_H
#define HEDDLE_LIB_PIPELINES_SCHEDULECHAINS_H

#include "FormOptions.h"

namespace heddle {

/// Schedules loop number `index` with its chains as nodes. At the edge of the registers that refuses too much: where it
/// finds no schedule within a tenth of the bound, and one a twelfth shorter and of no more stages without room for the
/// elements of chains, that room is given up (with more stages ptxas spilled); where there is none then, every
/// operation becomes a node, and at last the room for addresses is halved, for which ptxas may spill. Where none of it
/// has a schedule, what is said is what is known: "infeasible" only where each attempt was refuted.
mlir::LogicalResult scheduleChains(ScheduledLoop &loop, const Machine &machine, FormOptions options, size_t index);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_SCHEDULECHAINS_H
