//===- heddle-sched.cpp - The scheduling core on the command line ---------===//
//
// What:   solve, verify, random, heuristic, explain, draw, bounds, rewrite, export on `.sched` files: reads the
// problem, changes
//         it as the options say (--streaming, --free-groups, --normalise, in this order), and runs the command
//         (Commands.cpp).
// Exit:   0 success; 1 bad input, illegal schedule; 2 infeasible; 3 limit reached before an answer; 4 internal error.
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Support/Version.h"

#include <cstdio>

using namespace heddle;
using namespace heddle::sched;

namespace {

Result<Problem> readProblem(Arguments &args) {
  Result<Problem> problem = loadProblem(args.files[0]);
  if (!problem)
    return problem;
  if (args.streaming)
    applyStreaming(*problem);
  if (!args.machine.empty()) {
    Result<Machine> machine = Machine::find(args.machine);
    if (!machine)
      return machine.error();
    problem = freeGroups(*problem, *machine, args.freeGroups);
    if (!problem)
      return problem;
  }
  if (args.normalise) {
    Result<NormalisedProblem> normal = normaliseProblem(*problem, args.normalise, args.solve.deadline);
    if (!normal)
      return normal.error();
    args.costs = normal->costs;
    problem = normal->problem;
    std::fprintf(stderr, "normalised: costs sum to %lld of %lld, F %lld, worst ratio error %.3gx%s\n",
                 static_cast<long long>(args.costs.sum), static_cast<long long>(args.normalise),
                 static_cast<long long>(args.costs.error), args.costs.worstRatio,
                 args.costs.exact ? "" : " (not proved least)");
  }
  return problem;
}

bool asksForHelp(const std::string &text) { return text == "--help" || text == "-h" || text == "help"; }

int run(int argc, char **argv) {
  std::string name = argc > 1 ? argv[1] : "", names;
  if (asksForHelp(name))
    return std::fputs(help, stdout), 0;
  if (name == "--version")
    return std::fputs(versionText("heddle-sched").c_str(), stdout), 0;
  const Command *command = nullptr;
  for (const Command &known : commands()) {
    names += (names.empty() ? "" : ", ") + std::string(known.name);
    if (name == known.name)
      command = &known;
  }
  if (!command)
    return fail("error: expected a command (" + names + "), got " + (name.empty() ? "none" : "'" + name + "'"));
  if (argc > 2 && argv[2][0] == '-' && asksForHelp(argv[2]))
    return std::fputs(help, stdout), 0;
  Result<Arguments> args = parseArguments(argc, argv);
  if (!args)
    return fail(args.error());
  if (Status known = checkOptions(*command, *args); !known)
    return fail(known.error());
  size_t least = command->leastFiles, most = command->mostFiles;
  if (args->files.size() < least || args->files.size() > most)
    return fail("error: expected " + std::to_string(least) + (most > least ? " or " + std::to_string(most) : "") +
                (most > 1 ? " files" : " file") + ", got " + std::to_string(args->files.size()));
  Result<Problem> problem = readProblem(*args);
  if (!problem)
    return fail(problem.error());
  return command->run(*problem, *args);
}

} // namespace

int main(int argc, char **argv) {
  int code = run(argc, argv);
  Status written = flushOutput();
  return written || code ? code : fail(written.error());
}
