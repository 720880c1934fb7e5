//===- PartitionSolver.cpp - see PartitionSolver.h --------------------------===//
//
// What:      rules of operations -> the divided dimension of every tile, or why there is none.
// Algorithm: a fixpoint of the rules; then, one after the other, what they leave open is decided (closeOne), each
//            followed by the fixpoint. Where a vector has to be whole after all, or what was divided on trial does not
//            go with the rest, the whole begins again with that known.
//
//===----------------------------------------------------------------------===//
#include "PartitionSolver.h"

#include "heddle/Analysis/Partition.h"
#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "heddle/Target/TargetInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include <utility>

using namespace mlir;
namespace heddle {

/// True where `op` applied to each part of a sum gives the parts of its result: conversions, signs, and products with
/// one value for all.
static bool isLinear(Operation *op) {
  if (isa<arith::TruncFOp, arith::ExtFOp, arith::NegFOp>(op))
    return true;
  return isa<arith::MulFOp>(op) && llvm::any_of(op->getOperands(), [](Value v) {
           Operation *def = v.getDefiningOp();
           DenseElementsAttr constant;
           return def && (isa<tensor::SplatOp>(def) || (matchPattern(v, m_Constant(&constant)) && constant.isSplat()));
         });
}

bool collectSummands(Value value, SmallVectorImpl<Value> &summands, Operation *&user) {
  summands.push_back(value);
  for (OpOperand &use : value.getUses()) {
    user = use.getOwner();
    if (auto store = dyn_cast<tile::StoreOp>(user); store && store.getKind() == "add")
      continue;
    if (!isLinear(user) || !collectSummands(user->getResult(0), summands, user))
      return false;
  }
  return true;
}

bool isSummand(tile::DotOp dot, SmallVectorImpl<Value> &summands, Operation *&user) {
  user = nullptr;
  return matchPattern(dot.getAcc(), m_AnyZeroFloat()) && !dot.getResult().use_empty() &&
         collectSummands(dot.getResult(), summands, user);
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

LogicalResult PartitionSolver::run(DenseMap<Value, int64_t> &result, DenseSet<Value> &summed,
                                   DenseSet<Operation *> &exchanged, DenseSet<Value> &whole) {
  kernel.walk([&](tile::DotOp dot) { dividesAnyRows |= dividesRows(dot); });
  kernel.walk([&](tile::DotOp dot) { dividesAnyColumns |= dividesColumns(dot); });
  if (columnsFirst && !dividesAnyColumns)
    return failure();
  while (failed(attempt()))
    if (!again)
      return failure();
  whole = wholes;
  for (auto &[value, axis] : axes)
    if (axis != none)
      result[value] = axis;
  for (Operation *dot : sums) {
    SmallVector<Value> values;
    Operation *user = nullptr;
    isSummand(cast<tile::DotOp>(dot), values, user);
    summed.insert(values.begin(), values.end());
  }
  for (Operation *fold : folds) {
    SmallVector<Value> values;
    Operation *user = nullptr;
    collectSummands(fold->getResult(0), values, user);
    summed.insert(values.begin(), values.end());
  }
  kernel.walk([&](tile::DotOp dot) {
    if (!sums.contains(dot) && (contractsDivided(dot) || takesColumnsInParts(dot)))
      exchanged.insert(dot);
  });
  return success();
}

LogicalResult PartitionSolver::report() const {
  InFlightDiagnostic undivided = refusal->op->emitOpError("cannot divide this program over warp groups: ")
                                 << refusal->why;
  if (fitsOneGroup(largest))
    undivided << adviceForOneGroup;
  else
    undivided << " (and one group has no room for a product of " << largest << " elements: use smaller tiles)";
  return about(ErrorCause::Division, std::move(undivided));
}

LogicalResult PartitionSolver::attempt() {
  again = false;
  offers = !offersLast;
  tried = nullptr;
  refusal.reset();
  axes.clear();
  for (llvm::SetVector<Operation *> *ops : {&open, &sums, &folds, &unknown, &few})
    ops->clear();
  closed.clear();
  wide.clear();
  done.clear();
  kernel.walk([&](tile::DotOp dot) {
    SmallVector<Value> values;
    Operation *user = nullptr;
    if (isSummand(dot, values, user))
      open.insert(dot);
  });
  do {
    if (succeeded(settle()))
      continue;
    if (tried && !again)
      again = kept.insert(tried).second;
    return failure();
  } while (closeOne());
  return success();
}

LogicalResult PartitionSolver::settle() {
  do {
    changed = false;
    kernel.walk([&](Operation *op) {
      bool byItsTilesAlone = !isa<tile::DotOp>(op) && !op->getNumRegions();
      if (byItsTilesAlone && !done.insert(op).second)
        return WalkResult::advance();
      return failed(visit(op)) && again ? WalkResult::interrupt() : WalkResult::advance();
    });
  } while (changed && !again);
  return success(!again && !refusal);
}

bool PartitionSolver::closeOne() {
  if (unknown.empty() && open.empty() && few.empty()) {
    done.clear();
    return !std::exchange(offers, true) || divideFold();
  }
  if (!few.empty()) {
    wide.insert(few.front());
    few.erase(few.begin());
  } else if (unknown.empty()) {
    open.erase(open.begin());
  } else {
    auto dot = cast<tile::DotOp>(unknown.front());
    if (dividesRightOperand(dot)) {
      tried = dot;
      axes.insert({dot.getB(), 0});
      note(dot.getB());
    } else {
      closed.insert(dot);
    }
    unknown.erase(unknown.begin());
  }
  return true;
}

bool PartitionSolver::divideFold() {
  if (!dividesAnyRows && !dividesAnyColumns)
    return false;
  auto divides = [&](tile::ReduceOp fold) {
    constexpr int64_t columnsOfPart = 16; // at least; rows are whole instructions, as those of dots are
    RankedTensorType type = fold.getSource().getType();
    bool isOpen = !axes.contains(fold.getSource()) && !get(fold.getResult()) && !wholes.contains(fold.getSource()) &&
                  !wholes.contains(fold.getResult());
    if (type.getRank() != 2 || !isOpen || kept.contains(fold))
      return false;
    int64_t part = fold.getAxis() == 0 ? columnsOfPart : targetOf(fold).dotRows();
    return type.getDimSize(1 - fold.getAxis()) % (part * groups) == 0;
  };
  WalkResult found = kernel.walk([&](tile::ReduceOp fold) {
    if (!divides(fold))
      return WalkResult::advance();
    tried = fold;
    axes.insert({fold.getSource(), 1 - fold.getAxis()});
    note(fold.getSource());
    return WalkResult::interrupt();
  });
  return found.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

LogicalResult PartitionSolver::refuse(Operation *op, const Twine &why) {
  if (!refusal)
    refusal = {op, why.str()};
  return failure();
}

LogicalResult PartitionSolver::retry() {
  again = true;
  return failure();
}

void PartitionSolver::note(Value value) {
  changed = true;
  if (Operation *def = value.getDefiningOp())
    done.erase(def);
  for (Operation *user : value.getUsers())
    done.erase(user);
}

LogicalResult PartitionSolver::set(Operation *at, Value value, int64_t axis) {
  if (!isTile(value) || isRematerialisable(value.getDefiningOp()) || wholes.contains(value))
    return success();
  if (axis == none && makeWhole(value))
    return axes.contains(value) ? retry() : success();
  auto [it, inserted] = axes.insert({value, axis});
  if (inserted)
    note(value);
  if (isShared(value)) { // the first use that wants a part says which the others are offered
    if (it->second == none && axis != none) {
      it->second = axis;
      note(value);
    }
    return success();
  }
  if (inserted || it->second == axis)
    return success();
  auto name = [](int64_t a) { return a == none ? std::string("no dimension") : "dimension " + std::to_string(a); };
  return refuse(at, "expected " + name(it->second) + " of a tile to be divided, got " + name(axis));
}

std::optional<int64_t> PartitionSolver::get(Value value) const {
  auto it = axes.find(value);
  if (it == axes.end() || ((it->second == none || !offers) && isShared(value)))
    return std::nullopt;
  return it->second;
}

LogicalResult PartitionSolver::equal(Operation *at, ArrayRef<Value> values) {
  for (Value v : values)
    if (std::optional<int64_t> axis = isTile(v) ? get(v) : std::nullopt) {
      for (Value w : values)
        if (failed(set(at, w, *axis)))
          return failure();
      return success();
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Vectors that every group computes
//===----------------------------------------------------------------------===//

bool PartitionSolver::isShared(Value value) const {
  auto [known, isNew] = shared.insert({value, false});
  if (isNew)
    known->second = isSharedView(value);
  return known->second;
}

bool PartitionSolver::isOnlyFolded(Value value) {
  llvm::SetVector<Value> made;
  made.insert(value);
  for (size_t i = 0; i < made.size(); ++i)
    for (Operation *user : made[i].getUsers()) {
      if (isa<tile::ReduceOp>(user))
        continue;
      if (!user->hasTrait<OpTrait::Elementwise>())
        return false;
      made.insert(user->result_begin(), user->result_end());
    }
  return true;
}

bool PartitionSolver::canBeWhole(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() < 1)
    return false;
  auto [known, isNew] = replicable.insert({value, false});
  Operation *def = value.getDefiningOp();
  if (!isNew || !def || (type.getRank() > 1 && !isOnlyFolded(value)))
    return known->second;
  bool computes = isa<tile::LoadOp>(def) || (isMemoryEffectFree(def) && !def->getNumRegions());
  bool can = computes && llvm::all_of(def->getOperands(), [&](Value operand) {
               return !isTile(operand) || isRematerialisable(operand.getDefiningOp()) || isShared(operand) ||
                      canBeWhole(operand);
             });
  return replicable[value] = can;
}

bool PartitionSolver::makeWhole(Value value) {
  if (isShared(value) || !canBeWhole(value) || !wholes.insert(value).second)
    return false;
  note(value);
  return true;
}

} // namespace heddle
