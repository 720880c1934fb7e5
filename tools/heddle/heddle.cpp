//===- heddle.cpp - the tool people use ------------------------------------===//
// Subcommands: compile, run, schedule, explain. Exit codes: 0 good, 1 user error, 2 infeasible, 3 limit reached, 4 internal error, 5 wrong result.
#include "Options.h"

#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::OptionCategory own("heddle"); // LLVM's own options are no part of the interface
  llvm::cl::HideUnrelatedOptions(own);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "heddle: sequential tile programs to optimal, warp-specialised GPU kernels\n\n"
                                    "  heddle compile examples/01_gemm.mlir -o out/\n"
                                    "  heddle run examples/01_gemm.mlir --device=sim --dims M=256,N=256,K=192\n");
  if (heddle::compileCommand)
    return heddle::compileMain();
  if (heddle::runCommand)
    return heddle::runMain();
  if (heddle::scheduleCommand)
    return heddle::scheduleMain();
  if (heddle::explainCommand)
    return heddle::explainMain();
  llvm::errs() << "error: expected a subcommand (compile, run, schedule, explain); see heddle --help\n";
  return heddle::ExitUser;
}
