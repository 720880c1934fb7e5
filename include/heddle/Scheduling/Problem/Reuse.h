//===- Reuse.h - registers that a schedule takes from operands --------------===//
//
// What:   where an asynchronous operation has to be done although nobody reads its result yet: the schedule gives the
//         registers of its operands to what starts behind it, and there are too few for both.
// Where:  from a schedule and its problem, before code is made of it (Conversion/TileToWarp places the waits).
// Why:    a problem counts an operand as long as the operation holds it. Code that issues the next asynchronous
//         operation right behind the first one needs registers for its result from then on, whatever the unit does.
//         Only what cannot be otherwise is named: results and operands together are more than the group's registers,
//         with none left for addresses. (Where they fit, the unit never drains for them.)
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_PROBLEM_REUSE_H
#define HEDDLE_SCHEDULING_PROBLEM_REUSE_H

#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

/// `reader` has to be done when `next` begins that runs `distance` iterations later.
struct Reuse {
  int reader = 0, next = 0;
  int64_t distance = 0;
};

/// By reader, in the order of nodes; for each the first place. Readers that the group waits for before it, for the sake
/// of results, are not named.
std::vector<Reuse> reusedOperands(const Problem &problem, const Schedule &schedule);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_PROBLEM_REUSE_H
