//===- Budgets.h - registers that a warp group may have --------------------===//
//
// What: the limit of a group that states none, but shares a register file with others. One place for the solvers, the
//       bounds, the exports and the checker.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_PROBLEM_BUDGETS_H
#define HEDDLE_SCHEDULING_PROBLEM_BUDGETS_H

#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

/// The largest budget of a thread that setmaxnreg takes (PTX ISA).
inline constexpr int64_t largestBudget = 256;

/// Whether the registers of `group` are limited at all.
inline bool limitsRegisters(const Problem &problem, const Group &group) {
  return group.regs > 0 || problem.registerFile > 0;
}
/// Registers a thread of `group` has at most, where they are limited.
inline int64_t mostRegisters(const Group &group) { return group.regs > 0 ? group.regs : largestBudget; }

} // namespace heddle

#endif // HEDDLE_SCHEDULING_PROBLEM_BUDGETS_H
