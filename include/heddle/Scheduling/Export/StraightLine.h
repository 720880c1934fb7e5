//===- StraightLine.h - Twill's formulation, repaired, as linear constraints ===//
//
// What:    Problem, interval, stages -> LinearFormula that has a solution iff there is a legal schedule of that
// interval whose
//          nodes complete within stages * ii cycles. Twill Figures 4 to 6 with the repairs of docs/Scheduling.md
//          ("Where the paper had to be settled"), and the conditions beyond the paper (C4, C8, C11, C12).
// Where:   `heddle-sched export`; in the tests a third description of legality beside Solver and Certificate.
// Meaning: the paper has op[v, i, t] and live[v, i, t] for every iteration i of a straight-line program. CONSISTENCY
// makes all
//          iterations shifts of one, so op[v, t] and live[v, t] of iteration 0 stand for all of them, and a sum over
//          the iterations that touch a cycle of the steady state is a sum over all t of one residue modulo ii. Nothing
//          reaches past the end of the program then (points 1 and 2). begun[v, t] abbreviates op[v, 0] + ... + op[v,
//          t].
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_EXPORT_STRAIGHTLINE_H
#define HEDDLE_SCHEDULING_EXPORT_STRAIGHTLINE_H

#include "heddle/Scheduling/Export/LinearFormula.h"
#include "heddle/Scheduling/Problem/Constraints.h"
#include "heddle/Scheduling/Problem/Problem.h"

namespace heddle {

struct StraightLineOptions {
  int64_t ii = 1;
  int64_t stages = 1;
  ConstraintSet constraints;
  int64_t maxTerms = 50000000; ///< a larger formula is refused (about 1 GB of text)
};

/// The formula of `problem` (which has passed check()). Limit error when it grows beyond `maxTerms`.
Result<LinearFormula> straightLineFormula(const Problem &problem, const StraightLineOptions &options);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_EXPORT_STRAIGHTLINE_H
