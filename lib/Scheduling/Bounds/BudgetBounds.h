//===- BudgetBounds.h - Whether any register budgets suffice ---------------===//
//
// What:  infeasible bounds where the smallest budgets (setmaxnreg) that groups may have exceed a group's own limit or
//        the register file (C8).
// Where: Bounds.cpp, behind the bounds of registers that values need.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_SCHEDULING_BOUNDS_BUDGETBOUNDS_H
#define HEDDLE_LIB_SCHEDULING_BOUNDS_BUDGETBOUNDS_H

#include "heddle/Scheduling/Bounds/Bounds.h"

namespace heddle {

/// Only infeasible bounds, with the limit and by how much it is exceeded. `allowed[v]` lists the groups of node v,
/// `occupies[v]` says that its value takes registers at any interval. Assumes that the register file is limited and
/// that the constraints of budgets and groups hold.
std::vector<Bound> budgetBounds(const Problem &problem, const std::vector<std::vector<int>> &allowed,
                                const std::vector<char> &occupies);

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_BOUNDS_BUDGETBOUNDS_H
