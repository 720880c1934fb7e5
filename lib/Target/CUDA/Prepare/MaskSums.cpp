//===- MaskSums.cpp - see MaskSums.h --------------------------------------------===//
#include "MaskSums.h"

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

static bool isOrder(arith::CmpIPredicate predicate) {
  return llvm::is_contained(
      {arith::CmpIPredicate::slt, arith::CmpIPredicate::sle, arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge},
      predicate);
}

/// The difference that `limit` repeats, if the loop of `compare` computes it from the size of a tensor.
static arith::SubIOp differenceIn(Value limit, arith::CmpIOp compare) {
  auto splat = limit.getDefiningOp<tensor::SplatOp>();
  auto cast = splat ? splat.getInput().getDefiningOp<arith::IndexCastOp>() : nullptr;
  auto difference = cast ? cast.getIn().getDefiningOp<arith::SubIOp>() : nullptr;
  auto loop = compare->getParentOfType<scf::ForOp>();
  bool ofSize = difference && difference.getLhs().getDefiningOp<tile::DimOp>();
  return ofSize && loop && !loop.isDefinedOutsideOfLoop(difference) ? difference : nullptr;
}

void cuda::addInMasks(hw::KernelOp kernel) {
  SmallVector<std::tuple<arith::CmpIOp, int, arith::SubIOp>> found;
  kernel->walk([&](arith::CmpIOp compare) {
    if (!isa<RankedTensorType>(compare.getLhs().getType()) || !isOrder(compare.getPredicate()))
      return;
    for (int side : {0, 1})
      if (compare->getOperand(1 - side).getDefiningOp<tile::IotaOp>())
        if (arith::SubIOp difference = differenceIn(compare->getOperand(side), compare))
          found.push_back({compare, side, difference});
  });
  for (auto [compare, side, difference] : found) {
    OpBuilder b(compare);
    Location loc = compare.getLoc();
    Value limit = compare->getOperand(side), coordinates = compare->getOperand(1 - side);
    auto repeated = [&](Value index) -> Value {
      Type narrow = cast<RankedTensorType>(limit.getType()).getElementType();
      Value scalar = arith::IndexCastOp::create(b, loc, narrow, index);
      return tensor::SplatOp::create(b, loc, limit.getType(), scalar);
    };
    compare->setOperand(1 - side, arith::AddIOp::create(b, loc, coordinates, repeated(difference.getRhs())));
    compare->setOperand(side, repeated(difference.getLhs()));
  }
}
