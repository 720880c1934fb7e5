//===- WarpSimulator.cpp - All CTAs of a warp kernel ------------------------===//
#include "WarpEngine.h"

#include "heddle/Dialect/Tile/KernelRules.h"

#include <memory>
#include <set>

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
  int64_t blocks = tile::clusterOf(kernel);
  ProgramRaces races(bindings, {(*grid)[0] * blocks, (*grid)[1], (*grid)[2]});
  struct Cluster {
    std::vector<std::unique_ptr<WarpEngine>> engines;
    std::vector<WarpEngine *> blocks;
  };
  auto make = [&](int64_t x, int64_t y, int64_t z) {
    Cluster cluster;
    for (int64_t rank = 0; rank < blocks; ++rank) {
      bool first = !x && !y && !z && rank == 0;
      cluster.engines.push_back(std::make_unique<WarpEngine>(kernel, bindings, machine, options, costs, waits, races,
                                                             Place{{x, y, z}, rank, blocks}, result,
                                                             first && options.timeline));
      cluster.blocks.push_back(cluster.engines.back().get());
    }
    return cluster;
  };
  if (kernel->walk([](warp::NextProgramOp) { return WalkResult::interrupt(); }).wasInterrupted()) {
    // Blocks that take programs from a counter run together: whoever asks first gets the next number.
    std::vector<Cluster> all;
    std::set<std::pair<int64_t, int64_t>> asking; // cycle, block
    std::vector<int64_t> cycles;
    int64_t next = (*grid)[0], count = std::min(next, left);
    cycles.resize(count);
    auto go = [&](int64_t block) {
      size_t ended = result.ctaCycles.size();
      std::optional<int64_t> asks = WarpEngine::run(all[block].blocks, steps);
      if (asks)
        asking.insert({*asks, block});
      else if (result.ctaCycles.size() > ended)
        cycles[block] = result.ctaCycles.back();
      return result.ok();
    };
    for (int64_t block = 0; block < count; ++block) {
      all.push_back(make(block, 0, 0));
      if (!go(block))
        return result;
    }
    while (!asking.empty()) {
      int64_t block = asking.begin()->second;
      asking.erase(asking.begin());
      all[block].engines.front()->give(next++);
      if (!go(block))
        return result;
    }
    result.ctaCycles = cycles; // in the grid's order, not in that of their ends
    return result;
  }
  for (int64_t z = 0; z < (*grid)[2]; ++z)
    for (int64_t y = 0; y < (*grid)[1]; ++y)
      for (int64_t x = 0; x < (*grid)[0]; ++x) {
        if (left <= 0)
          return result;
        left -= blocks;
        WarpEngine::run(make(x, y, z).blocks, steps);
        if (!result.ok())
          return result;
      }
  return result;
}
