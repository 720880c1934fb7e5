//===- MarkFactors.cpp - factors of rows that are often one -----------------===//
//
// What:      arith.mulf %tile, (tile.broadcast (exp of E) axis 1) -> the same with `heddle.often_one`, where E depends
//            on some %v and on max(%v, ...) or min(%v, ...): what an online softmax multiplies its sums with when a
//            block brings a greater score. Once the greatest one has been seen the factor is exp(0).
// Where:     before sub-tiling; the attribute stays on the operation down to the hw level. It says nothing about the
//            program's meaning: the target may test the factor (lib/Target/CUDA/ScalarMath.cpp), whatever it is.
// Why:       on Hopper additions and multiplications take their cycles from the tensor core (docs/Calibration.md).
// Condition: as wide as `leastColumns`, so that a test of a row stands against several products of each thread.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/MarkFactors.h"

#include "heddle/Dialect/Tile/Factors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace heddle {

/// Columns of the narrowest tile that is marked: four threads share a row of a product.
static constexpr int64_t leastColumns = 32;

/// What `from` is computed from element by element, without what is behind `stop`.
static SetVector<Value> elementwiseSources(Value from, Operation *stop) {
  SetVector<Value> seen;
  seen.insert(from);
  for (size_t i = 0; i < seen.size(); ++i) {
    Operation *op = seen[i].getDefiningOp();
    if (!op || op == stop || !op->hasTrait<OpTrait::Elementwise>())
      continue;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        seen.insert(operand);
  }
  return seen;
}

/// Whether `exponent` depends on a value and, beside it, on that value's maximum or minimum with another.
static bool comparesWithExtreme(Value exponent) {
  for (Value value : elementwiseSources(exponent, nullptr)) {
    Operation *extreme = value.getDefiningOp();
    if (!isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp, arith::MinNumFOp>(extreme))
      continue;
    SetVector<Value> beside = elementwiseSources(exponent, extreme);
    if (llvm::any_of(extreme->getOperands(), [&](Value operand) {
          return beside.contains(operand) && !operand.getDefiningOp<arith::ConstantOp>();
        }))
      return true;
  }
  return false;
}

static bool isOftenOne(Value factor) {
  auto broadcast = factor.getDefiningOp<tile::BroadcastOp>();
  if (!broadcast || broadcast.getAxis() != 1)
    return false;
  Operation *exponential = broadcast.getSource().getDefiningOp();
  return isa_and_nonnull<math::ExpOp, math::Exp2Op>(exponential) && comparesWithExtreme(exponential->getOperand(0));
}

void markFactors(tile::KernelOp kernel) {
  kernel.walk([](arith::MulFOp product) {
    auto type = dyn_cast<RankedTensorType>(product.getType());
    if (!type || type.getRank() != 2 || !type.getElementType().isF32() || type.getDimSize(1) < leastColumns)
      return;
    for (unsigned operand : {0u, 1u})
      if (isOftenOne(product->getOperand(operand)))
        product->setAttr(tile::oftenOneAttr, Builder(product.getContext()).getI64IntegerAttr(operand));
  });
}

} // namespace heddle
