//===- Instructions.cpp - what the passes between tile and warp agree on ---===//
#include "heddle/Analysis/Instructions.h"

#include "heddle/Dialect/Warp/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace heddle {

static bool isTmaAccess(tile::ViewType view, RankedTensorType tile, ArrayRef<int64_t> dims) {
  int64_t bits = tile.getElementType().getIntOrFloatBitWidth();
  return tile.getRank() == 2 && dims.back() == view.getRank() - 1 && bits >= 8 && (tile.getDimSize(1) * bits / 8) % 16 == 0;
}
bool isTmaLoad(tile::LoadOp load) {
  return !load->hasAttr(inOrderAttr) && isTmaAccess(load.getView().getType(), load.getResult().getType(), load.getTileDims());
}
bool isTmaStore(tile::StoreOp store) {
  return isTmaAccess(store.getView().getType(), store.getValue().getType(), store.getTileDims());
}

bool isFree(Operation *op) {
  return isa<UnrealizedConversionCastOp, warp::SliceOp, warp::TransposeOp, tile::BroadcastOp, tensor::SplatOp, tile::IotaOp,
             arith::ConstantOp>(op);
}

bool touchesTiles(Operation *op) {
  auto isTile = [](Type t) { return isa<RankedTensorType, warp::SmemType>(t); };
  return llvm::any_of(op->getOperandTypes(), isTile) || llvm::any_of(op->getResultTypes(), isTile);
}

} // namespace heddle
