//===- WarpOps.cpp - local verifiers of the warp dialect's operations ------===//
// Rules that one op can check. The protocol (order of acquire, publish, get, consumed, waits, fences) is checked by
// lib/Analysis/WarpProtocol.
#include "heddle/Dialect/Tile/Constants.h"
#include "heddle/Dialect/Tile/KernelRules.h"
#include "heddle/Dialect/Warp/Accumulators.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Machine/Occupancy.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle::warp;
using heddle::tile::ViewType;

#define GET_OP_CLASSES
#include "heddle/Dialect/Warp/WarpOps.cpp.inc"

LogicalResult GroupOp::verify() {
  int64_t warps = getWarps();
  if (warps != 1 && warps != heddle::warpsPerGroup && warps != 2 * heddle::warpsPerGroup &&
      warps != 4 * heddle::warpsPerGroup)
    return emitOpError("expected 1, 4, 8 or 16 warps, got ") << warps;
  heddle::Occupancy occupancy;
  if (!occupancy.isBudget(getRegs()))
    return emitOpError("expected a multiple of ")
           << occupancy.granule() << " registers from " << occupancy.leastBudget() << " to "
           << occupancy.largestBudget() << ", got " << getRegs();
  return success();
}

/// The type of field `field` of the ring, or null with a diagnostic.
static Type payloadField(Operation *op, ArefType aref, uint64_t field) {
  if (field < aref.getPayload().size())
    return aref.getPayload()[field];
  op->emitOpError("expected a field below ") << aref.getPayload().size() << ", got " << field;
  return {};
}

bool ArefOp::isMulticast() {
  return llvm::any_of(getResult().getUsers(), [](Operation *user) {
    auto copy = dyn_cast<CopyOp>(user);
    return copy && copy.getMulticast();
  });
}

std::pair<int64_t, int64_t> ArefOp::filledWith(int64_t field) {
  int64_t first = 0;
  for (int64_t fields : getAlternatives().value_or(ArrayRef<int64_t>())) {
    if (field < first + fields)
      return {first, first + fields};
    first += fields;
  }
  return {0, static_cast<int64_t>(getType().getPayload().size())};
}

LogicalResult ArefOp::verify() {
  std::optional<ArrayRef<int64_t>> alternatives = getAlternatives();
  if (!alternatives)
    return success();
  int64_t fields = 0, given = getType().getPayload().size();
  for (int64_t part : *alternatives)
    fields += part < 1 ? given + 1 : part;
  if (llvm::any_of(getType().getPayload(), [](Type field) { return field.isIndex(); }))
    return emitOpError("expected tiles in a ring with alternatives, got a number");
  if (fields != given || alternatives->size() < 2)
    return emitOpError("expected two or more alternatives with the ") << given << " fields of the ring among them";
  return success();
}

/// What only threads copy, and who they are.
LogicalResult CopyOp::verifyThreads(RankedTensorType tile) {
  if (!getThreads()) {
    if (getRows())
      return emitOpError("expected threads for named rows, got the copy engine");
    std::optional<ArrayRef<int64_t>> extent = getExtent();
    if (extent && (getMulticast() || tile.getRank() != 2 || extent->size() != 2 || (*extent)[0] < 1 ||
                   (*extent)[0] > tile.getDimSize(0) || (*extent)[1] != tile.getDimSize(1)))
      return emitOpError("expected an extent of whole rows of ") << tile << ", and no multicast, for the copy engine";
    return success();
  }
  if (getMulticast())
    return emitOpError("expected threads to copy to their own block, got multicast");
  if (tile.getRank() != 2)
    return emitOpError("expected threads to copy a tile of rank 2, got ") << tile;
  if (auto group = (*this)->getParentOfType<GroupOp>(); group && group.getWarps() == 1)
    return emitOpError("expected a copy by threads in a group of at least 4 warps, got a group of 1");
  if (Value rows = getRows()) {
    auto numbers = cast<RankedTensorType>(rows.getType());
    if (numbers.getRank() != 1 || numbers.getDimSize(0) != tile.getDimSize(0) ||
        !numbers.getElementType().isIntOrIndex())
      return emitOpError("expected ") << tile.getDimSize(0) << " integers that name rows, got " << numbers;
  }
  if (std::optional<ArrayRef<int64_t>> extent = getExtent(); extent && extent->size() != 2)
    return emitOpError("expected an extent of 2 numbers, got ") << extent->size();
  return success();
}

LogicalResult CopyOp::verify() {
  Type payload = payloadField(*this, getAref().getType(), getField());
  if (!payload)
    return failure();
  auto tile = dyn_cast<RankedTensorType>(payload);
  if (!tile)
    return emitOpError("expected a field that holds a tile, got ") << payload;
  if (failed(verifyThreads(tile)))
    return failure();
  if (getMulticast()) {
    int64_t blocks = heddle::tile::clusterOf(*this);
    if (blocks < 2)
      return emitOpError("expected multicast in a kernel with a cluster of at least 2 blocks, got ") << blocks;
    if (!heddle::tile::dividesOverCluster(tile, blocks))
      return emitOpError("expected a multicast tile whose rows divide into ")
             << blocks << " parts of a multiple of 8, got " << tile;
  }
  ViewType view = getView().getType();
  if (static_cast<int64_t>(getIndices().size()) != view.getRank())
    return emitOpError("expected ") << view.getRank() << " indices, got " << getIndices().size();
  if (tile.getElementType() != view.getElementType())
    return emitOpError("expected element type ") << view.getElementType() << ", got " << tile.getElementType();
  return success();
}

LogicalResult PutOp::verify() {
  Type payload = payloadField(*this, getAref().getType(), getField());
  if (!payload)
    return failure();
  auto tile = dyn_cast<RankedTensorType>(payload), value = dyn_cast<RankedTensorType>(getValue().getType());
  bool fits = tile && value ? tile.getShape() == value.getShape() && tile.getElementType() == value.getElementType()
                            : payload == getValue().getType();
  if (!fits)
    return emitOpError("expected ") << payload << ", got " << getValue().getType();
  return success();
}

LogicalResult GetOp::verify() {
  ArrayRef<Type> payload = getAref().getType().getPayload();
  if (getTiles().size() != payload.size())
    return emitOpError("expected ") << payload.size() << " results, got " << getTiles().size();
  for (auto [result, type] : llvm::zip(getTiles(), payload)) {
    auto tile = dyn_cast<RankedTensorType>(type);
    auto smem = dyn_cast<SmemType>(result.getType());
    bool fits = tile && smem ? tile.getShape() == smem.getShape() && tile.getElementType() == smem.getElementType()
                             : type == result.getType();
    if (!fits)
      return emitOpError("expected a result like ") << type << ", got " << result.getType();
  }
  return success();
}

template <typename Op> static LogicalResult verifyPlace(Op op) {
  int64_t places = op.getOrder().getType().getPlaces();
  if (op.getPlace() >= static_cast<uint64_t>(places))
    return op.emitOpError("expected a place below ") << places << ", got " << static_cast<int64_t>(op.getPlace());
  return success();
}

/// Whether the operations of `order` in the block of `op` that come before it end with an `enter`.
static bool isEntered(Operation *op, Value order) {
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode())
    if (isa<EnterOp, LeaveOp>(before) && before->getOperand(0) == order)
      return isa<EnterOp>(before);
  return false;
}

LogicalResult EnterOp::verify() {
  if (failed(verifyPlace(*this)))
    return failure();
  if (isEntered(*this, getOrder()))
    return emitOpError("expected leave before the next enter of an order in its block, got none");
  for (Operation *after = (*this)->getNextNode(); after; after = after->getNextNode())
    if (auto leave = dyn_cast<LeaveOp>(after); leave && leave.getOrder() == getOrder())
      return success();
  return emitOpError("expected leave behind enter in its block, got none");
}

LogicalResult LeaveOp::verify() {
  if (failed(verifyPlace(*this)))
    return failure();
  return isEntered(*this, getOrder()) ? success() : emitOpError("expected enter before leave in its block, got none");
}

LogicalResult NextProgramOp::verify() {
  if (int64_t blocks = heddle::tile::clusterOf(*this); blocks > 1)
    return emitOpError("expected a kernel without clusters, got clusters of ") << blocks;
  return success();
}

LogicalResult SliceOp::verify() {
  SmemType s = getSource().getType(), r = getResult().getType();
  if (s.getElementType() != r.getElementType() || s.getShape().size() != r.getShape().size() ||
      getOffsets().size() != s.getShape().size())
    return emitOpError("expected a part of ") << s << " with as many offsets as dimensions, got " << r;
  for (auto [offset, size, limit] : llvm::zip(getOffsets(), r.getShape(), s.getShape()))
    if (offset < 0 || offset + size > limit)
      return emitOpError("expected the slice to end by ") << limit << ", got " << offset + size;
  return success();
}

LogicalResult TransposeOp::verify() {
  SmemType s = getSource().getType(), r = getResult().getType();
  if (s.getShape().size() != 2 ||
      r != SmemType::get(getContext(), {s.getShape()[1], s.getShape()[0]}, s.getElementType()))
    return emitOpError("expected the source's two dimensions exchanged, got ") << r;
  return success();
}

static LogicalResult verifySameTile(Operation *op, SmemType smem, RankedTensorType tile) {
  if (smem.getShape() != tile.getShape() || smem.getElementType() != tile.getElementType())
    return op->emitOpError("expected a register tile like ") << smem << ", got " << tile;
  return success();
}

LogicalResult ReadOp::verify() { return verifySameTile(*this, getSource().getType(), getResult().getType()); }
LogicalResult WriteOp::verify() { return verifySameTile(*this, getDest().getType(), getValue().getType()); }

LogicalResult LoadedOp::verify() {
  if (!getTile().getDefiningOp<heddle::tile::LoadOp>())
    return emitOpError("expected the result of a tile.load");
  return verifySameTile(*this, getResult().getType(), getTile().getType());
}
LogicalResult StageOp::verify() { return verifySameTile(*this, getResult().getType(), getValue().getType()); }

LogicalResult CopyOutOp::verify() {
  ViewType view = getView().getType();
  if (static_cast<int64_t>(getIndices().size()) != view.getRank())
    return emitOpError("expected ") << view.getRank() << " indices, got " << getIndices().size();
  if (getSource().getType().getElementType() != view.getElementType())
    return emitOpError("expected element type ")
           << view.getElementType() << ", got " << getSource().getType().getElementType();
  return success();
}

LogicalResult DotOp::verify() {
  auto shapeOf = [](Type t) {
    if (auto s = dyn_cast<SmemType>(t))
      return s.getShape();
    return cast<RankedTensorType>(t).getShape();
  };
  ArrayRef<int64_t> a = shapeOf(getA().getType()), b = getB().getType().getShape();
  RankedTensorType r = getResult().getType();
  if (a.size() != 2 || b.size() != 2 || r.getRank() != 2 || a[1] != b[0] || r.getDimSize(0) != a[0] ||
      r.getDimSize(1) != b[1])
    return emitOpError("expected MxK, KxN and MxN, got ") << getA().getType() << ", " << getB().getType() << ", " << r;
  if (getAcc() && getAcc().getType() != r)
    return emitOpError("expected an accumulator of type ") << r << ", got " << getAcc().getType();
  return success();
}

LogicalResult DotWaitOp::verify() {
  if (getValues().getTypes() != getResults().getTypes())
    return emitOpError("expected results of the operands' types");
  if (!getPending() && getTokens().empty() && getValues().empty())
    return emitOpError("expected a count, tokens or tiles to wait for, got none");
  if (getPending() && !getTokens().empty())
    return emitOpError("expected a count or tokens to wait for, got both");
  return success();
}

void DotWaitOp::build(OpBuilder &builder, OperationState &state, ValueRange values, int64_t pending) {
  build(builder, state, values.getTypes(), ValueRange(), values, builder.getI64IntegerAttr(pending));
}

void DotWaitOp::build(OpBuilder &builder, OperationState &state, ValueRange values) {
  build(builder, state, values.getTypes(), ValueRange(), values, IntegerAttr());
}

void heddle::warp::dropZeroAccumulators(Operation *root) {
  root->walk([](DotOp dot) {
    if (dot.getAcc() && tile::isZero(dot.getAcc()))
      dot.getAccMutable().clear();
  });
}
