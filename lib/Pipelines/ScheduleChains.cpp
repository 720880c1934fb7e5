//===- ScheduleChains.cpp - a loop with less room, or in smaller nodes --------===//
//
// What:      a loop and its problem -> a schedule, of the problem as it is or of one that gives something up: room for
//            the elements of chains, the chains themselves, room for addresses.
// Where:     scheduleKernel, for each loop; an attempt itself is ScheduleLoop's.
// Says:      what the last attempt says, or the first that reached a limit: "infeasible" only where each was refuted.
//
//===----------------------------------------------------------------------===//
#include "ScheduleChains.h"
#include "ScheduleKernel.h"
#include "ScheduleLoop.h"

#include "heddle/Analysis/Chains.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
namespace heddle {

LogicalResult scheduleChains(ScheduledLoop &loop, const Machine &machine, FormOptions options, size_t index) {
  scf::ForOp source = loop.extracted.loop;
  const bool chained = hasChains(source);
  if (!chained && (!options.givesUpRoom || index < options.scheduleFiles.size()))
    return scheduleLoop(loop, machine, options, index);
  MLIRContext *context = source.getContext();
  bool given = index < options.scheduleFiles.size();
  bool tells = std::exchange(options.whyNot, false); // of the last attempt only
  std::vector<std::vector<Diagnostic>> said(1);
  bool found = succeeded(attemptQuietly(context, said[0], [&] { return scheduleLoop(loop, machine, options, index); }));
  auto cycles = [](const ScheduledLoop &l) { return l.result.schedule.ii * l.extracted.problem.scale; };
  auto stages = [](const ScheduledLoop &l) { return l.result.schedule.stages(l.extracted.problem); };
  if (!found && !chained && llvm::none_of(said[0], isUnscheduled)) {
    for (Diagnostic &diag : said[0])
      context->getDiagEngine().emit(std::move(diag));
    return failure();
  }
  if (found && (given || !chained || 10 * loop.result.schedule.ii <= 11 * loop.result.mii))
    return success();
  auto again = [&](ScheduledLoop &into) {
    return succeeded(attemptQuietly(context, said.emplace_back(), [&] {
      FailureOr<LoopProblem> problem = extractLoop(source, machine, options.extract, options);
      if (succeeded(problem))
        into.extracted = std::move(*problem);
      return failure(failed(problem) || failed(scheduleLoop(into, machine, options, index)));
    }));
  };
  // The attempt whose words are kept, so that no reason is looked for behind it.
  auto firstOpen = [&] {
    return llvm::find_if(said, [](std::vector<Diagnostic> &diags) {
      return llvm::any_of(diags, [](Diagnostic &diag) { return errorKindOf(diag) == ErrorKind::Limit; });
    });
  };
  auto isOpen = [&] { return firstOpen() != said.end(); };
  options.extract.chainRegisters = 0;
  options.tries *= 3;
  ScheduledLoop other;
  if (!found)
    options.extract.heldTiles = false;
  if (found) {
    if (!options.solve.maxStages)
      options.solve.maxStages = stages(loop);
    options.below = (11 * cycles(loop) + 11) / 12;
    if (again(other) && cycles(other) < options.below && stages(other) <= stages(loop))
      loop = std::move(other);
    return success();
  }
  found = chained && again(other);
  bool mayReread = !options.rowsGiven && readsRows(source);
  if (!found && !options.givesUpRoom)
    return failure();
  if (!found && chained && !given && !mayReread) { // compileKernel tries rows that chains read first
    dissolveChains(source);
    found = again(other = {});
    other.gaveUpChains = found;
  }
  if (!found && !mayReread) {
    if (chained)
      formChains(source, options.rows);
    options.extract.addressPercent = 50;
    options.whyNot = tells && !isOpen();
    found = again(other = {});
    other.fewAddresses = other.gaveUpChains = found;
  }
  if (found) {
    loop = std::move(other);
    return success();
  }
  for (Diagnostic &diag : isOpen() ? *firstOpen() : said.back())
    context->getDiagEngine().emit(std::move(diag));
  return failure();
}

} // namespace heddle
