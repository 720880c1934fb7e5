//===- Recompute.cpp - see Recompute.h ------------------------------------------===//
#include "Recompute.h"

#include "RegisterTilesImpl.h"
#include "heddle/Dialect/HW/Exchange.h"
#include "heddle/Dialect/Tile/AlongAxis.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

namespace {

constexpr int deepest = 4; ///< operations in one expression of coordinates, at most

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

bool isSplatConstant(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return dense && dense.isSplat();
}

/// Moves elements inside a thread: element e of the result is element map[e] of the operand.
bool movesElements(Operation *op) {
  if (auto convert = dyn_cast<hw::ConvertLayoutOp>(op)) {
    ConversionKind kind = hw::planOf(convert.getSource().getType(), convert.getResult().getType()).kind;
    return kind == ConversionKind::Identity || kind == ConversionKind::Registers;
  }
  return Rearrangement::of(op) || isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
         (isa<tensor::ExtractSliceOp>(op) && elementMap(op->getResult(0)).has_value());
}

class RecomputedFinder {
public:
  explicit RecomputedFinder(hw::RoleOp role) : role(role) {}

  RecomputedTiles run() {
    role.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getNumResults() == 1 && isTile(op->getResult(0)) && isCandidate(op))
        found.insert(op->getResult(0));
    });
    for (bool changed = true; changed;) { // a value that has to have an array takes away what was made of it
      changed = false;
      for (Value value : llvm::to_vector(found))
        if (!isRecomputable(value)) {
          found.erase(value);
          changed = true;
        }
    }
    return std::move(found);
  }

private:
  bool isCandidate(Operation *op) {
    if (isSplatConstant(op) || isa<tensor::SplatOp, tile::IotaOp>(op)) {
      depth[op->getResult(0)] = 0;
      return true;
    }
    if (movesElements(op)) {
      auto known = depth.find(op->getOperand(0));
      if (known != depth.end())
        depth[op->getResult(0)] = known->second;
      return true;
    }
    // Integers made of coordinates and scalars.
    if (!op->hasTrait<OpTrait::Elementwise>() || !hasScalarExpression(op) ||
        !cast<RankedTensorType>(op->getResult(0).getType()).getElementType().isIntOrIndex())
      return false;
    int most = 0;
    for (Value operand : op->getOperands()) {
      if (!isTile(operand))
        continue;
      auto known = depth.find(operand);
      if (known == depth.end())
        return false;
      most = std::max(most, known->second);
    }
    if (most + 1 > deepest)
      return false;
    depth[op->getResult(0)] = most + 1;
    return true;
  }

  bool isRecomputable(Value value) {
    Operation *def = value.getDefiningOp();
    bool moves = movesElements(def);
    if (!moves) // made of coordinates: all it is made of must be
      for (Value operand : def->getOperands())
        if (isTile(operand) && !found.contains(operand))
          return false;
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return readsElements(use, isSplatConstant(def)); });
  }

  /// Whether the printer of the reader asks for elements, not for an array.
  bool readsElements(OpOperand &use, bool isConstant) {
    Operation *reader = use.getOwner();
    if (isa<scf::ForOp, scf::YieldOp>(reader))
      return isConstant && !isa<scf::WhileOp>(reader->getParentOp());
    if (isa<tile::ReduceOp, tensor::InsertSliceOp>(reader) || AlongAxis::of(reader) || movesElements(reader))
      return true;
    if (isa<hw::WriteOp>(reader))
      return keepsWords(use.get());
    return reader->hasTrait<OpTrait::Elementwise>() && hasScalarExpression(reader);
  }

  /// Whether words of packed elements are words of an array: what stores take.
  bool keepsWords(Value value) {
    Operation *def = value.getDefiningOp();
    if (!isa<tensor::ExtractSliceOp>(def) || found.contains(def->getOperand(0)))
      return false;
    std::optional<std::vector<int64_t>> map = elementMap(value);
    int64_t packing = registerArrayOf(cast<RankedTensorType>(value.getType())).packing;
    if (!map || map->size() % packing)
      return false;
    for (size_t e = 0; e < map->size(); ++e)
      if (e % packing ? (*map)[e] != (*map)[e - 1] + 1 : (*map)[e] % packing)
        return false;
    return true;
  }

  hw::RoleOp role;
  RecomputedTiles found;
  llvm::DenseMap<Value, int> depth; ///< of values made of coordinates and scalars alone
};

} // namespace

RecomputedTiles cuda::findRecomputed(hw::RoleOp role) { return RecomputedFinder(role).run(); }

void cuda::forEachReader(Value value, const RecomputedTiles &recomputed,
                         llvm::function_ref<void(Operation *, bool)> read) {
  for (Operation *user : value.getUsers()) {
    read(user, true);
    for (Value result : user->getResults())
      if (recomputed.contains(result))
        forEachReader(result, recomputed, [&](Operation *reader, bool) { read(reader, false); });
  }
}

void cuda::forEachSource(Value value, const RecomputedTiles &recomputed, llvm::function_ref<void(Value, bool)> read) {
  if (!recomputed.contains(value))
    return read(value, true);
  for (Value operand : value.getDefiningOp()->getOperands())
    if (isTile(operand))
      forEachSource(operand, recomputed, [&](Value source, bool) { read(source, false); });
}
