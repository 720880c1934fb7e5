//===- OperationCost.cpp - what an instruction costs and holds -------------===//
//
// What:      operation -> operation class of the machine file with its parameters; tile -> registers per thread.
// Where:     extraction and the timing simulator.
// Registers: as the target spreads tiles over threads (Target/TargetInterface.h).
//
//===----------------------------------------------------------------------===//
#include "OperationCost.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/RowSharing.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Dialect/Tile/SharedFunctions.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace heddle {

/// The class of a machine file for folds over the warps of a group.
static constexpr const char *foldOverWarps = "fold_warps";
/// Of copies by threads; a machine file that has none takes what loads take.
static constexpr const char *threadCopyClass = "thread_copy";

static std::pair<ArrayRef<int64_t>, Type> tileOf(Type t) {
  if (auto s = dyn_cast<warp::SmemType>(t))
    return {s.getShape(), s.getElementType()};
  if (auto r = dyn_cast<RankedTensorType>(t))
    return {r.getShape(), r.getElementType()};
  return {{}, t};
}

static int64_t elementsOf(Type t) {
  int64_t n = 1;
  for (int64_t d : tileOf(t).first)
    n *= d;
  return n;
}

int64_t tileBytes(Type t) {
  Type element = tileOf(t).second; // an index has 32 bits
  return elementsOf(t) * (element.isIndex() ? 4 : std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8));
}

bool isTranscendental(Operation *op) { return tile::costOfFunction(op) > 0; }

static std::pair<StringRef, CostParams> classify(Operation *op, const TargetInterface &target, bool asRun) {
  auto elems = [](Type t) { return elementsOf(t); };
  auto bytes = [](Type t) { return tileBytes(t); };
  auto copies = [&](Value value) -> int64_t {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (!asRun || !tile || tile.getRank() != 1)
      return 1;
    int64_t held = RegisterLayout{target}.registersOf(value) * warpsPerGroup * threadsPerWarp;
    return std::max<int64_t>(1, held / tile.getNumElements());
  };
  if (auto dot = dyn_cast<warp::DotOp>(op)) {
    auto [a, element] = tileOf(dot.getA().getType());
    auto r = dot.getResult().getType();
    return {target.dotClass(),
            {{"m", a[0]},
             {"n", r.getDimSize(1)},
             {"k", a[1]},
             {"bytes", element.getIntOrFloatBitWidth() / 8},
             {"a_reg", isa<RankedTensorType>(dot.getA().getType())}}};
  }
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    RankedTensorType tile = load.getType();
    bool copied = isTmaLoad(load);
    int64_t brought = bytes(copied && load.getExtent() ? tile.clone(*load.getExtent()) : tile);
    return {copied ? "tma_load" : "global_load", {{"bytes", brought}}};
  }
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return {"global_load", {{"bytes", bytes(gather.getResult().getType())}}};
  if (auto element = dyn_cast<tile::ElementOp>(op))
    return {"global_load", {{"bytes", (element.getType().getIntOrFloatBitWidth() + 7) / 8}}};
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return {isTmaStore(store) ? store.getKind() == "add" ? "tma_reduce" : "tma_store" : "global_store",
            {{"bytes", bytes(store.getValue().getType())}}};
  if (auto stage = dyn_cast<warp::StageOp>(op))
    return {copiedSource(stage) ? threadCopyClass : "smem_write", {{"bytes", bytes(stage.getValue().getType())}}};
  if (auto read = dyn_cast<warp::ReadOp>(op))
    return {"smem_read", {{"bytes", bytes(read.getResult().getType()) * copies(read.getResult())}}};
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    ArrayRef<int64_t> shape = reduce.getSource().getType().getShape();
    int64_t axis = reduce.getAxis(), apart = 1; // elements of a row from one of those that are reduced to the next
    for (int64_t size : shape.drop_front(axis + 1))
      apart *= size;
    // with a row per thread only columns cross threads
    bool crosses =
        target.holdsRowPerThread() ? axis == 0 : axis > 0 && sharingOf(reduce.getSource()).crosses(shape[axis], apart);
    return {tile::isExtreme(tile::foldOf(reduce)) ? "reduce_minmax" : "reduce",
            {{"elems", elems(reduce.getSource().getType())}, {"axis", crosses}}};
  }
  if (auto scan = dyn_cast<tile::ScanOp>(op)) // a step for each bit of a position, each about a reduction's
    return {
        "reduce",
        {{"elems", elems(scan.getSource().getType()) * static_cast<int64_t>(llvm::Log2_64_Ceil(std::max<int64_t>(
                                                           2, scan.getSource().getType().getDimSize(scan.getAxis()))))},
         {"axis", true}}};
  int64_t n = 1;
  if (op->getNumResults()) {
    int64_t all = elems(op->getResult(0).getType()), threads = warpsPerGroup * threadsPerWarp;
    int64_t times = copies(op->getResult(0)), shared = (all + threads - 1) / threads;
    n = all * (times > 1 && tile::isShared(op, all * times / threads, shared) ? 1 : times);
  }
  if (isa<math::ExpOp, math::Exp2Op>(op) && !(asRun && isa<math::Exp2Op>(op)))
    return {"exp", {{"elems", n}}};
  // The compiler of the text fuses a product and a sum of their own as well: schedules of both are the same. As one
  // operation attention with heads of 64 got one that ran at 0.93 of its speed (16_attention_d64, fused, before:
  // bench/results/2026-11-27-h100-forms-stores.json).
  if (isa<math::FmaOp>(op) && !asRun)
    n *= 2;
  if (isa<math::TanhOp>(op) && !tile::isApproximate(op)) // an exponential and a reciprocal (hd::tanh)
    n *= 2;
  if (isTranscendental(op))
    return {"sfu", {{"elems", n}}};
  if (asRun && isa<arith::ExtFOp>(op))
    return {"alu_half", {{"elems", n}}};
  // From integers at half the rate, and to narrow floats through f32, pairs of which then become one register (CUDA C++
  // programming guide, throughput of arithmetic instructions).
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    bool narrow = getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth() < 32;
    return {"alu_half", {{"elems", narrow ? n + n / 2 : n}}};
  }
  if (isa<arith::TruncFOp, arith::ExtFOp, arith::FPToSIOp, arith::FPToUIOp>(op))
    return {"cvt", {{"elems", n}}};
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::SelectOp, arith::CmpFOp>(
          op) ||
      (op->getNumOperands() && getElementTypeOrSelf(op->getOperand(0).getType()).isIntOrIndex()))
    return {"alu_half", {{"elems", n}}};
  return {"alu", {{"elems", n}}};
}

Result<OpCost> costOfThreadCopy(int64_t bytes, const Machine &machine) {
  bool isKnown = llvm::is_contained(machine.opClasses(), threadCopyClass);
  return machine.costAmongOthers(isKnown ? threadCopyClass : "global_load", {{"bytes", bytes}});
}

/// Of the class of `op` alone.
static Result<OpCost> ownCost(Operation *op, const Machine &machine, bool asRun) {
  auto [opClass, params] = classify(op, targetOf(machine), asRun);
  return opClass == threadCopyClass ? costOfThreadCopy(params.at("bytes"), machine)
                                    : machine.cost(opClass.str(), params);
}

/// What a call is stated to take of each class.
static Result<SmallVector<OpCost>> statedCosts(tile::CallOp call, const Machine &machine) {
  SmallVector<OpCost> costs;
  for (NamedAttribute stated : call.getCost()) {
    int64_t operations = cast<IntegerAttr>(stated.getValue()).getInt();
    Result<OpCost> cost = machine.cost(stated.getName().str(), {{"elems", operations * elementsOf(call.getType())}});
    if (!cost)
      return cost.error();
    costs.push_back(*cost);
  }
  return costs;
}

/// What a fold of columns takes beside what each thread folds, where the machine file says so: lanes of all warps have
/// parts of every result, which pass through shared memory.
static std::optional<Result<OpCost>> costOverWarps(Operation *op, const Machine &machine) {
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  auto scan = dyn_cast<tile::ScanOp>(op);
  const TargetInterface &target = targetOf(machine);
  if ((!reduce && !scan) || (reduce ? reduce.getAxis() : scan.getAxis()) != 0)
    return std::nullopt;
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  if (source.getRank() != 2 || target.holdsRowPerThread() || source.getDimSize(0) < warpsPerGroup ||
      !llvm::is_contained(machine.opClasses(), foldOverWarps))
    return std::nullopt;
  return machine.cost(foldOverWarps, {{"elems", RegisterLayout{target}.registersOf(op->getResult(0)) * warpsPerGroup *
                                                    threadsPerWarp}});
}

/// The costs of what an operation does, one behind the other.
static Result<SmallVector<OpCost>> costsOf(Operation *op, const Machine &machine) {
  if (auto call = dyn_cast<tile::CallOp>(op))
    return statedCosts(call, machine);
  SmallVector<OpCost> costs;
  for (const std::optional<Result<OpCost>> &cost :
       {std::optional(ownCost(op, machine, /*asRun=*/false)), costOverWarps(op, machine)}) {
    if (cost && !*cost)
      return cost->error();
    if (cost)
      costs.push_back(**cost);
  }
  return costs;
}

Result<OpCost> costOf(Operation *op, const Machine &machine, bool asRun) {
  if (auto call = dyn_cast<tile::CallOp>(op)) {
    Result<SmallVector<OpCost>> costs = statedCosts(call, machine);
    if (!costs)
      return costs.error();
    OpCost all = *llvm::max_element(*costs, [](const OpCost &a, const OpCost &b) { return a.hold < b.hold; });
    all.issue = all.latency = 0;
    for (const OpCost &cost : *costs) {
      all.issue += cost.issue;
      all.latency += cost.latency;
    }
    return all;
  }
  Result<OpCost> cost = ownCost(op, machine, asRun);
  std::optional<Result<OpCost>> more = costOverWarps(op, machine);
  if (!cost || !more || !*more)
    return more && !*more ? more->error() : cost;
  cost->issue += (*more)->issue;
  cost->hold += (*more)->hold;
  cost->latency += (*more)->latency;
  return cost;
}

Result<NodeCost> costOfNode(ArrayRef<Operation *> chain, ArrayRef<Operation *> again, const Machine &machine) {
  NodeCost sum;
  llvm::SmallDenseMap<Operation *, int64_t> depths; // until an element is through
  int64_t longest = 0, busiest = 0;
  for (ArrayRef<Operation *> part : {again, chain})
    for (Operation *op : part) {
      Result<SmallVector<OpCost>> costs = costsOf(op, machine);
      if (!costs)
        return costs.error();
      int64_t way = 0; // of one element
      for (const OpCost &cost : *costs) {
        sum.issue += cost.issue;
        sum.async |= cost.async;
        way += cost.latency - cost.hold;
        if (cost.unit.empty())
          continue;
        auto known = llvm::find_if(sum.holds, [&](const auto &hold) { return hold.first == cost.unit; });
        if (known == sum.holds.end())
          sum.holds.push_back({cost.unit, cost.hold});
        else
          known->second += cost.hold;
      }
      int64_t depth = 0;
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp())
          depth = std::max(depth, depths.lookup(def));
      longest = std::max(longest, depths[op] = depth + way);
    }
  for (auto &[unit, hold] : sum.holds)
    busiest = std::max(busiest, hold);
  bool alone = chain.size() + again.size() == 1;
  sum.latency = longest + (alone ? busiest : std::max(busiest, sum.issue));
  return sum;
}

/// "file.mlir:12".
std::string locationText(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return llvm::sys::path::filename(file.getFilename().getValue()).str() + ":" + std::to_string(file.getLine());
  return "";
}

/// True when some use repeats `value` (rank 1) along dimension 0.
static bool repeatedOverRows(Value value, int depth = 0) {
  return depth < 8 && llvm::any_of(
                          value.getUsers(),
                          [&](Operation *user) {
                            if (auto broadcast = dyn_cast<tile::BroadcastOp>(user))
                              return broadcast.getAxis() == 0;
                            return user->getNumResults() == 1 && user->getResult(0).getType() != value.getType()
                                       ? isa<arith::CmpIOp, arith::CmpFOp, arith::TruncFOp, arith::ExtFOp>(user) &&
                                             repeatedOverRows(user->getResult(0), depth + 1)
                                       : user->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(user) &&
                                             repeatedOverRows(user->getResult(0), depth + 1);
                          });
}

/// True when `value` (rank 1) is made of folds of columns, by element-wise operations and in what loops carry.
static bool foldedOverRows(Value value) {
  llvm::SmallSetVector<Value, 16> from;
  from.insert(value);
  for (size_t i = 0; i < from.size(); ++i) {
    Value current = from[i];
    Operation *def = current.getDefiningOp();
    if (std::optional<VariableRef> variable = variableOf(current)) {
      PassedVariable passed = passedVariables(variable->op)[variable->number];
      for (OpOperand *given : passed.given)
        from.insert(given->get());
    } else if (auto reduce = dyn_cast_or_null<tile::ReduceOp>(def)) {
      if (reduce.getAxis() == 0 && reduce.getSource().getType().getRank() == 2)
        return true;
    } else if (def && OpTrait::hasElementwiseMappableTraits(def)) {
      for (Value operand : def->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          from.insert(operand);
    }
  }
  return false;
}

/// True when `value` (rank 1) runs along the columns of tiles.
static bool alongColumns(Value value) { return repeatedOverRows(value) || foldedOverRows(value); }

/// Whether nothing that `value` (rank 1) goes through, or comes from, has a tile of higher rank: no rows or columns
/// then decide which threads hold it. Constants and the like are made again for each use.
static bool isAlone(Value value) {
  llvm::SmallSetVector<Value, 16> web;
  auto isVector = [](Type type) { return cast<RankedTensorType>(type).getRank() < 2; };
  auto isMatrix = [](Value from, Value to) {
    auto wide = cast<RankedTensorType>(from.getType()), other = cast<RankedTensorType>(to.getType());
    return llvm::count_if((wide.getRank() > other.getRank() ? wide : other).getShape(),
                          [](int64_t size) { return size > 1; }) > 1;
  };
  auto join = [&](VariableRef variable) {
    PassedVariable passed = passedVariables(variable.op)[variable.number];
    for (OpOperand *given : passed.given)
      web.insert(given->get());
    web.insert_range(passed.names);
  };
  // False: `op` has a matrix. A whole matrix that becomes a vector, or the other way round, is spread like one.
  auto joinAll = [&](Operation *op) {
    if (std::optional<Reshape> reshape = Reshape::of(op); reshape && isMatrix(reshape->source, reshape->result))
      return true;
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (Value other : values)
        if (isa<RankedTensorType>(other.getType())) {
          if (!isVector(other.getType()))
            return false;
          web.insert(other);
        }
    return true;
  };
  web.insert(value);
  for (size_t i = 0; i < web.size(); ++i) {
    Value current = web[i];
    Operation *def = current.getDefiningOp();
    if (std::optional<VariableRef> variable = variableOf(current))
      join(*variable);
    else if (def && !joinAll(def))
      return false;
    if (i > 0 && isa_and_nonnull<arith::ConstantOp, tensor::SplatOp, tile::IotaOp>(def))
      continue;
    for (OpOperand &use : current.getUses()) {
      if (std::optional<VariableRef> variable = variableOf(use))
        join(*variable);
      else if (!joinAll(use.getOwner()))
        return false;
    }
  }
  return true;
}

/// Most rows of the tiles to which `value` (rank 1) is repeated, or from which it is folded, element-wise operations in
/// between; 0: these lead elsewhere.
static int64_t mostRowsOf(Value value) {
  llvm::SmallSetVector<Value, 16> web;
  web.insert(value);
  int64_t rows = 0;
  auto rowsOf = [&](Value tile) { rows = std::max(rows, cast<RankedTensorType>(tile.getType()).getDimSize(0)); };
  for (size_t i = 0; i < web.size(); ++i) {
    Operation *def = web[i].getDefiningOp();
    if (!def || variableOf(web[i]))
      return 0;
    if (auto reduce = dyn_cast<tile::ReduceOp>(def); reduce && reduce.getAxis() == 0)
      rowsOf(reduce.getSource());
    else if (OpTrait::hasElementwiseMappableTraits(def))
      for (Value operand : def->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          web.insert(operand);
    for (OpOperand &use : web[i].getUses()) {
      Operation *user = use.getOwner();
      if (auto broadcast = dyn_cast<tile::BroadcastOp>(user); broadcast && broadcast.getAxis() == 0)
        rowsOf(broadcast.getResult());
      else if (OpTrait::hasElementwiseMappableTraits(user))
        web.insert(user->getResult(0));
      else if (variableOf(use))
        return 0;
    }
  }
  return rows;
}

static TileHolders holdersOf(Value value, int64_t groupWarps, bool coalesced) {
  bool vector = cast<RankedTensorType>(value.getType()).getRank() == 1, along = vector && alongColumns(value);
  return {groupWarps, along, coalesced, vector && isAlone(value), along && coalesced ? mostRowsOf(value) : 0};
}

int64_t RegisterLayout::warpsOf(Value value) const {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? target.warpsOf(tile, holdersOf(value, groupWarps, coalesced)) : groupWarps;
}

int64_t RegisterLayout::registersOf(Value value) const {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? target.registersOf(tile, holdersOf(value, groupWarps, coalesced)) : 0;
}

} // namespace heddle
