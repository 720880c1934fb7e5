//===- WarpSimulator.cpp - All CTAs of a warp kernel ------------------------===//
#include "WarpEngine.h"

#include "heddle/Dialect/Tile/KernelRules.h"

#include <memory>

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

const char *heddle::sim::faultKindName(FaultKind kind) {
  switch (kind) {
  case FaultKind::Race: return "race";
  case FaultKind::Protocol: return "protocol fault";
  case FaultKind::Deadlock: return "deadlock";
  case FaultKind::Imbalance: return "imbalance";
  case FaultKind::Unsupported: return "unsupported";
  case FaultKind::Limit: return "limit reached";
  }
  return "";
}

SimResult heddle::sim::simulateWarpKernel(warp::KernelOp kernel, Bindings &bindings, const Machine &machine,
                                          const SimOptions &options) {
  SimResult result;
  for (auto group : kernel.getBody().getOps<warp::GroupOp>())
    result.groups.push_back(group.getSymName().str());
  FailureOr<std::array<int64_t, 3>> grid = evaluateGrid(kernel, bindings);
  if (failed(grid)) {
    result.faults.push_back(
        {FaultKind::Unsupported, kernel.getLoc(), "expected a grid that can be computed, got none", {0, 0, 0}});
    return result;
  }
  CostCache costs;
  warp::WaitCounts waits = warp::countWaits(kernel);
  int64_t steps = options.maxSteps, left = options.maxCtas > 0 ? options.maxCtas : INT64_MAX;
  bool first = true;
  int64_t blocks = tile::clusterOf(kernel);
  ProgramRaces races(bindings, {(*grid)[0] * blocks, (*grid)[1], (*grid)[2]});
  for (int64_t z = 0; z < (*grid)[2]; ++z)
    for (int64_t y = 0; y < (*grid)[1]; ++y)
      for (int64_t x = 0; x < (*grid)[0]; ++x) {
        if (left <= 0)
          return result;
        left -= blocks;
        std::vector<std::unique_ptr<WarpEngine>> engines;
        std::vector<WarpEngine *> cluster;
        for (int64_t rank = 0; rank < blocks; ++rank) {
          engines.push_back(std::make_unique<WarpEngine>(kernel, bindings, machine, options, costs, waits, races,
                                                         Place{{x, y, z}, rank, blocks}, result,
                                                         first && rank == 0 && options.timeline));
          cluster.push_back(engines.back().get());
        }
        WarpEngine::run(cluster, steps);
        if (!result.ok())
          return result;
        first = false;
      }
  return result;
}
