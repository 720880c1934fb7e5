//===- Subtile.cpp - split a tile program over compute warp groups ---------===//
//
// What:      sequential tile program -> sequential tile program whose compute operations exist once per warp group, on
//            its rows.
// Where:     first; everything after works on operations that one warp group runs.
// Trusts:    Partition (which dimension is divided).
// Verifies:  that the target takes the types of dots; that the group count divides every divided dimension, and leaves
//            dots the rows of whole instructions. (Dots whose partial sums the groups add in memory keep all their
//            rows: each group contracts its part.)
// Algorithm: one walk that clones operations with a map (value, group) -> value (Subtiler.h). Scalars and whole loads
//            are cloned once. What a group has of a value is in SubtileParts.cpp, loops are in SubtileControlFlow.cpp.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/Subtile.h"

#include "Subtiler.h"
#include "heddle/Analysis/GlobalMemory.h"
#include "heddle/Analysis/Partition.h"
#include "heddle/Analysis/VerifyInstructions.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Reshape.h"
#include "heddle/Target/TargetInterface.h"
#include "heddle/Transforms/SeparateFolds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
namespace heddle {

LogicalResult Subtiler::run() {
  Block &body = kernel.getBody().front();
  SmallVector<Operation *> old;
  for (Operation &op : body)
    old.push_back(&op);
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToEnd(&body);
  for (Operation *op : old)
    if (failed(clone(b, op)))
      return failure();
  for (Operation *op : llvm::reverse(old))
    op->erase();
  return success();
}

LogicalResult Subtiler::clone(OpBuilder &b, Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return cloneFor(b, loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return cloneIf(b, branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return cloneWhile(b, loop);
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return cloneLoad(b, load);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return cloneGather(b, gather);
  bool tiled = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
               llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (!tiled) {
    b.clone(*op, maps[0]);
    for (int64_t g = 1; g < groups; ++g)
      for (Value r : op->getResults())
        maps[g].map(r, maps[0].lookup(r));
    return success();
  }
  if (isRematerialisable(op)) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && !isa<DenseElementsAttr>(constant.getValue()))
      return op->emitError("expected a constant whose elements are written out, got ") << constant.getValue();
    return success(); // cloned at its uses
  }
  if (op->getNumResults() == 1 && isSharedView(op->getResult(0))) {
    if (failed(part(op, cast<RankedTensorType>(op->getResult(0).getType()), partition.axis(op->getResult(0)))))
      return failure();
    cloneView(b, op->getResult(0));
    return success();
  }
  if (auto dot = dyn_cast<tile::DotOp>(op); dot && partition.isExchange(dot)) {
    for (int64_t g = 0; g < groups; ++g)
      exchange(b, dot, g);
    return success();
  }
  for (int64_t g = 0; g < groups; ++g)
    if (failed(cloneForGroup(b, op, g)))
      return failure();
  return success();
}

LogicalResult Subtiler::cloneLoad(OpBuilder &b, tile::LoadOp load) {
  int64_t axis = partition.axis(load.getResult());
  FailureOr<RankedTensorType> type = part(load, load.getResult().getType(), axis);
  if (failed(type))
    return failure();
  if (isTmaLoad(load)) {
    wholes[load.getResult()] = b.clone(*load, maps[0])->getResult(0);
    cloneView(b, load.getResult());
    return success();
  }
  for (int64_t g = 0; g < groups; ++g) {
    auto copy = cast<tile::LoadOp>(b.clone(*load, maps[g]));
    setGroup(copy, g);
    copy.getResult().setType(*type);
    if (axis >= 0) {
      offsetIndex(copy, copy.getIndicesMutable()[copy.getTileDims()[axis]], g * type->getDimSize(axis));
      copy.setExtentAttr(partOfExtent(b, copy.getExtent(), axis, g, type->getDimSize(axis)));
    }
    maps[g].map(load.getResult(), copy.getResult());
  }
  return success();
}

LogicalResult Subtiler::cloneGather(OpBuilder &b, tile::GatherOp gather) {
  int64_t axis = partition.axis(gather.getResult());
  FailureOr<RankedTensorType> type = part(gather, gather.getResult().getType(), axis);
  if (failed(type))
    return failure();
  for (int64_t g = 0; g < groups; ++g) {
    IRMapping map = maps[g];
    map.map(gather.getRows(), lookup(b, gather.getRows(), g, axis == 0 ? 0 : -1));
    auto copy = cast<tile::GatherOp>(b.clone(*gather, map));
    setGroup(copy, g);
    copy.getResult().setType(*type);
    if (axis > 0)
      offsetIndex(copy, copy.getIndicesMutable()[copy.getTileDims()[axis]], g * type->getDimSize(axis));
    maps[g].map(gather.getResult(), copy.getResult());
  }
  return success();
}

int64_t Subtiler::useAxis(Operation *user, OpOperand &use) {
  Value v = use.get();
  if (!isa<RankedTensorType>(v.getType()))
    return -1;
  bool takesPart = isRematerialisable(v.getDefiningOp()) || isSharedView(v) || partition.isWhole(v);
  if (!takesPart || (isa<tile::StoreOp>(user) && !isRematerialisable(v.getDefiningOp())))
    return partition.axis(v);
  if (auto dot = dyn_cast<tile::DotOp>(user)) {
    if (partition.isPartialSum(dot.getResult()))
      return use.getOperandNumber() == 0 ? 1 : use.getOperandNumber() == 1 ? 0 : -1;
    int64_t divided = partition.axis(dot.getResult());
    return use.getOperandNumber() == 2 || use.getOperandNumber() == divided ? divided : -1;
  }
  if (std::optional<Rearrangement> moved = Rearrangement::of(user)) {
    int64_t r = partition.axis(moved->result);
    return r < 0 || moved->dims[r] == Rearrangement::repeated ? -1 : moved->dims[r];
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(user)) {
    int64_t r = partition.axis(reduce.getResult()), axis = reduce.getAxis();
    return r < 0 ? -1 : r + (r >= axis);
  }
  if (std::optional<Reshape> reshape = Reshape::of(user)) {
    int64_t r = partition.axis(reshape->result);
    return r < 0 ? -1 : reshape->axisOf(r, false).value_or(-1);
  }
  if (auto store = dyn_cast<tile::StoreOp>(user))
    return store.getValue().getType().getDimSize(0) % groups == 0 ? 0 : -1;
  // Element-wise and loop-carried: any tile result (or sibling operand) has the axis.
  for (Value r : user->getResults())
    if (isa<RankedTensorType>(r.getType()))
      return partition.axis(r);
  return -1;
}

LogicalResult Subtiler::cloneForGroup(OpBuilder &b, Operation *op, int64_t g) {
  SmallVector<Value> operands; // a tile may be several of them, divided in several ways
  int64_t storeAxis = -1;
  for (OpOperand &use : op->getOpOperands()) {
    int64_t axis = useAxis(op, use);
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      if (use.getOperandNumber() == 0)
        storeAxis = axis;
      else if (use.get() == store.getRows())
        axis = storeAxis == 0 ? 0 : -1;
    }
    bool isTiled = isa<RankedTensorType>(use.get().getType());
    operands.push_back(isTiled ? lookup(b, use.get(), g, axis) : maps[g].lookupOrDefault(use.get()));
  }
  // A tile that every group holds whole is stored once; partial sums are added by each.
  if (auto store = dyn_cast<tile::StoreOp>(op);
      store && storeAxis < 0 && g > 0 && !partition.isPartialSum(store.getValue()))
    return success();
  Operation *copy = b.clone(*op, maps[g]);
  copy->setOperands(operands);
  setGroup(copy, g);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
    if (auto type = dyn_cast<RankedTensorType>(from.getType())) {
      FailureOr<RankedTensorType> partType = part(op, type, partition.axis(from));
      if (failed(partType))
        return failure();
      to.setType(*partType);
    }
    maps[g].map(from, to);
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(copy))
    slice.setStaticSizes(cast<RankedTensorType>(slice.getResult().getType()).getShape());
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(copy))
    insert.setStaticSizes(insert.getSourceType().getShape());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(copy))
    expand.setStaticOutputShape(expand.getResultType().getShape());
  if (auto store = dyn_cast<tile::StoreOp>(copy); store && storeAxis >= 0) {
    int64_t size = store.getValue().getType().getDimSize(storeAxis);
    if (store.getRows()) {
      namedStores += g == 0;
      store->setAttr(partsOfStoreAttr, b.getI64IntegerAttr(namedStores));
    }
    if (storeAxis > 0 || !store.getRows())
      offsetIndex(store, store.getIndicesMutable()[store.getTileDims()[storeAxis]], g * size);
    store.setExtentAttr(partOfExtent(b, store.getExtent(), storeAxis, g, size));
  }
  return success();
}

/// Whether `groups` warp groups can divide `kernel`; nothing is said where they cannot.
static bool divides(tile::KernelOp kernel, int64_t groups) {
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  return succeeded(Partition::compute(kernel, groups));
}

LogicalResult subtile(tile::KernelOp kernel, int64_t groups, int64_t most) {
  // What no size of a tile would change is said first.
  WalkResult types = kernel.walk([](tile::DotOp dot) {
    return WalkResult(verifyDotTypes(dot, dot.getA().getType().getElementType(), dot.getResult().getType()));
  });
  if (types.wasInterrupted())
    return failure();
  if (groups == 0)
    if (auto attr = kernel->getAttrOfType<IntegerAttr>("groups"))
      groups = attr.getInt();
  const bool open = groups == 0;
  if (open)
    groups = Partition::defaultGroups(kernel, most);
  if (groups == 1 ? open && most > 1 : !divides(kernel, groups))
    if (OwningOpRef<tile::KernelOp> copy = kernel.clone(); separateFolds(*copy)) {
      int64_t other = open ? Partition::defaultGroups(*copy, most) : groups;
      if (other > 1 && divides(*copy, other)) {
        separateFolds(kernel);
        groups = other;
      }
    }
  // One group holds everything whole.
  FailureOr<Partition> partition = groups == 1 ? Partition() : Partition::compute(kernel, groups);
  if (failed(partition))
    return failure();
  WalkResult rows = kernel.walk([&](tile::DotOp dot) {
    int64_t m = dot.getResult().getType().getDimSize(0), parts = partition->axis(dot.getResult()) == 0 ? groups : 1;
    int64_t rows = targetOf(dot).dotRows();
    if (m % (rows * parts) == 0)
      return WalkResult::advance();
    dot.emitOpError("expected rows divisible by ") << rows << " times " << parts << " warp groups, got " << m;
    return WalkResult::interrupt();
  });
  if (rows.wasInterrupted())
    return failure();
  kernel->setAttr("groups", Builder(kernel.getContext()).getI64IntegerAttr(groups));
  return Subtiler(kernel, std::move(*partition), groups).run();
}

} // namespace heddle
