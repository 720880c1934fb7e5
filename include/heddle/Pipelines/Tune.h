//===- Tune.h - the best plan for a program and sizes ----------------------===//
//
// What:   candidates over what a plan may say of a kernel (sizes of tiles, warp groups, persistence, order of programs,
//         ring depth), each compiled and given a predicted time, in order of preference.
// How:    every shape is extracted and bounded, which takes milliseconds and drops what cannot be; the best shapes by
//         these bounds are scheduled and lowered to warp programs; of the best of those every order is tried.
// Measures: nothing. Who has a GPU times the first ones and orders them again.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_PIPELINES_TUNE_H
#define HEDDLE_PIPELINES_TUNE_H

#include "heddle/Pipelines/Compiler.h"
#include "heddle/Tuning/Candidates.h"
#include "heddle/Tuning/Model.h"
#include "heddle/Tuning/PlanCache.h"

namespace heddle {

struct TuneOptions {
  Sizes sizes;                                       ///< of every named dimension
  CompileOptions compile;                            ///< without parameters or a plan
  std::vector<std::string> plans;                    ///< kernel entries of the candidates; empty: they are searched for
  size_t scheduled = 24;                             ///< shapes that are scheduled, at most
  size_t ordered = 5;                                ///< shapes whose orders are tried, at most
  std::function<void(const std::string &)> progress; ///< as CompileOptions::progress
};

struct TunedCandidate {
  Candidate values;
  std::string plan;             ///< the kernel entry of a plan
  std::string refused;          ///< why it has no kernel; empty: it has one
  bool lowered = false;         ///< a warp program was made and verified; else only bounds were computed
  std::string identity;         ///< of what was made: equal for candidates that say the same in other words
  std::optional<bool> skipOnes; ///< factors that are often one are tested; none: there are none
  KernelWork work;
  Prediction prediction;
};

struct TuneResult {
  std::vector<Axis> axes;
  std::vector<TunedCandidate> candidates; ///< lowered ones in order of preference, then the bounded, then the refused
};

/// Failure: a candidate could not even be tried, with a diagnostic (the program itself is wrong). No candidate with a
/// kernel is no failure.
mlir::LogicalResult tuneKernel(tile::KernelOp kernel, const Machine &machine, const TuneOptions &options,
                               TuneResult &result);

/// Other schedules and texts of `candidate`, which has a kernel: what only a measurement tells from it, since the model
/// has nearly one time for them. None without dots. What the author of `kernel` or the candidate's plan decides stays.
std::vector<TunedCandidate> otherSchedules(tile::KernelOp kernel, const Machine &machine, const TuneOptions &options,
                                           const TunedCandidate &candidate);

/// What the plan cache knows of `kernel` with `sizes` on `machine`.
PlanKey planKeyOf(tile::KernelOp kernel, const Machine &machine, const Sizes &sizes);

} // namespace heddle

#endif // HEDDLE_PIPELINES_TUNE_H
