//===- Scale.h - Coarser time units ---------------------------------------===//
#ifndef HEDDLE_SCHEDULING_COST_SCALE_H
#define HEDDLE_SCHEDULING_COST_SCALE_H

#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

/// Cycles of one time unit such that the resource bound on the interval is about `resolution` units; 1 when resolution
/// is 0.
int64_t cyclesForResolution(const Problem &problem, int64_t resolution);

/// Divides every time of `problem` (costs, delays, transfers, holds) by `cycles`, rounded up, which its scale then
/// states: a schedule of the result, multiplied by `cycles`, is legal for the original. Pins on start times are not
/// supported. Last step of extraction.
void scaleTimes(Problem &problem, int64_t cycles);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_COST_SCALE_H
