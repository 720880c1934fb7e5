//===- Resize.cpp - the same program on tiles of other sizes ---------------===//
//
// What:      see the header.
// Algorithm: dimensions of tiles that must be equal form classes (Dimensions.h), after each use of a tile of one value
//            or of positions has its own. A size that is stated for one
//            dimension of a class holds for the whole class. Types change in place; constants with one value for all
//            elements and slices of whole dimensions change with them.
// Refuses:   what states a size of its own along a dimension that follows: a constant with different elements, a slice
//            of a part, an extent, an operation that is not known here.
//
//===----------------------------------------------------------------------===//
#include "heddle/Dialect/Tile/Resize.h"

#include "heddle/Dialect/Tile/AlongAxis.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/Dimensions.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle::tile {

namespace {
RankedTensorType tileOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

class Resizer {
public:
  Resizer(Operation *root, ArrayRef<SizedDimension> sized) : root(root), sized(sized), classes(root) {}

  LogicalResult run() {
    if (failed(follow()))
      return failure();
    WalkResult walk =
        root->walk([&](Operation *op) { return failed(change(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
    return failure(walk.wasInterrupted());
  }

private:
  /// Finds the size of each class that has one stated.
  LogicalResult follow() {
    for (const SizedDimension &dimension : sized) {
      auto [known, isNew] =
          followed.try_emplace(classes.of(dimension.tile, dimension.dim), dimension.name, dimension.size);
      if (known->second.second == dimension.size)
        continue;
      Operation *op = dimension.tile.getDefiningOp();
      return (op ? op : root)->emitOpError("expected one size for a dimension that ")
             << known->second.first << " and " << dimension.name << " give, got " << known->second.second << " and "
             << dimension.size;
    }
    return success();
  }

  /// The size of a dimension, and whether that is another than before.
  std::pair<int64_t, bool> sizeOf(Value value, int64_t dim) const {
    int64_t own = oldShape(value)[dim];
    auto it = followed.find(classes.of(value, dim));
    int64_t now = it == followed.end() ? own : it->second.second;
    return {now, now != own};
  }

  /// Types change while the walk goes on; what it has passed is kept.
  ArrayRef<int64_t> oldShape(Value value) const {
    auto it = before.find(value);
    return (it == before.end() ? tileOf(value) : it->second).getShape();
  }

  bool changes(Value value) const {
    for (int64_t d = 0; tileOf(value) && d < tileOf(value).getRank(); ++d)
      if (sizeOf(value, d).second)
        return true;
    return false;
  }

  RankedTensorType newType(Value value) const {
    SmallVector<int64_t> shape;
    for (int64_t d = 0; d < tileOf(value).getRank(); ++d)
      shape.push_back(sizeOf(value, d).first);
    return RankedTensorType::get(shape, tileOf(value).getElementType());
  }

  LogicalResult refuse(Operation *op, Value value) {
    for (int64_t d = 0; d < tileOf(value).getRank(); ++d)
      if (sizeOf(value, d).second)
        return op->emitOpError("cannot give ")
               << followed.at(classes.of(value, d)).first << " the value " << sizeOf(value, d).first
               << ": expected tiles that can have any size, got one whose size " << oldShape(value)[d]
               << " this operation states";
    return success();
  }

  /// Gives what `op` makes its new types.
  LogicalResult change(Operation *op) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
    auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
    bool known = OpTrait::hasElementwiseMappableTraits(op) || op->hasTrait<OpTrait::IsTerminator>() ||
                 isBranchOrLoop(op) || op == root || (dense && dense.isSplat()) || slice || Rearrangement::of(op) ||
                 AlongAxis::of(op) || isa<LoadOp, StoreOp, GatherOp, DotOp, ReduceOp, IotaOp, tensor::SplatOp>(op);
    auto fixed = [&](Value value) { return tileOf(value) && !known && changes(value); };
    SmallVector<Value> tiles(op->getOperands());
    tiles.append(op->result_begin(), op->result_end());
    for (Value value : tiles)
      if (fixed(value))
        return refuse(op, value);
    bool hasExtent = op->hasAttr("extent") && isa<LoadOp, StoreOp>(op);
    if (Value tile = !hasExtent            ? Value()
                     : op->getNumResults() ? Value(op->getResult(0))
                                           : op->getOperand(0);
        tile && changes(tile))
      return refuse(op, tile);
    if (slice && failed(changeSlice(slice)))
      return failure();
    if (dense && changes(constant))
      constant.setValueAttr(DenseElementsAttr::get(newType(constant), dense.getSplatValue<Attribute>()));
    for (Value result : op->getResults())
      retype(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          retype(argument);
    return success();
  }

  LogicalResult changeSlice(tensor::ExtractSliceOp slice) {
    SmallVector<int64_t> sizes(slice.getStaticSizes());
    for (int64_t d = 0; d < slice.getSourceType().getRank(); ++d) {
      auto [size, changed] = sizeOf(slice.getSource(), d);
      if (!changed)
        continue;
      if (dropsDimensions(slice) || slice.getStaticOffsets()[d] != 0 || sizes[d] != oldShape(slice.getSource())[d])
        return refuse(slice, slice.getSource());
      sizes[d] = size;
    }
    slice.setStaticSizes(sizes);
    return success();
  }

  void retype(Value value) {
    if (!tileOf(value) || !changes(value))
      return;
    RankedTensorType type = newType(value);
    before.try_emplace(value, tileOf(value));
    value.setType(type);
  }

  Operation *root;
  ArrayRef<SizedDimension> sized;
  DimensionClasses classes;
  DenseMap<unsigned, std::pair<StringAttr, int64_t>> followed; ///< name and size of a class
  DenseMap<Value, RankedTensorType> before;
};
} // namespace

void separateUses(Operation *root) {
  SmallVector<Operation *> shared;
  root->walk([&](Operation *op) {
    DenseElementsAttr constant;
    bool made = isa<tensor::SplatOp, IotaOp>(op) || (matchPattern(op, m_Constant(&constant)) && constant.isSplat());
    if (made && op->getNumResults() == 1 && tileOf(op->getResult(0)) && !op->use_empty())
      shared.push_back(op);
  });
  for (Operation *op : shared)
    for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(op->getUses())))
      use.set(OpBuilder(op).clone(*op)->getResult(0));
}

LogicalResult resizeTiles(Operation *root, ArrayRef<SizedDimension> sized) {
  bool changes = llvm::any_of(sized, [](const SizedDimension &dimension) {
    return tileOf(dimension.tile).getDimSize(dimension.dim) != dimension.size;
  });
  if (changes)
    separateUses(root);
  return Resizer(root, sized).run();
}

} // namespace heddle::tile
