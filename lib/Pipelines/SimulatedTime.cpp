//===- SimulatedTime.cpp - loops in the timing simulator, and as scheduled ------===//
//
// What:      a compiled kernel -> how much longer its loops take in the timing simulator than their schedules say.
// Where:     the tuner's model: the interval is what times allow, the simulator runs the order as the hardware would
//            (docs/Simulator.md), with arithmetic beside products and waits. In loops with little arithmetic both are
//            the same.
// Algorithm: sizes that bounds of scheduled loops depend on are doubled from the kernel's default ones, the other open
//            ones are 1, so that few programs run, on the simulator's few multiprocessors, with two such sizes: the
//            difference of all cycles, over that of the loops' scheduled ones, is free of what stands around the loops
//            (but for programs that come with the size, as blocks of queries do in causal attention).
// Limits:    nothing is known of a kernel whose sizes are open or whose trips memory decides, and of one that takes
//            more than so many operations or bytes.
//
//===----------------------------------------------------------------------===//
#include "SimulatedTime.h"

#include "ScheduleKernel.h"
#include "heddle/Analysis/KernelWork.h"
#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Simulator/Timing/WarpSimulator.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
namespace heddle {

/// Names of the sizes that bounds of scheduled loops of `kernel` depend on.
static std::set<std::string> sizesOfBounds(tile::KernelOp kernel) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  kernel.walk([&](scf::ForOp loop) {
    if (isScheduledLoop(loop))
      for (Value bound : {loop.getLowerBound(), loop.getUpperBound()})
        if (Operation *op = bound.getDefiningOp())
          (void)getBackwardSlice(op, &slice, options);
  });
  std::set<std::string> names;
  for (Operation *op : slice)
    if (auto dim = dyn_cast<tile::DimOp>(op))
      if (auto view = dyn_cast<BlockArgument>(dim.getView()))
        names.insert(tile::dimensionName(kernel, view.getArgNumber(), dim.getDim()));
  return names;
}

namespace {
/// One kernel, for sizes.
class Simulation {
public:
  Simulation(Compilation &made, const Machine &machine) : made(made), machine(machine) {}

  std::optional<double> overScheduled();

private:
  struct Trips {
    double least = 0;  ///< of a program in its shortest scheduled loop
    double cycles = 0; ///< of all programs in scheduled loops, as scheduled
  };
  Trips tripsWith(const Sizes &sizes) const;
  std::optional<int64_t> simulate(const Sizes &sizes) const;

  Compilation &made;
  const Machine &machine;
};
} // namespace

Simulation::Trips Simulation::tripsWith(const Sizes &sizes) const {
  std::vector<LoopTiming> loops;
  for (const ScheduledLoop &loop : made.loops) {
    auto interval = static_cast<double>(loop.result.schedule.ii * loop.extracted.problem.scale);
    loops.push_back({loop.extracted.loop, interval});
  }
  KernelWork work = workOf(only<tile::KernelOp>(made.tile), only<tile::KernelOp>(made.instructions), loops, sizes,
                           made.cluster, machine);
  Trips trips;
  trips.least = work.loops.empty() ? 0 : work.loops.front().trips;
  for (const LoopWork &loop : work.loops) {
    trips.least = std::min(trips.least, loop.trips);
    trips.cycles += work.programs * loop.trips * loop.interval / work.inFlight;
  }
  return trips;
}

std::optional<int64_t> Simulation::simulate(const Sizes &sizes) const {
  auto kernel = only<warp::KernelOp>(made.warp);
  sim::BindingRequest request;
  request.dims = sizes;
  request.byteLimit = int64_t(256) << 20;
  sim::SimOptions options;
  options.maxSteps = 2'000'000;
  options.timeline = options.emit = false;
  Result<sim::Bindings> bindings = sim::bindKernel(cast<FunctionOpInterface>(kernel.getOperation()), request);
  if (!bindings)
    return std::nullopt;
  sim::SimResult result = sim::simulateWarpKernel(kernel, *bindings, machine, options);
  if (!result.ok())
    return std::nullopt;
  int64_t cycles = 0;
  for (int64_t ofBlock : result.ctaCycles)
    cycles += ofBlock;
  return cycles;
}

std::optional<double> Simulation::overScheduled() {
  constexpr double enough = 6; // iterations
  constexpr int64_t mostDoublings = 8;
  auto kernel = only<tile::KernelOp>(made.tile);
  FailureOr<Sizes> open = sizesOf(kernel, {});
  std::set<std::string> growing = sizesOfBounds(kernel);
  if (failed(open) || growing.empty())
    return std::nullopt;
  Sizes sizes = *open;
  if (auto defaults = kernel->getAttrOfType<DictionaryAttr>("tile.default_dims"))
    for (NamedAttribute size : defaults)
      if (auto it = sizes.find(size.getName().str()); it != sizes.end() && !growing.count(it->first))
        it->second = 1;
  auto grow = [&] {
    for (const std::string &name : growing)
      sizes[name] *= 2;
    return tripsWith(sizes);
  };
  Trips few = tripsWith(sizes);
  for (int64_t i = 0; i < mostDoublings && few.least < enough; ++i)
    few = grow();
  std::optional<int64_t> begin = few.least < enough ? std::nullopt : simulate(sizes);
  Trips many = grow();
  std::optional<int64_t> end = begin ? simulate(sizes) : std::nullopt;
  if (!end || many.cycles <= few.cycles)
    return std::nullopt;
  return static_cast<double>(*end - *begin) / (many.cycles - few.cycles);
}

double simulatedOverScheduled(Compilation &made, const Machine &machine) {
  MLIRContext *context = made.warp.get().getContext();
  std::vector<Diagnostic> dropped;
  std::optional<double> over;
  (void)attemptQuietly(context, dropped, [&] {
    over = Simulation(made, machine).overScheduled();
    return success();
  });
  return over.value_or(1);
}

} // namespace heddle
