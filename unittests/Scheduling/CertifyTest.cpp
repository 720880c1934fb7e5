//===- CertifyTest.cpp - The checker's formula, certificates and tampering ===//
#include "heddle/Scheduling/Solver/Certify.h"
#include "RandomProblems.h"
#include "heddle/Certificate/Certificate.h"
#include "heddle/Certificate/Orders.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Sat.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace heddle;
namespace fs = std::filesystem;

namespace {

SatAnswer ask(const Cnf &cnf) {
  std::unique_ptr<SatSolver> sat = createSat();
  for (size_t i = 0, start = 0; i < cnf.literals.size(); ++i)
    if (cnf.literals[i] == 0) {
      sat->addClause(cnf.literals.data() + start, cnf.literals.data() + i);
      start = i + 1;
    }
  return sat->solve({}, {});
}

// The checker's own encoding against enumeration. HEDDLE_BRUTE_SEEDS widens the test.
TEST(Certify, DerivedFormulaAgreesWithEnumeration) {
  const char *env = std::getenv("HEDDLE_BRUTE_SEEDS");
  unsigned seeds = env ? static_cast<unsigned>(std::atoi(env)) : 2000, sat = 0, unsat = 0;
  for (unsigned seed = 20000; seed < 20000 + seeds; ++seed) {
    Problem p = test::randomProblem(seed);
    int64_t stages = 1 + seed % 2;
    for (int64_t ii = 1; ii * stages <= (p.nodes.size() >= 4 ? 5 : 8); ++ii) {
      bool expected = test::forEachLegal(p, ii, stages, ConstraintSet::all(), [](const Schedule &) { return true; });
      Result<Cnf> cnf = deriveCnf(p, ii, stages);
      ASSERT_TRUE(cnf);
      ASSERT_EQ(ask(*cnf), expected ? SatAnswer::Sat : SatAnswer::Unsat) << "seed " << seed << " ii " << ii << "\n"
                                                                         << writeProblem(p);
      (expected ? sat : unsat) += 1;
    }
  }
  EXPECT_GT(sat, seeds / 4);
  EXPECT_GT(unsat, seeds / 4);
}

struct Directory {
  std::string path = testing::TempDir() + "heddle_certify_" + std::to_string(getpid());
  ~Directory() { fs::remove_all(path); }
};

std::string slurp(const std::string &path) { return *readFile(path); }
void spill(const std::string &path, const std::string &text) { ASSERT_TRUE(writeFile(path, text)); }

/// Makes the digests of a tampered certificate consistent again, so that only its meaning can be wrong.
void reseal(const Problem &p, const std::string &dir) {
  Result<Claim> claim = parseClaim(slurp(dir + "/certificate.txt"), "c");
  if (!claim)
    return;
  claim->problem = digest(writeProblem(p));
  claim->schedule = digest(slurp(dir + "/schedule.sol"));
  for (Claim::Refuted &r : claim->refuted)
    if (Result<std::string> proof = readFile(dir + "/" + r.file))
      r.digest = digest(*proof);
  spill(dir + "/certificate.txt", writeClaim(*claim));
}

TEST(Certify, NoCertificateWithoutProofs) {
  Directory dir;
  SatBackend silent = {"silent", [](std::string *, bool guess) { return createSat(nullptr, nullptr, guess); }, false};
  Result<Problem> p = parseProblem("problem p\nunit u 1\nnode n latency=2 use=u:0:2\n", "p");
  ASSERT_TRUE(p) << p.error().str();
  SolveOptions o;
  o.backend = &silent;
  SolveResult r = solve(*p, o);
  ASSERT_EQ(r.status, SolveStatus::Optimal);
  Result<CertifyStats> written = writeCertificate(*p, r, o, dir.path);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message(), "expected a solver with proofs for a certificate, got 'silent'");
  EXPECT_FALSE(fs::exists(dir.path));
}

TEST(Certify, OptimalResultsAreAcceptedAndTamperedOnesAreNot) {
  Directory dir;
  std::mt19937 random(3);
  int certified = 0, withProofs = 0, tampered = 0;
  for (unsigned seed = 30000; seed < 30400 && (certified < 120 || withProofs < 40); ++seed) {
    Problem p = test::randomProblem(seed, 6);
    SolveOptions o;
    o.maxStages = 3;
    SolveResult r = solve(p, o);
    if (r.status != SolveStatus::Optimal)
      continue;
    fs::remove_all(dir.path);
    o.orderProofs = seed % 2;
    Result<CertifyStats> stats = writeCertificate(p, r, o, dir.path, false);
    ASSERT_TRUE(stats) << stats.error().str() << writeProblem(p);
    Result<CertificateReport> report = checkCertificate(p, dir.path);
    ASSERT_TRUE(report) << report.error().str() << "\nseed " << seed << "\n" << writeProblem(p);
    Result<CertificateReport> empty = checkCertificate(p, CertificateFiles());
    ASSERT_FALSE(empty);
    EXPECT_NE(empty.error().message().find("no such file in the certificate"), std::string::npos);
    ++certified;
    withProofs += report->proofs > 0;

    // 1. Any changed byte of schedule, claim or proof: refused by a digest at the latest.
    std::vector<std::string> files;
    for (auto &entry : fs::directory_iterator(dir.path))
      files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    for (const std::string &file : files)
      for (int k = 0; k < 4; ++k) {
        std::string text = slurp(file), bad = text;
        if (text.empty())
          continue;
        size_t at = random() % text.size();
        if (k == 0)
          bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 7));
        else if (k == 1)
          bad.erase(at, 1 + random() % 3);
        else if (k == 2)
          bad.insert(at, 1, static_cast<char>('0' + random() % 10));
        else
          bad = bad.substr(0, at);
        // White space at the end of certificate.txt carries no meaning.
        Result<Claim> before = parseClaim(text, "c"), after = parseClaim(bad, "c");
        if (bad == text || (before && after && writeClaim(*before) == writeClaim(*after)))
          continue;
        // A larger stage count that is still claimed with the same proofs is refused by the proofs; without proofs the
        // claim is only weaker or stronger in a way the arithmetic bound covers, hence true.
        if (before && after && report->proofs == 0 && after->stages >= r.schedule.stages(p) &&
            after->bound <= before->bound && after->ii == before->ii && after->problem == before->problem &&
            after->schedule == before->schedule && after->bound == before->bound)
          continue;
        // One proof may refute all smaller intervals: then what stands beside it claims nothing more.
        if (before && after && after->ii == before->ii && after->stages == before->stages &&
            after->problem == before->problem && after->schedule == before->schedule && !after->refuted.empty() &&
            after->refuted.back().digest == before->refuted.back().digest)
          continue;
        spill(file, bad);
        EXPECT_FALSE(checkCertificate(p, dir.path)) << file << "\n" << bad;
        spill(file, text);
        ++tampered;
      }
    // 2. Consistent digests, wrong meaning: every schedule that is not legal, a smaller interval, a missing proof.
    std::string claim = slurp(dir.path + "/certificate.txt"), schedule = slurp(dir.path + "/schedule.sol");
    for (int k = 0; k < 6; ++k) {
      Schedule s = r.schedule;
      size_t v = random() % s.start.size();
      if (k < 3)
        s.start[v] = static_cast<int64_t>(random() % (static_cast<size_t>(s.ii) * 3));
      else if (k == 3)
        --s.ii;
      else if (!p.groups.empty())
        s.group[v] = static_cast<int>(random() % p.groups.size());
      if (s.ii < 1 || (verifySchedule(p, s).empty() && s.stages(p) <= 3))
        continue;
      spill(dir.path + "/schedule.sol", writeSchedule(p, s));
      reseal(p, dir.path);
      EXPECT_FALSE(checkCertificate(p, dir.path));
      ++tampered;
      spill(dir.path + "/schedule.sol", schedule);
      spill(dir.path + "/certificate.txt", claim);
    }
    // 3. The instance: it becomes easier, so that the claim is false.
    if (r.schedule.ii > 1) {
      Problem easier = p;
      for (Node &node : easier.nodes) {
        node.reservations.clear();
        node.issue = 0;
        node.latency = 0;
        node.pinStart = node.pinStage = -1;
      }
      for (Edge &e : easier.edges) {
        e.delay = 0;
        e.transfer = 0;
        e.blocking = false;
      }
      Schedule trivial;
      SolveResult again = solve(easier, o);
      if (again.status == SolveStatus::Optimal && again.schedule.ii < r.schedule.ii) {
        EXPECT_FALSE(checkCertificate(easier, dir.path));
        reseal(easier, dir.path);
        EXPECT_FALSE(checkCertificate(easier, dir.path));
        tampered += 2;
        spill(dir.path + "/certificate.txt", claim);
      }
    }
    // 4. Proofs cut short or emptied, digests made right: refused unless the formula refutes itself.
    for (const std::string &file : files) {
      bool orders = file.ends_with(".orders");
      if (!file.ends_with(".drat") && !orders)
        continue;
      std::string text = slurp(file);
      int64_t ii = std::atoll(file.substr(file.rfind("/ii") + 3).c_str());
      OrderProof nothing;
      if (orders)
        nothing.exchanges = parseOrderProof(text)->exchanges;
      std::string empty = orders ? writeOrderProof(nothing) : "";
      if (orders ? bool(checkOrders(p, ii, 3, empty)) : bool(checkRefutation(*deriveCnf(p, ii, 3), empty)))
        continue; // the formula refutes itself
      spill(file, empty);
      reseal(p, dir.path);
      EXPECT_FALSE(checkCertificate(p, dir.path)) << file;
      ++tampered;
      spill(file, text);
      spill(dir.path + "/certificate.txt", claim);
    }
  }
  EXPECT_GE(certified, 100);
  EXPECT_GE(withProofs, 20);
  EXPECT_GE(tampered, 1000);
}

TEST(Certify, Errors) {
  Result<Problem> p = parseProblem("unit A 1\nnode a use=A:0:2", "f");
  SolveOptions o;
  SolveResult r = solve(*p, o);
  Directory dir;
  EXPECT_EQ(writeCertificate(*p, r, o, "/nonexistent/x").error().message(),
            "cannot create the directory '/nonexistent/x': No such file or directory");
  o.constraints = o.constraints.without(Constraint::Issue);
  EXPECT_EQ(writeCertificate(*p, r, o, dir.path).error().message(),
            "expected all constraints for a certificate, got none of 'issue'");
  o.constraints = ConstraintSet::all();
  r.status = SolveStatus::Feasible;
  EXPECT_EQ(writeCertificate(*p, r, o, dir.path).error().message(),
            "expected an optimal result of full mode to certify, got feasible");
  r.status = SolveStatus::Optimal;
  o.mode = SolveMode::Modulo;
  EXPECT_EQ(writeCertificate(*p, r, o, dir.path).error().message(),
            "expected an optimal result of full mode to certify, got one of another mode");
  EXPECT_NE(checkCertificate(*p, "/nonexistent").error().message().find("cannot open"), std::string::npos);
}

} // namespace
