//===- Dimensions.cpp - see Dimensions.h -----------------------------------===//
#include "heddle/Dialect/Tile/Dimensions.h"

#include "heddle/Dialect/Tile/AlongAxis.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Tile.h"

using namespace mlir;
namespace heddle::tile {

static RankedTensorType tileOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

bool dropsDimensions(tensor::ExtractSliceOp slice) {
  return slice.getSourceType().getRank() != slice.getResultType().getRank();
}

static bool isWhole(tensor::ExtractSliceOp slice, int64_t dim) {
  return slice.getStaticOffsets()[dim] == 0 && slice.getStaticSizes()[dim] == slice.getSourceType().getDimSize(dim);
}

DimensionClasses::DimensionClasses(Operation *root) {
  number(root);
  root->walk([&](Operation *op) { joinDimensions(op); });
  classes.compress();
}

/// Gives every dimension of every tile a number.
void DimensionClasses::number(Operation *root) {
  unsigned count = 0;
  auto add = [&](Value value) {
    if (RankedTensorType tile = tileOf(value)) {
      first[value] = count;
      count += tile.getRank();
    }
  };
  root->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), add);
  });
  classes.grow(count);
}

void DimensionClasses::join(Value a, int64_t dimOfA, Value b, int64_t dimOfB) {
  classes.join(first.at(a) + dimOfA, first.at(b) + dimOfB);
}

void DimensionClasses::join(Value a, Value b) {
  for (int64_t d = 0; d < tileOf(a).getRank(); ++d)
    join(a, d, b, d);
}

void DimensionClasses::joinDimensions(Operation *op) {
  for (const PassedVariable &variable : isBranchOrLoop(op) ? passedVariables(op) : SmallVector<PassedVariable>()) {
    Value name = variable.names.front();
    if (!tileOf(name))
      continue;
    for (OpOperand *given : variable.given)
      join(name, given->get());
    for (Value other : variable.names)
      join(name, other);
  }
  if (OpTrait::hasElementwiseMappableTraits(op)) {
    Value tile = op->getNumResults() && tileOf(op->getResult(0)) ? op->getResult(0) : Value();
    for (Value operand : op->getOperands())
      if (tile && tileOf(operand))
        join(tile, operand);
  } else if (auto dot = dyn_cast<DotOp>(op)) {
    join(dot.getResult(), dot.getAcc());
    join(dot.getResult(), 0, dot.getA(), 0);
    join(dot.getResult(), 1, dot.getB(), 1);
    join(dot.getA(), 1, dot.getB(), 0);
  } else if (std::optional<Rearrangement> moved = Rearrangement::of(op)) {
    for (int64_t d = 0; d < tileOf(moved->source).getRank(); ++d)
      join(moved->source, d, moved->result, moved->inResult(d));
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    joinWithout(reduce.getResult(), reduce.getSource(), reduce.getAxis());
  } else if (std::optional<AlongAxis> along = AlongAxis::of(op)) {
    join(along->source, along->result);
  } else if (auto gather = dyn_cast<GatherOp>(op)) {
    join(gather.getResult(), 0, gather.getRows(), 0);
  } else if (auto store = dyn_cast<StoreOp>(op); store && store.getRows()) {
    join(store.getValue(), 0, store.getRows(), 0);
  } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    for (int64_t d = 0; d < slice.getSourceType().getRank() && !dropsDimensions(slice); ++d)
      if (isWhole(slice, d))
        join(slice.getSource(), d, slice.getResult(), d);
  }
}

/// The dimensions of `less` are those of `more` without `axis`.
void DimensionClasses::joinWithout(Value less, Value more, int64_t axis) {
  for (int64_t d = 0; d < tileOf(less).getRank(); ++d)
    join(less, d, more, d + (d >= axis));
}

} // namespace heddle::tile
