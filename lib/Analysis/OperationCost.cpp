//===- OperationCost.cpp - what an instruction costs and holds -------------===//
//
// What:      operation -> operation class of the machine file with its parameters; tile -> registers per thread.
// Where:     extraction and the timing simulator.
// Layouts:   wgmma fragments spread a row over 4 lanes (PTX ISA): a tile takes elements / 128 registers, a
//            vector along the rows elements / 32, one along the columns elements / 4; 16-bit elements pack, truth
//            values do not; without dots lanes lie along columns, warps along rows. With tensor memory a thread reads
//            one row (PTX ISA): a tile of 128 rows takes a
//            register per column, a vector along the rows one; one along the columns is the same in every thread and is
//            spread over a warp's lanes (assumption); truth values are bits of a register (as FA4's masks).
//
//===----------------------------------------------------------------------===//
#include "OperationCost.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace heddle {

bool hasTensorMemory(const Machine &machine) { return machine.memoryCapacity("tmem") > 0; }

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

int64_t tileBytes(Type t) { return elementsOf(t) * std::max<int64_t>(1, tileOf(t).second.getIntOrFloatBitWidth() / 8); }

static std::pair<StringRef, CostParams> classify(Operation *op, bool tensorMemory) {
  auto elems = [](Type t) { return elementsOf(t); };
  auto bytes = [](Type t) { return tileBytes(t); };
  if (auto dot = dyn_cast<warp::DotOp>(op)) {
    auto [a, element] = tileOf(dot.getA().getType());
    auto r = dot.getResult().getType();
    return {tensorMemory ? "tcgen05" : "wgmma",
            {{"m", a[0]},
             {"n", r.getDimSize(1)},
             {"k", a[1]},
             {"bytes", element.getIntOrFloatBitWidth() / 8},
             {"a_reg", isa<RankedTensorType>(dot.getA().getType())}}};
  }
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return {isTmaLoad(load) ? "tma_load" : "global_load", {{"bytes", bytes(load.getResult().getType())}}};
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return {"global_load", {{"bytes", bytes(gather.getResult().getType())}}};
  if (auto element = dyn_cast<tile::ElementOp>(op))
    return {"global_load", {{"bytes", (element.getType().getIntOrFloatBitWidth() + 7) / 8}}};
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return {isTmaStore(store) ? store.getKind() == "add" ? "tma_reduce" : "tma_store" : "global_store",
            {{"bytes", bytes(store.getValue().getType())}}};
  if (auto stage = dyn_cast<warp::StageOp>(op))
    return {"smem_write", {{"bytes", bytes(stage.getValue().getType())}}};
  if (auto read = dyn_cast<warp::ReadOp>(op))
    return {"smem_read", {{"bytes", bytes(read.getResult().getType())}}};
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    // with a row per thread only columns cross threads
    int64_t crosses = tensorMemory ? 1 - reduce.getAxis() : reduce.getAxis();
    return {reduce.getKind() == "add" ? "reduce" : "reduce_minmax",
            {{"elems", elems(reduce.getSource().getType())}, {"axis", crosses}}};
  }
  int64_t n = op->getNumResults() ? elems(op->getResult(0).getType()) : 1;
  if (isa<math::ExpOp, math::Exp2Op>(op))
    return {"exp", {{"elems", n}}};
  if (isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp, math::AbsFOp, math::AbsIOp>(op))
    return {"sfu", {{"elems", n}}};
  if (isa<arith::DivFOp, arith::RemFOp>(op))
    return {"sfu", {{"elems", n}}};
  if (isa<arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(op))
    return {"cvt", {{"elems", n}}};
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::SelectOp, arith::CmpFOp>(
          op) ||
      (op->getNumOperands() && getElementTypeOrSelf(op->getOperand(0).getType()).isIntOrIndex()))
    return {"alu_half", {{"elems", n}}};
  return {"alu", {{"elems", n}}};
}

Result<OpCost> costOf(Operation *op, const Machine &machine) {
  auto [opClass, params] = classify(op, hasTensorMemory(machine));
  return machine.cost(opClass.str(), params);
}

Result<NodeCost> costOfNode(ArrayRef<Operation *> chain, ArrayRef<Operation *> again, const Machine &machine) {
  NodeCost sum;
  llvm::SmallDenseMap<Operation *, int64_t> depths; // until an element is through
  int64_t longest = 0, busiest = 0;
  for (ArrayRef<Operation *> part : {again, chain})
    for (Operation *op : part) {
      Result<OpCost> cost = costOf(op, machine);
      if (!cost)
        return cost.error();
      sum.issue += cost->issue;
      sum.async |= cost->async;
      if (!cost->unit.empty()) {
        auto known = llvm::find_if(sum.holds, [&](const auto &hold) { return hold.first == cost->unit; });
        if (known == sum.holds.end())
          sum.holds.push_back({cost->unit, cost->hold});
        else
          known->second += cost->hold;
      }
      int64_t depth = 0;
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp())
          depth = std::max(depth, depths.lookup(def));
      longest = std::max(longest, depths[op] = depth + cost->latency - cost->hold);
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

/// True when `value` (rank 1) runs along the columns of tiles: some use repeats it along dimension 0.
static bool alongColumns(Value value, int depth = 0) {
  return depth < 8 && llvm::any_of(
                          value.getUsers(),
                          [&](Operation *user) {
                            if (auto broadcast = dyn_cast<tile::BroadcastOp>(user))
                              return broadcast.getAxis() == 0;
                            return user->getNumResults() == 1 && user->getResult(0).getType() != value.getType()
                                       ? isa<arith::CmpIOp, arith::CmpFOp, arith::TruncFOp, arith::ExtFOp>(user) &&
                                             alongColumns(user->getResult(0), depth + 1)
                                       : user->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(user) &&
                                             alongColumns(user->getResult(0), depth + 1);
                          });
}

int64_t RegisterLayout::warpsOf(Value value) const {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  if (!rowPerThread || !tile || tile.getRank() == 0 || (tile.getRank() == 1 && alongColumns(value)))
    return groupWarps;
  return 4 * std::max<int64_t>(1, (tile.getDimSize(0) + 127) / 128);
}

int64_t RegisterLayout::registersOf(Value value) const {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  if (!tile)
    return 0;
  int64_t bits = tile.getElementTypeBitWidth(), perThread;
  if (rowPerThread)
    perThread = tile.getRank() == 1 && alongColumns(value) ? 32 : 32 * warpsOf(value);
  else if (coalesced)
    perThread = tile.getRank() > 1 ? 32 * groupWarps : alongColumns(value) ? 32 : groupWarps;
  else
    perThread = tile.getRank() > 1 ? 128 : alongColumns(value) ? 4 : 32;
  int64_t elements = std::max<int64_t>(1, tile.getNumElements() / perThread);
  return bits == 1 && !rowPerThread ? elements : (elements * bits + 31) / 32;
}

} // namespace heddle
