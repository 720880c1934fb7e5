//===- Groups.h - Which groups of a schedule may change places ---------------===//
#ifndef HEDDLE_LIB_SCHEDULING_POLICY_GROUPS_H
#define HEDDLE_LIB_SCHEDULING_POLICY_GROUPS_H

#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

/// Groups that differ only in name may change places in a schedule.
bool exchangeable(const Group &a, const Group &b);

} // namespace heddle

#endif // HEDDLE_LIB_SCHEDULING_POLICY_GROUPS_H
