//===- Gains.cpp - what pays, by the problems and schedules of a kernel -------===//
//
// What:   schedules and scheduling problems -> which units are busy, and by that whether a form of the kernel is worth
//         it: reductions deferred behind loops, several programs in flight, products that hide arithmetic.
// Where:  asked by ScheduleKernel.cpp before it divides a program, and by CompileForm.cpp between forms.
// Trusts: costs of the machine file. Each rule names the measurement that it follows.
//
//===----------------------------------------------------------------------===//
#include "Gains.h"
#include "PrepareKernel.h"
#include "ScheduleKernel.h"

#include "ScheduleLoop.h"
#include "heddle/Analysis/Chains.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/OuterProblem.h"
#include "heddle/Transforms/SelectInstructions.h"

#include <map>
#include <set>

using namespace mlir;
namespace heddle {

BusyUnits busyUnits(const LoopProblem &loop) {
  const Problem &problem = loop.problem;
  using Work = double BusyUnits::*;
  std::vector<double> busy(problem.units.size());
  std::vector<Work> works(problem.units.size(), &BusyUnits::arithmetic);
  for (auto [node, ops] : llvm::zip_equal(problem.nodes, loop.ops))
    for (const Reservation &held : node.reservations) {
      busy[held.unit] += static_cast<double>(held.length * held.amount) / problem.units[held.unit].capacity;
      bool product = llvm::any_of(ops, llvm::IsaPred<warp::DotOp>);
      Work &work = works[held.unit];
      if (node.async && work != &BusyUnits::loads) // whose unit stores, too
        work = node.variableLatency ? &BusyUnits::loads : product ? &BusyUnits::products : &BusyUnits::copies;
    }
  BusyUnits most;
  for (auto [cycles, work] : llvm::zip_equal(busy, works))
    most.*work = std::max(most.*work, cycles);
  return most;
}

bool arithmeticHides(const Compilation &compilation) {
  return llvm::all_of(compilation.loops, [](const ScheduledLoop &loop) {
    BusyUnits busy = busyUnits(loop.extracted);
    return busy.products == 0 || 2 * busy.arithmetic <= busy.products;
  });
}

bool gainsFromDeferral(tile::KernelOp prepared, int64_t most, const Machine &machine, const Plan &plan,
                       const FormOptions &options) {
  bool gains = false, besideProducts = false, alone = false; // reductions of loops with and without products
  OwningOpRef<ModuleOp> trial;
  std::vector<Diagnostic> dropped;
  auto measure = [&](scf::ForOp loop) {
    if (!isScheduledLoop(loop))
      return;
    FailureOr<LoopProblem> extracted = extractLoop(loop, machine, options.extract, options);
    if (failed(extracted))
      return;
    const Problem &problem = extracted->problem;
    BusyUnits busy = busyUnits(*extracted);
    bool takeTurns = problem.computeGroups() > 1;
    bool productsBind =
        busy.arithmetic <= busy.products && !plan.decidesLoops() && !loop.getOps<tile::ReduceOp>().empty();
    gains |= takeTurns && busy.products > 0 && (productsBind || 8 * busy.arithmetic > 9 * busy.products);
    if (!loop.getOps<tile::ReduceOp>().empty())
      (busy.products > 0 ? besideProducts : alone) = true;
  };
  (void)attemptQuietly(prepared.getContext(), dropped, [&] {
    if (failed(split(prepared, options.groups, most, /*defers=*/false, trial)) ||
        failed(selectInstructions(only<tile::KernelOp>(trial))))
      return failure();
    formChains(only<tile::KernelOp>(trial), Rows::Held);
    trial->walk(measure);
    return success();
  });
  return gains || (alone && !besideProducts && !plan.decidesLoops());
}

bool mayGainFromTurns(const Compilation &one) {
  if (!one.programs || !one.programs->result.hasSchedule)
    return false;
  std::map<std::string, int64_t> busy; // cycles of each unit in the loops, copies of stores beside them included
  std::set<std::string> engines;       // that copies hold
  int64_t loops = 0;                   // how long they run
  for (const ScheduledLoop &loop : one.loops) {
    const Problem &inner = loop.extracted.problem;
    int64_t trips = one.programs->trips * inner.scale;
    loops += trips * loop.result.schedule.ii;
    for (const Node &node : inner.nodes)
      for (const Reservation &held : node.reservations) {
        const Unit &unit = inner.units[held.unit];
        busy[unit.name] += trips * held.length * held.amount / unit.capacity;
        if (node.variableLatency)
          engines.insert(unit.name);
      }
  }
  const Problem &outer = one.programs->problem;
  for (size_t u = 0; u < outer.units.size(); ++u) {
    int64_t held = 0;
    for (const Node &node : outer.nodes)
      for (const Reservation &reservation : node.reservations)
        if (reservation.unit == static_cast<int>(u))
          held += reservation.length * reservation.amount;
    int64_t &cycles = busy[outer.units[u].name];
    cycles = std::max(cycles, held * outer.scale / outer.units[u].capacity);
  }
  bool saturated = false, copies = false;
  for (auto &[unit, cycles] : busy)
    (engines.count(unit) ? copies : saturated) |= 8 * cycles >= 7 * loops;
  return saturated && !copies;
}

bool gainsFromTurns(const Compilation &several, const Compilation &one) {
  if (!several.programs || !several.programs->result.hasSchedule)
    return false;
  double unit = one.programs->cycles() / OuterOptions().resolution;
  return several.programs->cycles() + unit <= one.programs->cycles();
}

} // namespace heddle
