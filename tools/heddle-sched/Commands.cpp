//===- Commands.cpp - The commands of heddle-sched ------------------------===//
//
// What:   each command is a function from the problem and the options to an exit status (heddle-sched.cpp). Thin: calls
//         the library,
// prints.
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Export/StraightLine.h"
#include "heddle/Scheduling/Modulo/Modulo.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Certify.h"
#include "heddle/Scheduling/Solver/Draw.h"
#include "heddle/Support/Progress.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace heddle::sched {

int fail(const std::string &text, int code) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return code;
}

int fail(const Error &error) {
  switch (error.kind()) {
  case ErrorKind::User: return fail(error.str(), ExitUser);
  case ErrorKind::Infeasible: return fail(error.str(), ExitInfeasible);
  case ErrorKind::Limit: return fail(error.str(), ExitLimit);
  case ErrorKind::Internal: break;
  }
  return fail(error.str(), ExitInternal);
}

namespace {

int emit(const Arguments &args, const std::string &text) {
  if (args.output.empty()) {
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  if (Status status = writeFile(args.output, text); !status)
    return fail(status.error());
  return 0;
}

/// `work` on the solver's options. Once it takes seconds, stderr says what is asked.
template <typename Work> auto watched(const Arguments &args, const std::string &what, Work work) {
  Progress progress("heddle-sched");
  SolveOptions solving = args.solve;
  solving.step = [&](const std::string &asked) { progress.now(what + ": " + asked); };
  progress.now(what);
  return work(solving);
}

std::string explained(const Problem &p, const SolveResult &r, const Arguments &args) {
  return watched(args, "explaining", [&](const SolveOptions &solving) { return explain(p, r, solving); });
}

int exitCode(const SolveResult &r) {
  switch (r.status) {
  case SolveStatus::Optimal:
  case SolveStatus::Feasible: return 0;
  case SolveStatus::Infeasible: return ExitInfeasible;
  case SolveStatus::LimitReached: return ExitLimit;
  case SolveStatus::Failed: break;
  }
  return ExitInternal;
}

/// The result as JSON; `certified` is set when a certificate was written.
std::string resultJson(const Problem &p, const Arguments &args, const SolveResult &r, const CertifyStats *certified) {
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
  j["goals_proved"] = nlohmann::ordered_json::object();
  for (auto &[name, proved] : r.goals)
    j["goals_proved"][name] = proved;
  j["proof_cpu_seconds"] = r.proofCpuSeconds;
  j["cpu_seconds"] = r.cpuSeconds;
  if (args.normalise)
    j["normalised"] = {{"limit", args.normalise},
                       {"sum", args.costs.sum},
                       {"error", args.costs.error},
                       {"worst_ratio", args.costs.worstRatio}};
  if (certified)
    j["certificate"] = {{"proofs", certified->proofs},
                        {"proof_bytes", certified->proofBytes},
                        {"variables", certified->variables},
                        {"clauses", certified->clauses},
                        {"seconds", certified->seconds}};
  // Names of the problem may hold any bytes.
  return j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int runSolve(const Problem &p, const Arguments &args) {
  SolveResult r = watched(args, "solving", [&](const SolveOptions &solving) { return solveAsAsked(p, solving); });
  if (r.status == SolveStatus::Failed)
    return fail(Error(ErrorKind::Internal, r.message));
  if (r.hasSchedule && !args.output.empty())
    if (Status status = writeFile(args.output, writeSchedule(p, r.schedule)); !status)
      return fail(status.error());
  if (r.hasSchedule && !args.report.empty()) {
    if (Status drawable = checkDrawable(p, r.schedule); !drawable)
      return fail(drawable.error());
    std::string page = drawReport(p, r.schedule, explained(p, r, args));
    if (Status status = writeFile(args.report, page); !status)
      return fail(status.error());
  }
  Result<CertifyStats> certified = CertifyStats{};
  // What is feasible only exits with 0, so that a certificate which is not written has to be an error.
  bool wanted = !args.certificate.empty() && (r.status == SolveStatus::Optimal || r.status == SolveStatus::Feasible);
  if (wanted) {
    certified = watched(args, "writing the certificate",
                        [&](const SolveOptions &solving) { return writeCertificate(p, r, solving, args.certificate); });
    if (certified && args.normalise) // what the certificate is about; heddle-check compares it with the original
      if (Status status = writeFile(args.certificate + "/instance.sched", writeProblem(p)); !status)
        return fail(status.error());
    if (!certified) {
      if (args.json) // the schedule is as good without
        std::fputs(resultJson(p, args, r, nullptr).c_str(), stdout);
      return fail(certified.error());
    }
  }
  if (args.json) {
    std::fputs(resultJson(p, args, r, wanted ? &*certified : nullptr).c_str(), stdout);
    return exitCode(r);
  }
  std::printf("%s", solveStatusName(r.status));
  if (r.hasSchedule)
    std::printf(": interval %lld (bound %lld), length %lld, %lld stages, %.2f s", static_cast<long long>(r.schedule.ii),
                static_cast<long long>(r.bound), static_cast<long long>(r.schedule.length(p)),
                static_cast<long long>(r.schedule.stages(p)), r.seconds);
  else if (r.status == SolveStatus::LimitReached)
    std::printf(": no schedule found; the interval is at least %lld", static_cast<long long>(r.bound));
  else if (r.status == SolveStatus::Infeasible)
    std::printf(": no schedule of at most %lld stages up to interval %lld", static_cast<long long>(r.stages),
                static_cast<long long>(r.maxII));
  std::printf("\n");
  if (!r.binding.empty())
    std::printf("binding: %s\n", r.binding.c_str());
  if (r.hasSchedule && args.output.empty())
    std::fputs(writeSchedule(p, r.schedule).c_str(), stdout);
  return exitCode(r);
}

int runVerify(const Problem &p, const Arguments &args) {
  const std::string &file = args.files[1];
  Result<Schedule> schedule = loadSchedule(file, p);
  if (!schedule)
    return fail(schedule.error());
  std::vector<Violation> violations = verifySchedule(p, *schedule, schedule->constraints);
  for (const Violation &violation : violations)
    std::fprintf(stderr, "%s: %s: %s\n", file.c_str(), constraintName(violation.constraint), violation.message.c_str());
  std::printf("%s under %s\n", violations.empty() ? "legal" : "not legal", schedule->constraints.describe().c_str());
  return violations.empty() ? 0 : 1;
}

int runDraw(const Problem &p, const Arguments &args) {
  Schedule schedule;
  if (args.files.size() > 1) {
    Result<Schedule> loaded = loadSchedule(args.files[1], p);
    if (!loaded)
      return fail(loaded.error());
    if (std::vector<Violation> bad = verifySchedule(p, *loaded, loaded->constraints); !bad.empty())
      return fail("error: the solution is not legal: " + bad[0].message);
    schedule = *loaded;
  } else {
    SolveResult r = watched(args, "solving", [&](const SolveOptions &solving) { return solveAsAsked(p, solving); });
    if (!r.hasSchedule)
      return fail(std::string("error: no schedule to draw: ") + solveStatusName(r.status), exitCode(r));
    schedule = r.schedule;
  }
  if (Status drawable = checkDrawable(p, schedule); !drawable)
    return fail(drawable.error());
  return emit(args, args.graph ? drawGraph(p, &schedule) : drawSchedule(p, schedule));
}

int runExplain(const Problem &p, const Arguments &args) {
  SolveResult r = watched(args, "solving", [&](const SolveOptions &solving) { return solveAsAsked(p, solving); });
  if (r.status == SolveStatus::Failed)
    return fail(Error(ErrorKind::Internal, r.message));
  std::fputs(explained(p, r, args).c_str(), stdout);
  return exitCode(r);
}

int runBounds(const Problem &p, const Arguments &args) {
  Bounds bounds = computeBounds(p, args.solve.constraints, args.solve.deadline);
  for (const Bound &bound : bounds.bounds)
    std::printf("%s  %s\n", bound.infeasible ? "infeasible" : std::to_string(bound.value).c_str(),
                bound.witness.c_str());
  return bounds.infeasible ? ExitInfeasible : 0;
}

int runRewrite(const Problem &p, const Arguments &args) { return emit(args, writeProblem(p)); }

int emitSchedule(const Problem &p, const Arguments &args, const Result<Schedule> &schedule) {
  if (!schedule)
    return fail(schedule.error());
  return emit(args, writeSchedule(p, *schedule));
}

/// Where neither --time-limit nor --budget says how much a heuristic may do: about two seconds' worth of steps.
Deadline limited(const Arguments &args) {
  constexpr int64_t heuristicSteps = 1500000;
  return args.budget || args.timed ? args.solve.deadline : args.solve.deadline.afterSteps(heuristicSteps);
}

int runRandom(const Problem &p, const Arguments &args) {
  RandomOptions options;
  options.seed = static_cast<uint64_t>(args.seed);
  options.constraints = args.solve.constraints;
  options.maxII = args.solve.maxII;
  options.deadline = limited(args);
  return emitSchedule(p, args, scheduleRandom(p, options));
}

int runHeuristic(const Problem &p, const Arguments &args) {
  HeuristicOptions options;
  options.constraints = args.solve.constraints;
  options.maxII = args.solve.maxII;
  options.deadline = limited(args);
  return emitSchedule(p, args, scheduleHeuristic(p, options));
}

int runExport(const Problem &p, const Arguments &args) {
  if (args.format.empty())
    return fail("error: expected --format=smt2, opb or lp, got none");
  if (args.solve.mode == SolveMode::Paper)
    return fail("error: expected full or modulo for --mode of export, got 'paper'");
  StraightLineOptions options;
  options.constraints = args.solve.mode == SolveMode::Modulo ? ConstraintSet::modulo() : args.solve.constraints;
  Bounds bounds = computeBounds(p, options.constraints);
  options.ii = args.ii ? args.ii : bounds.mii;
  if (options.ii < 1 || options.ii > maxInterval)
    return fail("error: expected an interval between 1 and " + std::to_string(maxInterval) + " for --ii, got " +
                std::to_string(options.ii));
  options.stages = args.solve.maxStages ? args.solve.maxStages : defaultStages(p, bounds, options.constraints);
  if (options.stages > (1 << 20))
    return fail("error: expected at most 1048576 stages, got " + std::to_string(options.stages));
  Result<LinearFormula> formula = straightLineFormula(p, options);
  if (!formula)
    return fail(formula.error());
  return emit(args, args.format == "smt2"  ? writeSmt2(*formula)
                    : args.format == "opb" ? writeOpb(*formula)
                                           : writeLp(*formula));
}

} // namespace

Status checkOptions(const Command &command, const Arguments &args) {
  static const std::vector<std::string> common = {
      "--streaming",        "--free-groups", "--extra-groups", "--overhead", "--no-transfers",
      "--no-register-file", "--normalise",   "--time-limit",   "--budget",
  };
  for (const std::string &name : args.given)
    if (!std::count(common.begin(), common.end(), name) &&
        !std::count(command.options.begin(), command.options.end(), name))
      return userError("unknown option '" + name + "' of " + command.name);
  return Status::success();
}

const std::vector<Command> &commands() {
  auto search = [](std::vector<std::string> more) {
    for (const char *name : {"--mode", "--max-stages", "--min-ii", "--max-ii", "--memory-limit", "--without",
                             "--no-lexicographic", "--progress", "--solver"})
      more.push_back(name);
    return more;
  };
  static const std::vector<Command> list = {
      {"solve", 1, 1, runSolve, search({"-o", "--json", "--certificate", "--report", "--slot-proofs"})},
      {"heuristic", 1, 1, runHeuristic, {"-o", "--without", "--max-ii"}},
      {"random", 1, 1, runRandom, {"-o", "--without", "--max-ii", "--seed"}},
      {"verify", 2, 2, runVerify, {}},
      {"explain", 1, 1, runExplain, search({})},
      {"bounds", 1, 1, runBounds, {"--without"}},
      {"draw", 1, 2, runDraw, search({"-o", "--graph"})},
      {"rewrite", 1, 1, runRewrite, {"-o"}},
      {"export", 1, 1, runExport, {"-o", "--format", "--ii", "--max-stages", "--mode", "--without"}},
  };
  return list;
}

} // namespace heddle::sched
