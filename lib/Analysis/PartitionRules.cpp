//===- PartitionRules.cpp - what operations say of the tiles that they join --===//
//
// What:     an operation, and what is known of its tiles -> what is known of its other tiles. Partition.cpp has the
//           rules in words.
// Where:    visited by the fixpoint of PartitionSolver.cpp, any number of times and in any order.
// Verifies: that no divided dimension is reduced, cut or folded along, unless a vector can be whole instead.
//
//===----------------------------------------------------------------------===//
#include "PartitionSolver.h"

#include "heddle/Analysis/Partition.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/Fold.h"
#include "heddle/Target/TargetInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace heddle {

LogicalResult PartitionSolver::visit(Operation *op) {
  if (llvm::any_of(op->getResults(), [&](Value v) { return wholes.contains(v); })) {
    for (Value operand : op->getOperands())
      if (failed(set(op, operand, none)))
        return failure();
    return success();
  }
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return visitDot(dot);
  if (std::optional<Rearrangement> moved = Rearrangement::of(op))
    return visitRearrangement(op, *moved);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return visitReduce(reduce);
  if (std::optional<AlongAxis> along = AlongAxis::of(op))
    return visitAlong(op, *along);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return visitPart(slice, slice.getSource(), {slice.getSource(), slice.getResult()});
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return visitPart(insert, insert.getDest(), {insert.getSource(), insert.getDest(), insert.getResult()});
  if (std::optional<Reshape> reshape = Reshape::of(op))
    return visitReshape(op, *reshape);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return visitRows(op, gather.getResult(), gather.getRows());
  if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getRows())
    return visitRows(op, store.getValue(), store.getRows());
  if (isBranchOrLoop(op))
    return visitControl(op);
  if (op->getNumRegions() || isa<tile::LoadOp, tile::StoreOp>(op) || isControlFlow(op) || isRematerialisable(op))
    return success();
  // Element-wise: operands and results have one shape.
  SmallVector<Value> values;
  llvm::append_range(values, op->getResults());
  llvm::append_range(values, op->getOperands());
  llvm::erase_if(values, [](Value v) { return !isTile(v); });
  return equal(op, values);
}

/// Of which a result's columns are a multiple in each part.
static int64_t columnsOfInstruction(tile::DotOp dot) {
  std::optional<DotForm> form = targetOf(dot).dotForm(dot.getB().getType().getElementType());
  return form ? form->columns : 1; // other types become ones that have a form, or are refused
}

LogicalResult PartitionSolver::visitDot(tile::DotOp dot) {
  decide(dot);
  if (open.contains(dot))
    return success();
  Value a = dot.getA(), b = dot.getB();
  bool sum = sums.contains(dot), byColumns = !sum && dividesColumns(dot);
  bool whole = !sum && !byColumns && !dividesRows(dot) && (dividesAnyRows || dividesAnyColumns);
  if (whole) {
    std::optional<int64_t> asked = get(dot.getResult());
    if (!asked && !wide.contains(dot)) {
      few.insert(dot);
      return success();
    }
    few.remove(dot);
    byColumns = asked == 1 && dot.getResult().getType().getDimSize(1) % (columnsOfInstruction(dot) * groups) == 0;
    whole = !byColumns;
  }
  int64_t divided = byColumns ? 1 : sum || whole ? none : 0;
  if (failed(set(dot, dot.getResult(), divided)) || failed(set(dot, dot.getAcc(), divided)))
    return failure();
  if (byColumns)
    return failed(setWhole(dot, a)) ? failure() : set(dot, b, 1);
  if (sum)
    return failed(set(dot, a, 1)) ? failure() : set(dot, b, 0);
  if (!isDivided(a, 1) && failed(whole ? setWhole(dot, a) : set(dot, a, 0)))
    return failure();
  return isDivided(b, 0) || takesColumnsInParts(dot) ? success() : setWhole(dot, b);
}

LogicalResult PartitionSolver::visitRearrangement(Operation *op, const Rearrangement &moved) {
  if (auto r = get(moved.result)) {
    bool divided = *r != none && moved.dims[*r] != Rearrangement::repeated;
    return set(op, moved.source, divided ? moved.dims[*r] : none);
  }
  if (auto s = get(moved.source); s && (*s != none || !moved.repeats()))
    return set(op, moved.result, *s == none ? none : moved.inResult(*s));
  return success();
}

LogicalResult PartitionSolver::visitReduce(tile::ReduceOp op) {
  int64_t axis = op.getAxis();
  if (auto s = get(op.getSource())) {
    if (*s == axis && sumsParts(op)) {
      folds.insert(op);
      return set(op, op.getResult(), none);
    }
    if (*s == axis && makeWhole(op.getSource()))
      return retry();
    if (*s == axis)
      return refuse(op, "it reduces the divided dimension " + Twine(axis));
    return set(op, op.getResult(), *s == none ? none : *s - (*s > axis));
  }
  if (auto r = get(op.getResult()); r && *r != none)
    return set(op, op.getSource(), *r + (*r >= axis));
  return success();
}

LogicalResult PartitionSolver::visitAlong(Operation *op, const AlongAxis &along) {
  for (Value value : {along.source, along.result})
    if (get(value) == along.axis && makeWhole(value))
      return retry();
  if (get(along.source) == along.axis || get(along.result) == along.axis)
    return refuse(op, "it folds along the divided dimension " + Twine(along.axis));
  return equal(op, {along.source, along.result});
}

LogicalResult PartitionSolver::visitPart(OffsetSizeAndStrideOpInterface op, Value whole, ArrayRef<Value> tiles) {
  SmallVector<Value> alike;
  for (Value v : tiles) {
    auto a = get(v);
    bool cut = a && *a != none && cast<RankedTensorType>(whole.getType()).getDimSize(*a) != op.getStaticSizes()[*a];
    if (cut && makeWhole(v))
      return retry();
    if (cut && !isShared(v))
      return refuse(op, "it takes a part of the divided dimension " + Twine(*a));
    if (!cut)
      alike.push_back(v);
  }
  return equal(op, alike);
}

LogicalResult PartitionSolver::visitReshape(Operation *op, const Reshape &reshape) {
  for (bool ofSource : {true, false}) {
    std::optional<int64_t> axis = get(ofSource ? reshape.source : reshape.result);
    if (!axis)
      continue;
    std::optional<int64_t> other = *axis == none ? none : reshape.axisOf(*axis, ofSource);
    if (!other)
      return refuse(op, "the divided dimension " + Twine(*axis) + " is not the first of those that it becomes one of");
    return set(op, ofSource ? reshape.result : reshape.source, *other);
  }
  return success();
}

LogicalResult PartitionSolver::visitRows(Operation *op, Value tile, Value rows) {
  if (auto axis = get(tile))
    return set(op, rows, *axis == 0 ? 0 : none);
  if (get(rows) == 0)
    return set(op, tile, 0);
  return success();
}

LogicalResult PartitionSolver::visitControl(Operation *op) {
  for (const PassedVariable &variable : passedVariables(op)) {
    SmallVector<Value> values = llvm::to_vector_of<Value>(variable.names);
    for (OpOperand *given : variable.given)
      values.push_back(given->get());
    if (failed(equal(op, values)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Dots, and reductions that are stored
//===----------------------------------------------------------------------===//

void PartitionSolver::decide(tile::DotOp dot) {
  if (!open.contains(dot) || !contractsDivided(dot))
    return;
  open.remove(dot);
  if (!dividesRows(dot))
    sums.insert(dot);
  changed = true;
}

LogicalResult PartitionSolver::setWhole(tile::DotOp dot, Value operand) {
  if (isShared(operand) || get(operand) || closed.contains(dot) || isRematerialisable(operand.getDefiningOp()))
    return set(dot, operand, none);
  unknown.insert(dot);
  return success();
}

bool PartitionSolver::takesColumnsInParts(tile::DotOp dot) const {
  int64_t columns = dot.getB().getType().getDimSize(1), part = columns / groups;
  return isDivided(dot.getB(), 1) && get(dot.getResult()) == 0 && !isDivided(dot.getA(), 1) &&
         columns % (columnsOfInstruction(dot) * groups) == 0 && llvm::isPowerOf2_64(part);
}

bool PartitionSolver::dividesRows(tile::DotOp dot) const {
  return !columnsFirst && dot.getResult().getType().getDimSize(0) % (targetOf(dot).dotRows() * groups) == 0;
}

bool PartitionSolver::dividesColumns(tile::DotOp dot) const {
  constexpr int64_t columnsOfRow = 64; // of swizzled memory
  return columns && !dividesAnyRows && 2 * dot.getResult().getType().getNumElements() >= largest &&
         dot.getResult().getType().getDimSize(1) % (columnsOfRow * groups) == 0;
}

bool PartitionSolver::dividesRightOperand(tile::DotOp dot) {
  RankedTensorType type = dot.getB().getType();
  std::optional<DotForm> form = targetOf(dot).dotForm(type.getElementType());
  // A thread holds parts of a left operand whose size is a power of two.
  bool takesParts = isShared(dot.getA()) || llvm::isPowerOf2_64(type.getDimSize(0) / groups);
  return !kept.contains(dot) && !get(dot.getB()) && get(dot.getResult()) == 0 && form && takesParts &&
         type.getElementTypeBitWidth() == 16 && type.getDimSize(0) % (form->contraction * groups) == 0;
}

bool PartitionSolver::sumsParts(tile::ReduceOp op) {
  SmallVector<Value> values;
  Operation *user = nullptr;
  return op.getKind() == tile::nameOf(tile::FoldKind::Add) && !op.getResult().use_empty() &&
         collectSummands(op.getResult(), values, user);
}

} // namespace heddle
