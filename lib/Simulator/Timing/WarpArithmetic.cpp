//===- WarpArithmetic.cpp - What arithmetic in registers takes -------------===//
//
// What:      operations on tiles in registers -> when their units are held, and when their results are there.
// Algorithm: what a group runs from one synchronisation to the next is a stretch, through which ptxas moves
//            instructions freely. Operations of a stretch run in parts of at most `partCycles` of their units; next
//            comes the part that can begin first. An element of a result needs one of each operand, those of reductions
//            excepted, so that operations of a chain follow each other by a part. While another unit is at work a part
//            takes longer, and may keep that unit from its work (`beside` of the machine file). What the emitted code
//            does not run takes nothing: a factor that a multiply-add has taken in, a mask that all elements pass.
//            Products with factors that are tested for one are issued by every warp, and run by those that hold another
//            factor.
//
//===----------------------------------------------------------------------===//
#include "WarpEngine.h"
#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/HW/UniformMask.h"
#include "heddle/Dialect/Tile/Factors.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Simulator/Functional/Evaluate.h"
#include "heddle/Support/Integers.h"
#include "heddle/Target/TargetInterface.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

constexpr int64_t partCycles = 32;

static bool allTrue(const TileValue &mask) {
  for (int64_t i = 0, size = mask.size(); i < size; ++i)
    if (!mask.intAt(i))
      return false;
  return true;
}

/// Whether the emitted code leaves `op` out, since every element passes the mask.
static bool isSkipped(Operation *op, ArrayRef<TileValue> operands, ArrayRef<TileValue> results) {
  if (!isMasking(op))
    return false;
  if (isa<arith::SelectOp>(op))
    return allTrue(operands.front());
  return !getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1) || allTrue(results.front());
}

/// Whether `op` is the product of a multiply-add, which is one instruction.
static bool isContracted(Operation *op) {
  auto mul = dyn_cast<arith::MulFOp>(op);
  return mul && mul->hasOneUse() && isa<arith::AddFOp, arith::SubFOp>(*mul->user_begin()) &&
         mul->user_begin()->getBlock() == mul->getBlock();
}

/// The percentage of warps, each of which has some rows of the tile, that hold another factor than one.
static int64_t warpsThatMultiply(const TileValue &factor, int64_t rowsOfWarp) {
  int64_t rows = factor.shape.front(), columns = factor.size() / rows, warps = 0, multiply = 0;
  for (int64_t first = 0; first < rows; first += rowsOfWarp, ++warps)
    for (int64_t row = first; row < std::min(rows, first + rowsOfWarp); ++row)
      if (factor.floatAt(row * columns) != 1) {
        ++multiply;
        break;
      }
  return 100 * multiply / warps;
}

const OpCost *WarpEngine::costFor(Operation *op, ArrayRef<TileValue> operands) {
  const OpCost *whole = costFor(op);
  auto tested = op->getAttrOfType<IntegerAttr>(tile::oftenOneAttr);
  if (!whole || !tested || operands[tested.getInt()].shape.size() != 2)
    return whole;
  int64_t percent = warpsThatMultiply(operands[tested.getInt()], targetOf(op).dotRows() / warpsPerGroup);
  auto [known, isNew] = testedCosts.insert({{op, percent}, *whole});
  for (BesideCost &beside : known->second.beside)
    if (isNew) {
      beside.hold = 100 + (beside.hold - 100) * percent / 100;
      beside.delay = beside.delay * percent / 100;
    }
  return &known->second;
}

WarpEngine::Step WarpEngine::compute(Group &group, Operation *op, ArrayRef<TileValue> operands,
                                     ArrayRef<TileValue> results) {
  Arithmetic work{op, nullptr, {}, ready(group, op), 1, {}};
  for (Value operand : op->getOperands())
    for (int index : group.making.lookup(operand))
      if (!llvm::is_contained(work.after, index))
        work.after.push_back(index);
  SmallVector<int, 4> makers = work.after;
  int64_t operandsReady = work.operands;
  if (!isFree(op) && !isSkipped(op, operands, results) && !isContracted(op)) {
    work.cost = costFor(op, operands);
    if (!work.cost)
      return Step::Fault;
    work.parts = std::max<int64_t>(1, ceilDiv(work.cost->hold, partCycles));
    makers = {static_cast<int>(group.stretch.size())};
    group.stretch.push_back(std::move(work));
  }
  for (auto [to, value] : llvm::zip(op->getResults(), results)) {
    WarpValue &slot = group.values[to];
    slot = WarpValue();
    slot.tile = value;
    slot.ready = operandsReady;
    group.making[to] = makers;
  }
  return Step::Ran;
}

/// What of the group's stretch runs before `op`. ptxas moves arithmetic behind a wait that does not need it, except
/// what crosses lanes, and what that needs.
static std::vector<bool> neededBefore(const Group &group, Operation *op) {
  std::vector<bool> needed(group.stretch.size(), true);
  if (!isa<warp::DotWaitOp, warp::ConsumedOp>(op))
    return needed;
  for (auto [index, work] : llvm::enumerate(group.stretch)) {
    auto result = cast<RankedTensorType>(work.op->getResult(0).getType());
    needed[index] = isa<tile::ReduceOp, tile::ScanOp>(work.op) && result.getRank() == 1;
  }
  for (Value operand : op->getOperands())
    for (int index : group.making.lookup(operand))
      needed[index] = true;
  for (int i = group.stretch.size() - 1; i >= 0; --i)
    if (needed[i])
      for (int index : group.stretch[i].after)
        needed[index] = true;
  return needed;
}

/// The cycle from which the next part of `work` has its operands; nothing: what makes them has not run so far.
static std::optional<int64_t> operandsOfPart(const Group &group, const Arithmetic &work) {
  int64_t part = work.through.size(), time = work.operands;
  for (int index : work.after) {
    const Arithmetic &before = group.stretch[index];
    bool whole = isa<tile::ReduceOp, tile::ScanOp>(before.op);
    int64_t parts = whole ? before.parts : ceilDiv((part + 1) * before.parts, work.parts);
    if (static_cast<int64_t>(before.through.size()) < parts)
      return std::nullopt;
    time = std::max(time, before.through[parts - 1]);
  }
  return time;
}

bool WarpEngine::advance(Group &group, Operation *op) {
  std::vector<bool> needed = neededBefore(group, op);
  Arithmetic *next = nullptr;
  int64_t start = 0;
  for (auto [index, work] : llvm::enumerate(group.stretch)) {
    if (work.done() || !needed[index])
      continue;
    std::optional<int64_t> operands = operandsOfPart(group, work);
    if (!operands)
      continue;
    int64_t begin = std::max(group.clock, *operands);
    if (!work.cost->unit.empty())
      begin = std::max(begin, *llvm::min_element(unitOf(*work.cost).freeAt));
    if (!next || begin < start) {
      next = &work;
      start = begin;
    }
  }
  if (!next)
    return false;
  const OpCost &cost = *next->cost;
  int64_t part = next->through.size(), parts = next->parts;
  auto share = [&](int64_t whole) { return whole * (part + 1) / parts - whole * part / parts; };
  int64_t end = occupy(cost, next->op, start, share(cost.hold)).second;
  group.clock = start + share(cost.issue);
  record(group.name, next->op, start, std::max(group.clock, start + 1), false, false);
  next->through.push_back(end + cost.latency - cost.hold);
  if (!llvm::all_of(group.stretch, [](const Arithmetic &work) { return work.done(); }))
    return true;
  for (auto &[value, makers] : group.making)
    for (int index : makers)
      group.values[value].ready = std::max(group.values[value].ready, group.stretch[index].through.back());
  group.stretch.clear();
  group.making.clear();
  return true;
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

static const std::string &placeOf(const OpCost &cost) { return cost.pipe.empty() ? cost.unit : cost.pipe; }

Unit &WarpEngine::unitOf(const OpCost &cost) {
  Unit &unit = units[placeOf(cost)];
  if (unit.freeAt.empty())
    unit.freeAt.push_back(0);
  return unit;
}

bool WarpEngine::works(const std::string &unit, int64_t time) {
  if (unit == dotUnit)
    return dots.busy(time);
  return llvm::any_of(units[unit].freeAt, [&](int64_t freeAt) { return freeAt > time; });
}

void WarpEngine::hinder(const std::string &unit, int64_t time, int64_t cycles) {
  if (unit == dotUnit)
    return dots.hinder(time, cycles);
  for (int64_t &freeAt : units[unit].freeAt)
    if (freeAt > time)
      freeAt += cycles;
}

std::pair<int64_t, int64_t> WarpEngine::occupy(const OpCost &cost, Operation *op, int64_t begin, int64_t hold) {
  if (cost.unit.empty())
    return {begin, begin + hold};
  Unit &unit = unitOf(cost);
  auto server = llvm::min_element(unit.freeAt);
  int64_t start = std::max(begin, *server), own = hold;
  for (const BesideCost &beside : cost.beside)
    if (works(beside.unit, start)) {
      hold = std::max(hold, own * beside.hold / 100);
      hinder(beside.unit, start, own * beside.delay / 100);
    }
  *server = start + hold;
  unit.busy += hold;
  record(placeOf(cost), op, start, start + hold, true, false);
  return {start, start + hold};
}

int64_t WarpEngine::issue(Group &group, Operation *op, int64_t operandsReady) {
  const OpCost *cost = costFor(op);
  if (!cost)
    return -1;
  int64_t begin = std::max(group.clock, operandsReady);
  auto [start, end] = occupy(*cost, op, begin, cost->hold);
  // An asynchronous op queues at its unit; the others hold their warps back until the unit takes them.
  int64_t issued = cost->async ? begin : start;
  group.clock = issued + cost->issue;
  record(group.name, op, issued, std::max(group.clock, issued + 1), false, false);
  return end + cost->latency - cost->hold;
}
