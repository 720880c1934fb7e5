//===- LayoutRules.cpp - the layout rules, and a verifier of them ---------------===//
#include "LayoutRules.h"

#include "heddle/Conversion/WarpToHW/AssignLayouts.h"
#include "heddle/Dialect/HW/Exchange.h"
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/HW/Limits.h"
#include "heddle/Dialect/Tile/AlongAxis.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Target/TargetInterface.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

bool heddle::keepsLayout(Operation *op) { return isElementwise(op) || AlongAxis::of(op); }

bool heddle::isElementwise(Operation *op) {
  return op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) &&
         OpTrait::hasElementwiseMappableTraits(op);
}

LinearLayout heddle::rowsLayout(const LinearLayout &layout) {
  return layout.rank() == 1 ? layout : sliceLayout(layout, 1);
}

int64_t heddle::elementBytes(Type type) {
  return type.isIndex() ? 4 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

LinearLayout heddle::defaultLayout(RankedTensorType type, int warps, ArrayRef<int64_t> part) {
  return blockedLayout(type.getShape().vec(), elementBytes(type.getElementType()), warps, part.vec());
}

LinearLayout heddle::copiedLayout(warp::CopyOp copy) {
  auto tile = cast<RankedTensorType>(copy.getAref().getType().getPayload()[copy.getField()]);
  Operation *role = copy->getParentOfType<hw::RoleOp>();
  int64_t warps = role ? cast<hw::RoleOp>(role).getWarps() : copy->getParentOfType<warp::GroupOp>().getWarps();
  return piecesLayout(tile.getShape().vec(), hw::copyBytes / elementBytes(tile.getElementType()), warps);
}

bool heddle::readsColumns(warp::ReadOp read) {
  bool transposed = false;
  for (Value view = read.getSource(); isa_and_nonnull<warp::SliceOp, warp::TransposeOp>(view.getDefiningOp());
       view = view.getDefiningOp()->getOperand(0))
    transposed ^= isa<warp::TransposeOp>(view.getDefiningOp());
  return transposed && read.getResult().getType().getRank() == 2;
}

WordShape heddle::wordShapeOf(warp::GroupOp group, ArrayRef<int64_t> shape) {
  constexpr int64_t lanesOfColumns = 2;
  WordShape words;
  auto consider = [&](RankedTensorType from, RankedTensorType to, int64_t lanes) {
    int64_t rows = hw::isExchanged(from.getElementType()) ? hw::elementsPerWord(from.getElementType()) : 1;
    if ((from.getShape() == shape || to.getShape() == shape) && rows > words.rows)
      words = {rows, lanes};
  };
  group.walk([&](Operation *op) {
    if (auto transpose = dyn_cast<tile::TransposeOp>(op))
      consider(transpose.getSource().getType(), transpose.getResult().getType(), 0);
    else if (auto read = dyn_cast<warp::ReadOp>(op); read && readsColumns(read))
      consider(read.getResult().getType(), read.getResult().getType(), lanesOfColumns);
  });
  return words;
}

int64_t heddle::repeatedRows(warp::GroupOp group, ArrayRef<int64_t> shape) {
  int64_t rows = 1;
  group.walk([&](tensor::CollapseShapeOp collapse) {
    auto repeated = collapse.getSrc().getDefiningOp<tile::BroadcastOp>();
    if (!repeated || collapse.getResultType().getShape() != shape || shape.size() != 2 ||
        repeated.getType().getRank() != 3 || repeated.getAxis() != 1 ||
        repeated.getType().getDimSize(0) * repeated.getType().getDimSize(1) != shape[0])
      return;
    int64_t times = repeated.getType().getDimSize(1);
    rows = std::max(rows, times & -times);
  });
  return rows;
}

static LinearLayout layoutOf(Value value) { return hw::layoutOf(cast<RankedTensorType>(value.getType())); }

std::optional<LinearLayout> heddle::layoutOfAccess(Operation *access, Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  auto gather = dyn_cast<tile::GatherOp>(access);
  auto store = dyn_cast<tile::StoreOp>(access);
  if (!type || type.getRank() != 2 || !(gather || (store && store.getRows() && store.getKind() == "set")) ||
      !tile::isMarkedAligned(gather ? gather.getView() : store.getView()) || !hw::isExchanged(type.getElementType()) ||
      elementBytes(type.getElementType()) > 2) // four lanes have sectors of 32 bytes then
    return std::nullopt;
  auto loop = dyn_cast<scf::ForOp>(access->getParentOp());
  if (loop && !loop.getOps<warp::DotOp>().empty())
    return std::nullopt;
  return piecesOfRows(layoutOf(tile), hw::copyBytes / elementBytes(type.getElementType()));
}

std::optional<LinearLayout> heddle::neededLayout(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned index = operand.getOperandNumber();
  if (keepsLayout(op))
    return layoutOf(op->getResult(0));
  if (std::optional<VariableRef> variable = variableOf(operand))
    return layoutOf(passedVariables(variable->op)[variable->number].names.front());
  if (isa<warp::DotOp, hw::WgmmaOp>(op))
    return index == 0 ? targetOf(op).leftOperand(cast<RankedTensorType>(operand.get().getType()))
                      : layoutOf(op->getResult(0));
  if (isa<warp::DotWaitOp, hw::WgmmaWaitOp>(op))
    return layoutOf(op->getResult(index));
  if (std::optional<Rearrangement> moved = Rearrangement::of(op))
    return hw::layoutOfSource(*moved, layoutOf(moved->result));
  if (auto copy = dyn_cast<warp::CopyOp>(op))
    return rowsLayout(copiedLayout(copy));
  if (auto copy = dyn_cast<hw::ThreadCopyOp>(op))
    return rowsLayout(hw::layoutOf(copy.getTile()));
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return rowsLayout(layoutOf(gather.getResult()));
  if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getRows())
    return index > 0 ? rowsLayout(layoutOf(store.getValue())) : layoutOfAccess(op, store.getValue());
  if (std::optional<Reshape> reshape = Reshape::of(op))
    return hw::layoutAcross(*reshape, layoutOf(reshape->result), /*ofSource=*/true);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    LinearLayout whole = layoutOf(insert.getResult());
    std::optional<Window> window = planWindow(whole, insert.getStaticOffsets(), insert.getStaticSizes());
    return &operand == &insert.getSourceMutable() && window ? window->layout : whole;
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    if (!planWindow(layoutOf(slice.getSource()), slice.getStaticOffsets(), slice.getStaticSizes()))
      return defaultLayout(slice.getSourceType(), layoutOf(slice.getSource()).numWarps(), slice.getStaticSizes());
  return std::nullopt;
}

static LogicalResult verifyValue(Operation *op, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return success();
  if (!hw::hasLayout(type))
    return op->emitOpError("expected a register layout on every tile, got ") << type;
  LinearLayout layout = hw::layoutOf(type);
  if (std::string wrong = layout.verify(); !wrong.empty())
    return op->emitOpError("illegal layout: ") << wrong;
  auto group = op->getParentOfType<warp::GroupOp>();
  auto role = op->getParentOfType<hw::RoleOp>();
  int64_t warps = group ? group.getWarps() : role.getWarps();
  if (layout.numWarps() != warps)
    return op->emitOpError("expected a layout for ") << warps << " warps, got one for " << layout.numWarps();
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        if (failed(verifyValue(op, argument)))
          return failure();
  for (Value result : op->getResults())
    if (failed(verifyValue(op, result)))
      return failure();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    if (failed(verifyValue(op, operand.get())))
      return failure();
    std::optional<LinearLayout> needed = neededLayout(operand);
    if (needed && *needed != layoutOf(operand.get()))
      return op->emitOpError("expected operand ") << operand.getOperandNumber() << " in layout " << needed->str()
                                                  << ", got " << layoutOf(operand.get()).str();
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    auto plan = planReduction(layoutOf(reduce.getSource()), reduce.getAxis());
    if (!plan || plan->result != layoutOf(reduce.getResult()))
      return op->emitOpError("expected a result in the slice of the source's layout, got ")
             << layoutOf(reduce.getResult()).str();
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    auto window = planWindow(layoutOf(slice.getSource()), slice.getStaticOffsets(), slice.getStaticSizes());
    if (!window || window->layout != layoutOf(slice.getResult()))
      return op->emitOpError("expected a part that each thread holds of the whole, got ")
             << slice.getResult().getType();
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    if (!planWindow(layoutOf(insert.getResult()), insert.getStaticOffsets(), insert.getStaticSizes()))
      return op->emitOpError("expected a part that each thread holds of the whole, got ")
             << insert.getSource().getType();
  if (isa<warp::DotOp, hw::WgmmaOp>(op)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (layoutOf(op->getResult(0)) != targetOf(op).accumulator(type.getShape()))
      return op->emitOpError("expected a result in the accumulator layout, got ") << layoutOf(op->getResult(0)).str();
  }
  return success();
}

LogicalResult heddle::verifyLayouts(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    bool inGroup = op->getParentOfType<warp::GroupOp>() || op->getParentOfType<hw::RoleOp>();
    return inGroup && failed(verifyOp(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
