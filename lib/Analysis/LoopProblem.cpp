//===- LoopProblem.cpp - from a loop of instructions to a scheduling problem ===//
//
// What:      scf.for of selected instructions -> Problem (nodes with costs of the machine file, edges from SSA and loop-carried values).
// Where:     after SelectInstructions; Pipelines hands the problem to a scheduler and the schedule to TileToWarp.
// Nodes:     loads, shared-memory reads, dots, element-wise operations and reductions. Scalars and free operations are not scheduled:
//            every group that needs one recomputes it (DESIGN.md, section 5.1).
// Edges:     value edges carry the producer's latency; a dot that accumulates into a dot's result may follow it after its hold
//            (the tensor core retires a chain in order); a load's edges carry 0 (Twill 4.2: streaming loads run ahead on their ring).
//
//===----------------------------------------------------------------------===//
#include "heddle/Analysis/LoopProblem.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Scheduling/Cost/Scale.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace heddle {

// What setmaxnreg can move from the load group to the others when all start from the launch bound (hopper_guide C1).
RegisterBudgets registerBudgets(int64_t groups, const Machine &machine) {
  const WarpLimits &limits = machine.warps();
  int64_t threads = 128 * (groups + 1), granule = limits.regGranule;
  int64_t launch = std::min<int64_t>(limits.maxRegsPerThread, limits.registerFile / threads / granule * granule);
  if (groups == 1)
    return {launch / granule * granule, launch / granule * granule}; // nothing to move: each has the most there is
  int64_t load = limits.minRegsPerThread; // one thread issues copies: it needs few
  int64_t compute = (launch * (groups + 1) - load) / groups / granule * granule;
  return {load, std::min(compute, limits.maxRegsPerThread / granule * granule)};
}

bool isScheduledLoop(scf::ForOp loop) {
  bool tiles = false, nested = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    nested |= op.getNumRegions() != 0;
    tiles |= touchesTiles(&op);
  }
  return tiles && !nested;
}

Operation *producerThroughFree(Value value) {
  Operation *def = value.getDefiningOp();
  while (def && isFree(def) && def->getNumOperands())
    def = def->getOperand(0).getDefiningOp();
  return def && isFree(def) ? nullptr : def;
}

static std::pair<StringRef, CostParams> classify(Operation *op) {
  auto tileOf = [](Type t) -> std::pair<ArrayRef<int64_t>, Type> {
    if (auto s = dyn_cast<warp::SmemType>(t))
      return {s.getShape(), s.getElementType()};
    if (auto r = dyn_cast<RankedTensorType>(t))
      return {r.getShape(), r.getElementType()};
    return {{}, t};
  };
  auto elems = [&](Type t) {
    int64_t n = 1;
    for (int64_t d : tileOf(t).first)
      n *= d;
    return n;
  };
  auto bytes = [&](Type t) { return elems(t) * std::max<int64_t>(1, tileOf(t).second.getIntOrFloatBitWidth() / 8); };
  if (auto dot = dyn_cast<warp::DotOp>(op)) {
    auto [a, element] = tileOf(dot.getA().getType());
    auto r = dot.getResult().getType();
    return {"wgmma", {{"m", a[0]}, {"n", r.getDimSize(1)}, {"k", a[1]}, {"bytes", element.getIntOrFloatBitWidth() / 8},
                      {"a_reg", isa<RankedTensorType>(dot.getA().getType())}}};
  }
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return {isTmaLoad(load) ? "tma_load" : "global_load", {{"bytes", bytes(load.getResult().getType())}}};
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return {isTmaStore(store) ? store.getKind() == "add" ? "tma_reduce" : "tma_store" : "global_store", {{"bytes", bytes(store.getValue().getType())}}};
  if (auto stage = dyn_cast<warp::StageOp>(op))
    return {"smem_write", {{"bytes", bytes(stage.getValue().getType())}}};
  if (auto read = dyn_cast<warp::ReadOp>(op))
    return {"smem_read", {{"bytes", bytes(read.getResult().getType())}}};
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return {reduce.getKind() == "add" ? "reduce" : "reduce_minmax", {{"elems", elems(reduce.getSource().getType())}, {"axis", reduce.getAxis()}}};
  int64_t n = op->getNumResults() ? elems(op->getResult(0).getType()) : 1;
  if (isa<math::ExpOp, math::Exp2Op>(op))
    return {"exp", {{"elems", n}}};
  if (isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp, math::AbsFOp, math::AbsIOp>(op))
    return {"sfu", {{"elems", n}}};
  if (isa<arith::DivFOp, arith::RemFOp>(op))
    return {"sfu", {{"elems", n}}};
  if (isa<arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(op))
    return {"cvt", {{"elems", n}}};
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::SelectOp, arith::CmpFOp>(op) ||
      (op->getNumOperands() && getElementTypeOrSelf(op->getOperand(0).getType()).isIntOrIndex()))
    return {"alu_half", {{"elems", n}}};
  return {"alu", {{"elems", n}}};
}

Result<OpCost> costOf(Operation *op, const Machine &machine) {
  auto [opClass, params] = classify(op);
  return machine.cost(opClass.str(), params);
}

namespace {
/// Registers per thread for addresses, loop state, barriers and row statistics (hopper_guide D2, K8: 24 to 40).
constexpr int64_t addressRegisters = 40;

/// "file.mlir:12".
std::string locationText(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return llvm::sys::path::filename(file.getFilename().getValue()).str() + ":" + std::to_string(file.getLine());
  return "";
}

/// True when `value` (rank 1) runs along the columns of tiles: some use repeats it along dimension 0.
bool alongColumns(Value value, int depth = 0) {
  return depth < 8 && llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(user))
      return broadcast.getAxis() == 0;
    return user->getNumResults() == 1 && user->getResult(0).getType() != value.getType()
               ? isa<arith::CmpIOp, arith::CmpFOp, arith::TruncFOp, arith::ExtFOp>(user) && alongColumns(user->getResult(0), depth + 1)
               : user->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(user) && alongColumns(user->getResult(0), depth + 1);
  });
}

/// Registers per thread of a register tile held by one warpgroup. Fragments spread a row over 4 lanes (hopper_guide A3): a tile takes
/// elements / 128, a vector along the rows elements / 32, one along the columns elements / 4; 16-bit elements pack, truth values do not.
int64_t registersOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  if (!tile)
    return 0;
  int64_t perThread = tile.getRank() > 1 ? 128 : alongColumns(value) ? 4 : 32;
  int64_t elements = std::max<int64_t>(1, tile.getNumElements() / perThread), bits = tile.getElementTypeBitWidth();
  return bits == 1 ? elements : (elements * bits + 31) / 32;
}

class Extractor {
public:
  Extractor(scf::ForOp loop, const Machine &machine, const ExtractOptions &options)
      : loop(loop), machine(machine), options(options) {}

  FailureOr<LoopProblem> run() {
    result.loop = loop;
    Problem &p = result.problem;
    p.name = "loop";
    if (auto kernel = loop->getParentOfType<tile::KernelOp>())
      p.name = kernel.getSymName().str();
    for (const MachineUnit &unit : machine.units())
      p.addUnit(unit.name, unit.capacity);
    if (int64_t smem = machine.memoryCapacity("smem"))
      p.addMemory("smem", smem, MemoryKind::Ring);
    int64_t groups = 1;
    if (auto kernel = loop->getParentOfType<tile::KernelOp>())
      if (auto attr = kernel->getAttrOfType<IntegerAttr>("groups"))
        groups = attr.getInt();
    p.regOverhead = addressRegisters;
    Group load;
    load.name = "load";
    load.warps = 1;
    load.variable = true;
    p.addGroup(load);
    for (int64_t g = 0; g < groups; ++g) {
      Group compute;
      compute.name = "compute" + std::to_string(g);
      compute.warps = 4;
      compute.regs = registerBudgets(groups, machine).compute;
      p.addGroup(compute);
    }
    for (Operation &op : loop.getBody()->without_terminator())
      if (touchesTiles(&op) && !isFree(&op) && failed(addNode(&op)))
        return failure();
    for (int v = 0, e = result.ops.size(); v < e; ++v)
      addEdges(v);
    if (options.freeGroups) {
      Result<Problem> joint = heddle::freeGroups(p, machine, options.free);
      if (!joint)
        return loop.emitError(joint.error().message());
      p = *joint;
    }
    result.cyclesPerUnit = options.cyclesPerUnit > 0 ? options.cyclesPerUnit : cyclesForResolution(p, options.resolution);
    scaleTimes(p, result.cyclesPerUnit);
    if (Status status = p.check(); !status)
      return loop.emitError("internal error: extracted problem: ") << status.error().message();
    return std::move(result);
  }

private:
  LogicalResult addNode(Operation *op) {
    Result<OpCost> cost = costOf(op, machine);
    if (!cost)
      return op->emitError(cost.error().message());
    Problem &p = result.problem;
    Node node;
    node.name = nodeName(op);
    node.loc = locationText(op->getLoc());
    if (!cost->unit.empty())
      node.reservations.push_back({p.findUnit(cost->unit), 0, cost->hold, 1});
    node.latency = cost->latency;
    node.issue = cost->issue;
    node.async = cost->async;
    bool copy = isa<tile::LoadOp>(op) && isTmaLoad(cast<tile::LoadOp>(op));
    node.variableLatency = copy;
    if (copy) {
      auto tile = cast<RankedTensorType>(op->getResult(0).getType());
      node.warps = 1;
      node.groups = {0};
      if (int smem = p.findMemory("smem"); smem >= 0)
        node.footprints.push_back({smem, tile.getNumElements() * tile.getElementTypeBitWidth() / 8});
    } else {
      node.warps = 4;
      auto group = op->getAttrOfType<IntegerAttr>(groupAttr);
      node.groups = {static_cast<int>(group ? group.getInt() : 0) + 1};
      for (Value result : op->getResults())
        node.regs += registersOf(result);
      int smem = p.findMemory("smem");
      if (auto stage = dyn_cast<warp::StageOp>(op); stage && smem >= 0) {
        RankedTensorType tile = stage.getValue().getType();
        node.footprints.push_back({smem, tile.getNumElements() * tile.getElementTypeBitWidth() / 8});
      }
    }
    holds.push_back(cost->hold);
    nodeOf[op] = p.addNode(std::move(node));
    result.ops.push_back(op);
    return success();
  }

  /// `dot`, `exp2`, ... made unique with the group and a running number.
  std::string nodeName(Operation *op) {
    std::string name = op->getName().stripDialect().str();
    if (auto attr = op->getAttrOfType<StringAttr>("heddle.name"))
      name = attr.str();
    if (auto group = op->getAttrOfType<IntegerAttr>(groupAttr))
      name += "_g" + std::to_string(group.getInt());
    int n = names[name]++;
    return n ? name + "_" + std::to_string(n) : name;
  }

  void addEdges(int to) {
    Operation *op = result.ops[to];
    for (OpOperand &use : op->getOpOperands()) {
      Value value = use.get();
      bool acc = isa<warp::DotOp>(op) && use.getOperandNumber() == 2;
      if (Operation *from = producerThroughFree(value))
        addEdge(from, to, 0, acc);
      else
        addCarried(value, to, acc);
    }
  }

  /// Follows a loop-carried value (through free operations and further iter_args) to its producer.
  void addCarried(Value value, int to, bool acc) {
    for (int64_t distance = 1; distance < 8; ++distance) {
      while (Operation *def = value.getDefiningOp()) {
        if (!isFree(def) || !def->getNumOperands())
          return;
        value = def->getOperand(0);
      }
      auto arg = dyn_cast<BlockArgument>(value);
      if (!arg || arg.getOwner() != loop.getBody() || arg.getArgNumber() == 0)
        return;
      value = loop.getYieldedValues()[arg.getArgNumber() - 1];
      if (Operation *from = producerThroughFree(value)) {
        addEdge(from, to, distance, acc);
        return;
      }
    }
  }

  void addEdge(Operation *from, int to, int64_t distance, bool acc) {
    auto it = nodeOf.find(from);
    if (it == nodeOf.end())
      return;
    Problem &p = result.problem;
    const Node &producer = p.nodes[it->second];
    Edge edge;
    edge.from = it->second;
    edge.to = to;
    edge.distance = distance;
    edge.delay = producer.variableLatency ? 0 : producer.latency;
    if (acc && isa<warp::DotOp>(from))
      edge.delay = holds[it->second];
    // An asynchronous reader keeps its operands; the accumulator is its own result's storage.
    if (!acc && isa<warp::DotOp>(result.ops[to]))
      edge.hold = holds[to];
    p.addEdge(edge);
  }

  scf::ForOp loop;
  const Machine &machine;
  ExtractOptions options;
  LoopProblem result;
  DenseMap<Operation *, int> nodeOf;
  std::vector<int64_t> holds;
  std::map<std::string, int> names;
};
} // namespace

FailureOr<LoopProblem> extractProblem(scf::ForOp loop, const Machine &machine, const ExtractOptions &options) {
  return Extractor(loop, machine, options).run();
}

} // namespace heddle
