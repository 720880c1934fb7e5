//===- Schedule.cpp - heddle schedule, heddle explain ----------------------===//
#include "Options.h"

#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Scheduling/Solver/Certify.h"
#include "heddle/Scheduling/Solver/Draw.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace heddle {

static cl::opt<std::string>
    solutionFile("o",
                 cl::desc("write the schedule to this file, for --schedule (several loops: FILE, FILE1, ...; the loop "
                          "over programs: FILE-programs; of a chain: FILE-KERNEL, ...)"),
                 cl::value_desc("file"), cl::sub(scheduleCommand));
static cl::opt<std::string>
    problemFile("problem",
                cl::desc("write the problem that the schedule solves, in its unit of time, to this file, for "
                         "heddle-check (several loops: as for --svg)"),
                cl::value_desc("F.sched"), cl::sub(scheduleCommand));
static cl::opt<std::string> svgFile("svg",
                                    cl::desc("draw the schedule to this file (several loops: F.svg, F1.svg, ...; the "
                                             "loop over programs: F-programs.svg)"),
                                    cl::value_desc("F.svg"), cl::sub(scheduleCommand));
static cl::opt<std::string> reportFile(
    "report",
    cl::desc("write one self-contained HTML page: pictures, operations, explanation (several loops: as for --svg)"),
    cl::value_desc("F.html"), cl::sub(scheduleCommand));

/// What is done with each scheduled loop; `suffix` tells the files of one from those of another.
using EachLoop = llvm::function_ref<int(const Problem &, const SolveResult &, const std::string &suffix)>;

/// Runs `each` on every scheduled loop of `kernel`, which is called `name` in file names where it is one of several;
/// behind them with `regions` the tree of its loops.
static int forEachLoop(const Input &input, tile::KernelOp kernel, const std::string &name, const Machine &machine,
                       EachLoop each, bool regions) {
  Compilation c;
  CompileOptions options = chosenOptions(name);
  options.scheduleAround = true;
  if (failed(compileKernel(kernel, machine, options, Level::Schedule, c)))
    return diagnosed(input);
  if (Status status = writeCertificates(c.loops, c.programs ? &*c.programs : nullptr, name); !status)
    return fail(status.error());
  std::string prefix = name.empty() ? "" : "-" + name;
  for (auto [i, loop] : llvm::enumerate(c.loops))
    if (int failed = each(loop.extracted.problem, loop.result, prefix + (i ? std::to_string(i) : "")))
      return failed;
  if (c.programs) {
    llvm::outs() << "\nthe loop over programs, " << c.programs->turns
                 << " in an iteration, given the schedules above and " << c.programs->trips << " trips of each loop:\n";
    if (int failed = each(c.programs->problem, c.programs->result, prefix + "-programs"))
      return failed;
  }
  if (regions)
    llvm::outs() << "\n" << describeRegions(c);
  else if (c.loops.empty() && !name.empty())
    llvm::outs() << "no loop to schedule\n";
  return ExitOk;
}

/// Runs `each` on every scheduled loop of the input (the kernels of a tile program or a .sched file), at last on the
/// loop over the programs of a persistent kernel.
static int forEachLoop(EachLoop each, bool regions) {
  if (llvm::StringRef(inputFile).ends_with(".sched")) {
    if (Status options = checkProblemOptions(); !options)
      return fail(options.error());
    SolveOptions solving = chosenOptions().solve;
    Result<Problem> problem = loadProblem(inputFile);
    if (!problem)
      return fail(problem.error());
    ScheduledLoop loop;
    loop.result = during("scheduling", [&] { return solve(*problem, solving); });
    loop.certificate = during("certifying", [&] { return certifyOptimal(*problem, loop.result, solving); });
    loop.extracted.problem = std::move(*problem);
    if (Status status = writeCertificates(loop); !status)
      return fail(status.error());
    return each(loop.extracted.problem, loop.result, "");
  }
  Result<Machine> machine = chosenMachine();
  if (!machine)
    return fail(machine.error());
  int code = ExitOk;
  std::unique_ptr<Input> input = loadProgram(code);
  if (!input)
    return code;
  for (tile::KernelOp kernel : kernelsOf(*input)) {
    std::string name = input->chain ? kernel.getSymName().str() : "";
    if (input->chain)
      llvm::outs() << "kernel '" << name << "':\n";
    if (int failed = forEachLoop(*input, kernel, name, *machine, each, regions))
      return failed;
  }
  return ExitOk;
}

/// `file` with `suffix` before its extension.
static std::string withSuffix(llvm::StringRef file, const std::string &suffix) {
  llvm::StringRef extension = llvm::sys::path::extension(file);
  return (file.drop_back(extension.size()) + suffix + extension).str();
}

static int statusCode(const SolveResult &r) {
  switch (r.status) {
  case SolveStatus::Optimal:
  case SolveStatus::Feasible: return ExitOk;
  case SolveStatus::Infeasible: return ExitInfeasible;
  case SolveStatus::LimitReached: return ExitLimit;
  case SolveStatus::Failed: return ExitInternal;
  }
  return ExitInternal;
}

static std::string explained(const Problem &problem, const SolveResult &r) {
  SolveOptions solving = chosenOptions().solve;
  solving.step = [](const std::string &what) { progress().now("explaining: " + what); };
  return during("explaining", [&] { return explain(problem, r, solving); });
}

int scheduleMain() {
  return forEachLoop(
      [&](const Problem &problem, const SolveResult &r, const std::string &suffix) {
        int64_t unit = problem.scale;
        llvm::outs() << problem.name << ": " << solveStatusName(r.status);
        if (r.hasSchedule)
          llvm::outs() << ", interval " << r.schedule.ii * unit << " cycles, lower bound " << boundText(r, unit) << ", "
                       << r.schedule.stages(problem) << " stages, " << llvm::format("%.3f", r.seconds) << " s";
        llvm::outs() << "\n" << (r.binding.empty() ? r.message : inCycles(r.binding, unit)) << "\n";
        if (r.hasSchedule) {
          std::string text = writeSchedule(problem, r.schedule);
          llvm::outs() << text;
          if (!solutionFile.empty())
            if (Status status = writeFile(solutionFile + suffix, text); !status)
              return fail(status.error());
          if (!problemFile.empty())
            if (Status status = writeFile(withSuffix(problemFile, suffix), writeProblem(problem)); !status)
              return fail(status.error());
          if (!svgFile.empty())
            if (Status status = writeFile(withSuffix(svgFile, suffix), drawSchedule(problem, r.schedule)); !status)
              return fail(status.error());
          if (!reportFile.empty())
            if (Status status =
                    writeFile(withSuffix(reportFile, suffix), drawReport(problem, r.schedule, explained(problem, r)));
                !status)
              return fail(status.error());
        }
        return statusCode(r);
      },
      /*regions=*/true);
}

int explainMain() {
  return forEachLoop(
      [](const Problem &problem, const SolveResult &r, const std::string &) {
        int64_t unit = problem.scale;
        if (unit > 1 && r.hasSchedule)
          llvm::outs() << "interval " << r.schedule.ii * unit << " cycles; ";
        if (unit > 1)
          llvm::outs() << "below, one cycle stands for " << unit << " of the machine's (--resolution=0: for one)\n";
        llvm::outs() << explained(problem, r) << "\n";
        return statusCode(r);
      },
      /*regions=*/false);
}

} // namespace heddle
