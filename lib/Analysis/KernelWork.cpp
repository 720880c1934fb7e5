//===- KernelWork.cpp - the work of a scheduled kernel with given sizes ----===//
//
// What:      see the header.
// Algorithm: `Walker` visits the body once for a program of the grid: it counts each operation as often as the loops
//            around it run. `workOf` visits programs spread over the grid for means, and the programs of the first
//            waves in their order for what L2 keeps.
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/KernelWork.h"

#include "OperationCost.h"
#include "heddle/Analysis/Cluster.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/Tile/ArgumentNames.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Target/TargetInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <map>
#include <numeric>
#include <set>

using namespace mlir;
namespace heddle {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

FailureOr<Sizes> sizesOf(tile::KernelOp kernel, const Sizes &given) {
  auto defaults = kernel->getAttrOfType<DictionaryAttr>("tile.default_dims");
  Sizes sizes;
  for (auto [argument, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto view = dyn_cast<tile::ViewType>(type);
    for (int64_t dim = 0; view && dim < view.getRank(); ++dim) {
      std::string name = tile::dimensionName(kernel, argument, dim);
      auto it = given.find(name);
      auto own = defaults ? defaults.getAs<IntegerAttr>(name) : IntegerAttr();
      int64_t size = view.getShape()[dim];
      if (ShapedType::isDynamic(size) && it != given.end())
        size = it->second;
      else if (ShapedType::isDynamic(size) && own)
        size = own.getInt();
      if (ShapedType::isDynamic(size) && !sizes.count(name))
        return kernel.emitOpError("expected a size for dimension '") << name << "', got none", failure();
      sizes.try_emplace(name, size);
    }
  }
  for (auto &[name, size] : given)
    if (auto it = sizes.find(name); it == sizes.end() || size < 1 || it->second != size)
      return kernel.emitOpError("expected ")
                 << (it == sizes.end() ? "the name of a dimension" : "a size of at least 1, and that of its type")
                 << ", got " << name << " = " << size,
             failure();
  return sizes;
}

namespace {

/// Which box of which view a load fetches, where its loops begin: loops that begin at one place read the same, as far
/// as the shorter one goes.
using BoxKey = std::vector<int64_t>;

/// What one program does.
struct Visit {
  std::vector<double> trips, loopSmem; ///< of each scheduled loop: iterations, bytes in shared memory
  std::map<BoxKey, double> boxes;      ///< bytes that it loads
  double flops = 0, issue = 0, smem = 0, loaded = 0, stored = 0;
  std::map<std::string, double> units; ///< cycles that it holds each
  std::map<int64_t, double> waits;     ///< cycles of each group outside of scheduled loops
};

class Walker {
public:
  Walker(tile::KernelOp written, tile::KernelOp selected, ArrayRef<LoopTiming> loops, const Sizes &sizes,
         ArrayRef<int64_t> cluster, const Machine &machine)
      : written(written), selected(selected), loops(loops), sizes(sizes), machine(machine),
        blocks(tile::clusterOf(selected)) {
    auto grid = *written.getBody().getOps<tile::GridOp>().begin();
    raster = grid.getRaster();
    for (auto [dim, size] : llvm::enumerate(grid.getSizes())) {
      int64_t together = cluster.empty() ? 1 : cluster[dim];
      gridSizes[dim] = llvm::divideCeil(std::max<int64_t>(1, evaluate(size).value_or(1)), together);
      if (dim == 0 && raster)
        raster = llvm::divideCeil(*raster, static_cast<uint64_t>(together));
    }
    for (tile::LoadOp load : sharedLoads(selected, blocks, llvm::IsaPred<tile::ClusterRankOp>))
      multicast.insert(load);
    known.clear();
  }

  /// Programs as written, and what is left over of clusters.
  double programs() const {
    return static_cast<double>(gridSizes[0]) * static_cast<double>(gridSizes[1]) * static_cast<double>(gridSizes[2]) *
           static_cast<double>(blocks);
  }

  int64_t rows() const { return gridSizes[0]; }
  int64_t columns() const { return gridSizes[1]; }

  /// Blocks that share the bytes of `load`.
  int64_t sharing(tile::LoadOp load) const { return multicast.contains(load) ? blocks : 1; }

  /// Visits program number `t`, the blocks of a cluster one after the other.
  Visit visit(int64_t t) {
    known.clear();
    starts.clear();
    rank = t % blocks;
    t /= blocks;
    number = t;
    // as in Transforms/Persist.cpp: dimension 0 fastest, or in bands
    int64_t plane = gridSizes[0] * gridSizes[1], inPlane = t % plane;
    at = {inPlane % gridSizes[0], inPlane / gridSizes[0], t / plane};
    if (raster) {
      int64_t height = static_cast<int64_t>(*raster), area = height * gridSizes[1], first = inPlane / area * height,
              rows = std::min(height, gridSizes[0] - first);
      at[0] = first + inPlane % area % rows;
      at[1] = inPlane % area / rows;
    }
    Visit out;
    out.trips.assign(loops.size(), 0);
    out.loopSmem.assign(loops.size(), 0);
    walk(selected.getBody().front(), 1, /*scheduled=*/false, out);
    return out;
  }

private:
  int64_t sizeOf(Value view, int64_t dim) const {
    auto argument = cast<BlockArgument>(view);
    return sizes.at(tile::dimensionName(written, argument.getArgNumber(), dim));
  }

  std::optional<int64_t> evaluate(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    std::optional<int64_t> result;
    if (Operation *op = value.getDefiningOp())
      result = evaluateOp(op);
    else if (auto argument = cast<BlockArgument>(value); argument.getOwner()->getParentOp()->getParentOp() &&
                                                         isa<tile::KernelOp>(argument.getOwner()->getParentOp()))
      if (auto own = dyn_cast_or_null<IntegerAttr>(
              cast<FunctionOpInterface>(selected.getOperation()).getArgAttr(argument.getArgNumber(), "tile.default")))
        result = own.getInt();
    known[value] = result;
    return result;
  }

  /// `value` in the first iterations of the loops around it.
  std::optional<int64_t> evaluateAtStart(Value value) {
    std::swap(known, starts);
    std::optional<int64_t> result = evaluate(value);
    std::swap(known, starts);
    return result;
  }

  std::optional<int64_t> evaluateOp(Operation *op) {
    if (auto dim = dyn_cast<tile::DimOp>(op))
      return sizeOf(dim.getView(), dim.getDim());
    if (auto id = dyn_cast<tile::ProgramIdOp>(op))
      return at[id.getDim()];
    if (auto count = dyn_cast<tile::NumProgramsOp>(op))
      return gridSizes[count.getDim()];
    if (isa<tile::ClusterRankOp>(op))
      return rank;
    if (isa<tile::MultiprocessorsOp>(op))
      return machine.property("sms", 1);
    if (op->getNumResults() != 1 || op->getNumRegions() || !op->getResult(0).getType().isIntOrIndex())
      return std::nullopt;
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      std::optional<int64_t> number = operand.getType().isIntOrIndex() ? evaluate(operand) : std::nullopt;
      if (!number)
        return std::nullopt;
      operands.push_back(IntegerAttr::get(operand.getType(), *number));
    }
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.size() != 1)
      return std::nullopt;
    if (auto value = dyn_cast<Value>(results[0]))
      return evaluate(value);
    auto number = dyn_cast<IntegerAttr>(cast<Attribute>(results[0]));
    return number ? number.getValue().trySExtValue() : std::nullopt;
  }

  /// Trips of a loop; its variable stands in the middle of them afterwards.
  double enter(scf::ForOp loop) {
    std::optional<int64_t> from = evaluate(loop.getLowerBound()), to = evaluate(loop.getUpperBound()),
                           step = evaluate(loop.getStep());
    starts[loop.getInductionVar()] = from;
    if (!from || !to || !step || *step < 1) {
      known[loop.getInductionVar()] = from;
      return 1;
    }
    int64_t trips = *to > *from ? (*to - *from + *step - 1) / *step : 0;
    known[loop.getInductionVar()] = *from + trips / 2 * *step;
    return static_cast<double>(trips);
  }

  void walk(Block &block, double times, bool scheduled, Visit &out) {
    for (Operation &op : block) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (loop->hasAttr(programLoopAttr)) {
          known[loop.getInductionVar()] = starts[loop.getInductionVar()] = number;
          walk(*loop.getBody(), times, false, out);
          continue;
        }
        double trips = enter(loop);
        auto timing = llvm::find_if(loops, [&](const LoopTiming &known) { return known.loop == loop; });
        double before = out.smem;
        walk(*loop.getBody(), times * trips, scheduled || timing != loops.end(), out);
        if (timing != loops.end()) {
          out.trips[timing - loops.begin()] += times * trips;
          out.loopSmem[timing - loops.begin()] += out.smem - before;
        }
        continue;
      }
      for (Region &region : op.getRegions()) // one of them runs
        for (Block &inner : region)
          walk(inner, times / op.getNumRegions(), scheduled, out);
      if (op.getNumRegions() == 0)
        count(&op, times, scheduled, out);
    }
  }

  /// The share of an access's box that lies inside the view.
  double insideOf(Value view, ValueRange indices, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) {
    double share = 1;
    if (view.getDefiningOp<tile::WindowOp>()) // its sizes are in memory
      return share;
    for (auto [d, dim] : llvm::enumerate(dims)) {
      std::optional<int64_t> index = evaluate(indices[dim]);
      double left = static_cast<double>(sizeOf(view, dim) - index.value_or(0));
      share *= std::clamp(left / static_cast<double>(shape[d]), 0.0, 1.0);
    }
    return share;
  }

  /// What `op` costs, which is the same in every program; none: it does nothing with tiles.
  const std::optional<OpCost> &costOfTiles(Operation *op) {
    auto [it, isNew] = costs.try_emplace(op);
    if (isNew && !isFree(op) && touchesTiles(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
        !isa<arith::ConstantOp>(op))
      if (Result<OpCost> cost = costOf(op, machine))
        it->second = std::move(*cost);
    return it->second;
  }

  void count(Operation *op, double times, bool scheduled, Visit &out) {
    const std::optional<OpCost> &cost = costOfTiles(op);
    if (!cost)
      return;
    out.issue += times * static_cast<double>(cost->issue);
    out.units[cost->unit] += times * static_cast<double>(cost->hold);
    double waits = cost->async ? 0 : static_cast<double>(cost->latency);
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      RankedTensorType tile = load.getResult().getType();
      double bytes = times * static_cast<double>(tileBytes(tile)) *
                     insideOf(load.getView(), load.getIndices(), load.getTileDims(), tile.getShape());
      out.loaded += bytes / static_cast<double>(sharing(load));
      out.smem += isTmaLoad(load) ? times * static_cast<double>(tileBytes(tile)) : 0;
      BoxKey key = {cast<BlockArgument>(tile::memoryOf(load.getView())).getArgNumber()};
      for (Value index : load.getIndices())
        key.push_back(evaluateAtStart(index).value_or(-1));
      double &box = out.boxes[key];
      box = std::max(box, bytes);
      waits = scheduled ? 0 : static_cast<double>(cost->latency);
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      RankedTensorType tile = store.getValue().getType();
      double whole = times * static_cast<double>(tileBytes(tile));
      out.stored += whole * insideOf(store.getView(), store.getIndices(), store.getTileDims(), tile.getShape());
      if (isTmaStore(store)) { // through shared memory
        out.smem += 2 * whole;
        if (Result<OpCost> write = machine.cost("smem_write", {{"bytes", tileBytes(tile)}})) {
          out.units[write->unit] += times * static_cast<double>(write->hold);
          waits += static_cast<double>(write->latency);
        }
      }
    } else if (auto dot = dyn_cast<warp::DotOp>(op)) {
      ArrayRef<int64_t> result = dot.getResult().getType().getShape();
      auto a = dyn_cast<warp::SmemType>(dot.getA().getType());
      auto b = cast<warp::SmemType>(dot.getB().getType());
      double depth = static_cast<double>(b.getShape()[0]), width = b.getElementType().getIntOrFloatBitWidth() / 8.0;
      double rows = static_cast<double>(result[0]), columns = static_cast<double>(result[1]);
      out.flops += times * 2 * rows * columns * depth;
      const TargetInterface &target = targetOf(dot);
      double instructionRows = static_cast<double>(target.dotRows());
      double instructionColumns = static_cast<double>(target.dotForm(b.getElementType())->mostColumns);
      out.smem +=
          times * depth * width *
          (std::ceil(rows / instructionRows) * columns + (a ? std::ceil(columns / instructionColumns) * rows : 0));
    } else if (isa<warp::ReadOp, warp::StageOp>(op)) {
      Type tile = isa<warp::ReadOp>(op) ? op->getResult(0).getType() : op->getOperand(0).getType();
      out.smem += times * static_cast<double>(tileBytes(tile));
    }
    if (!scheduled) {
      out.waits[op->hasAttr(groupAttr) ? groupOf(op) : -1] += times * waits;
    }
  }

  tile::KernelOp written, selected;
  ArrayRef<LoopTiming> loops;
  const Sizes &sizes;
  const Machine &machine;
  std::array<int64_t, 3> gridSizes = {1, 1, 1}, at = {0, 0, 0};
  std::optional<uint64_t> raster;
  int64_t number = 0, blocks, rank = 0; ///< blocks of a cluster, and the one that is visited
  DenseSet<Operation *> multicast;
  DenseMap<Value, std::optional<int64_t>> known, starts; ///< values, of loops in their middle and at their beginning
  DenseMap<Operation *, std::optional<OpCost>> costs;
};

/// Bytes that all programs read from device memory, from the boxes of the first waves.
class WaveReads {
public:
  WaveReads(double capacity) : capacity(capacity) {}

  void add(const Visit &visit) {
    for (auto &[key, bytes] : visit.boxes) {
      double &known = wave[key];
      held += std::max(0.0, bytes - known);
      known = std::max(known, bytes);
    }
    held += visit.stored;
  }
  void endWave() {
    double read = 0;
    for (auto &[key, bytes] : wave) {
      Held &before = last[key];
      bool stays = held - before.at <= capacity;
      read += stays ? std::max(0.0, bytes - before.bytes) : bytes;
      before = {stays ? std::max(bytes, before.bytes) : bytes, held};
    }
    reads.push_back(read);
    wave.clear();
  }
  /// `waves`: of all programs; those that were not seen read as those after the first did.
  double total(double waves) const {
    double sum = 0, later = 0;
    for (auto [i, read] : llvm::enumerate(reads)) {
      sum += read;
      later += i ? read : 0;
    }
    double seen = static_cast<double>(reads.size());
    return seen > 1 ? sum + (waves - seen) * later / (seen - 1) : sum * waves / std::max(1.0, seen);
  }

private:
  struct Held {
    double bytes = 0, at = 0; ///< of a box, and `held` at the end of the last wave that used it
  };
  double capacity, held = 0;     ///< bytes that went into L2 until now
  std::map<BoxKey, double> wave; ///< of the present wave
  std::map<BoxKey, Held> last;
  std::vector<double> reads;
};
} // namespace

KernelWork workOf(tile::KernelOp written, tile::KernelOp selected, ArrayRef<LoopTiming> loops, const Sizes &sizes,
                  ArrayRef<int64_t> cluster, const Machine &machine) {
  Walker walker(written, selected, loops, sizes, cluster, machine);
  KernelWork work;
  work.programs = walker.programs();
  work.rows = walker.rows();
  work.columns = walker.columns();
  selected.walk([&](scf::ForOp loop) {
    work.persistent |= loop->hasAttr(programLoopAttr);
    work.counted |= loop->hasAttr(programLoopAttr) && loop->hasAttr(countedAttr);
    if (auto turns = loop->getAttrOfType<IntegerAttr>(turnsAttr))
      work.inFlight = static_cast<double>(turns.getInt());
  });

  constexpr int64_t mostSpread = 129, mostWaves = 6;
  int64_t all = static_cast<int64_t>(std::min(work.programs, 1e15)), spread = std::min(all, mostSpread);
  for (LoopTiming timing : loops) {
    LoopWork loop;
    loop.interval = timing.interval;
    loop.depth = timing.depth;
    for (Operation &op : *timing.loop.getBody()) {
      Result<OpCost> cost = isFree(&op) || !touchesTiles(&op) || op.hasTrait<OpTrait::IsTerminator>()
                                ? Result<OpCost>(OpCost())
                                : costOf(&op, machine);
      if (!cost)
        continue;
      if (auto load = dyn_cast<tile::LoadOp>(op)) {
        RankedTensorType tile = load.getResult().getType();
        double bytes = static_cast<double>(tileBytes(tile));
        double row = bytes / static_cast<double>(tile.getNumElements()) * static_cast<double>(tile.getShape().back());
        loop.loadBytes += bytes;
        // pieces of rows of a view whose pitch is no multiple of a line lie in two
        int64_t last = load.getView().getType().getRank() - 1;
        bool aligned = last == 0 || load.getView().getDefiningOp<tile::WindowOp>();
        if (!aligned) {
          unsigned view = cast<BlockArgument>(load.getView()).getArgNumber();
          int64_t pitch = sizes.at(tile::dimensionName(written, view, last)) * tile.getElementTypeBitWidth() / 8;
          aligned = pitch % 128 == 0;
        }
        loop.multicast |= walker.sharing(load) > 1;
        loop.loadLines +=
            bytes / row * std::ceil(row / 128) * (aligned ? 1 : 2) / static_cast<double>(walker.sharing(load));
        loop.loadLatency = std::max(loop.loadLatency, static_cast<double>(cost->latency));
      } else {
        loop.drain = std::max(loop.drain, static_cast<double>(cost->latency));
      }
    }
    work.loops.push_back(loop);
  }
  auto cyclesOf = [&](const Visit &visit) {
    double cycles = 0;
    for (auto [loop, trips] : llvm::zip_equal(work.loops, visit.trips))
      cycles += trips * loop.interval;
    return cycles;
  };
  std::set<double> times; // of programs in their loops
  double stored = 0;
  // Steps near the golden ratio without a common divisor: equal distances would meet a coordinate of the grid again and
  // again at the same place.
  int64_t step = std::max<int64_t>(1, static_cast<int64_t>(0.618 * static_cast<double>(all)));
  while (std::gcd(step, all) != 1)
    ++step;
  for (int64_t i = 0; i < spread; ++i) {
    Visit visit = walker.visit(static_cast<int64_t>(static_cast<__int128>(i) * step % std::max<int64_t>(all, 1)));
    for (auto [loop, trips, smem] : llvm::zip_equal(work.loops, visit.trips, visit.loopSmem)) {
      loop.trips += trips;
      loop.smemBytes += smem;
    }
    times.insert(cyclesOf(visit));
    double straight = 0, busiest = 0;
    for (auto &[group, cycles] : visit.waits)
      straight = std::max(straight, cycles);
    for (auto &[unit, cycles] : visit.units)
      busiest = unit.empty() ? busiest : std::max(busiest, cycles);
    work.straight += straight;
    work.busiest += busiest;
    work.flops += visit.flops;
    work.issue += visit.issue;
    work.smemBytes += visit.smem;
    work.l2Bytes += visit.loaded + visit.stored;
    stored += visit.stored;
  }
  for (double *sum : {&work.straight, &work.busiest, &work.flops, &work.issue, &work.smemBytes, &work.l2Bytes, &stored})
    *sum /= static_cast<double>(spread);
  for (LoopWork &loop : work.loops) {
    loop.smemBytes /= std::max(loop.trips, 1.0);
    loop.trips /= static_cast<double>(spread);
  }
  int64_t side = std::max<int64_t>(1, machine.property("sms", 1));
  // Programs of unequal time: by the stride of a persistent kernel, else the next one for whoever is free.
  constexpr int64_t mostCounted = 1024;
  if (times.size() > 1 && all <= mostCounted) {
    bool stride = work.persistent && !work.counted;
    std::vector<double> busy(std::min(all, side), 0);
    double sum = 0;
    for (int64_t t = 0; t < all; ++t) {
      double cycles = cyclesOf(walker.visit(t));
      (stride ? busy[t % busy.size()] : *std::min_element(busy.begin(), busy.end())) += cycles;
      sum += cycles;
    }
    double rounds = std::ceil(static_cast<double>(all) / static_cast<double>(side));
    work.uneven = *std::max_element(busy.begin(), busy.end()) * static_cast<double>(all) / (rounds * sum);
  }
  WaveReads reads(static_cast<double>(machine.property("l2_bytes", 0)));
  for (int64_t t = 0; t < std::min(all, mostWaves * side); ++t) {
    reads.add(walker.visit(t));
    if ((t + 1) % side == 0 || t + 1 == all)
      reads.endWave();
  }
  work.memoryBytes = reads.total(std::ceil(work.programs / static_cast<double>(side))) + work.programs * stored;
  return work;
}

} // namespace heddle
