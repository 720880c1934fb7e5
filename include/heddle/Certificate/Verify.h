//===- Verify.h - Is this schedule legal? ---------------------------------===//
//
// What:    checks a Schedule against a Problem, condition by condition (docs/Scheduling.md), by direct evaluation.
// Where:   after every solver, in `heddle-check`, and before anything is materialised.
// Trusts:  nothing but the problem's own data structures; shares no code with bounds or solvers.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_CERTIFICATE_VERIFY_H
#define HEDDLE_CERTIFICATE_VERIFY_H

#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"

#include <string>
#include <vector>

namespace heddle {

/// One broken condition, in words with names and numbers.
struct Violation {
  Constraint constraint;
  std::string message;
};

/// All broken conditions (at most one per node, edge, unit, memory or group and condition); empty when legal.
/// Malformed schedules (wrong sizes, ii < 1, indices out of range) yield one violation and stop.
std::vector<Violation> verifySchedule(const Problem &problem, const Schedule &schedule,
                                      ConstraintSet constraints = ConstraintSet::all());

/// What a legal schedule uses in each slot of one interval; for reports and pictures.
struct SlotUse {
  std::vector<std::vector<int64_t>> units;     ///< [unit][slot]
  std::vector<std::vector<int64_t>> memories;  ///< [memory][slot]; constant over slots for rings
  std::vector<std::vector<int64_t>> registers; ///< [group][slot], per thread, without overhead
};
SlotUse computeUse(const Problem &problem, const Schedule &schedule);

} // namespace heddle

#endif // HEDDLE_CERTIFICATE_VERIFY_H
