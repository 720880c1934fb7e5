//===- BlamePins.h - which pins leave a problem without a schedule ---------===//
#ifndef HEDDLE_SCHEDULING_SOLVER_BLAMEPINS_H
#define HEDDLE_SCHEDULING_SOLVER_BLAMEPINS_H

#include "heddle/Scheduling/Problem/Pins.h"
#include "heddle/Scheduling/Solver/Solve.h"

namespace heddle {

/// A pin that alone, or together with the others of its list, leaves no schedule.
struct PinBlame {
  size_t pin;       ///< index into the list of pins
  std::string text; ///< "pin stage = 3 of S: without it ...": what would do, and by how much the pin is off
};

/// Every single pin without which `problem` has a schedule; where there is none, a smallest set of pins without which
/// it has one. Empty: no pin is to blame, or the limits of the search were reached (conflicts and steps, so that every
/// machine says the same). Stages and intervals are limited as in `options`, but for a pinned interval.
std::vector<PinBlame> blamePins(const Problem &problem, const std::vector<Pin> &pins, const SolveOptions &options = {});

} // namespace heddle

#endif // HEDDLE_SCHEDULING_SOLVER_BLAMEPINS_H
