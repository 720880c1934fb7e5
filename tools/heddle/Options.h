//===- Options.h - what the subcommands of `heddle` share ------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_OPTIONS_H
#define HEDDLE_TOOLS_HEDDLE_OPTIONS_H

#include "heddle/Pipelines/Compiler.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>

namespace heddle {

/// Exit codes of `heddle`.
enum ExitCode { ExitOk = 0, ExitUser = 1, ExitInfeasible = 2, ExitLimit = 3, ExitInternal = 4, ExitWrong = 5 };

/// Prints "error: text" (or "infeasible: text", ...) and gives the exit code of its kind.
int fail(const Error &error);
int fail(const llvm::Twine &text, ExitCode code = ExitUser);

extern llvm::cl::SubCommand compileCommand, runCommand, scheduleCommand, explainCommand;

/// Options of every subcommand that compiles.
extern llvm::cl::opt<std::string> inputFile;
/// Machine and compile options as given on the command line.
Result<Machine> chosenMachine();
CompileOptions chosenOptions();
/// "M=256,N=64" -> {M: 256, N: 64}; user errors name the bad part.
Result<std::map<std::string, int64_t>> parseDims(llvm::StringRef text);

/// One parsed input file with the context that owns it; diagnostics are printed with the source line.
struct Input {
  llvm::SourceMgr sources;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
  ExitCode worst = ExitOk; ///< kind of the worst diagnostic printed
};
/// Parses a tile program and picks its kernel (`--kernel` when there are several). Failure: an exit code was set in `code`.
std::unique_ptr<Input> loadProgram(int &code);
/// The exit code that stands for the diagnostics printed so far.
int diagnosed(const Input &input);

int compileMain();
int runMain();
int scheduleMain();
int explainMain();

} // namespace heddle

#endif // HEDDLE_TOOLS_HEDDLE_OPTIONS_H
