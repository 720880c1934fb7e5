//===- FreeGroups.h - From pinned warp groups to the joint problem --------===//
#ifndef HEDDLE_SCHEDULING_COST_FREEGROUPS_H
#define HEDDLE_SCHEDULING_COST_FREEGROUPS_H

#include "heddle/Machine/Machine.h"
#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

struct FreeGroupsOptions {
  int64_t overhead = -1;    ///< registers a thread every group needs besides its values; below 0: the problem's own
  bool registerFile = true; ///< false: each group's limit alone (Twill Figure 6), not the register file that all share
  int64_t extraGroups = 0;  ///< more compute groups, like the first of those with the most warps
  bool transfers = true;    ///< false: values may not change groups at all
  bool loads = true;        ///< false: groups that compute issue the copies, so that no other one needs a warp for them
};

/// Whether `machine` has as many groups and warps as `problem` takes; of those that load only the ones that have to.
/// Errors: user.
Status checkGroups(const Problem &problem, const Machine &machine, const FreeGroupsOptions &options);

/// The extracted problem with warp assignment as a decision: group pins are dropped; a register value that goes to
/// another group pays the machine's `transfer` cost for its bytes and takes shared memory for staging; register budgets
/// are decided within the machine's register file. No edge is marked as blocking: where an edge crosses groups its
/// transfer is waited for at a barrier, which C10 knows (docs/decisions/0011-blocking-is-a-fact-of-the-problem.md).
/// Streaming loads keep their group (variable latency).
/// Errors: user (the machine states no `transfer` cost; more groups or warps than it has).
Result<Problem> freeGroups(const Problem &problem, const Machine &machine, const FreeGroupsOptions &options = {});

/// With groups that are given: what goes to another one takes as long as in the joint problem.
/// Errors: user (the machine states no `transfer` or `mbarrier` cost).
Status addTransfers(Problem &problem, const Machine &machine);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_COST_FREEGROUPS_H
