//===- OuterProblem.h - a loop around scheduled loops as a problem ---------===//
#ifndef HEDDLE_ANALYSIS_OUTERPROBLEM_H
#define HEDDLE_ANALYSIS_OUTERPROBLEM_H

#include "heddle/Analysis/LoopProblem.h"

namespace heddle {

/// Where programs are in flight: the unit that their loops take in turn.
inline constexpr const char *unitOfTurns = "turn";

/// A loop inside, with its schedule.
struct InnerSchedule {
  const LoopProblem *loop;
  const Schedule *schedule;
};

struct OuterOptions {
  int64_t trips = 16;      ///< of each loop inside: how often it runs is not known before the kernel does
  int64_t resolution = 64; ///< as in ExtractOptions
};

/// The loop over programs of a persistent, selected kernel as a scheduling problem: an iteration is as many programs as
/// are in flight (turnsOf), each compute group of each of them runs one node for every loop inside and one for what
/// lies between loops. Errors: the machine file lacks an operation.
mlir::FailureOr<Problem> extractPrograms(tile::KernelOp kernel, llvm::ArrayRef<InnerSchedule> inside,
                                         const Machine &machine, const OuterOptions &options = {});

} // namespace heddle

#endif // HEDDLE_ANALYSIS_OUTERPROBLEM_H
