//===- Certify.h - Certificates of optimal results ------------------------===//
//
// What:    a schedule -> the files of Certificate/Certificate.h, which prove that no schedule of at most so many stages
//          has a smaller interval. Intervals between the arithmetic bound and the schedule's are refuted as formulas
//          of the *checker*: over orders, all at once where idle cycles keep schedules legal, or else over slots, each
//          by CaDiCaL.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SCHEDULING_SOLVER_CERTIFY_H
#define HEDDLE_SCHEDULING_SOLVER_CERTIFY_H

#include "heddle/Certificate/Certificate.h"
#include "heddle/Scheduling/Solver/Solve.h"

namespace heddle {

struct CertifyStats {
  double seconds = 0;
  int64_t proofs = 0, proofBytes = 0, variables = 0, clauses = 0; ///< of the largest formula
};

struct Certification {
  CertificateFiles files; ///< complete when proved
  bool proved = false;
  int64_t bound = 1;     ///< every smaller interval is refuted
  bool possible = false; ///< not proved, because the checker's formula says that interval `bound` is possible
  CertifyStats stats;
};

/// Takes at most `options.timeLimit` seconds and `options.memoryLimitMB`; of the other options only the solver and
/// `orderProofs` count. `withCnf`: also the formulas over slots, for third parties. Not proved: the limit was reached,
/// or the interval is not the least.
Certification certify(const Problem &problem, const Schedule &schedule, int64_t stages, const SolveOptions &options,
                      bool withCnf = false);

/// Lets an optimal result keep the word only with a certificate that the checker accepts for exactly `problem`, and
/// gives its files. Otherwise the result becomes feasible, with the bound that was proved, or failed, where checker and
/// solver contradict each other. Takes what the search left of the time limit, at least a second.
CertificateFiles certifyOptimal(const Problem &problem, SolveResult &result, const SolveOptions &options);

/// Writes the files, certificate.txt last, so that a partial directory is never accepted; the directory is created if
/// missing. No files: only an old claim is removed.
Status saveCertificate(const CertificateFiles &files, const std::string &directory);

/// Both for an optimal result of full mode under all constraints, with the formulas.
/// Errors: user (not such a result, directory), limit (time, of the proof or of checking it), internal (the checker's
/// formula is satisfiable).
Result<CertifyStats> writeCertificate(const Problem &problem, const SolveResult &result, const SolveOptions &options,
                                      const std::string &directory, bool withCnf = true);

} // namespace heddle

#endif // HEDDLE_SCHEDULING_SOLVER_CERTIFY_H
