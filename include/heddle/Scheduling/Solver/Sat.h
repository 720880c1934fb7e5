//===- Sat.h - The one interface to SAT solvers ---------------------------===//
//
// What:    clauses in, an answer out; literals are non-zero integers as in DIMACS. Another solver plugs in by
//          implementing this class and by a line of the table in lib/Scheduling/Solver/Backends.cpp
//          (docs/howto/add-a-solver.md). Exceptions of the solver end in the adapter.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_SOLVER_SAT_H
#define HEDDLE_SCHEDULING_SOLVER_SAT_H

#include "heddle/Support/Deadline.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

using Lit = int;

enum class SatAnswer { Sat, Unsat, Unknown };

/// Wall-clock time and memory a search may use; shared by all queries of one `solve`.
struct SearchLimits {
  Deadline deadline;
  int64_t memoryMB = int64_t(1) << 40; ///< resident memory of the process
  int64_t conflicts = -1;              ///< of one query; below 0: none. The same on every machine
  static double cpu();                 ///< processor seconds of this process
  static int64_t residentMB();
  bool exceeded() const { return deadline.passed() || residentMB() > memoryMB; }
};

class SatSolver {
public:
  virtual ~SatSolver() = default;
  virtual int newVar() = 0;
  virtual void addClause(const Lit *begin, const Lit *end) = 0;
  virtual SatAnswer solve(const std::vector<Lit> &assumptions, const SearchLimits &limits) = 0;
  /// After Sat: the value of a literal. After Unsat under assumptions: whether `lit` is in the core.
  virtual bool value(Lit lit) = 0;
  virtual bool failed(Lit lit) = 0;
  /// Decides this literal true when it is decided.
  virtual void prefer(Lit) {}
  virtual int64_t numVars() const = 0;
  virtual int64_t numClauses() const = 0;
};

/// A solver that can be chosen by name.
struct SatBackend {
  const char *name;
  /// `proof` takes a binary DRAT proof when the solver is destroyed. `guess`: tuned for queries that are expected to be
  /// satisfiable.
  std::unique_ptr<SatSolver> (*create)(std::string *proof, bool guess);
  bool proves; ///< whether `proof` gets one: without there are no certificates
};
/// Those of this build, the default first.
const std::vector<SatBackend> &satBackends();
/// Null: there is none of this name.
const SatBackend *findSatBackend(const std::string &name);
/// A solver of `backend`, or of the default one.
std::unique_ptr<SatSolver> createSat(const SatBackend *backend = nullptr, std::string *proof = nullptr,
                                     bool guess = false);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_SOLVER_SAT_H
