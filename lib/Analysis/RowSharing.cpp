//===- RowSharing.cpp - see RowSharing.h -----------------------------------===//
#include "heddle/Analysis/RowSharing.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Warp/Warp.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
namespace heddle {

/// Operations that leave every element in its thread.
static bool keepsPlaces(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

ColumnSharing sharingOf(Value tile) {
  const TargetInterface &target = targetOf(tile.getParentRegion()->getParentOp());
  RankedTensorType widest;
  SmallVector<Value> work{tile};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() < 2 || !seen.insert(value).second)
      continue;
    Operation *def = value.getDefiningOp();
    if (def && isa<tile::LoadOp, tile::GatherOp, warp::ReadOp>(def)) {
      if (!widest || type.getElementTypeBitWidth() > widest.getElementTypeBitWidth())
        widest = type;
      continue;
    }
    bool multiplied = llvm::any_of(value.getUsers(), [](Operation *user) { return isa<tile::DotOp>(user); });
    if (def && matchPattern(value, m_Constant()))
      continue;
    if (def && isa<tensor::SplatOp, tile::BroadcastOp, tile::IotaOp>(def))
      continue;
    if (!def || !keepsPlaces(def) || multiplied)
      return target.columnSharing();
    work.append(def->operand_begin(), def->operand_end());
  }
  return widest ? target.readSharing(widest) : target.columnSharing();
}

} // namespace heddle
