//===- PrepareDots.cpp - types that the tensor core has --------------------===//
//
// What:      see the header.
// Where:     first of all, before Partition and Subtile; the program stays sequential and executable.
// Rules:     an accumulator of f16 or bf16 is widened, added to in f32 and rounded once. The tensor core wants operands
//            of 8 bits to be contiguous along the contraction. A right operand of memory that is not is turned by
//            SelectInstructions: products of 128 x 128 x 128 of 8-bit floats ran at 1.9 to 2.3 of their speed in f16,
//            attention at 1.7 (docs/Benchmarks.md). Integers of 8 bits otherwise become f16, which holds them exactly,
//            where an operand is no tile of memory, or the left one is not contiguous along the contraction; their
//            products add up exactly in f32 as long as a dot contracts at most 1024, and the sums of dots are integers
//            again. 8-bit floats are subsets of f16, too: where the left operand is not contiguous along the
//            contraction, or the right one is not and is computed, both become f16.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/PrepareDots.h"

#include "heddle/Target/TargetInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
namespace heddle {
namespace {

RankedTensorType withElement(Value tile, Type element) {
  return RankedTensorType::get(cast<RankedTensorType>(tile.getType()).getShape(), element);
}

/// `tile` converted to f16 where it comes from, so that transposes and parts are of 16 bits.
Value inF16(OpBuilder &b, Value tile) {
  Operation *def = tile.getDefiningOp();
  if (isa_and_nonnull<tile::TransposeOp, tensor::ExtractSliceOp>(def)) {
    Value source = inF16(b, def->getOperand(0));
    Operation *copy = b.clone(*def);
    copy->setOperand(0, source);
    copy->getResult(0).setType(withElement(tile, b.getF16Type()));
    return copy->getResult(0);
  }
  RankedTensorType type = withElement(tile, b.getF16Type());
  if (isa<FloatType>(cast<RankedTensorType>(tile.getType()).getElementType()))
    return arith::ExtFOp::create(b, tile.getLoc(), type, tile);
  return arith::SIToFPOp::create(b, tile.getLoc(), type, tile);
}

/// What `operand` is a view of; `transposed`: the other way round.
Value viewed(Value operand, bool &transposed) {
  for (; isa_and_nonnull<tile::TransposeOp, tensor::ExtractSliceOp>(operand.getDefiningOp());
       operand = operand.getDefiningOp()->getOperand(0))
    transposed ^= isa<tile::TransposeOp>(operand.getDefiningOp());
  return operand;
}

bool isOfMemory(Value operand) {
  bool transposed = false;
  return viewed(operand, transposed).getDefiningOp<tile::LoadOp>() != nullptr;
}

/// The contraction runs along the contiguous dimension of what `operand` is a view of.
bool isContiguousAlongK(Value operand, bool isB) {
  bool transposed = false;
  viewed(operand, transposed);
  return transposed == isB;
}

void prepare(tile::DotOp dot) {
  OpBuilder b(dot);
  Location loc = dot.getLoc();
  Value a = dot.getA(), right = dot.getB(), acc = dot.getAcc();
  Type element = dot.getA().getType().getElementType(), sum = dot.getResult().getType().getElementType();
  const TargetInterface &target = targetOf(dot);
  std::optional<DotForm> form = target.dotForm(element);
  bool alongK = isContiguousAlongK(a, false) && isContiguousAlongK(right, true);
  bool turns = isContiguousAlongK(a, false) && isOfMemory(right); // by SelectInstructions
  bool integers = element.isInteger(8) && !(form && turns && isOfMemory(a));
  bool eightBits = form && isa<FloatType>(element) && !form->across && element.getIntOrFloatBitWidth() == 8;
  if (integers || (eightBits && !alongK && !turns)) {
    a = inF16(b, a);
    right = inF16(b, right);
  }
  if (a == dot.getA() && (target.accumulatesIn(sum) || sum.isF64()))
    return;
  RankedTensorType wide = withElement(acc, b.getF32Type());
  bool narrow = !integers && !target.accumulatesIn(sum);
  Value start = narrow && !matchPattern(acc, m_AnyZeroFloat()) ? Value(arith::ExtFOp::create(b, loc, wide, acc)) : acc;
  if (integers || (narrow && start == acc))
    start = arith::ConstantOp::create(b, loc, SplatElementsAttr::get(wide, b.getF32FloatAttr(0)));
  Value result = tile::DotOp::create(b, loc, wide, a, right, start);
  if (integers) {
    result = arith::FPToSIOp::create(b, loc, acc.getType(), result);
    if (!matchPattern(acc, m_Zero()))
      result = arith::AddIOp::create(b, loc, acc, result);
  } else if (narrow) {
    result = arith::TruncFOp::create(b, loc, acc.getType(), result);
  }
  dot.getResult().replaceAllUsesWith(result);
  dot.erase();
}
} // namespace

void prepareDots(tile::KernelOp kernel) {
  SmallVector<tile::DotOp> dots;
  kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  for (tile::DotOp dot : dots)
    prepare(dot);
}

} // namespace heddle
