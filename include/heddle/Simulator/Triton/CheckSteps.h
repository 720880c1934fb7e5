//===- CheckSteps.h - A Triton kernel before and behind the conversion's steps -===//
//
// What:   runs the kernel as written on what another run began with, and compares what both leave in memory. That run
//         is of the kernel as the conversion has rewritten it so that its accesses can be followed: returns, branches
//         and loops in other forms, casts of pointers, pointers that loops move (TritonToTile/Steps.h).
// Where:  behind the comparison of accesses (CheckAccesses.h), whose views belong to the rewritten kernel.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SIMULATOR_TRITON_CHECKSTEPS_H
#define HEDDLE_SIMULATOR_TRITON_CHECKSTEPS_H

#include "heddle/Conversion/TritonToTile/TritonToTile.h"
#include "heddle/Simulator/Triton/TritonInterpreter.h"

namespace heddle::sim {

/// Compares with `run`, which has ended. Gives what differs; empty: nothing. Failure: the kernel as written cannot be
/// executed, diagnosed.
llvm::FailureOr<std::string> compareWithWritten(triton::Conversion &conversion, const TritonRun &run);

} // namespace heddle::sim

#endif // HEDDLE_SIMULATOR_TRITON_CHECKSTEPS_H
