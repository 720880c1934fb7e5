//===- Options.h - what the subcommands of `heddle` share ------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_OPTIONS_H
#define HEDDLE_TOOLS_HEDDLE_OPTIONS_H

#include "heddle/Conversion/TaskToTile/TaskToTile.h"
#include "heddle/Dialect/Task/Task.h"
#include "heddle/Dialect/Tile/Chain.h"
#include "heddle/Pipelines/Compiler.h"
#include "heddle/Simulator/Functional/Meaning.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"
#include "heddle/Support/Progress.h"
#include "heddle/Transforms/SplitContraction.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include <map>
#include <memory>
#include <optional>

namespace heddle {

/// Exit codes of `heddle`.
enum ExitCode {
  ExitOk = 0,
  ExitUser = 1,
  ExitInfeasible = 2,
  ExitLimit = 3,
  ExitInternal = 4,
  ExitWrong = 5,
  ExitNothing = 6
};

ExitCode exitCodeOf(ErrorKind kind);
/// Prints "error: text" (or "infeasible: text", ...) and gives the exit code of its kind.
int fail(const Error &error);
int fail(const llvm::Twine &text, ExitCode code = ExitUser);

extern llvm::cl::SubCommand compileCommand, runCommand, scheduleCommand, explainCommand, verifyCommand, checkCommand,
    tuneCommand;

/// Options of every subcommand that compiles.
extern llvm::cl::opt<std::string> inputFile, kernelName;
/// Reads and checks what needs no program: numbers, names, --param, and a --plan of one kernel.
Status readOptions();
/// Reads the plans of the kernels of `chain`, which has no use for options of one kernel; null: there is no chain, and
/// --plan names no kernels.
Status readChainOptions(tile::ChainOp chain);
/// What decides on the way from a tile program to a warp program has no meaning for the latter.
Status checkLowerOptions(mlir::FunctionOpInterface kernel);
/// The same for task programs that are interpreted, and for problems, which are solved as they are.
Status checkTaskOptions();
Status checkProblemOptions();
/// --split-k (0: as the plan says) and --split-sums (none: not given).
struct SplitChoice {
  int64_t parts;
  std::optional<PartialSums> sums;
};
SplitChoice chosenSplit();
/// "M=256,N=64" of `option` -> {M: 256, N: 64}; user errors name the bad part.
Result<std::map<std::string, int64_t>> parseSizes(llvm::StringRef option, llvm::StringRef text);
/// Machine and compile options as given on the command line; for one kernel of a chain, by its name.
Result<Machine> chosenMachine();
CompileOptions chosenOptions(llvm::StringRef kernel = "");
/// Where plans of `heddle tune` are kept; empty: nowhere.
std::string planDirectory();
/// Compiles with the plan that `heddle tune` keeps for `kernel` with `sizes`, and says so on stderr; not where options
/// decide something themselves.
void useTunedPlan(tile::KernelOp kernel, const Machine &machine, const std::map<std::string, int64_t> &sizes);

/// Writes the certificates of --certificate: into the directory itself, or with several loops into loop0, loop1, ... of
/// it; each with its problem as loop.sched. Says on stderr which loop has none. With `kernel`, one of a chain, into
/// its folder.
Status writeCertificates(llvm::ArrayRef<ScheduledLoop> loops, const ScheduledPrograms *programs = nullptr,
                         llvm::StringRef kernel = "");

namespace triton {
struct Conversion;
}

/// One parsed input file with the context that owns it; diagnostics are printed with the source line.
struct Input {
  llvm::SourceMgr sources;
  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> printer; ///< unregisters itself from `context`, so it goes first
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
  tile::ChainOp chain;  ///< kernels that run as one instead of `kernel`
  tile::KernelOp whole; ///< with --split-k: the kernel that `chain` was made of, which says what the result must be
  mlir::OwningOpRef<mlir::ModuleOp> split; ///< where that chain is
  mlir::FunctionOpInterface lower;         ///< a warp or an hw kernel instead of `kernel`
  task::TaskOp task; ///< the entry of a task program: what it means, the result must be; with --mapping `kernel`, too
  std::optional<Mapping> mapping;                 ///< of a task program
  InstanceLabels labels;                          ///< its instances in the plan
  mlir::OwningOpRef<mlir::ModuleOp> source;       ///< the Triton kernel or the tasks whose conversion `module` is
  std::shared_ptr<triton::Conversion> conversion; ///< null: the file has a tile program
  ExitCode worst = ExitOk;                        ///< kind of the worst diagnostic printed
};
/// Parses `file`, and converts nothing. Failure: an exit code was set in `code`.
std::unique_ptr<Input> parseText(int &code, const std::string &file = inputFile);
/// Parses any program of `file`; a Triton kernel becomes a tile program. Failure: an exit code was set in `code`.
std::unique_ptr<Input> parseInput(int &code, const std::string &file = inputFile);
/// Parses a tile program and picks its kernel or chain (`--kernel` when there are several). Failure: an exit code was
/// set in `code`.
std::unique_ptr<Input> loadProgram(int &code);
/// Parses a program of any level that compiles to kernels and picks its one chain, else its one kernel (`--kernel` when
/// there are several). Options that a level has no use for are errors. With `tasks`, a task program without a mapping,
/// too: its `task` is picked. Failure: an exit code was set in `code`.
std::unique_ptr<Input> loadAnyProgram(int &code, bool tasks = false);
/// Compiles what loadAnyProgram has picked.
mlir::LogicalResult compileInput(const Input &input, const Machine &machine, Level upTo, Compilation &out);
/// Picks the chain of `input`, else its tile.kernel (`--kernel` when there are several). False: an exit code was set in
/// `code`.
bool pickKernel(Input &input, int &code);
/// Converts the Triton kernel of `input`, if it is one. False: an exit code was set in `code`.
bool convertTriton(Input &input, int &code);
/// Converts the tasks of `input`, if it has some, by --mapping, if it is given. False: an exit code was set in `code`.
bool convertTaskProgram(Input &input, int &code);
/// Prints the mapping of `input` with what the plan of its kernel says; gives the exit code.
int printMapping(const Input &input, const Machine &machine, llvm::StringRef plan);
/// A task program without a mapping has no kernel: then an exit code is set in `code`.
bool lacksMapping(Input &input, int &code);
/// What the result of the kernel of `input` must be: what its tasks mean, else what the kernel itself does.
mlir::FailureOr<sim::Meaning> meaningOf(const Input &input, const sim::Bindings &bound);
/// Prints how `got` compares with what the program means; "verified" is said only of what was checked element by
/// element. Gives the exit code.
int reportComparison(const sim::Bindings &got, const sim::Meaning &meaning);
/// The exit code of a simulated run that faults. What the compiler made must not: that is our fault, and said to be.
int faultCode(const sim::SimResult &result, bool compiled);
/// Starts the clock of --simulation-limit; where it runs out the process ends with ExitLimit.
void limitSimulation();
/// The exit code that stands for the diagnostics printed so far.
int diagnosed(const Input &input);

/// Calls `work` and gives its result; while it lasts and once it takes seconds, stderr says that `what` is being done.
Progress &progress();
template <typename Work> auto during(const std::string &what, Work work) {
  progress().now(what);
  auto result = work();
  progress().now("");
  return result;
}

/// Prints the events of a task program under its mapping, after `stage`; gives the exit code.
int emitEvents(Input &input, llvm::StringRef stage);

/// The kernels of `input`: of its chain, in the order of their first launches, or its one tile.kernel.
llvm::SmallVector<tile::KernelOp> kernelsOf(const Input &input);

/// Runs a task program without a mapping: what its entry means, and whether all variants mean the same.
int runTaskProgram(Input &input);

int compileMain();
int runMain();
int scheduleMain();
int explainMain();
int verifyMain();
int checkMain(const char *argv0);
int tuneMain();

} // namespace heddle

#endif // HEDDLE_TOOLS_HEDDLE_OPTIONS_H
