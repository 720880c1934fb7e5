//===- SimulatedTime.h - see SimulatedTime.cpp ------------------------------===//
#ifndef HEDDLE_LIB_PIPELINES_SIMULATEDTIME_H
#define HEDDLE_LIB_PIPELINES_SIMULATEDTIME_H

#include "heddle/Pipelines/Compiler.h"

namespace heddle {

/// Cycles of an iteration of the scheduled loops of `made`, a compilation down to the warp level, in the timing
/// simulator, over those of their schedules. 1 where it cannot be simulated.
double simulatedOverScheduled(Compilation &made, const Machine &machine);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_SIMULATEDTIME_H
