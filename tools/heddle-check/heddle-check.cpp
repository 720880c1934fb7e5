//===- heddle-check.cpp - Check a solution against its problem ------------===//
//
// What:   heddle-check FILE.sched SOLUTION|DIR. A file is a schedule: is it legal? A directory is a certificate: is the
//         schedule in it legal and optimal? A schedule is checked under the constraints that it states. Exit 0:
//         accepted. Exit 1: rejected, or bad input. Exit 2: accepted, but not for all of FILE (fewer constraints).
//         Links the checker and the problem library only, never a solver.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Certificate.h"
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

using namespace heddle;

/// Exit status of what is right, but not for all of FILE: fewer constraints, or other costs.
constexpr int acceptedInPart = 2;

static int fail(const std::string &text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return 1;
}

/// The problem with all times (not distances, stages, amounts or flags) removed.
static Problem withoutTimes(Problem p) {
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

static int checkDirectory(Problem problem, const std::string &directory) {
  // A certificate of normalised costs is about DIR/instance.sched, which may differ from the problem in times only.
  std::string path = directory + "/instance.sched";
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    Result<Problem> instance = loadProblem(path);
    if (!instance)
      return fail(instance.error().str());
    if (writeProblem(withoutTimes(*instance)) != writeProblem(withoutTimes(problem)))
      return fail(path + ": error: certificate rejected: it is not the problem with other times");
    std::printf("normalised: the certificate is about the times of %s\n", path.c_str());
    problem = *instance;
  }
  Result<CertificateReport> report = checkCertificate(problem, directory);
  if (!report)
    return fail(report.error().str());
  std::printf("accepted: interval %lld is optimal among schedules of at most %lld stages (%lld proofs, %lld lemmas)\n",
              static_cast<long long>(report->ii), static_cast<long long>(report->stages),
              static_cast<long long>(report->proofs), static_cast<long long>(report->lemmas));
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && !std::strcmp(argv[1], "--help")) {
    std::puts("usage: heddle-check FILE.sched SOLUTION    is the schedule legal?\n"
              "       heddle-check FILE.sched DIR         is the certificate right: legal and optimal?\n"
              "A solution is checked under the constraints that it states.\n"
              "Exit status 0: accepted, 1: rejected or bad input, 2: accepted under fewer than all constraints.");
    return 0;
  }
  if (argc != 3)
    return fail("error: expected FILE.sched and SOLUTION, got " + std::to_string(argc - 1) + " arguments");
  Result<Problem> problem = loadProblem(argv[1]);
  if (!problem)
    return fail(problem.error().str());
  struct stat info;
  if (stat(argv[2], &info) == 0 && S_ISDIR(info.st_mode))
    return checkDirectory(*problem, argv[2]);
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
