//===- Certify.cpp - Certificates of optimal results ----------------------===//
//
// What:      see Certify.h. The formula refuted is Certificate's, so a proof also cross-checks the search's own
//            encoding.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Solver/Certify.h"

#include "heddle/Certificate/Orders.h"
#include "heddle/Scheduling/Order/OrderRefutation.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Sat.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <tuple>

namespace heddle {
namespace {

/// Clauses that a checker looks at in one step of a budget.
constexpr int64_t visitsPerStep = 100;

/// The witness of the strongest bound in the checker's terms; edges of a cycle are looked up by their ends.
ArithmeticWitness toWitness(const Problem &p, const Bound &bound) {
  ArithmeticWitness w;
  switch (bound.kind) {
  case BoundKind::Unit: w = {"unit", p.units[bound.index].name, {}}; break;
  case BoundKind::Exclusive: w = {"exclusive", p.units[bound.index].name, {}}; break;
  case BoundKind::Memory: w = {"memory", p.memories[bound.index].name, {}}; break;
  case BoundKind::Ring: w = {"ring", p.memories[bound.index].name, {}}; break;
  case BoundKind::Issue: w = {"issue", bound.index < 0 ? "" : p.groups[bound.index].name, {}}; break;
  case BoundKind::Registers: w = {"registers", bound.index < 0 ? "" : p.groups[bound.index].name, {}}; break;
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

void keepProof(int64_t ii, bool orders, std::string proof, Claim &claim, Certification &out) {
  std::string name = "ii" + std::to_string(ii) + (orders ? ".orders" : ".drat");
  claim.refuted.push_back({ii, name, digest(proof), orders});
  ++out.stats.proofs;
  out.stats.proofBytes += static_cast<int64_t>(proof.size());
  out.files[name] = std::move(proof);
}

/// Refutes the checker's formula over orders of interval `ii`.
SatAnswer refuteByOrders(const Problem &p, int64_t ii, int64_t stages, const SearchLimits &limits, Claim &claim,
                         Certification &out) {
  OrderRefutation made = refuteOrders(p, ii, stages, limits);
  out.stats.variables = std::max(out.stats.variables, made.variables);
  out.stats.clauses = std::max(out.stats.clauses, made.clauses);
  if (made.answer == SatAnswer::Unsat)
    keepProof(ii, true, std::move(made.proof), claim, out);
  return made.answer;
}

/// Refutes the checker's formula of interval `ii`; the answer, with the proof appended to the files of `out`.
SatAnswer refute(const Problem &p, int64_t ii, int64_t stages, const SatBackend *backend, const SearchLimits &limits,
                 bool withCnf, Claim &claim, Certification &out) {
  Result<Cnf> cnf = deriveCnf(p, ii, stages);
  if (cnf)
    limits.deadline.spend(static_cast<int64_t>(cnf->literals.size()) / 8);
  if (!cnf || limits.exceeded())
    return SatAnswer::Unknown;
  std::string proof;
  SatAnswer answer;
  {
    std::unique_ptr<SatSolver> sat = createSat(backend, &proof);
    for (size_t i = 0, start = 0; i < cnf->literals.size(); ++i)
      if (cnf->literals[i] == 0) {
        sat->addClause(cnf->literals.data() + start, cnf->literals.data() + i);
        start = i + 1;
      }
    answer = sat->solve({}, limits);
  } // ends the proof
  if (answer != SatAnswer::Unsat)
    return answer;
  out.stats.variables = std::max<int64_t>(out.stats.variables, cnf->variables);
  out.stats.clauses = std::max(out.stats.clauses, cnf->clauses);
  keepProof(ii, false, std::move(proof), claim, out);
  if (withCnf)
    out.files["ii" + std::to_string(ii) + ".cnf"] = cnf->dimacs();
  return answer;
}

} // namespace

Certification certify(const Problem &p, const Schedule &schedule, int64_t stages, const SolveOptions &options,
                      bool withCnf) {
  Certification out;
  double begin = Deadline::now();
  SearchLimits limits;
  limits.deadline = options.deadline.within(options.timeLimit);
  limits.memoryMB = options.memoryLimitMB;
  Bounds bounds = computeBounds(p, ConstraintSet::all(), limits.deadline);
  Claim claim;
  claim.ii = schedule.ii;
  claim.stages = stages;
  claim.bound = bounds.mii;
  if (bounds.mii > 1)
    claim.witness = toWitness(p, bounds.bounds.at(0));
  out.bound = bounds.mii;
  // One proof over orders, of all intervals where idle cycles keep schedules legal, then over slots.
  bool widens = idleCyclesKeepLegal(p, claim.bound);
  SatAnswer answer = SatAnswer::Unsat;
  SearchLimits half = limits;
  half.deadline = limits.deadline.part(0.5);
  while (options.orderProofs && out.bound < schedule.ii && answer == SatAnswer::Unsat) {
    int64_t ii = widens ? schedule.ii - 1 : out.bound;
    answer = refuteByOrders(p, ii, stages, half, claim, out);
    out.bound = answer == SatAnswer::Unsat ? ii + 1 : out.bound;
  }
  for (; out.bound < schedule.ii && answer != SatAnswer::Sat; ++out.bound)
    if (answer = refute(p, out.bound, stages, options.backend, limits, withCnf, claim, out); answer != SatAnswer::Unsat)
      break;
  out.possible = answer == SatAnswer::Sat;
  out.proved = out.bound >= schedule.ii;
  if (out.proved) {
    std::string text = writeSchedule(p, schedule);
    claim.problem = digest(writeProblem(p));
    claim.schedule = digest(text);
    out.files["schedule.sol"] = std::move(text);
    out.files["certificate.txt"] = writeClaim(claim);
  }
  out.stats.seconds = Deadline::now() - begin;
  return out;
}

/// How many clauses a checker may look at: as many as `deadline` leaves time for, at half the rate that was
/// measured (2e10 in 253 s, the proof over orders of test/Scheduling/Inputs/long-order-proof.sched).
static int64_t visitsWithin(const Deadline &deadline) {
  constexpr double perSecond = 4e7;
  int64_t most = visitsPerStep * std::min(mostVisits / visitsPerStep, deadline.steps());
  return static_cast<int64_t>(std::min(static_cast<double>(most), perSecond * deadline.left()));
}

/// A certificate and what the checker says of it. A proof over orders may take longer to check than it took to find;
/// then proofs over slots take its place, unless they are not found: the first is checked for as long as there is time.
static std::pair<Certification, Status> certifyAndCheck(const Problem &p, const SolveResult &r,
                                                        const SolveOptions &options, double seconds, bool withCnf) {
  Deadline deadline = options.deadline.within(seconds);
  auto certifyWithin = [&](const Deadline &limit, bool orderProofs) {
    SolveOptions rest = options;
    rest.timeLimit = limit.left();
    rest.orderProofs = orderProofs;
    return certify(p, r.schedule, r.stages, rest, withCnf);
  };
  auto check = [&](const Certification &made, const Deadline &limit) {
    Result<CertificateReport> report = checkCertificate(p, made.files, visitsWithin(limit));
    return report ? Status::success() : Status(report.error());
  };
  auto isOpen = [](const Status &status) { return !status && status.error().kind() == ErrorKind::Limit; };

  Certification made = certifyWithin(deadline, options.orderProofs);
  if (!made.proved)
    return {std::move(made), Status::success()};
  Status accepted = check(made, options.orderProofs ? deadline.part(0.125) : deadline);
  if (!isOpen(accepted) || !options.orderProofs)
    return {std::move(made), accepted};

  Certification overSlots = certifyWithin(deadline.part(0.5), false);
  if (overSlots.possible)
    return {std::move(overSlots), Status::success()};
  if (overSlots.proved)
    if (Status status = check(overSlots, deadline.part(0.5)); !isOpen(status))
      return {std::move(overSlots), status};
  accepted = check(made, deadline);
  return {std::move(made), accepted};
}

CertificateFiles certifyOptimal(const Problem &p, SolveResult &r, const SolveOptions &options) {
  if (r.status != SolveStatus::Optimal)
    return {};
  auto fail = [&](const std::string &text) {
    r.status = SolveStatus::Failed;
    r.message = text;
    return CertificateFiles();
  };
  bool whole = r.schedule.constraints.missing().empty(), exact = whole && options.mode == SolveMode::Full;
  Certification made;
  Status accepted = Status::success();
  if (whole) {
    std::tie(made, accepted) = certifyAndCheck(p, r, options, std::max(1.0, options.timeLimit - r.seconds), false);
    if (made.possible && exact)
      return fail("the checker's formula at interval " + std::to_string(made.bound) +
                  " is satisfiable, the solver's is not");
  }
  bool isOpen = !accepted && accepted.error().kind() == ErrorKind::Limit; // not accepted, so not claimed
  if (!made.proved || isOpen) {
    r.status = SolveStatus::Feasible;
    r.bound = isOpen ? r.mii : std::max(r.mii, made.bound);
    return {};
  }
  if (!accepted)
    return fail(accepted.error().message());
  return std::move(made.files);
}

Status saveCertificate(const CertificateFiles &files, const std::string &directory) {
  const std::string claim = "certificate.txt";
  if (mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST)
    return userError("cannot create the directory '" + directory + "': " + std::strerror(errno));
  (void)std::remove((directory + "/" + claim).c_str());
  for (auto &[name, text] : files)
    if (name != claim)
      if (Status status = writeFile(directory + "/" + name, text); !status)
        return status;
  auto it = files.find(claim);
  return it == files.end() ? Status::success() : writeFile(directory + "/" + claim, it->second);
}

Result<CertifyStats> writeCertificate(const Problem &p, const SolveResult &r, const SolveOptions &options,
                                      const std::string &directory, bool withCnf) {
  if (r.status != SolveStatus::Optimal || options.mode != SolveMode::Full || options.minII > r.mii)
    return userError(std::string("expected an optimal result of full mode to certify, got ") +
                     (options.minII > r.mii              ? "a search that began above the lower bound"
                      : r.status != SolveStatus::Optimal ? solveStatusName(r.status)
                                                         : "one of another mode"));
  if (std::vector<Constraint> missing = options.constraints.missing(); !missing.empty())
    return userError(std::string("expected all constraints for a certificate, got none of '") +
                     constraintName(missing[0]) + "'");
  if (options.backend && !options.backend->proves)
    return userError(std::string("expected a solver with proofs for a certificate, got '") + options.backend->name +
                     "'");
  if (Status status = saveCertificate({}, directory); !status)
    return status.error();
  auto [made, accepted] = certifyAndCheck(p, r, options, options.timeLimit, withCnf);
  if (made.possible)
    return Error(ErrorKind::Internal, "the checker's formula at interval " + std::to_string(made.bound) +
                                          " is satisfiable, the solver's is not");
  if (!made.proved)
    return Error(ErrorKind::Limit, "no proof for interval " + std::to_string(made.bound) + " within the limits");
  if (!accepted)
    return accepted.error();
  if (Status status = saveCertificate(made.files, directory); !status)
    return status.error();
  return made.stats;
}

} // namespace heddle
