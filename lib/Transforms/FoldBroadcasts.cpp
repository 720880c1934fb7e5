//===- FoldBroadcasts.cpp - what repeats is computed before it is repeated ------===//
//
// What:      f(tile.broadcast %x axis a, tile.broadcast %y axis a, one value)  ->  tile.broadcast f(%x, %y, one value)
//            axis a
//            %x / tile.broadcast %y axis a  ->  %x * tile.broadcast (1 / %y) axis a, of f32, whose quotients are
//            products with a reciprocal for every target anyhow (docs/TileDialect.md, functions)
// Where:     on the whole program, before sub-tiling divides tiles over warp groups.
// Why:       zeros and scales of packed weights are written for a whole block, and are alike in each of its rows.
// Which:     element-wise operations of tiles of numbers from memory and from other tiles. Positions and constants cost
//            next to nothing, and masks of them have forms of their own.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/FoldBroadcasts.h"
#include "Splats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
namespace heddle {

/// `tile`, a splat, with `shape`.
static Value reshaped(OpBuilder &b, Value tile, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, cast<RankedTensorType>(tile.getType()).getElementType());
  if (auto splat = tile.getDefiningOp<tensor::SplatOp>())
    return tensor::SplatOp::create(b, tile.getLoc(), splat.getInput(), type);
  DenseElementsAttr elements;
  matchPattern(tile, m_Constant(&elements));
  return arith::ConstantOp::create(b, tile.getLoc(), elements.resizeSplat(type));
}

/// The broadcast that all tiles of `op` have in common, but for splats; null: there is none.
static tile::BroadcastOp commonOf(Operation *op) {
  tile::BroadcastOp common;
  for (Value operand : op->getOperands()) {
    auto broadcast = operand.getDefiningOp<tile::BroadcastOp>();
    if (!isa<RankedTensorType>(operand.getType()) || (!broadcast && !isSplat(operand)))
      return {};
    if (!broadcast)
      continue;
    if (common && (broadcast.getAxis() != common.getAxis() ||
                   broadcast.getSource().getType().getShape() != common.getSource().getType().getShape()))
      return {};
    common = broadcast;
  }
  // A dimension of one element repeats nothing.
  bool repeats = common && common.getSource().getType().getRank() > 0 &&
                 common.getType().getDimSize(static_cast<int64_t>(common.getAxis())) > 1;
  return repeats ? common : tile::BroadcastOp();
}

/// Lets `quotient` multiply by what repeats, once it is known that the dividend is no part of that.
static void divideBefore(arith::DivFOp quotient) {
  auto broadcast = quotient.getRhs().getDefiningOp<tile::BroadcastOp>();
  if (!broadcast || !broadcast.getType().getElementType().isF32() || isSplat(quotient.getLhs()))
    return;
  OpBuilder b(quotient);
  Location loc = quotient.getLoc();
  RankedTensorType small = broadcast.getSource().getType();
  Value one = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getOneAttr(small)));
  Value inverse = arith::DivFOp::create(b, loc, one, broadcast.getSource());
  Value repeated = tile::BroadcastOp::create(b, loc, broadcast.getType(), inverse, broadcast.getAxis());
  quotient.replaceAllUsesWith(arith::MulFOp::create(b, loc, quotient.getLhs(), repeated).getResult());
  quotient.erase();
}

void foldBroadcasts(tile::KernelOp kernel) {
  DenseSet<Value> ofPositions; // what positions, constants and scalars alone make; asked in program order
  auto isOfPositions = [&](Value operand) {
    return !isa<RankedTensorType>(operand.getType()) || ofPositions.contains(operand);
  };
  kernel.walk([&](Operation *op) {
    if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
      return;
    bool isElementwise = OpTrait::hasElementwiseMappableTraits(op);
    if (isElementwise || isa<tile::IotaOp, tile::BroadcastOp, tensor::SplatOp, arith::ConstantOp,
                             tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      if (llvm::all_of(op->getOperands(), isOfPositions)) {
        ofPositions.insert(op->getResult(0));
        return;
      }
    tile::BroadcastOp common = isElementwise ? commonOf(op) : tile::BroadcastOp();
    if (!common) {
      if (auto quotient = dyn_cast<arith::DivFOp>(op))
        divideBefore(quotient);
      return;
    }
    OpBuilder b(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    ArrayRef<int64_t> shape = common.getSource().getType().getShape();
    IRMapping small;
    for (Value operand : op->getOperands()) {
      auto broadcast = operand.getDefiningOp<tile::BroadcastOp>();
      small.map(operand, broadcast ? Value(broadcast.getSource()) : reshaped(b, operand, shape));
    }
    Operation *made = b.clone(*op, small);
    made->getResult(0).setType(RankedTensorType::get(shape, type.getElementType()));
    op->getResult(0).replaceAllUsesWith(
        tile::BroadcastOp::create(b, op->getLoc(), type, made->getResult(0), common.getAxis()));
    op->erase();
  });
}

} // namespace heddle
