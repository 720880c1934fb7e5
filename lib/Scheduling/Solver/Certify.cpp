//===- Certify.cpp - Write the certificate of an optimal result -----------===//
//
// What:      see Certify.h. The formula refuted is Certificate's, so a proof also cross-checks the search's own encoding.
// Limits:    time limit of the options per certificate.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Solver/Certify.h"

#include "heddle/Certificate/Certificate.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Sat.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace heddle {
namespace {

/// The witness of the strongest bound in the checker's terms; edges of a cycle are looked up by their ends.
ArithmeticWitness toWitness(const Problem &p, const Bound &bound) {
  ArithmeticWitness w;
  switch (bound.kind) {
  case BoundKind::Unit:
    w = {"unit", p.units[bound.index].name, {}};
    break;
  case BoundKind::Memory:
    w = {"memory", p.memories[bound.index].name, {}};
    break;
  case BoundKind::Ring:
    w = {"ring", p.memories[bound.index].name, {}};
    break;
  case BoundKind::Issue:
    w = {"issue", bound.index < 0 ? "" : p.groups[bound.index].name, {}};
    break;
  case BoundKind::Registers:
    w = {"registers", bound.index < 0 ? "" : p.groups[bound.index].name, {}};
    break;
  case BoundKind::Recurrence:
    w.kind = "cycle";
    for (size_t i = 0; i < bound.nodes.size(); ++i) {
      // Of parallel edges the one that binds: most delay over the distance at interval value - 1.
      int best = -1;
      auto weight = [&](int e) {
        return forcedDelay(p, p.edges[e], ConstraintSet::all()) - p.edges[e].distance * (bound.value - 1);
      };
      for (int e = 0; e < static_cast<int>(p.edges.size()); ++e)
        if (p.edges[e].from == bound.nodes[i] && p.edges[e].to == bound.nodes[(i + 1) % bound.nodes.size()] &&
            (best < 0 || weight(e) > weight(best)))
          best = e;
      w.edges.push_back(best);
    }
    break;
  }
  return w;
}

} // namespace

Result<CertifyStats> writeCertificate(const Problem &p, const SolveResult &r, const SolveOptions &options,
                                      const std::string &directory, bool withCnf) {
  if (r.status != SolveStatus::Optimal || options.mode != SolveMode::Full || options.minII > r.mii)
    return userError(std::string("expected an optimal result of full mode to certify, got ") + solveStatusName(r.status));
  for (unsigned c = 0; c < static_cast<unsigned>(Constraint::Count); ++c)
    if (!options.constraints.has(static_cast<Constraint>(c)))
      return userError(std::string("expected all constraints for a certificate, got none of '") +
                       constraintName(static_cast<Constraint>(c)) + "'");
  if (mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST)
    return userError("cannot create the directory '" + directory + "': " + std::strerror(errno));
  CertifyStats stats;
  double begin = SearchLimits::now();
  SearchLimits limits;
  limits.deadline = begin + options.timeLimit;
  limits.memoryMB = options.memoryLimitMB;
  std::string schedule = writeSchedule(p, r.schedule);
  Claim claim;
  claim.problem = digest(writeProblem(p));
  claim.schedule = digest(schedule);
  claim.ii = r.schedule.ii;
  claim.stages = r.stages;
  claim.bound = r.mii;
  if (r.mii > 1)
    claim.witness = toWitness(p, r.bounds.bounds.at(0));
  (void)std::remove((directory + "/certificate.txt").c_str());
  for (int64_t ii = r.mii; ii < r.schedule.ii; ++ii) {
    Result<Cnf> cnf = deriveCnf(p, ii, r.stages);
    if (!cnf)
      return cnf.error();
    std::string name = "ii" + std::to_string(ii), path = directory + "/" + name + ".drat";
    SatAnswer answer;
    {
      std::unique_ptr<SatSolver> sat = createCadical(path);
      for (size_t i = 0, start = 0; i < cnf->literals.size(); ++i)
        if (cnf->literals[i] == 0) {
          sat->addClause(cnf->literals.data() + start, cnf->literals.data() + i);
          start = i + 1;
        }
      answer = sat->solve({}, limits);
    } // closes the proof
    if (answer == SatAnswer::Sat)
      return Error(ErrorKind::Internal, "the checker's formula at interval " + std::to_string(ii) +
                                            " is satisfiable, the solver's is not");
    if (answer == SatAnswer::Unknown)
      return Error(ErrorKind::Limit, "no proof for interval " + std::to_string(ii) + " within the limits");
    Result<std::string> proof = readFile(path);
    if (!proof)
      return proof.error();
    claim.refuted.push_back({ii, name + ".drat", digest(*proof)});
    stats.proofBytes += static_cast<int64_t>(proof->size());
    stats.variables = std::max<int64_t>(stats.variables, cnf->variables);
    stats.clauses = std::max(stats.clauses, cnf->clauses);
    ++stats.proofs;
    if (withCnf)
      if (Status status = writeFile(directory + "/" + name + ".cnf", cnf->dimacs()); !status)
        return status.error();
  }
  if (Status status = writeFile(directory + "/schedule.sol", schedule); !status)
    return status.error();
  if (Status status = writeFile(directory + "/certificate.txt", writeClaim(claim)); !status)
    return status.error();
  stats.seconds = SearchLimits::now() - begin;
  return stats;
}

} // namespace heddle
