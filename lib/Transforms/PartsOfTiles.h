//===- PartsOfTiles.h - parts of tiles computed as such ------------------------===//
//
// What:   a box of a tile -> the operation that makes the tile, on boxes of its operands. What knows parts is named
//         here: loads, splats, constants, operations that place elements elsewhere, and those on elements.
// Where:  private to the passes that compute parts (NormaliseShapes.cpp, SplitConcatenations.cpp), which say where a
//         part is computed and which loads may be divided.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_TRANSFORMS_PARTSOFTILES_H
#define HEDDLE_LIB_TRANSFORMS_PARTSOFTILES_H

#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace heddle {

/// A load of `sizes` elements from `offsets` of what `load` brings. Its extent is not looked at.
inline mlir::Value loadPart(mlir::OpBuilder &b, tile::LoadOp load, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                            llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<mlir::Value> place(load.getIndices());
  for (auto [offset, dim] : llvm::zip(offsets, load.getTileDims())) {
    mlir::Value value = mlir::getValueOrCreateConstantIndexOp(b, load.getLoc(), offset);
    place[dim] = b.createOrFold<mlir::arith::AddIOp>(load.getLoc(), place[dim], value);
  }
  auto type = mlir::RankedTensorType::get(sizes, load.getType().getElementType());
  return tile::LoadOp::create(b, load.getLoc(), type, load.getView(), place, load.getDimsAttr(),
                              mlir::DenseI64ArrayAttr());
}

/// The part of `tile` from `offsets` on, made of parts of operands, which `partOf` gives (null: there is none): `tile`
/// itself where these are the operands. Null where something else makes the tile, such as a load. `Offset`: a number,
/// or an OpFoldResult.
template <typename Offset>
mlir::Value
computePart(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile, llvm::ArrayRef<Offset> offsets,
            llvm::ArrayRef<int64_t> sizes,
            llvm::function_ref<mlir::Value(mlir::Value, llvm::ArrayRef<Offset>, llvm::ArrayRef<int64_t>)> partOf) {
  mlir::Operation *def = tile.getDefiningOp();
  if (!def || def->getNumRegions() || def->getNumResults() != 1)
    return {};
  auto type = mlir::RankedTensorType::get(sizes, mlir::getElementTypeOrSelf(tile));
  if (auto splat = mlir::dyn_cast<mlir::tensor::SplatOp>(def))
    return type == tile.getType() ? tile : mlir::tensor::SplatOp::create(b, loc, splat.getInput(), type).getResult();
  mlir::DenseElementsAttr constant;
  if (matchPattern(tile, mlir::m_Constant(&constant)) && constant.isSplat())
    return type == tile.getType() ? tile
                                  : mlir::arith::ConstantOp::create(b, loc, constant.resizeSplat(type)).getResult();
  std::optional<Rearrangement> moved = Rearrangement::of(def);
  if (!moved && !mlir::OpTrait::hasElementwiseMappableTraits(def))
    return {};
  mlir::OperationState state(moved ? loc : def->getLoc(), def->getName());
  for (mlir::Value operand : def->getOperands()) {
    mlir::Value part = operand;
    if (moved)
      part = partOf(operand, moved->ofSource<Offset>(offsets), moved->ofSource<int64_t>(sizes));
    else if (mlir::isa<mlir::RankedTensorType>(operand.getType()))
      part = partOf(operand, offsets, sizes);
    if (!part)
      return {};
    state.operands.push_back(part);
  }
  if (type == tile.getType() && llvm::equal(state.operands, def->getOperands()))
    return tile;
  state.types.push_back(type);
  state.attributes = def->getAttrs();
  return b.create(state)->getResult(0);
}

} // namespace heddle

#endif // HEDDLE_LIB_TRANSFORMS_PARTSOFTILES_H
