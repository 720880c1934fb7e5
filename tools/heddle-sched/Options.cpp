//===- Options.cpp - The command line of heddle-sched ---------------------===//
#include "Options.h"

#include "heddle/Scheduling/Solver/Sat.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace heddle::sched {

const char *const help =
    "usage: heddle-sched COMMAND FILE.sched [options]\n"
    "  solve FILE [--json] [--mode=full|paper|modulo] [-o SOLUTION] [--certificate=DIR]\n"
    "         [--report=OUT.html]                                     exact schedule of least interval\n"
    "  heuristic FILE [-o SOLUTION]                                   iterative modulo scheduling (Rau)\n"
    "  random FILE [--seed=N] [-o SOLUTION]                           a random legal schedule\n"
    "  verify FILE SOLUTION                                           is the solution legal?\n"
    "  explain FILE                                                   what binds, and what would lower the interval\n"
    "  bounds FILE                                                    lower bounds with witnesses\n"
    "  draw FILE [SOLUTION] [-o OUT.svg] [--graph]                    picture of a solution (solved when none is "
    "given)\n"
    "  rewrite FILE [-o OUT.sched]                                    the problem as read (after --normalise, "
    "--streaming)\n"
    "  export FILE --format=smt2|opb|lp [--ii=N] [-o OUT]             for other solvers: satisfiable iff a legal "
    "schedule of\n"
    "                                                                 interval N exists (the lower bound when none is "
    "given)\n"
    "options, each of the commands that it changes:\n"
    "         --max-stages=N --min-ii=N --max-ii=N --time-limit=SECONDS --memory-limit=MB --without=CONSTRAINT[,..]\n"
    "         --no-lexicographic --streaming --progress --solver=NAME\n"
    "         --slot-proofs   proofs of a certificate over slots only, each with its formula for other checkers\n"
    "         --budget=STEPS  of work, about a microsecond each: the same result on every machine (default: none)\n"
    "         --normalise=U   costs that sum to at most U with nearly the same ratios (Twill 5.2); the default is real "
    "cycles\n"
    "         --free-groups=MACHINE.json [--extra-groups=N] [--overhead=REGS] [--no-transfers] [--no-register-file]\n"
    "                         drop group pins; crossing groups costs what the machine file says (times in machine "
    "cycles)\n"
    "exit status: 0 success, 1 bad input or illegal schedule, 2 infeasible, 3 limit reached before an answer, 4 "
    "internal error\n";

namespace {

Result<int64_t> parseNumber(const std::string &flag, const std::string &text, int64_t least, int64_t most) {
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno || value < 0)
    return userError("expected a non-negative number for " + flag + ", got '" + text + "'");
  if (value < least)
    return userError("expected at least " + std::to_string(least) + " for " + flag + ", got '" + text + "'");
  if (value > most)
    return userError("expected at most " + std::to_string(most) + " for " + flag + ", got '" + text + "'");
  return static_cast<int64_t>(value);
}

/// Seconds, fractions allowed.
Status parseSeconds(const std::string &text, double &out) {
  char *end = nullptr;
  out = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(out >= 0 && out <= 1e9))
    return userError("expected seconds for --time-limit, got '" + text + "'");
  return Status::success();
}

Status parseWithout(const std::string &list, ConstraintSet &set) {
  for (size_t at = 0; at <= list.size();) {
    size_t comma = std::min(list.find(',', at), list.size());
    std::string name = list.substr(at, comma - at);
    std::optional<Constraint> constraint = findConstraint(name);
    if (!constraint)
      return userError("unknown constraint '" + name + "' in --without");
    set = set.without(*constraint);
    at = comma + 1;
  }
  return Status::success();
}

struct NumberOption {
  const char *name;
  int64_t *target;
  int64_t least; ///< 1 where nothing given is 0
  int64_t most;  ///< above any sensible value; sums and products of such numbers do not overflow
};

/// The option of this name; its target is null when there is none.
NumberOption numberOption(const std::string &name, Arguments &out) {
  const NumberOption table[] = {
      {"--extra-groups", &out.freeGroups.extraGroups, 0, 64},
      {"--overhead", &out.freeGroups.overhead, 0, 1 << 16},
      {"--max-stages", &out.solve.maxStages, 1, 1 << 12},
      {"--min-ii", &out.solve.minII, 1, 1 << 22},
      {"--max-ii", &out.solve.maxII, 1, 1 << 22},
      {"--normalise", &out.normalise, 1, 1 << 30},
      {"--memory-limit", &out.solve.memoryLimitMB, 0, 1 << 30},
      {"--budget", &out.budget, 1, int64_t(1) << 40},
      {"--ii", &out.ii, 1, std::numeric_limits<int64_t>::max()}, // checked where it is used
      {"--seed", &out.seed, 0, std::numeric_limits<int64_t>::max()},
  };
  for (const NumberOption &option : table)
    if (name == option.name)
      return option;
  return {"", nullptr, 0, 0};
}

/// Options whose value is a name; `what` says of what kind.
std::string *nameOption(const std::string &name, Arguments &out, const char *&what) {
  what = name == "--free-groups" ? "a machine file" : name == "--certificate" ? "a directory" : "a file";
  return name == "--certificate"   ? &out.certificate
         : name == "--free-groups" ? &out.machine
         : name == "--report"      ? &out.report
                                   : nullptr;
}

/// Options that say how groups are freed.
bool changesFreeGroups(const std::string &name) {
  return name == "--extra-groups" || name == "--overhead" || name == "--no-transfers" || name == "--no-register-file";
}

bool setFlag(const std::string &name, Arguments &out) {
  if (name == "--no-transfers")
    out.freeGroups.transfers = false;
  else if (name == "--no-register-file")
    out.freeGroups.registerFile = false;
  else if (name == "--json")
    out.json = true;
  else if (name == "--graph")
    out.graph = true;
  else if (name == "--streaming")
    out.streaming = true;
  else if (name == "--no-lexicographic")
    out.solve.lexicographic = false;
  else if (name == "--slot-proofs")
    out.solve.orderProofs = false;
  else if (name == "--progress")
    out.solve.progress = [](const std::string &text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  else
    return false;
  return true;
}

} // namespace

Result<Arguments> parseArguments(int argc, char **argv) {
  Arguments out;
  out.solve.insertion = true;
  for (int i = 2; i < argc; ++i) {
    std::string arg = argv[i], value;
    size_t equals = arg.find('=');
    if (arg[0] == '-' && equals != std::string::npos) {
      value = arg.substr(equals + 1);
      arg = arg.substr(0, equals);
    }
    if (arg[0] == '-')
      out.given.push_back(arg);
    const char *what = "";
    if (NumberOption number = numberOption(arg, out); number.target) {
      Result<int64_t> parsed = parseNumber(arg, value, number.least, number.most);
      if (!parsed)
        return parsed.error();
      *number.target = *parsed;
    } else if (std::string *name = nameOption(arg, out, what)) {
      if (value.empty())
        return userError("expected " + std::string(what) + " for " + arg + ", got none");
      *name = value;
    } else if (arg == "--time-limit") {
      if (Status status = parseSeconds(value, out.solve.timeLimit); !status)
        return status.error();
      out.solve.deadline = Deadline::in(out.solve.timeLimit);
      out.timed = true;
    } else if (arg == "--mode") {
      if (value != "full" && value != "paper" && value != "modulo")
        return userError("expected full, paper or modulo for --mode, got '" + value + "'");
      out.solve.mode = value == "full" ? SolveMode::Full : value == "paper" ? SolveMode::Paper : SolveMode::Modulo;
    } else if (arg == "--solver") {
      if (!(out.solve.backend = findSatBackend(value))) {
        std::string known;
        for (const SatBackend &backend : satBackends())
          known += (known.empty() ? "" : ", ") + std::string(backend.name);
        return userError("expected one of " + known + " for --solver, got '" + value + "'");
      }
    } else if (arg == "--format") {
      if (value != "smt2" && value != "opb" && value != "lp")
        return userError("expected smt2, opb or lp for --format, got '" + value + "'");
      out.format = value;
    } else if (arg == "--without") {
      if (Status status = parseWithout(value, out.solve.constraints); !status)
        return status.error();
    } else if (arg == "-o") {
      if (++i >= argc)
        return userError("expected a file after -o, got none");
      out.output = argv[i];
    } else if (equals == std::string::npos && setFlag(arg, out)) {
      continue;
    } else if (arg[0] == '-') {
      return userError("unknown option '" + std::string(argv[i]) + "'");
    } else {
      out.files.push_back(argv[i]);
    }
  }
  for (const std::string &name : out.given)
    if (out.machine.empty() && changesFreeGroups(name))
      return userError("expected --free-groups with " + name + ", got none");
  if (out.solve.maxII && out.solve.maxII < out.solve.minII)
    return userError("expected --max-ii of at least the " + std::to_string(out.solve.minII) + " of --min-ii, got " +
                     std::to_string(out.solve.maxII));
  if (out.budget)
    out.solve.deadline = out.solve.deadline.afterSteps(out.budget);
  return out;
}

} // namespace heddle::sched
