//===- RunTasks.cpp - heddle run on a task program without a mapping --------===//
//
// What:   interprets the program's entry on the inputs of the command line, then every variant of every task that it
//         reaches beside what its task means. No mapping can change the result of a program whose variants agree.
// Says:   "verified" where every comparison is right and tells something.
//
//===----------------------------------------------------------------------===//
#include "Inputs.h"
#include "Options.h"

#include "heddle/Dialect/Task/Program.h"
#include "heddle/Dialect/Task/Signature.h"
#include "heddle/Simulator/Task/CompareVariants.h"

using namespace mlir;
namespace heddle {

/// The tensors for a task: the command line's for the entry, random ones for the others.
static Result<sim::Bindings> bind(task::TaskOp task, task::TaskOp entry) {
  if (task != entry)
    return sim::bindForComparison(task, /*seed=*/1);
  OwningOpRef<ModuleOp> signature = task::signatureKernel(task);
  return bindInputs(cast<FunctionOpInterface>(*signature->getOps().begin()));
}

static std::string describe(const sim::VariantComparison &comparison) {
  task::VariantOp variant = comparison.variant;
  return "variant '" + variant.getSymName().str() + "' of '" + variant.getTask().str() + "'" +
         (comparison.choice.empty() ? "" : " with " + comparison.choice);
}

/// Runs the entry and keeps its outputs.
static int runEntry(Input &input, const sim::Bindings &bound, task::VariantOp variant) {
  sim::Bindings got = bound;
  if (failed(during("the meaning of the program", [&] { return sim::runVariant(variant, got); })))
    return diagnosed(input);
  llvm::outs() << "device: interpreter, as variant '" << variant.getSymName() << "' of '" << variant.getTask()
               << "' says\n";
  if (Status status = saveOutputs(got); !status)
    return fail(status.error());
  return ExitOk;
}

int runTaskProgram(Input &input) {
  auto meanings = task::meaningsOf(*input.module);
  int64_t compared = 0, elements = 0;
  std::string wrong, silent;
  for (task::TaskOp task : task::tasksOf(input.task)) {
    task::VariantOp meant = meanings.lookup(task);
    Result<sim::Bindings> bound = bind(task, input.task);
    if (!bound)
      return fail(bound.error());
    limitSimulation();
    if (int code = task == input.task ? runEntry(input, *bound, meant) : ExitOk)
      return code;
    auto comparisons = during("comparing variants", [&] { return sim::compareVariants(task, *bound); });
    if (failed(comparisons))
      return diagnosed(input);
    for (const sim::VariantComparison &comparison : *comparisons) {
      ++compared;
      elements += comparison.result.written;
      if (comparison.result.isWrong() && wrong.empty())
        wrong = describe(comparison) + " does not mean what '" + meant.getSymName().str() +
                "' does: " + comparison.result.str();
      else if (comparison.result.provesNothing() && silent.empty())
        silent = describe(comparison) + ": " + comparison.result.str();
    }
  }
  llvm::outs().flush();
  if (!wrong.empty())
    return fail(wrong, ExitWrong);
  if (!silent.empty())
    return fail(silent, ExitNothing);
  if (compared == 0) {
    llvm::outs() << "not verified: every task has one variant, and nothing to choose\n";
    return ExitOk;
  }
  llvm::outs() << "verified: " << compared << " variants and values of tunables mean what their tasks mean ("
               << elements << " elements, each within its rounding errors)\n";
  return ExitOk;
}

} // namespace heddle
