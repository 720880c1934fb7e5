//===- heddle-sched.cpp - The scheduling core on the command line ---------===//
//
// What:   solve, verify, random, heuristic, explain, draw, bounds on `.sched` files. Thin: parses options, calls the library.
// Exit:   0 success; 1 bad input, illegal schedule, infeasible; 2 limit reached; 3 internal error.
//
//===----------------------------------------------------------------------===//
#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Cost/FreeGroups.h"
#include "heddle/Scheduling/Cost/Normalise.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Certify.h"
#include "heddle/Scheduling/Solver/Draw.h"
#include "heddle/Scheduling/Solver/Solve.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace heddle;

namespace {

const char *help =
    "usage: heddle-sched COMMAND FILE.sched [options]\n"
    "  solve FILE [--json] [--mode=full|paper|modulo] [-o SOLUTION] [--certificate=DIR]\n"
    "         [--report=OUT.html]                                     exact schedule of least interval\n"
    "  heuristic FILE [-o SOLUTION]                                   iterative modulo scheduling (Rau)\n"
    "  random FILE [--seed=N] [-o SOLUTION]                           a random legal schedule\n"
    "  verify FILE SOLUTION                                           is the solution legal?\n"
    "  explain FILE [options of solve]                                what binds, and what would lower the interval\n"
    "  bounds FILE                                                    lower bounds with witnesses\n"
    "  draw FILE [SOLUTION] [-o OUT.svg] [--graph]                    picture of a solution (solved when none is given)\n"
    "  rewrite FILE [-o OUT.sched]                                    the problem as read (after --normalise, --streaming)\n"
    "options: --max-stages=N --min-ii=N --max-ii=N --time-limit=SECONDS --memory-limit=MB --without=CONSTRAINT[,..]\n"
    "         --no-lexicographic --streaming --progress\n"
    "         --normalise=U   costs that sum to at most U with nearly the same ratios (Twill 5.2); the default is real cycles\n"
    "         --free-groups=MACHINE.json [--extra-groups=N] [--overhead=REGS] [--no-transfers]\n"
    "                         drop group pins; crossing groups costs what the machine file says (times in machine cycles)\n"
    "exit status: 0 success, 1 bad input or infeasible or illegal, 2 limit reached, 3 internal error\n";

int fail(const std::string &text, int code = 1) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return code;
}

struct Arguments {
  std::vector<std::string> files;
  std::string output, certificate, report, machine;
  FreeGroupsOptions freeGroups;
  SolveOptions solve;
  uint64_t seed = 0;
  int64_t normalise = 0; ///< U of Twill 5.2; 0: real cycles
  NormalisedCosts costs;
  bool json = false, graph = false, streaming = false;
};

Result<int64_t> parseNumber(const std::string &flag, const std::string &text) {
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno || value < 0)
    return userError("expected a non-negative number for " + flag + ", got '" + text + "'");
  return static_cast<int64_t>(value);
}

Result<Arguments> parseArguments(int argc, char **argv) {
  Arguments out;
  for (int i = 2; i < argc; ++i) {
    std::string arg = argv[i], value;
    size_t equals = arg.find('=');
    if (arg[0] == '-' && equals != std::string::npos) {
      value = arg.substr(equals + 1);
      arg = arg.substr(0, equals);
    }
    int64_t *number = arg == "--extra-groups"   ? &out.freeGroups.extraGroups
                      : arg == "--overhead"     ? &out.freeGroups.overhead
                      : arg == "--max-stages"     ? &out.solve.maxStages
                      : arg == "--min-ii"       ? &out.solve.minII
                      : arg == "--max-ii"       ? &out.solve.maxII
                      : arg == "--normalise"    ? &out.normalise
                      : arg == "--memory-limit" ? &out.solve.memoryLimitMB
                                                : nullptr;
    if (number || arg == "--seed" || arg == "--time-limit") {
      Result<int64_t> parsed = parseNumber(arg, value);
      if (arg == "--time-limit" && !value.empty()) { // seconds, fractions allowed
        char *end = nullptr;
        out.solve.timeLimit = std::strtod(value.c_str(), &end);
        if (*end || !(out.solve.timeLimit >= 0))
          return userError("expected seconds for --time-limit, got '" + value + "'");
        continue;
      }
      if (!parsed)
        return parsed.error();
      if (number)
        *number = *parsed;
      else
        out.seed = static_cast<uint64_t>(*parsed);
    } else if (arg == "--mode") {
      if (value != "full" && value != "paper" && value != "modulo")
        return userError("expected full, paper or modulo for --mode, got '" + value + "'");
      out.solve.mode = value == "full" ? SolveMode::Full : value == "paper" ? SolveMode::Paper : SolveMode::Modulo;
    } else if (arg == "--without") {
      for (size_t at = 0; at <= value.size();) {
        size_t comma = std::min(value.find(',', at), value.size());
        std::string name = value.substr(at, comma - at);
        bool known = false;
        for (unsigned c = 0; c < static_cast<unsigned>(Constraint::Count); ++c)
          if (name == constraintName(static_cast<Constraint>(c))) {
            out.solve.constraints = out.solve.constraints.without(static_cast<Constraint>(c));
            known = true;
          }
        if (!known)
          return userError("unknown constraint '" + name + "' in --without");
        at = comma + 1;
      }
    } else if (arg == "--certificate") {
      if (value.empty())
        return userError("expected a directory for --certificate, got none");
      out.certificate = value;
    } else if (arg == "--free-groups") {
      if (value.empty())
        return userError("expected a machine file for --free-groups, got none");
      out.machine = value;
    } else if (arg == "--no-transfers") {
      out.freeGroups.transfers = false;
    } else if (arg == "--report") {
      if (value.empty())
        return userError("expected a file for --report, got none");
      out.report = value;
    } else if (arg == "--json") {
      out.json = true;
    } else if (arg == "--graph") {
      out.graph = true;
    } else if (arg == "--streaming") {
      out.streaming = true;
    } else if (arg == "--no-lexicographic") {
      out.solve.lexicographic = false;
    } else if (arg == "--progress") {
      out.solve.progress = [](const std::string &text) { std::fprintf(stderr, "%s\n", text.c_str()); };
    } else if (arg == "-o") {
      if (++i >= argc)
        return userError("expected a file after -o, got none");
      out.output = argv[i];
    } else if (arg[0] == '-') {
      return userError("unknown option '" + arg + "'");
    } else {
      out.files.push_back(arg);
    }
  }
  return out;
}

int emit(const Arguments &args, const std::string &text) {
  if (args.output.empty()) {
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  if (Status status = writeFile(args.output, text); !status)
    return fail(status.error().str());
  return 0;
}

int exitCode(const SolveResult &r) {
  switch (r.status) {
  case SolveStatus::Optimal:
  case SolveStatus::Feasible:
    return 0;
  case SolveStatus::Infeasible:
    return 1;
  case SolveStatus::LimitReached:
    return 2;
  case SolveStatus::Failed:
    break;
  }
  return 3;
}

int runSolve(const Problem &p, const Arguments &args) {
  SolveResult r = solve(p, args.solve);
  if (r.status == SolveStatus::Failed)
    return fail(r.message, 3);
  if (r.hasSchedule && !args.output.empty())
    if (Status status = writeFile(args.output, writeSchedule(p, r.schedule)); !status)
      return fail(status.error().str());
  if (r.hasSchedule && !args.report.empty()) {
    std::string page = drawReport(p, r.schedule, explain(p, r, args.solve));
    if (Status status = writeFile(args.report, page); !status)
      return fail(status.error().str());
  }
  Result<CertifyStats> certified = CertifyStats{};
  if (!args.certificate.empty() && r.status == SolveStatus::Optimal) {
    certified = writeCertificate(p, r, args.solve, args.certificate);
    if (certified && args.normalise) // what the certificate is about; heddle-check compares it with the original
      if (Status status = writeFile(args.certificate + "/instance.sched", writeProblem(p)); !status)
        return fail(status.error().str());
    if (!certified)
      return fail(certified.error().str(), certified.error().kind() == ErrorKind::Limit ? 2 : 1);
  }
  if (args.json) {
    nlohmann::ordered_json j;
    j["status"] = solveStatusName(r.status);
    j["ii"] = r.hasSchedule ? nlohmann::ordered_json(r.schedule.ii) : nlohmann::ordered_json(nullptr);
    j["mii"] = r.mii;
    j["bound"] = r.bound;
    j["length"] = r.hasSchedule ? nlohmann::ordered_json(r.schedule.length(p)) : nlohmann::ordered_json(nullptr);
    j["stages"] = r.hasSchedule ? nlohmann::ordered_json(r.schedule.stages(p)) : nlohmann::ordered_json(nullptr);
    j["max_stages"] = r.stages;
    j["seconds"] = r.seconds;
    j["binding"] = r.binding;
    j["proof_seconds"] = r.proofSeconds;
    j["queries"] = r.queries.size();
    int64_t variables = 0, clauses = 0;
    for (const SolveQuery &q : r.queries) {
      variables = std::max(variables, q.variables);
      clauses = std::max(clauses, q.clauses);
    }
    j["variables"] = variables;
    j["clauses"] = clauses;
    j["lexicographic"] = r.lexicographicDone;
    if (args.normalise)
      j["normalised"] = {{"limit", args.normalise},
                         {"sum", args.costs.sum},
                         {"error", args.costs.error},
                         {"worst_ratio", args.costs.worstRatio}};
    if (!args.certificate.empty() && r.status == SolveStatus::Optimal)
      j["certificate"] = {{"proofs", certified->proofs},
                          {"proof_bytes", certified->proofBytes},
                          {"variables", certified->variables},
                          {"clauses", certified->clauses},
                          {"seconds", certified->seconds}};
    std::printf("%s\n", j.dump(2).c_str());
    return exitCode(r);
  }
  std::printf("%s", solveStatusName(r.status));
  if (r.hasSchedule)
    std::printf(": interval %lld (bound %lld), length %lld, %lld stages, %.2f s", static_cast<long long>(r.schedule.ii),
                static_cast<long long>(r.bound), static_cast<long long>(r.schedule.length(p)),
                static_cast<long long>(r.schedule.stages(p)), r.seconds);
  std::printf("\n");
  if (!r.binding.empty())
    std::printf("binding: %s\n", r.binding.c_str());
  if (r.hasSchedule && args.output.empty())
    std::fputs(writeSchedule(p, r.schedule).c_str(), stdout);
  return exitCode(r);
}

int runVerify(const Problem &p, const std::string &file) {
  Result<Schedule> schedule = loadSchedule(file, p);
  if (!schedule)
    return fail(schedule.error().str());
  std::vector<Violation> violations = verifySchedule(p, *schedule);
  for (const Violation &violation : violations)
    std::fprintf(stderr, "%s: %s: %s\n", file.c_str(), constraintName(violation.constraint), violation.message.c_str());
  std::puts(violations.empty() ? "legal" : "not legal");
  return violations.empty() ? 0 : 1;
}

int runDraw(const Problem &p, const Arguments &args) {
  Schedule schedule;
  if (args.files.size() > 1) {
    Result<Schedule> loaded = loadSchedule(args.files[1], p);
    if (!loaded)
      return fail(loaded.error().str());
    if (std::vector<Violation> bad = verifySchedule(p, *loaded); !bad.empty())
      return fail("error: the solution is not legal: " + bad[0].message);
    schedule = *loaded;
  } else {
    SolveResult r = solve(p, args.solve);
    if (!r.hasSchedule)
      return fail(std::string("error: no schedule to draw: ") + solveStatusName(r.status), exitCode(r));
    schedule = r.schedule;
  }
  return emit(args, args.graph ? drawGraph(p, &schedule) : drawSchedule(p, schedule));
}

} // namespace

int main(int argc, char **argv) {
  std::string command = argc > 1 ? argv[1] : "";
  if (command == "--help" || command == "-h" || command == "help")
    return std::fputs(help, stdout), 0;
  bool known = false;
  for (const char *name : {"solve", "heuristic", "random", "verify", "explain", "bounds", "draw", "rewrite"})
    known |= command == name;
  if (!known)
    return fail("error: expected a command (solve, heuristic, random, verify, explain, bounds, draw, rewrite), got " +
                (command.empty() ? "none" : "'" + command + "'"));
  if (argc > 2 && (!std::strcmp(argv[2], "--help") || !std::strcmp(argv[2], "-h")))
    return std::fputs(help, stdout), 0;
  Result<Arguments> args = parseArguments(argc, argv);
  if (!args)
    return fail(args.error().str());
  size_t most = command == "verify" || command == "draw" ? 2 : 1, least = command == "verify" ? 2 : 1;
  if (args->files.size() < least || args->files.size() > most)
    return fail("error: expected " + std::to_string(least) + (most > least ? " or 2" : "") + " files, got " +
                std::to_string(args->files.size()));
  Result<Problem> problem = loadProblem(args->files[0]);
  if (!problem)
    return fail(problem.error().str());
  if (args->streaming)
    applyStreaming(*problem);
  if (!args->machine.empty()) {
    Result<Machine> machine = Machine::load(args->machine);
    if (!machine)
      return fail(machine.error().str());
    Result<Problem> joint = freeGroups(*problem, *machine, args->freeGroups);
    if (!joint)
      return fail(joint.error().str());
    *problem = *joint;
  }
  if (args->normalise) {
    Result<NormalisedProblem> normal = normaliseProblem(*problem, args->normalise);
    if (!normal)
      return fail(normal.error().str());
    args->costs = normal->costs;
    *problem = normal->problem;
    std::fprintf(stderr, "normalised: costs sum to %lld of %lld, F %lld, worst ratio error %.3gx%s\n",
                 static_cast<long long>(args->costs.sum), static_cast<long long>(args->normalise),
                 static_cast<long long>(args->costs.error), args->costs.worstRatio, args->costs.exact ? "" : " (not proved least)");
  }
  if (command == "rewrite")
    return emit(*args, writeProblem(*problem));
  if (command == "solve")
    return runSolve(*problem, *args);
  if (command == "verify")
    return runVerify(*problem, args->files[1]);
  if (command == "draw")
    return runDraw(*problem, *args);
  if (command == "explain") {
    SolveResult r = solve(*problem, args->solve);
    if (r.status == SolveStatus::Failed)
      return fail(r.message, 3);
    std::fputs(explain(*problem, r, args->solve).c_str(), stdout);
    return exitCode(r);
  }
  if (command == "bounds") {
    Bounds bounds = computeBounds(*problem, args->solve.constraints);
    for (const Bound &bound : bounds.bounds)
      std::printf("%s  %s\n", bound.infeasible ? "infeasible" : std::to_string(bound.value).c_str(), bound.witness.c_str());
    return bounds.infeasible;
  }
  Result<Schedule> schedule = Schedule{};
  if (command == "random") {
    RandomOptions options;
    options.seed = args->seed;
    options.constraints = args->solve.constraints;
    options.maxII = args->solve.maxII;
    schedule = scheduleRandom(*problem, options);
  } else {
    HeuristicOptions options;
    options.constraints = args->solve.constraints;
    options.maxII = args->solve.maxII;
    schedule = scheduleHeuristic(*problem, options);
  }
  if (!schedule)
    return fail(schedule.error().str(), schedule.error().kind() == ErrorKind::Limit ? 2 : 1);
  return emit(*args, writeSchedule(*problem, *schedule));
}
