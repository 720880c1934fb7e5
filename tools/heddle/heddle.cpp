//===- heddle.cpp - the tool people use ------------------------------------===//
//
// What:   compile, run, schedule, explain, verify, check, tune; each in its own file, what they share in Options.
// Exit:   0 good
//         1 user error: bad input, bad options, a missing file, no usable GPU, no nvcc
//         2 infeasible: no schedule or no allocation within the limits, which are named
//         3 limit reached: time or memory ran out before an answer
//         4 internal error: ours
//         5 wrong result: what ran differs from the sequential meaning
//         6 nothing proved: what ran does not differ, but with these inputs most of it could not (NaN, infinities, only
//         rounding errors)
// Errors: on stderr, located where there is a place, lower-case, "expected X, got Y".
//
//===----------------------------------------------------------------------===//
#include "Options.h"

#include "heddle/Support/Version.h"
#include "llvm/Support/InitLLVM.h"

/// The chosen subcommand's exit code.
static int run(char **argv) {
  if (heddle::compileCommand)
    return heddle::compileMain();
  if (heddle::runCommand)
    return heddle::runMain();
  if (heddle::scheduleCommand)
    return heddle::scheduleMain();
  if (heddle::explainCommand)
    return heddle::explainMain();
  if (heddle::verifyCommand)
    return heddle::verifyMain();
  if (heddle::tuneCommand)
    return heddle::tuneMain();
  if (heddle::checkCommand)
    return heddle::checkMain(argv[0]);
  llvm::errs()
      << "error: expected a subcommand (compile, run, schedule, explain, verify, check, tune); see heddle --help\n";
  return heddle::ExitUser;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << heddle::versionText("heddle"); });
  llvm::cl::OptionCategory own("heddle"); // LLVM's own options are no part of the interface
  llvm::cl::HideUnrelatedOptions(own);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "heddle: sequential tile programs to optimal, warp-specialised GPU kernels\n\n"
                                    "  heddle compile examples/01_gemm.mlir -o out/\n"
                                    "  heddle run examples/01_gemm.mlir --device=sim --dims M=256,N=256,K=192\n"
                                    "  heddle verify examples/02_attention.mlir --mutants\n\n"
                                    "exit codes: 0 good, 1 user error, 2 infeasible, 3 limit reached, 4 internal "
                                    "error, 5 wrong result, 6 nothing proved\n");
  int code = run(argv);
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error()) {
    llvm::outs().clear_error(); // reported here
    int failed = heddle::fail("cannot write to standard output: " + error.message());
    return code ? code : failed;
  }
  return code;
}
