//===- NarrowFolds.cpp - folds of repeated tiles become folds of what is repeated -===//
//
// What:      tile.reduce (tile.broadcast %v axis 1) axis 0  ->  tile.broadcast (tile.reduce %v axis 0) axis 0
// Where:     on the whole program, before sub-tiling divides tiles over warp groups.
// Why:       totals of vectors are written so, to have them for each column. The wide fold does the same work
//            for every column, and needs all rows, which the groups divide.
// Which:     folds along a dimension that the tile had before it was repeated. (Along the other one a sum multiplies.)
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/NarrowFolds.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace heddle {

/// `tile` repeated along a new dimension `axis`, as a tile of `type`.
static Value repeated(OpBuilder &b, Location loc, Value tile, int64_t axis, RankedTensorType type) {
  if (cast<RankedTensorType>(tile.getType()).getRank() == 0)
    return tensor::SplatOp::create(b, loc, tensor::ExtractOp::create(b, loc, tile, ValueRange()), type);
  return tile::BroadcastOp::create(b, loc, type, tile, axis);
}

void narrowFolds(tile::KernelOp kernel) {
  kernel.walk([](tile::ReduceOp fold) {
    auto wide = fold.getSource().getDefiningOp<tile::BroadcastOp>();
    auto axis = static_cast<int64_t>(fold.getAxis());
    if (!wide || static_cast<int64_t>(wide.getAxis()) == axis)
      return;
    auto repeats = static_cast<int64_t>(wide.getAxis());
    int64_t narrowAxis = axis - (axis > repeats);
    SmallVector<int64_t> shape(wide.getSource().getType().getShape());
    shape.erase(shape.begin() + narrowAxis);
    OpBuilder b(fold);
    Value narrow =
        tile::ReduceOp::create(b, fold.getLoc(), RankedTensorType::get(shape, fold.getType().getElementType()),
                               fold.getKind(), wide.getSource(), narrowAxis);
    fold.getResult().replaceAllUsesWith(repeated(b, fold.getLoc(), narrow, repeats - (repeats > axis), fold.getType()));
    fold.erase();
    if (wide.use_empty())
      wide.erase();
  });
}

} // namespace heddle
