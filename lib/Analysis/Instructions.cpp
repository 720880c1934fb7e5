//===- Instructions.cpp - what the passes between tile and warp agree on ---===//
#include "heddle/Analysis/Instructions.h"

#include "heddle/Analysis/SharedMemory.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/Divisibility.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Target/TargetInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace heddle {

/// Arguments are described at the launch. A window at multiples of 16 bytes is described by the thread that copies,
/// which takes it about a microsecond: where loads of an inner loop use it, or stores of a loop.
static bool isDescribed(Operation *op, Value view) {
  auto window = view.getDefiningOp<tile::WindowOp>();
  return !window || (window->hasAttr(tile::alignedAttr) && window->getBlock() != op->getBlock() &&
                     (isa<tile::StoreOp>(op) || isa<scf::ForOp>(op->getParentOp())));
}

/// The copy engine has a box of the tile's shape, and the box's columns are the view's innermost dimension.
static bool hasTmaShape(Operation *op, TypedValue<tile::ViewType> view, RankedTensorType tile, ArrayRef<int64_t> dims) {
  return isDescribed(op, view) && targetOf(op).hasBox(tile) && dims.back() == view.getType().getRank() - 1;
}

static bool startsAligned(Operation *op, RankedTensorType tile, OperandRange indices) {
  int64_t bytes = tile.getElementType().getIntOrFloatBitWidth() / 8;
  return (knownDivisor(indices.back()) * bytes) % targetOf(op).boxAlignment() == 0;
}

/// A row of a loop with products: what is loaded there beside the products' operands would be waited for among them,
/// since ptxas moves ordinary loads behind a wait for the tensor core. Or a row that is copied ahead of its reader.
static bool isCopiedRow(tile::LoadOp load) {
  if (!isa<BlockArgument>(load.getView()) || !targetOf(load).copiesRow(load.getResult().getType()) ||
      load.getTileDims().back() != load.getView().getType().getRank() - 1)
    return false;
  return load->hasAttr(copiedRowAttr) ||
         (isa<scf::ForOp>(load->getParentOp()) &&
          llvm::any_of(*load->getBlock(), [](Operation &op) { return isa<tile::DotOp, warp::DotOp>(op); }));
}

bool isTmaLoad(tile::LoadOp load) {
  RankedTensorType tile = load.getResult().getType();
  return !load->hasAttr(inOrderAttr) && !load->hasAttr(directAttr) &&
         (!load.getExtent() || load->hasAttr(anyBeyondAttr)) &&
         (hasTmaShape(load, load.getView(), tile, load.getTileDims()) || isCopiedRow(load)) &&
         startsAligned(load, tile, load.getIndices());
}
bool isTmaStore(tile::StoreOp store) {
  RankedTensorType tile = store.getValue().getType();
  return !store->hasAttr(directAttr) && !store.getExtent() && !store.isBounded() && !store.getRows() &&
         hasTmaShape(store, store.getView(), tile, store.getTileDims()) &&
         startsAligned(store, tile, store.getIndices());
}
bool isKeptFromTmaByAlignment(Operation *op) {
  if (op->hasAttr(directAttr))
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !load->hasAttr(inOrderAttr) && !isTmaLoad(load) &&
           hasTmaShape(load, load.getView(), load.getResult().getType(), load.getTileDims());
  auto store = dyn_cast<tile::StoreOp>(op);
  return store && !isTmaStore(store) && !store.isBounded() && !store.getRows() &&
         hasTmaShape(store, store.getView(), store.getValue().getType(), store.getTileDims());
}

Operation *copiedSource(warp::StageOp stage) {
  Operation *source = stage.getValue().getDefiningOp();
  return source && source->hasAttr(copiedByThreadsAttr) ? source : nullptr;
}

int64_t groupOf(Operation *op) {
  auto group = op->getAttrOfType<IntegerAttr>(groupAttr);
  return group ? group.getInt() : 0;
}

void setGroup(Operation *op, int64_t group) {
  op->setAttr(groupAttr, Builder(op->getContext()).getI64IntegerAttr(group));
}

int64_t groupWarps(tile::KernelOp kernel) {
  auto warps = kernel->getAttrOfType<IntegerAttr>(groupWarpsAttr);
  return warps ? warps.getInt() : warpsPerGroup;
}

bool hasDots(tile::KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<tile::DotOp, warp::DotOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isFree(Operation *op) {
  std::optional<Rearrangement> moved = Rearrangement::of(op);
  return isa<warp::LoadedOp, warp::SliceOp, warp::TransposeOp, tensor::SplatOp, tile::IotaOp, arith::ConstantOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
         (moved && moved->keepsOrder()) || op->hasAttr(recomputedAttr) || op->hasAttr(copiedByThreadsAttr);
}

Operation *producerThroughFree(Value value) {
  Operation *def = value.getDefiningOp();
  while (def && isFree(def) && def->getNumOperands())
    def = def->getOperand(0).getDefiningOp();
  return def && isFree(def) ? nullptr : def;
}

SmallVector<unsigned> ownedVariables(Operation *op, int64_t g) {
  SmallVector<unsigned> owned;
  auto owners = op->getAttrOfType<DenseI64ArrayAttr>(argGroupsAttr);
  for (auto [i, variable] : llvm::enumerate(passedVariables(op))) {
    bool tile = isa<RankedTensorType>(variable.names.front().getType());
    int64_t owner = owners ? owners[i] : tile ? 0 : -1;
    if (owner == -1 || owner == g)
      owned.push_back(i);
  }
  return owned;
}

bool isComputed(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return touchesTiles(op) && !isFree(op) && !isControlFlow(op) && !(load && isTmaLoad(load));
}

bool touchesTiles(Operation *op) {
  auto isTile = [](Type t) { return isa<RankedTensorType, warp::SmemType>(t); };
  return llvm::any_of(op->getOperandTypes(), isTile) || llvm::any_of(op->getResultTypes(), isTile);
}

bool isMadeOfLoads(Value tile, scf::ForOp loop) {
  SmallVector<Value> work{tile};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *def = value.getDefiningOp();
    if (isa_and_nonnull<warp::DotOp>(def) || (!def && value.getParentRegion() == &loop.getRegion()))
      return false;
    if (def && def->getBlock() == loop.getBody())
      llvm::copy_if(def->getOperands(), std::back_inserter(work), [&](Value v) {
        return isa<RankedTensorType, warp::SmemType>(v.getType()) && seen.insert(v).second;
      });
  }
  return true;
}

/// Whether `operand` of a product is in registers, or was written to shared memory by threads.
static bool isMadeByThreads(Value operand) {
  while (isa_and_nonnull<warp::SliceOp, warp::TransposeOp>(operand.getDefiningOp()))
    operand = operand.getDefiningOp()->getOperand(0);
  return isa<RankedTensorType>(operand.getType()) || operand.getDefiningOp<warp::StageOp>();
}

bool threadsMakeLeftOperands(scf::ForOp loop) {
  auto dots = loop.getOps<warp::DotOp>();
  return !dots.empty() && llvm::all_of(dots, [&](warp::DotOp dot) {
    return isMadeByThreads(dot.getA()) && isMadeOfLoads(dot.getA(), loop);
  });
}

} // namespace heddle
