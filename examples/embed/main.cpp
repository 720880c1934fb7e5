//===- main.cpp - The scheduling core in another project ------------------===//
//
// Builds Twill's Figure 2 by hand, solves it, says why the interval is what it is, and checks the certificate.
//
//===----------------------------------------------------------------------===//
#include <heddle/Certificate/Certificate.h>
#include <heddle/Scheduling/Problem/Text.h>
#include <heddle/Scheduling/Solver/Certify.h>
#include <heddle/Scheduling/Solver/Solve.h>

#include <cstdio>

int main(int argc, char **argv) {
  heddle::Problem problem;
  problem.name = "toy";
  int tensorCore = problem.addUnit("TC"), special = problem.addUnit("SFU");
  auto operation = [&](const char *name, int unit, int64_t latency) {
    heddle::Node node;
    node.name = name;
    node.latency = latency;
    node.reservations = {{unit, 0, 1, 1}};
    return problem.addNode(node);
  };
  int s = operation("S", tensorCore, 2), p = operation("P", special, 1), o = operation("O", tensorCore, 1);
  auto dependence = [&](int from, int to, int64_t delay, int64_t distance) {
    heddle::Edge edge;
    edge.from = from;
    edge.to = to;
    edge.delay = delay;
    edge.distance = distance;
    problem.addEdge(edge);
  };
  dependence(s, p, 2, 0);
  dependence(p, o, 1, 0);
  dependence(o, o, 1, 1);

  if (heddle::Status valid = problem.check(); !valid) {
    std::fprintf(stderr, "%s\n", valid.error().str().c_str());
    return 1;
  }
  heddle::SolveOptions options;
  heddle::SolveResult result = heddle::solve(problem, options);
  if (!result.hasSchedule)
    return 1;
  std::printf("%s: interval %lld because %s\n%s", heddle::solveStatusName(result.status),
              static_cast<long long>(result.schedule.ii), result.binding.c_str(),
              heddle::writeSchedule(problem, result.schedule).c_str());
  if (argc < 2)
    return 0;
  auto written = heddle::writeCertificate(problem, result, options, argv[1]);
  auto checked = heddle::checkCertificate(problem, argv[1]);
  std::puts(written && checked ? "certificate accepted" : "certificate rejected");
  return written && checked ? 0 : 1;
}
