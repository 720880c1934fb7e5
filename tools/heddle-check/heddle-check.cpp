//===- heddle-check.cpp - Check a solution against its problem ------------===//
//
// What:   heddle-check FILE.sched SOLUTION|DIR. A file is a schedule: is it legal? A directory is a certificate: is the
//         schedule in it legal and optimal? A schedule is checked under the constraints that it states. Exit 0:
//         accepted. Exit 1: rejected, or bad input. Exit 2: accepted, but not for all of FILE: fewer constraints, or
//         (only with --normalised) other times. Links the checker and the problem library only, never a solver.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Certificate.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Support/Version.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

using namespace heddle;

/// Exit status of what is right, but not for all of FILE: fewer constraints, or other costs.
constexpr int acceptedInPart = 2;
/// Of what is neither accepted nor rejected: checking it takes too long.
constexpr int limitReached = 3;

static int fail(const std::string &text, int code = 1) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return code;
}

/// The problem with all times (not distances, stages, amounts or flags) removed.
static Problem withoutTimes(Problem p) {
  p.scale = 1;
  for (Node &node : p.nodes) {
    node.latency = node.issue = node.minLive = 0;
    node.pinStart = node.pinStart >= 0 ? 0 : -1;
    for (Reservation &r : node.reservations)
      r.start = r.length = 0;
  }
  for (Edge &e : p.edges) {
    e.delay = e.hold = 0;
    e.transfer = std::min<int64_t>(e.transfer, 0);
  }
  return p;
}

/// All times that withoutTimes removes, in a fixed order.
static std::vector<int64_t> timesOf(const Problem &p) {
  std::vector<int64_t> out;
  for (const Node &node : p.nodes) {
    out.insert(out.end(), {node.latency, node.issue, node.minLive, std::max<int64_t>(0, node.pinStart)});
    for (const Reservation &r : node.reservations)
      out.insert(out.end(), {r.start, r.length});
  }
  for (const Edge &e : p.edges)
    out.insert(out.end(), {e.delay, e.hold, std::max<int64_t>(0, e.transfer)});
  return out;
}

/// In words: how far the ratios between the times of `instance` are from those of `p` (both with the same structure).
static std::string describeTimes(const Problem &p, const Problem &instance) {
  std::vector<int64_t> from = timesOf(p), to = timesOf(instance);
  double least = INFINITY, most = 0;
  int64_t vanished = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    vanished += (from[i] == 0) != (to[i] == 0);
    if (from[i] > 0 && to[i] > 0) {
      double ratio = static_cast<double>(from[i]) / static_cast<double>(to[i]);
      least = std::min(least, ratio);
      most = std::max(most, ratio);
    }
  }
  char text[200];
  std::snprintf(text, sizeof text, "ratios between times differ by up to %.4gx, %lld of %zu times are zero in one only",
                most > 0 ? most / least : 1.0, static_cast<long long>(vanished), from.size());
  return text;
}

/// `normalised`: the certificate is about DIR/instance.sched, which may differ from the problem in times only.
static int checkDirectory(Problem problem, const std::string &directory, bool normalised) {
  std::string path = directory + "/instance.sched", times;
  struct stat info;
  bool other = stat(path.c_str(), &info) == 0;
  if (other != normalised)
    return fail(path + ": error: certificate rejected: " +
                (other ? "it is about other times than those of the problem: expected --normalised"
                       : "expected an instance of other times for --normalised, got none"));
  if (other) {
    Result<Problem> instance = loadProblem(path);
    if (!instance)
      return fail(instance.error().str());
    if (writeProblem(withoutTimes(*instance)) != writeProblem(withoutTimes(problem)))
      return fail(path + ": error: certificate rejected: it is not the problem with other times");
    times = describeTimes(problem, *instance);
    problem = *instance;
  }
  Result<CertificateReport> report = checkCertificate(problem, directory);
  if (!report)
    return fail(report.error().str(), report.error().kind() == ErrorKind::Limit ? limitReached : 1);
  std::printf("%s: interval %lld is optimal among schedules of at most %lld stages (%lld proofs, %lld lemmas)\n",
              other ? "accepted for other times only" : "accepted", static_cast<long long>(report->ii),
              static_cast<long long>(report->stages), static_cast<long long>(report->proofs),
              static_cast<long long>(report->lemmas));
  if (other)
    std::printf("normalised: %s\n", times.c_str());
  return other ? acceptedInPart : 0;
}

static int run(int argc, char **argv) {
  if (argc == 2 && !std::strcmp(argv[1], "--version"))
    return std::fputs(versionText("heddle-check").c_str(), stdout), 0;
  if (argc == 2 && !std::strcmp(argv[1], "--help")) {
    std::puts("usage: heddle-check FILE.sched SOLUTION    is the schedule legal?\n"
              "       heddle-check FILE.sched DIR         is the certificate right: legal and optimal?\n"
              "       heddle-check --normalised FILE.sched DIR    the same for DIR/instance.sched, which is FILE with "
              "other times\n"
              "A solution is checked under the constraints that it states.\n"
              "Exit status 0: accepted, 1: rejected or bad input, 2: accepted under fewer than all constraints, or for "
              "other times,\n3: a proof takes more steps than it may.");
    return 0;
  }
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] == '-' && argv[i][1] && (i > 1 || std::strcmp(argv[i], "--normalised") != 0))
      return fail("error: unknown option '" + std::string(argv[i]) + "'");
  bool normalised = argc > 1 && !std::strcmp(argv[1], "--normalised");
  argv += normalised;
  argc -= normalised;
  if (argc != 3)
    return fail("error: expected FILE.sched and SOLUTION, got " + std::to_string(argc - 1) + " arguments");
  Result<Problem> problem = loadProblem(argv[1]);
  if (!problem)
    return fail(problem.error().str());
  struct stat info;
  if (stat(argv[2], &info) == 0 && S_ISDIR(info.st_mode))
    return checkDirectory(*problem, argv[2], normalised);
  if (normalised)
    return fail("error: expected the directory of a certificate with --normalised, got '" + std::string(argv[2]) + "'");
  Result<Schedule> schedule = loadSchedule(argv[2], *problem);
  if (!schedule)
    return fail(schedule.error().str());
  std::vector<Violation> violations = verifySchedule(*problem, *schedule, schedule->constraints);
  for (const Violation &violation : violations)
    std::fprintf(stderr, "%s: %s: %s\n", argv[2], constraintName(violation.constraint), violation.message.c_str());
  if (!violations.empty())
    return fail("rejected");
  std::printf("accepted: interval %lld, length %lld, %lld stages, under %s\n", static_cast<long long>(schedule->ii),
              static_cast<long long>(schedule->length(*problem)), static_cast<long long>(schedule->stages(*problem)),
              schedule->constraints.describe().c_str());
  return schedule->constraints.missing().empty() ? 0 : acceptedInPart;
}

int main(int argc, char **argv) {
  int code = run(argc, argv);
  Status written = flushOutput();
  return written || code ? code : fail(written.error().str());
}
