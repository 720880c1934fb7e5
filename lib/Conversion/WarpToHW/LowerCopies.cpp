//===- LowerCopies.cpp - copies as tensor maps and boxes ---===//
// See Lowering.h.
#include "LayoutRules.h"
#include "Lowering.h"

#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Target/TargetInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

Value Lowering::tensorMap(Operation *op, Value view, const TmaCopy &copy, int64_t swizzle) {
  auto &known = maps[view];
  for (hw::TensorMapOp map : known)
    if (map.getBox() == ArrayRef<int64_t>(copy.box) && static_cast<int64_t>(map.getSwizzle()) == swizzle &&
        static_cast<int64_t>(map.getSplit()) == copy.split)
      return map;
  auto arg = cast<BlockArgument>(tile::memoryOf(view));
  std::string name = "arg" + std::to_string(arg.getArgNumber());
  if (auto attr = kernel.getArgAttrOfType<StringAttr>(arg.getArgNumber(), "tile.name"))
    name = attr.str();
  if (!known.empty())
    name += "_" + std::to_string(known.size());
  OpBuilder builder(kernel.getContext());
  Location loc = op->getLoc();
  if (Operation *window = view.getDefiningOp()) // made where the window is, together with others of its loop
    builder.setInsertionPoint(window->getBlock()->findAncestorOpInBlock(*op));
  else
    builder.setInsertionPoint(
        &*llvm::find_if(kernel.getBody().front(), [](Operation &op) { return isa<hw::MBarriersOp, hw::RoleOp>(op); }));
  auto map = hw::TensorMapOp::create(builder, loc, hw::MapType::get(builder.getContext()), name, view, copy.box,
                                     swizzle, copy.split);
  known.push_back(map);
  return map;
}

SmallVector<Value> Lowering::boxCoords(ValueRange indices, const TmaCopy &copy, const TmaBox &box, OpBuilder &builder,
                                       Location loc) {
  SmallVector<Value> coords;
  for (int64_t dim = indices.size() - 1; dim >= 0; --dim) {
    int64_t offset = dim == copy.colDim ? box.colOffset : dim == copy.rowDim ? box.rowOffset : 0;
    coords.push_back(addConstant(indices[dim], offset, builder, loc));
  }
  if (copy.split) { // the innermost coordinate is a constant, see planTmaCopy
    APInt inner;
    matchPattern(coords[0], m_ConstantInt(&inner));
    coords[0] = constant(0);
    coords.push_back(constant(inner.getSExtValue() / copy.split));
  }
  return coords;
}

bool Lowering::isRowRing(Value aref) {
  ArrayRef<Type> payload = cast<warp::ArefType>(aref.getType()).getPayload();
  auto tile = payload.size() == 1 ? dyn_cast<RankedTensorType>(payload.front()) : RankedTensorType();
  return tile && targetOf(source).copiesRow(tile);
}

void Lowering::lowerThreadCopy(warp::CopyOp op, OpBuilder &builder) {
  auto field = cast<RankedTensorType>(cast<warp::ArefType>(op.getAref().getType()).getPayload()[op.getField()]);
  RankedTensorType tile = hw::withLayout(field, copiedLayout(op));
  hw::ThreadCopyOp::create(builder, op.getLoc(), op.getView(), op.getIndices(), op.getDimsAttr(), op.getRows(),
                           op.getExtentAttr(),
                           fieldTile(op.getAref(), op.getUse(), op.getField(), builder, op.getLoc()), tile);
}

LogicalResult Lowering::lowerCopy(warp::CopyOp op, OpBuilder &builder) {
  Value aref = op.getAref(), use = op.getUse();
  int64_t depth = cast<warp::ArefType>(aref.getType()).getDepth();
  if (op.getThreads())
    return lowerThreadCopy(op, builder), success();
  if (isRowRing(aref)) {
    hw::RowLoadOp::create(builder, op.getLoc(), op.getView(), op.getIndices(),
                          fieldTile(aref, use, op.getField(), builder, op.getLoc()), barriersOf[aref].full,
                          slotOf(use, depth));
    return success();
  }
  const SmemField &place = plan.rings[aref].fields[op.getField()];
  hw::TileType part = place.type; // what this block copies
  SmallVector<Value> indices(op.getIndices());
  IntegerAttr apart;
  if (op.getMulticast() || op.getExtent()) {
    SmallVector<int64_t> shape(op.getExtent().value_or(part.getShape()));
    if (op.getMulticast())
      shape[0] /= tile::clusterOf(source);
    part = hw::TileType::get(op.getContext(), shape, part.getElementType(), part.getRows(), part.getCols(),
                             part.getSwizzle(), part.getRowOffset(), part.getColOffset(), part.getTransposed());
    if (op.getMulticast())
      apart = builder.getI64IntegerAttr(part.getByteOffset(shape[0], 0));
  }
  FailureOr<TmaCopy> copy =
      planTmaCopy(op, part, op.getView().getType(), op.getDims(), knownIndex(op.getIndices().back()));
  if (failed(copy))
    return failure();
  if (op.getMulticast()) {
    Value rank = tile::ClusterRankOp::create(builder, op.getLoc());
    Value first = arith::MulIOp::create(builder, op.getLoc(), rank, constant(part.getShape()[0]));
    Value &row = indices[copy->rowDim];
    row = arith::AddIOp::create(builder, op.getLoc(), row, first);
  }
  Value map = tensorMap(op, op.getView(), *copy, place.type.getSwizzle());
  Value tile = fieldTile(aref, use, op.getField(), builder, op.getLoc());
  Value slot = slotOf(use, depth);
  SmallVector<SmallVector<Value>> coords; // all before the first copy, so that the copies stand together
  for (const TmaBox &box : copy->boxes)
    coords.push_back(boxCoords(indices, *copy, box, builder, op.getLoc()));
  IntegerAttr rows = op.getExtent() ? builder.getI64IntegerAttr(part.getShape()[0]) : IntegerAttr();
  for (auto [box, at] : llvm::zip(copy->boxes, coords))
    hw::TmaLoadOp::create(builder, op.getLoc(), map, at, tile, builder.getI64IntegerAttr(box.byteOffset),
                          barriersOf[aref].full, slot, apart, rows);
  return success();
}

LogicalResult Lowering::lowerCopyOut(warp::CopyOutOp op, OpBuilder &builder) {
  Value source = op->getOperand(0);
  auto tile = cast<hw::TileType>(source.getType());
  FailureOr<TmaCopy> copy =
      planTmaCopy(op, tile, op.getView().getType(), op.getDims(), knownIndex(op.getIndices().back()));
  if (failed(copy))
    return failure();
  Value map = tensorMap(op, op.getView(), *copy, tile.getSwizzle());
  SmallVector<SmallVector<Value>> coords; // all before the first copy, so that the copies stand together
  for (const TmaBox &box : copy->boxes)
    coords.push_back(boxCoords(op.getIndices(), *copy, box, builder, op.getLoc()));
  for (auto [box, at] : llvm::zip(copy->boxes, coords))
    hw::TmaStoreOp::create(builder, op.getLoc(), source, box.byteOffset, map, at, op.getKind() == "add");
  hw::TmaCommitOp::create(builder, op.getLoc());
  hasCopyOut = true;
  drained = false;
  return success();
}
