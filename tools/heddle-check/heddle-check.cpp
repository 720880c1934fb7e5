//===- heddle-check.cpp - Check a solution against its problem ------------===//
//
// What:   heddle-check FILE.sched SOLUTION. Exit 0: legal. Exit 1: not legal, or bad input. Links the checker
//         and the problem library only, never a solver.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Problem/Text.h"

#include <cstdio>
#include <cstring>

using namespace heddle;

static int fail(const std::string &text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc == 2 && !std::strcmp(argv[1], "--help")) {
    std::puts("usage: heddle-check FILE.sched SOLUTION\n"
              "Checks every condition of docs/Scheduling.md. Exit status 0: accepted, 1: rejected or bad input.");
    return 0;
  }
  if (argc != 3)
    return fail("error: expected FILE.sched and SOLUTION, got " + std::to_string(argc - 1) + " arguments");
  Result<Problem> problem = loadProblem(argv[1]);
  if (!problem)
    return fail(problem.error().str());
  Result<Schedule> schedule = loadSchedule(argv[2], *problem);
  if (!schedule)
    return fail(schedule.error().str());
  std::vector<Violation> violations = verifySchedule(*problem, *schedule);
  for (const Violation &violation : violations)
    std::fprintf(stderr, "%s: %s: %s\n", argv[2], constraintName(violation.constraint), violation.message.c_str());
  if (!violations.empty())
    return fail("rejected");
  std::printf("accepted: interval %lld, length %lld, %lld stages\n", static_cast<long long>(schedule->ii),
              static_cast<long long>(schedule->length(*problem)), static_cast<long long>(schedule->stages(*problem)));
  return 0;
}
