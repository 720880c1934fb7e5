//===- Normalise.h - Smaller cycle counts of nearly the same ratios -------===//
//
// What:    the bounded integer program of Twill 5.2 over a list of costs, and its application to a problem.
// Where:   optional, before `solve`; the un-normalised mode in real cycles is the default.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_COST_NORMALISE_H
#define HEDDLE_SCHEDULING_COST_NORMALISE_H

#include "heddle/Scheduling/Problem/Problem.h"
#include "heddle/Support/Deadline.h"

namespace heddle {

struct NormalisedCosts {
  std::vector<int64_t> values; ///< C'[i] of C[i]; 0 stays 0, anything else is at least 1
  int64_t error = 0;           ///< F = max |C[i] * C'[j] - C[j] * C'[i]|
  int64_t sum = 0;             ///< of C'
  double worstRatio = 1;       ///< max over i, j of (C[i] / C[j]) / (C'[i] / C'[j])
  bool exact = true;           ///< false when the node limit or the deadline stopped the proof that F is least
};

/// Minimises F subject to 1 <= C' (for C > 0) and sum C' <= limit; ties by the largest sum, then by the larger entries
/// first. Equal costs stay equal. Branch and bound; errors: user, when there are more positive costs than `limit`.
Result<NormalisedCosts> normaliseCosts(const std::vector<int64_t> &costs, int64_t limit, Deadline deadline = {});

struct NormalisedProblem {
  Problem problem;
  NormalisedCosts costs; ///< one per node: its longest reservation, or its latency if it has none
  double scale = 1;      ///< sum C' / sum C; applied to all other times
};

/// The problem with normalised times. What is not a node's own cost scales by `scale`: latencies, delays, holds and
/// transfers round up, issue cycles and pinned starts to the nearest.
Result<NormalisedProblem> normaliseProblem(const Problem &problem, int64_t limit, Deadline deadline = {});

} // namespace heddle

#endif // HEDDLE_SCHEDULING_COST_NORMALISE_H
