//===- BlockSizes.cpp - see BlockSizes.h ------------------------------------===//
#include "BlockSizes.h"

#include "heddle/Analysis/Differences.h"
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Scheduling/Bounds/Bounds.h"
#include "heddle/Transforms/RetileLoops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
namespace heddle {

static int64_t stepOf(const ScheduledLoop &loop) {
  return getConstantIntValue(scf::ForOp(loop.extracted.loop).getStep()).value_or(1);
}

bool takesRest(const Compilation &compilation, const ScheduledLoop &loop) {
  return llvm::any_of(compilation.loops, [&](const ScheduledLoop &other) {
    return scf::ForOp(other.extracted.loop).getUpperBound() == scf::ForOp(loop.extracted.loop).getLowerBound() &&
           stepOf(other) > stepOf(loop);
  });
}

std::string describeBlocks(const Compilation &compilation) {
  int64_t positions = compilation.retiled.value_or(0);
  return positions ? "blocks of loops are not those of the program (plan: retile = " + std::to_string(positions) +
                         "; as written: retile = 0)"
                   : "";
}

int64_t blocksOf(const Compilation &compilation) {
  if (!compilation.hw)
    return 1;
  ModuleOp lowered = *compilation.hw;
  auto kernels = lowered.getOps<hw::KernelOp>();
  if (kernels.empty()) // a lowering that failed
    return 1;
  auto blocks = (*kernels.begin())->getAttrOfType<IntegerAttr>(hw::blocksAttr);
  return blocks ? blocks.getInt() : 1;
}

/// Whether `loop` has a length of its own, whatever the sizes are: the diagonal of causal attention.
static bool isShort(const ScheduledLoop &loop) {
  scf::ForOp op = loop.extracted.loop;
  return knownDifference(op.getUpperBound(), op.getLowerBound()).has_value();
}

/// Of all loops together, where each takes `interval` times its scale; of those that grow with sizes, where there are.
static double cyclesForPosition(const Compilation &compilation,
                                llvm::function_ref<double(const ScheduledLoop &)> interval) {
  double cycles = 0;
  const bool allShort = llvm::all_of(compilation.loops, isShort);
  for (const ScheduledLoop &loop : compilation.loops)
    if (!takesRest(compilation, loop) && (allShort || !isShort(loop)))
      cycles += interval(loop) * static_cast<double>(loop.extracted.problem.scale) / static_cast<double>(stepOf(loop));
  return cycles;
}

double cyclesForPosition(const Compilation &compilation) {
  const auto blocks = static_cast<double>(blocksOf(compilation));
  // Blocks that share a multiprocessor hide each other's latencies, but have its units once.
  return cyclesForPosition(compilation, [&](const ScheduledLoop &loop) {
    return std::max(static_cast<double>(loop.result.schedule.ii) / blocks, static_cast<double>(loop.result.mii));
  });
}

double leastForPosition(const Compilation &problems) {
  constexpr double ofChains = 0.95; // problems whose chains are not formed yet count a few percent more
  return ofChains * cyclesForPosition(problems, [](const ScheduledLoop &loop) {
           return static_cast<double>(computeBounds(loop.extracted.problem).mii);
         });
}

/// What a schedule for other blocks or groups has to gain: causal attention with heads of 64 ran at 0.86 of its speed
/// with blocks of 64 positions, whose schedule is as long (bench/results/2026-11-27-h100-retiled.json).
static constexpr int64_t leastGain = 10; // a tenth

bool gainsEnough(double cycles, const Compilation &over) {
  return leastGain * cycles < (leastGain - 1) * cyclesForPosition(over);
}

bool reachesBounds(const Compilation &compilation) {
  return llvm::all_of(compilation.loops, [](const ScheduledLoop &loop) {
    return loop.result.schedule.ii - loop.result.mii <= loop.result.mii / leastGain;
  });
}

SmallVector<int64_t> otherBlocks(const Compilation &made) {
  SmallVector<int64_t> others;
  const int64_t own = made.retiled.value_or(0);
  if (blocksOf(made) > 1)
    llvm::copy_if(bestBlocks, std::back_inserter(others), [&](int64_t positions) { return positions > own; });
  if (!own)
    return others;
  llvm::copy_if(bestBlocks, std::back_inserter(others), [&](int64_t positions) { return positions < own; });
  others.push_back(0);
  return others;
}

bool haveOtherBlocks(const Compilation &one, const Compilation &other) {
  auto steps = [](const Compilation &compilation) {
    return llvm::to_vector(llvm::map_range(compilation.loops, stepOf));
  };
  return steps(one) != steps(other);
}

} // namespace heddle
