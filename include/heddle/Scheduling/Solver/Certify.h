//===- Certify.h - Write the certificate of an optimal result -------------===//
#ifndef HEDDLE_SCHEDULING_SOLVER_CERTIFY_H
#define HEDDLE_SCHEDULING_SOLVER_CERTIFY_H

#include "heddle/Scheduling/Solver/Solve.h"

namespace heddle {

struct CertifyStats {
  double seconds = 0;
  int64_t proofs = 0, proofBytes = 0, variables = 0, clauses = 0; ///< of the largest formula
};

/// Writes the files of Certificate/Certificate.h into `directory` (created if missing; certificate.txt last, so that a partial
/// directory is never accepted). For each interval between the arithmetic bound and the result the formula of the *checker* is
/// refuted by CaDiCaL with a proof. Requires an Optimal result of full mode under all constraints.
/// Errors: user (not such a result, directory), limit (time), internal (the checker's formula is satisfiable).
Result<CertifyStats> writeCertificate(const Problem &problem, const SolveResult &result, const SolveOptions &options,
                                      const std::string &directory, bool withCnf = true);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_SOLVER_CERTIFY_H
