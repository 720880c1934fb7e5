//===- Certificate.h - Proofs of optimality as files ----------------------===//
//
// What:    the files of a certificate directory and the checker that accepts or rejects them.
//            certificate.txt   the claim: interval, stages, and why every smaller interval is impossible
//            loop.sched        the problem, where another program wrote it; not read
//            schedule.sol      the schedule
//            iiK.drat iiK.cnf  a proof over slots that interval K is impossible; the formula is for third parties, the
//                              checker derives its own
//            iiK.orders        a proof over orders of the same (Orders.h)
// Where:   `heddle-check FILE.sched DIR`; written by Scheduling/Solver/Certify.h.
// Trusts:  nothing in the directory. Links the problem library only.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_CERTIFICATE_CERTIFICATE_H
#define HEDDLE_CERTIFICATE_CERTIFICATE_H

#include "heddle/Certificate/Refutation.h"
#include "heddle/Scheduling/Problem/Problem.h"

#include <map>

namespace heddle {

/// A bound by arithmetic, as the checker adds it up again: no interval below `value` is possible.
struct ArithmeticWitness {
  std::string kind;       ///< unit, cycle, issue, exclusive, memory, ring, registers
  std::string name;       ///< of the unit, memory or group; empty for "all groups"
  std::vector<int> edges; ///< for kind cycle, in order
};

/// The claim of certificate.txt.
struct Claim {
  std::string problem;  ///< digest of the problem's canonical text
  std::string schedule; ///< digest of schedule.sol
  int64_t ii = 0;
  int64_t stages = 0; ///< optimal among schedules of at most this many stages
  int64_t bound = 1;  ///< every interval below is impossible by `witness`
  ArithmeticWitness witness;
  struct Refuted {
    int64_t ii;
    std::string file, digest;
    bool orders = false; ///< a proof over orders, otherwise over slots
  };
  /// Intervals from `bound` to ii - 1, in order. One that is left out is refuted with the next larger one, where idle
  /// cycles keep schedules legal.
  std::vector<Refuted> refuted;
};

std::string writeClaim(const Claim &claim);
Result<Claim> parseClaim(const std::string &text, const std::string &file);

/// The largest interval bound the witness proves, added up anew; 1 when it proves nothing. INT64_MAX: no interval at
/// all.
Result<int64_t> evaluateWitness(const Problem &problem, const ArithmeticWitness &witness);

struct CertificateReport {
  int64_t ii = 0, stages = 0, proofs = 0, lemmas = 0, checkedLemmas = 0, proofBytes = 0;
};

/// The files of a certificate by name.
using CertificateFiles = std::map<std::string, std::string>;

/// Accepts iff the schedule is legal under all constraints, has the claimed interval and at most the claimed stages,
/// every smaller interval is excluded by the witness or a proof, and nothing else is claimed. `visits`: of each proof,
/// as in checkRefutation; error of kind limit.
Result<CertificateReport> checkCertificate(const Problem &problem, const std::string &directory,
                                           int64_t visits = mostVisits);
Result<CertificateReport> checkCertificate(const Problem &problem, const CertificateFiles &files,
                                           int64_t visits = mostVisits);

/// 64-bit FNV-1a as 16 hexadecimal digits: ties the files of a certificate together (against mix-ups, not against
/// malice).
std::string digest(const std::string &text);

} // namespace heddle

#endif // HEDDLE_CERTIFICATE_CERTIFICATE_H
