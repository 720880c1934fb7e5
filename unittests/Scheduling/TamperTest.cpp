//===- TamperTest.cpp - Damaged certificates, schedules and instances ------===//
//
// Certificates of random instances are damaged: any byte of any file; the claim; the schedule; proofs; the instance;
// with the digests made right again, so that only the meaning can be wrong. The checker must reject each, or what it
// accepts must still be true, as the exact solver finds anew (a proof with a lemma more, a later start of a node that
// has time): these are counted apart. HEDDLE_TAMPERED=N asks for N rejected ones (default 600).
//
//===----------------------------------------------------------------------===//
#include "RandomProblems.h"
#include "heddle/Certificate/Certificate.h"
#include "heddle/Certificate/Orders.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Certify.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace heddle;

namespace {

struct Case {
  Problem problem;
  CertificateFiles files;
};

class Tamperer {
public:
  explicit Tamperer(unsigned seed) : random(seed) {}

  size_t below(size_t n) { return n ? random() % n : 0; }

  /// One damaged copy; `kind` says how, for the report. Kinds without an object in this case leave it as it is.
  Case damage(const Case &good, const Case &other, std::string &kind) {
    Case bad = good;
    switch (below(6)) {
    case 0:
      kind = "bytes";
      bytes(pick(bad.files)->second);
      return bad;
    case 1:
      kind = "claim";
      claim(bad);
      break;
    case 2:
      kind = "schedule";
      schedule(bad);
      break;
    case 3:
      kind = "proof";
      proof(bad, other);
      break;
    case 4:
      kind = "instance";
      instance(bad.problem);
      break;
    default:
      kind = "mixed";
      if (auto file = pick(bad.files); other.files.count(file->first))
        file->second = other.files.at(file->first);
    }
    if (below(4)) // the digests as a careful forger makes them
      reseal(bad);
    return bad;
  }

private:
  CertificateFiles::iterator pick(CertificateFiles &files) {
    return std::next(files.begin(), static_cast<long>(below(files.size())));
  }

  void bytes(std::string &text) {
    if (text.empty())
      return;
    size_t at = below(text.size());
    switch (below(6)) {
    case 0: text[at] = static_cast<char>(text[at] ^ (1 << below(7))); break;
    case 1: text.erase(at, 1 + below(3)); break;
    case 2: text.insert(at, 1, static_cast<char>('0' + below(10))); break;
    case 3: text.resize(at); break;
    case 4: text.insert(at, text.substr(below(text.size()), below(40))); break;
    default: std::swap(text[at], text[below(text.size())]);
    }
  }

  void claim(Case &c) {
    Result<Claim> read = parseClaim(c.files["certificate.txt"], "c");
    if (!read)
      return;
    switch (below(8)) {
    case 0: --read->ii; break;
    case 1: ++read->ii; break;
    case 2: ++read->bound; break;
    case 3: read->bound = read->ii; break;
    case 4:
      read->stages =
          below(2) ? read->stages + 1 + static_cast<int64_t>(below(3)) : std::max<int64_t>(1, read->stages - 1);
      break;
    case 5: {
      const char *kinds[] = {"unit", "cycle", "issue", "memory", "ring", "registers", "path"};
      read->witness.kind = kinds[below(7)];
      break;
    }
    case 6:
      if (!read->refuted.empty())
        read->refuted.erase(read->refuted.begin() + static_cast<long>(below(read->refuted.size())));
      break;
    default:
      if (read->refuted.size() > 1)
        std::swap(read->refuted[0].file, read->refuted[1].file);
      else
        read->refuted.push_back({read->ii, "ii1.drat", "0"});
    }
    c.files["certificate.txt"] = writeClaim(*read);
  }

  void schedule(Case &c) {
    Result<Schedule> read = parseSchedule(c.files["schedule.sol"], "s", c.problem);
    if (!read)
      return;
    size_t v = below(read->start.size());
    switch (below(7)) {
    case 0:
    case 1: read->start[v] = static_cast<int64_t>(below(static_cast<size_t>(read->ii) * 4)); break;
    case 2: read->ii = std::max<int64_t>(1, read->ii - 1); break;
    case 3:
      if (!c.problem.groups.empty())
        read->group[v] = static_cast<int>(below(c.problem.groups.size()));
      break;
    case 4: read->depth[v] = 1 + static_cast<int64_t>(below(3)); break;
    case 5:
      if (!c.problem.groups.empty())
        read->groupRegs[below(c.problem.groups.size())] = static_cast<int64_t>(below(20));
      break;
    default: // legal only under what it leaves out
      read->constraints =
          read->constraints.without(static_cast<Constraint>(below(static_cast<size_t>(Constraint::Count))));
      read->start[v] = static_cast<int64_t>(below(static_cast<size_t>(read->ii) * 4));
    }
    c.files["schedule.sol"] = writeSchedule(c.problem, *read);
  }

  void proof(Case &c, const Case &other) {
    std::vector<std::string> proofs;
    auto kindOf = [](const std::string &name) { return name.substr(std::min(name.find('.'), name.size())); };
    for (auto &[name, text] : c.files)
      if (kindOf(name) == ".drat" || kindOf(name) == ".orders")
        proofs.push_back(name);
    if (proofs.empty())
      return;
    const std::string &chosen = proofs[below(proofs.size())], kind = kindOf(chosen);
    std::string &text = c.files[chosen];
    Result<OrderProof> orders = parseOrderProof(text);
    switch (below(orders ? 8 : 4)) {
    case 0: text.clear(); break;
    case 1: text = std::string("a\0", 2); break; // the empty clause at once
    case 2:
      for (auto &[name, their] : other.files)
        if (kindOf(name) == kind)
          text = their;
      break;
    case 4:
    case 5:
    case 6:
    case 7: text = orderProof(std::move(*orders), c.problem); break;
    default: bytes(text);
    }
  }

  /// A proof over orders with a lemma or an exchange more, fewer or changed.
  std::string orderProof(OrderProof proof, const Problem &p) {
    auto lemma = [&] { return proof.lemmas.begin() + static_cast<long>(below(proof.lemmas.size())); };
    switch (below(6)) {
    case 0:
      if (!proof.lemmas.empty())
        proof.lemmas.erase(lemma());
      break;
    case 1:
      if (!proof.lemmas.empty())
        if (std::vector<int> &lits = lemma()->literals; !lits.empty())
          lits.erase(lits.begin() + static_cast<long>(below(lits.size())));
      break;
    case 2:
      if (!proof.lemmas.empty())
        if (std::vector<int> &lits = lemma()->literals; !lits.empty())
          lits[below(lits.size())] *= -1;
      break;
    case 3:
      if (!proof.lemmas.empty())
        lemma()->sum = static_cast<int>(below(8)) - 1;
      break;
    case 4: proof.exchanges.clear(); break;
    default:
      proof.exchanges.push_back({{static_cast<int>(below(p.nodes.size())), static_cast<int>(below(p.nodes.size()))}});
    }
    return writeOrderProof(proof);
  }

  /// Another problem with the same names: easier or harder.
  void instance(Problem &p) {
    Node &node = p.nodes[below(p.nodes.size())];
    Edge *edge = p.edges.empty() ? nullptr : &p.edges[below(p.edges.size())];
    switch (below(9)) {
    case 0: node.latency = std::max<int64_t>(0, node.latency - 1); break;
    case 1: node.reservations.clear(); break;
    case 2: node.regs = node.issue = 0; break;
    case 3: p.units[below(p.units.size())].capacity += 1; break;
    case 4: p.memories[below(p.memories.size())].capacity += 4; break;
    case 5:
      if (edge)
        edge->delay = std::max<int64_t>(0, edge->delay - 1);
      break;
    case 6:
      if (edge)
        edge->distance += 1;
      break;
    case 7:
      if (edge)
        *edge = p.edges.back(), p.edges.pop_back();
      break;
    default: node.latency += 1;
    }
  }

  /// Digests of what the files hold now.
  static void reseal(Case &c) {
    Result<Claim> read = parseClaim(c.files["certificate.txt"], "c");
    if (!read)
      return;
    read->problem = digest(writeProblem(c.problem));
    read->schedule = digest(c.files["schedule.sol"]);
    for (Claim::Refuted &r : read->refuted)
      if (c.files.count(r.file))
        r.digest = digest(c.files[r.file]);
    c.files["certificate.txt"] = writeClaim(*read);
  }

  std::mt19937 random;
};

/// What an accepted certificate says, found anew: the schedule is legal and no smaller interval has one of so many
/// stages.
bool stillTrue(const Case &c, const CertificateReport &report) {
  Result<Schedule> schedule = parseSchedule(c.files.at("schedule.sol"), "s", c.problem);
  if (!schedule || schedule->ii != report.ii || !verifySchedule(c.problem, *schedule).empty() ||
      schedule->stages(c.problem) > report.stages)
    return false;
  SolveOptions options;
  options.maxStages = std::min<int64_t>(report.stages, 64);
  options.lexicographic = options.explain = false;
  SolveResult again = solve(c.problem, options);
  return again.status == SolveStatus::Optimal && again.schedule.ii == report.ii;
}

bool same(const Case &a, const Case &b) {
  return a.files == b.files && writeProblem(a.problem) == writeProblem(b.problem);
}

TEST(Tamper, NothingFalseIsAccepted) {
  const char *env = std::getenv("HEDDLE_TAMPERED");
  int wanted = env ? std::atoi(env) : 600, cases = 0, proved = 0;
  std::map<std::string, int> rejected, equivalent;
  int refused = 0;
  Case last;
  for (unsigned seed = 50000; refused < wanted && seed < 60000; ++seed) {
    Case good{test::randomProblem(seed, 6), {}};
    SolveOptions options;
    options.maxStages = 3;
    options.lexicographic = options.explain = false;
    SolveResult result = solve(good.problem, options);
    if (result.status != SolveStatus::Optimal || (result.schedule.ii == result.mii && seed % 4))
      continue; // most with proofs
    options.orderProofs = cases % 3 > 0;
    Certification made = certify(good.problem, result.schedule, result.stages, options);
    ASSERT_TRUE(made.proved) << writeProblem(good.problem);
    good.files = made.files;
    ASSERT_TRUE(bool(checkCertificate(good.problem, good.files)));
    ++cases;
    proved += made.stats.proofs > 0;
    Tamperer tamper(seed);
    for (int k = 0; k < 30 && refused < wanted; ++k) {
      std::string kind;
      Case bad = tamper.damage(good, last, kind);
      if (same(bad, good) || !bad.problem.check())
        continue;
      Result<CertificateReport> report = checkCertificate(bad.problem, bad.files);
      if (!report) {
        ++rejected[kind];
        ++refused;
        continue;
      }
      ++equivalent[kind];
      EXPECT_TRUE(stillTrue(bad, *report))
          << kind << ", seed " << seed << "\n"
          << writeProblem(bad.problem) << bad.files["certificate.txt"] << bad.files["schedule.sol"];
    }
    last = std::move(good);
  }
  std::printf("%d certificates, %d with proofs; %d damaged ones rejected", cases, proved, refused);
  for (auto &[kind, count] : rejected)
    std::printf(", %s %d", kind.c_str(), count);
  std::printf("; accepted and still true:");
  for (auto &[kind, count] : equivalent)
    std::printf(" %s %d", kind.c_str(), count);
  std::printf("\n");
  EXPECT_GE(refused, wanted);
  EXPECT_GE(proved, cases / 3);
}

/// Each claim that is wrong in one way is rejected for that reason.
TEST(Tamper, ReasonsAreNamed) {
  auto certified = [](const char *text) {
    Case made{*parseProblem(text, "test"), {}};
    SolveOptions options;
    options.maxStages = 3;
    SolveResult result = solve(made.problem, options);
    made.files = certify(made.problem, result.schedule, result.stages, options).files;
    return made;
  };
  auto reason = [](Case c, const std::string &file, const std::string &what, const std::string &by) {
    std::string &text = c.files[file], &claim = c.files["certificate.txt"];
    std::string before = digest(c.files["schedule.sol"]);
    size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what << "\n" << text;
    text.replace(at, what.size(), by);
    if (size_t there = claim.find(before); file != "certificate.txt" && there != std::string::npos)
      claim.replace(there, before.size(), digest(text));
    Result<CertificateReport> report = checkCertificate(c.problem, c.files);
    return report ? "accepted" : report.error().message();
  };
  Case waits = certified("problem waits\nunit A 1\ngroup g regs=8\nnode a latency=3 regs=2 use=A:0:3\n"
                         "node b latency=2 regs=2\nnode c latency=1 regs=2\nedge a -> b delay=3 blocking\n"
                         "edge b -> c delay=2 blocking\n");
  ASSERT_TRUE(bool(checkCertificate(waits.problem, waits.files)));
  const std::string claim = "certificate.txt", rejected = "certificate rejected: ";
  EXPECT_EQ(reason(waits, "schedule.sol", "at b 4", "at b 1").find(rejected + "the schedule is not legal: "), 0u);
  EXPECT_EQ(reason(waits, claim, "ii 5", "ii 6"), rejected + "it claims interval 6, the schedule has 5");
  EXPECT_EQ(reason(waits, claim, "stages 3", "stages 1"), rejected + "it claims at most 1 stages, the schedule has 2");
  const std::string &said = waits.files[claim];
  size_t bound = said.find("bound 3");
  EXPECT_EQ(reason(waits, claim, said.substr(bound, said.find("orders 4") - bound), "bound 4 unit A\n"),
            rejected + "its witness proves 3, not 4");
  EXPECT_EQ(reason(waits, claim, "orders 4", "orders 5"),
            rejected + "nothing needs the proof that interval 5 is impossible");
  EXPECT_EQ(reason(waits, claim, said.substr(said.find("orders 4")), ""),
            rejected + "no proof that interval 3 is impossible");
  EXPECT_NE(reason(waits, claim, "orders 4", "refuted 4").find(rejected + "interval 4: "), std::string::npos);
  // Where a unit is taken a while after a start, a refuted interval says nothing of smaller ones.
  Case late = certified("problem late\nunit A 1\ngroup g regs=8\nnode a latency=3 regs=2 use=A:1:2\n"
                        "node b latency=2 regs=2\nnode c latency=1 regs=2\nedge a -> b delay=3 blocking\n"
                        "edge b -> c delay=2 blocking\n");
  ASSERT_TRUE(bool(checkCertificate(late.problem, late.files)));
  const std::string &two = late.files[claim];
  size_t first = two.find("orders ");
  ASSERT_NE(first, std::string::npos);
  ASSERT_NE(two.find("orders ", first + 1), std::string::npos) << two;
  std::string line = two.substr(first, two.find('\n', first) + 1 - first);
  EXPECT_EQ(reason(late, claim, line, "").find(rejected + "no proof that interval "), 0u);
  Case plain = certified("problem plain\nunit A 1\nnode a use=A:0:3\n");
  EXPECT_EQ(reason(plain, claim, "unit A", "issue"), rejected + "the witness speaks of groups, the problem has none");
}

/// A solution text of its own: what is accepted has its starts and groups allowed by the formula, which is written
/// apart from the check.
TEST(Tamper, SolutionsAreLegalOrRejected) {
  const char *env = std::getenv("HEDDLE_TAMPERED");
  int wanted = (env ? std::atoi(env) : 600) / 2, refused = 0, legal = 0;
  for (unsigned seed = 70000; refused < wanted && seed < 75000; ++seed) {
    Problem p = test::randomProblem(seed, 6);
    SolveOptions options;
    options.maxStages = 3;
    options.lexicographic = options.explain = false;
    SolveResult result = solve(p, options);
    if (!result.hasSchedule)
      continue;
    std::mt19937 random(seed);
    std::string text = writeSchedule(p, result.schedule);
    for (int k = 0; k < 20; ++k) {
      std::string bad = text;
      size_t at = bad.find_first_of("0123456789", random() % bad.size());
      if (at == std::string::npos)
        continue;
      bad[at] = static_cast<char>('0' + random() % 10);
      Result<Schedule> schedule = parseSchedule(bad, "s", p);
      if (bad == text)
        continue;
      if (!schedule || !verifySchedule(p, *schedule, schedule->constraints).empty()) {
        ++refused;
        continue;
      }
      ++legal;
      Problem pinned = p;
      for (size_t v = 0; v < p.nodes.size(); ++v) {
        pinned.nodes[v].pinStart = schedule->start[v];
        if (!p.groups.empty())
          pinned.nodes[v].groups = {schedule->group[v]};
      }
      options.minII = options.maxII = schedule->ii;
      options.maxStages = std::max<int64_t>(1, schedule->stages(p));
      EXPECT_TRUE(pinned.check() && solve(pinned, options).hasSchedule) << "seed " << seed << "\n"
                                                                        << writeProblem(p) << bad;
      options.minII = options.maxII = 0;
      options.maxStages = 3;
    }
  }
  std::printf("%d damaged solutions rejected, %d legal ones accepted\n", refused, legal);
  EXPECT_GE(refused, wanted);
}

/// Amounts that 64 bits do not hold are no way past a capacity: 2^9 footprints of 2^31 for 2^31 intervals are 2^71.
TEST(Tamper, SumsDoNotWrap) {
  std::string text = "memory m 1\nnode a latency=0";
  for (int k = 0; k < 512; ++k)
    text += " mem=m:2147483647";
  Result<Problem> p = parseProblem(text + "\nnode b latency=0\nedge a -> b", "f");
  ASSERT_TRUE(bool(p)) << p.error().str();
  Result<Schedule> s = parseSchedule("without rings\nii 1\nat a 0\nat b 2147483647", "s", *p);
  ASSERT_TRUE(bool(s)) << s.error().str();
  EXPECT_FALSE(verifySchedule(*p, *s, s->constraints).empty());
}

/// A distance of 2^20 makes lifetimes that the formula cannot hold: an answer of its own, no wrong formula.
TEST(Tamper, FormulasTooLargeAreNoAnswer) {
  Result<Problem> p =
      parseProblem("memory m 4\nnode a latency=1 mem=m:1\nnode b latency=1\nedge a -> b distance=1048576", "f");
  ASSERT_TRUE(bool(p)) << p.error().str();
  Result<Cnf> cnf = deriveCnf(*p, 4096, 1);
  ASSERT_FALSE(bool(cnf));
  EXPECT_EQ(cnf.error().str(), "limit reached: the formula of interval 4096 is too large");
}

} // namespace
