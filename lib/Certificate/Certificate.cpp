//===- Certificate.cpp - Read, write and check certificates ---------------===//
//
// What:      see Certificate.h. Accepting means: this schedule is legal for this problem, and no schedule of at most
//            `stages` stages has a smaller interval.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Certificate.h"

#include "heddle/Certificate/Orders.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <functional>
#include <sstream>

namespace heddle {

std::string digest(const std::string &text) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (unsigned char c : text)
    h = (h ^ c) * 0x100000001b3ull;
  std::string out(16, '0');
  for (int i = 15; i >= 0; --i, h >>= 4)
    out[static_cast<size_t>(i)] = "0123456789abcdef"[h & 15];
  return out;
}

std::string writeClaim(const Claim &c) {
  std::string out = "heddle-certificate 1\nproblem " + c.problem + "\nschedule " + c.schedule + "\nii " +
                    std::to_string(c.ii) + "\nstages " + std::to_string(c.stages) + "\nbound " +
                    std::to_string(c.bound);
  if (c.bound > 1) {
    out += " " + c.witness.kind;
    for (int e : c.witness.edges)
      out += " " + std::to_string(e);
    if (!c.witness.name.empty())
      out += " " + c.witness.name;
  }
  out += "\n";
  for (const Claim::Refuted &r : c.refuted)
    out += (r.orders ? "orders " : "refuted ") + std::to_string(r.ii) + " " + r.file + " " + r.digest + "\n";
  return out;
}

Result<Claim> parseClaim(const std::string &text, const std::string &file) {
  Claim c;
  std::istringstream lines(text);
  std::string line;
  int number = 0;
  const char *expected[] = {"heddle-certificate", "problem", "schedule", "ii", "stages", "bound"};
  while (std::getline(lines, line)) {
    SourceLoc at{file, ++number, 1};
    std::istringstream in(line);
    std::string key, version;
    in >> key;
    const char *want = number <= 6 ? expected[number - 1] : key == "orders" ? "orders" : "refuted";
    if (key != want)
      return userError(std::string("expected '") + want + "', got '" + key + "'", at);
    bool ok = true;
    if (number == 1)
      ok = static_cast<bool>(in >> version) && version == "1";
    else if (number == 2)
      ok = static_cast<bool>(in >> c.problem);
    else if (number == 3)
      ok = static_cast<bool>(in >> c.schedule);
    else if (number == 4)
      ok = static_cast<bool>(in >> c.ii) && c.ii >= 1;
    else if (number == 5)
      ok = static_cast<bool>(in >> c.stages) && c.stages >= 1;
    else if (number == 6) {
      ok = static_cast<bool>(in >> c.bound) && c.bound >= 1;
      if (ok && c.bound > 1) {
        ok = static_cast<bool>(in >> c.witness.kind);
        if (c.witness.kind == "cycle") {
          for (int e; in >> e;)
            c.witness.edges.push_back(e);
          in.clear(in.eof() ? std::ios::eofbit : std::ios::failbit);
          ok &= !c.witness.edges.empty() && in.eof();
        } else {
          std::getline(in >> std::ws, c.witness.name); // may hold blanks
          in.clear(std::ios::eofbit);
        }
      }
    } else {
      Claim::Refuted r;
      ok = static_cast<bool>(in >> r.ii >> r.file >> r.digest) && r.file.find('/') == std::string::npos;
      r.orders = key == "orders";
      c.refuted.push_back(r);
    }
    std::string rest;
    if (!ok || (!in.eof() && in >> rest))
      return userError("malformed '" + key + "' line", at);
  }
  if (number < 6)
    return userError(std::string("expected a '") + expected[number] + "' line, got the end of the file",
                     {file, number + 1, 1});
  return c;
}

/// Gives the text of a file of the certificate.
using Reader = std::function<Result<std::string>(const std::string &name)>;

/// Checks one proof of `problem`.
static Status checkRefuted(const Problem &p, const Claim::Refuted &r, int64_t stages, const std::string &proof,
                           RefutationStats &stats, int64_t visits) {
  if (r.orders)
    return checkOrders(p, r.ii, stages, proof, &stats, visits);
  Result<Cnf> cnf = deriveCnf(p, r.ii, stages);
  return cnf ? checkRefutation(*cnf, proof, &stats, visits) : Status(cnf.error());
}

/// `place` stands before the names of files in errors.
static Result<CertificateReport> check(const Problem &p, const Reader &read, const std::string &place, int64_t visits) {
  if (Status valid = p.check(); !valid)
    return valid.error();
  std::string claimPath = place + "certificate.txt", schedulePath = place + "schedule.sol";
  Result<std::string> text = read("certificate.txt"), scheduleText = read("schedule.sol");
  if (!text)
    return text.error();
  if (!scheduleText)
    return scheduleText.error();
  Result<Claim> claim = parseClaim(*text, claimPath);
  if (!claim)
    return claim.error();
  auto reject = [&](const std::string &why) { return userError("certificate rejected: " + why, {claimPath, 0, 0}); };
  if (claim->problem != digest(writeProblem(p)))
    return reject("it belongs to another problem");
  if (claim->schedule != digest(*scheduleText))
    return reject("it belongs to another schedule");
  Result<Schedule> schedule = parseSchedule(*scheduleText, schedulePath, p);
  if (!schedule)
    return schedule.error();
  std::vector<Violation> violations = verifySchedule(p, *schedule);
  if (!violations.empty())
    return reject("the schedule is not legal: " + violations[0].message);
  if (schedule->ii != claim->ii)
    return reject("it claims interval " + std::to_string(claim->ii) + ", the schedule has " +
                  std::to_string(schedule->ii));
  if (schedule->stages(p) > claim->stages)
    return reject("it claims at most " + std::to_string(claim->stages) + " stages, the schedule has " +
                  std::to_string(schedule->stages(p)));
  if (claim->bound > claim->ii)
    return reject("it claims that no interval below " + std::to_string(claim->bound) +
                  " is possible, the schedule has " + std::to_string(claim->ii));
  if (static_cast<int64_t>(claim->refuted.size()) > claim->ii - claim->bound)
    return reject("it claims proofs for " + std::to_string(claim->refuted.size()) + " intervals, " +
                  std::to_string(claim->ii - claim->bound) + " are to be refuted");
  if (claim->bound > 1) {
    Result<int64_t> value = evaluateWitness(p, claim->witness);
    if (!value)
      return reject(value.error().message());
    if (*value < claim->bound)
      return reject("its witness proves " + std::to_string(*value) + ", not " + std::to_string(claim->bound));
  }
  CertificateReport report;
  report.ii = claim->ii;
  report.stages = claim->stages;
  const bool widens = idleCyclesKeepLegal(p, claim->bound);
  int64_t next = claim->bound; // all below are impossible
  for (const Claim::Refuted &r : claim->refuted) {
    if (r.ii < next || r.ii >= claim->ii)
      return reject("nothing needs the proof that interval " + std::to_string(r.ii) + " is impossible");
    if (r.ii > next && !widens)
      break;
    Result<std::string> proof = read(r.file);
    if (!proof)
      return proof.error();
    if (digest(*proof) != r.digest)
      return reject("'" + r.file + "' is another proof than the one claimed");
    RefutationStats stats;
    if (Status status = checkRefuted(p, r, claim->stages, *proof, stats, visits); !status)
      return status.error().kind() == ErrorKind::Limit
                 ? status.error()
                 : reject("interval " + std::to_string(r.ii) + ": " + status.error().message());
    next = r.ii + 1;
    ++report.proofs;
    report.lemmas += stats.lemmas;
    report.checkedLemmas += stats.checked;
    report.proofBytes += static_cast<int64_t>(proof->size());
  }
  if (next < claim->ii)
    return reject("no proof that interval " + std::to_string(next) + " is impossible");
  return report;
}

Result<CertificateReport> checkCertificate(const Problem &p, const std::string &directory, int64_t visits) {
  return check(p, [&](const std::string &name) { return readFile(directory + "/" + name); }, directory + "/", visits);
}

Result<CertificateReport> checkCertificate(const Problem &p, const CertificateFiles &files, int64_t visits) {
  auto read = [&](const std::string &name) -> Result<std::string> {
    auto file = files.find(name);
    return file == files.end()
               ? Result<std::string>(userError("cannot open '" + name + "': no such file in the certificate"))
               : Result<std::string>(file->second);
  };
  return check(p, read, "", visits);
}

} // namespace heddle
