//===- OrderRefutation.h - Proofs for the checker, by orders --------------===//
//
// What:  refutes the formula over orders that the *checker* derives (Certificate/Orders.h), and writes the proof that
//        it reads.
// Where: Solver/Certify, for intervals above the arithmetic bound.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_ORDER_ORDERREFUTATION_H
#define HEDDLE_SCHEDULING_ORDER_ORDERREFUTATION_H

#include "heddle/Scheduling/Problem/Problem.h"
#include "heddle/Scheduling/Solver/Sat.h"

#include <string>

namespace heddle {

struct OrderRefutation {
  SatAnswer answer = SatAnswer::Unknown; ///< Sat: the formula has a model
  std::string proof;                     ///< after Unsat
  int64_t variables = 0, clauses = 0;    ///< of the formula; sums count as clauses
};

/// No schedule of at most `stages` stages at interval `ii`. Deterministic. Requires problem.check().
OrderRefutation refuteOrders(const Problem &problem, int64_t ii, int64_t stages, const SearchLimits &limits);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_ORDER_ORDERREFUTATION_H
