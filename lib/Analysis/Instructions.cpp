//===- Instructions.cpp - what the passes between tile and warp agree on ---===//
#include "heddle/Analysis/Instructions.h"

#include "Divisibility.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace heddle {

constexpr int64_t tmaAlignment = 16; // bytes; of rows and of the first column of a box

/// The tile has rank 2, its columns are the view's innermost dimension, and its rows have a size that a box can have.
static bool hasTmaShape(tile::ViewType view, RankedTensorType tile, ArrayRef<int64_t> dims) {
  Type element = tile.getElementType();
  int64_t bits = element.getIntOrFloatBitWidth();
  if (tile.getRank() != 2 || bits > 32 || bits < 8)
    return false;
  // In shared memory a tile is chunks of columns, of whole 8-row groups (a swizzle's period) where there are several.
  int64_t rowBytes = tile.getDimSize(1) * bits / 8;
  bool places = tile.getDimSize(0) % 8 == 0 || rowBytes <= 128;
  return places && dims.back() == view.getRank() - 1 && rowBytes % tmaAlignment == 0;
}

/// A box starts at a multiple of 16 bytes along its rows; the H100 ends a kernel with "illegal instruction" for any
/// other column, also for one outside the tensor (measured with fp16 and boxes of 64 columns: 3, 164 fault; 8, 24, 56,
/// 160 and -64 do not).
static bool startsAligned(RankedTensorType tile, OperandRange indices) {
  int64_t bytes = tile.getElementType().getIntOrFloatBitWidth() / 8;
  return (knownDivisor(indices.back()) * bytes) % tmaAlignment == 0;
}

bool isTmaLoad(tile::LoadOp load) {
  RankedTensorType tile = load.getResult().getType();
  return !load->hasAttr(inOrderAttr) && !load->hasAttr(directAttr) && !load.getExtent() &&
         hasTmaShape(load.getView().getType(), tile, load.getTileDims()) && startsAligned(tile, load.getIndices());
}
bool isTmaStore(tile::StoreOp store) {
  RankedTensorType tile = store.getValue().getType();
  return !store->hasAttr(directAttr) && !store.getExtent() &&
         hasTmaShape(store.getView().getType(), tile, store.getTileDims()) && startsAligned(tile, store.getIndices());
}
bool isKeptFromTmaByAlignment(Operation *op) {
  if (op->hasAttr(directAttr))
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !load->hasAttr(inOrderAttr) && !isTmaLoad(load) &&
           hasTmaShape(load.getView().getType(), load.getResult().getType(), load.getTileDims());
  auto store = dyn_cast<tile::StoreOp>(op);
  return store && !isTmaStore(store) &&
         hasTmaShape(store.getView().getType(), store.getValue().getType(), store.getTileDims());
}

int64_t groupOf(Operation *op) {
  auto group = op->getAttrOfType<IntegerAttr>(groupAttr);
  return group ? group.getInt() : 0;
}

int64_t groupWarps(tile::KernelOp kernel) {
  auto warps = kernel->getAttrOfType<IntegerAttr>(groupWarpsAttr);
  return warps ? warps.getInt() : 4;
}

bool hasDots(tile::KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<tile::DotOp, warp::DotOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isFree(Operation *op) {
  return isa<UnrealizedConversionCastOp, warp::SliceOp, warp::TransposeOp, tile::BroadcastOp, tensor::SplatOp,
             tile::IotaOp, arith::ConstantOp>(op) ||
         op->hasAttr(recomputedAttr);
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

} // namespace heddle
