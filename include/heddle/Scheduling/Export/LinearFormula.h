//===- LinearFormula.h - Linear constraints over truth values, and their files ===//
//
// What:    a conjunction of clauses and of rows "sum of weight * variable <= bound" over variables that are 0 or 1, and
// its
//          text as SMT-LIB 2 (QF_LIA), OPB (pseudo-Boolean) and CPLEX LP, so that other solvers can decide it.
// Where:   built by Export/StraightLine.h; written by `heddle-sched export`.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_EXPORT_LINEARFORMULA_H
#define HEDDLE_SCHEDULING_EXPORT_LINEARFORMULA_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// weight * variable; variables count from 1. In a clause the weight is 1 (the variable holds) or -1 (it does not).
struct LinearTerm {
  int variable;
  int64_t weight;
};

/// A clause (some literal holds) or a row (the sum is at most `bound`).
struct LinearRow {
  std::vector<LinearTerm> terms;
  int64_t bound = 0;
  bool clause = false;
};

struct LinearFormula {
  /// A family of variables, e.g. {"op_2", 17, 8, "node 'P' starts at cycle 0, 1, ..."}: op_2_0 is variable 17.
  struct Family {
    std::string name;
    int first = 0, count = 0;
    std::string meaning;
  };
  std::string title; ///< what a solution means
  std::vector<Family> families;
  std::vector<LinearRow> rows;
  std::vector<std::pair<size_t, std::string>> headings; ///< row number, what the rows from there on say
  int variables = 0;
  int64_t terms = 0; ///< of all rows
};

/// SMT-LIB 2, logic QF_LIA: Boolean variables, sums of (ite x weight 0), one check-sat. A linear number of characters.
std::string writeSmt2(const LinearFormula &formula);
/// OPB of the pseudo-Boolean competitions: ">=" rows over x1, x2, ...; no objective, no negated literals.
std::string writeOpb(const LinearFormula &formula);
/// CPLEX LP: binary variables and a zero objective; lines of at most 200 characters.
std::string writeLp(const LinearFormula &formula);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_EXPORT_LINEARFORMULA_H
