//===- Refutation.h - "No schedule at this interval", as clauses and proofs ===//
//
// What:    deriveCnf turns (problem, ii, stages) into a propositional formula that is satisfiable iff a legal schedule
//          exists; checkRefutation checks a DRAT proof of its unsatisfiability by reverse unit propagation.
// Where:   the producer of certificates lets any SAT solver refute the derived formula; `heddle-check` derives it again
//          and checks the proof. Shares no code with the search (lib/Scheduling), whose encoding is different.
// Trusts:  Problem::check. Tested against enumeration of all schedules of small instances.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_CERTIFICATE_REFUTATION_H
#define HEDDLE_CERTIFICATE_REFUTATION_H

#include "heddle/Scheduling/Problem/Problem.h"

#include <string>
#include <vector>

namespace heddle {

/// Clauses as in DIMACS: literals, each clause ended by 0.
struct Cnf {
  int variables = 0;
  int64_t clauses = 0;
  std::vector<int> literals;

  std::string dimacs() const;
};

/// The formula "there is a legal schedule of at most `stages` stages at interval `ii`", all conditions of
/// docs/Scheduling.md. Interchangeable groups are ordered by first use (no schedule is lost up to renaming groups).
/// Errors: limit, when the formula would exceed about 10^9 literals.
Result<Cnf> deriveCnf(const Problem &problem, int64_t ii, int64_t stages);

/// Minutes of one processor.
inline constexpr int64_t mostVisits = 20'000'000'000;

struct RefutationStats {
  int64_t lemmas = 0, checked = 0;
};

/// Accepts iff `proof` (DRAT, binary or text) derives the empty clause from `cnf` by reverse unit propagation. Every
/// lemma the conclusion depends on is checked; deletions of unit clauses and reasons are ignored (as drat-trim does).
/// `visits`: clauses that may be looked at; more is an error of kind limit.
Status checkRefutation(const Cnf &cnf, const std::string &proof, RefutationStats *stats = nullptr,
                       int64_t visits = mostVisits);

} // namespace heddle

#endif // HEDDLE_CERTIFICATE_REFUTATION_H
