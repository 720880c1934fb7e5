//===- FoldSplats.cpp - what is alike everywhere is computed once ---------------===//
//
// What:      f(tensor.splat %x, tensor.splat %y)  ->  tensor.splat f(%x, %y)
// Where:     on the whole program, before sub-tiling divides tiles over warp groups: a splat is whatever part of a tile
//            its users need, so that it may be used along rows and along columns; what is computed from it, too.
// Which:     element-wise operations of numbers that scalars have as well, of splats and constants with one value.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/FoldSplats.h"
#include "Splats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle {

static bool isScalarType(Type element) { return element.isF32() || element.isF64() || element.isInteger(32); }

/// The number that `tile` has everywhere; null: it is no splat.
static Value numberOf(OpBuilder &b, Value tile) {
  if (auto splat = tile.getDefiningOp<tensor::SplatOp>())
    return splat.getInput();
  DenseElementsAttr elements;
  if (!matchPattern(tile, m_Constant(&elements)) || !elements.isSplat())
    return {};
  return arith::ConstantOp::create(b, tile.getLoc(), elements.getSplatValue<TypedAttr>());
}

void foldSplats(tile::KernelOp kernel) {
  kernel.walk([](Operation *op) {
    auto numbers = [](Type type) {
      auto tile = dyn_cast<RankedTensorType>(type);
      return tile && isScalarType(tile.getElementType());
    };
    if (op->getNumResults() != 1 || op->getNumOperands() == 0 || !OpTrait::hasElementwiseMappableTraits(op) ||
        isa<tile::CallOp>(op) || // of tiles alone
        !numbers(op->getResult(0).getType()) || !llvm::all_of(op->getOperandTypes(), numbers) ||
        !llvm::all_of(op->getOperands(), isSplat) ||
        llvm::none_of(op->getOperands(), [](Value tile) { return tile.getDefiningOp<tensor::SplatOp>(); }))
      return;
    OpBuilder b(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    IRMapping scalars;
    for (Value operand : op->getOperands())
      scalars.map(operand, numberOf(b, operand));
    Operation *scalar = b.clone(*op, scalars);
    scalar->getResult(0).setType(type.getElementType());
    op->getResult(0).replaceAllUsesWith(tensor::SplatOp::create(b, op->getLoc(), scalar->getResult(0), type));
    op->erase();
  });
}

} // namespace heddle
