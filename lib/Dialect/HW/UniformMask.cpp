//===- UniformMask.cpp - see UniformMask.h ----------------------------------===//
#include "heddle/Dialect/HW/UniformMask.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle {

constexpr int deepest = 16;

static std::optional<TileInterval> intervalOf(Value value, int depth = 0) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  Operation *def = value.getDefiningOp();
  if (!def || depth > deepest || !tile || !tile.getElementType().isInteger(32))
    return std::nullopt;
  if (auto iota = dyn_cast<tile::IotaOp>(def)) {
    int64_t start = iota.getStart();
    return TileInterval{start, start + iota.getType().getNumElements() - 1, {}};
  }
  APInt number;
  if (auto splat = dyn_cast<tensor::SplatOp>(def); splat && matchPattern(splat.getInput(), m_ConstantInt(&number)))
    return TileInterval{number.getSExtValue(), number.getSExtValue(), {}};
  if (auto splat = dyn_cast<tensor::SplatOp>(def))
    return TileInterval{0, 0, {{splat.getInput(), 1}}};
  if (auto constant = dyn_cast<arith::ConstantOp>(def)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense || !dense.isSplat())
      return std::nullopt;
    int64_t c = dense.getSplatValue<APInt>().getSExtValue();
    return TileInterval{c, c, {}};
  }
  if (isa<tile::BroadcastOp, hw::ConvertLayoutOp>(def))
    return intervalOf(def->getOperand(0), depth + 1);
  if (isa<arith::AddIOp, arith::SubIOp>(def)) {
    auto a = intervalOf(def->getOperand(0), depth + 1), b = intervalOf(def->getOperand(1), depth + 1);
    if (!a || !b)
      return std::nullopt;
    int sign = isa<arith::AddIOp>(def) ? 1 : -1;
    TileInterval sum{a->low + (sign > 0 ? b->low : -b->high), a->high + (sign > 0 ? b->high : -b->low), a->scalars};
    for (auto [scalar, s] : b->scalars)
      sum.scalars.push_back({scalar, s * sign});
    return sum;
  }
  return std::nullopt;
}

/// The tiles of which `tile` is the least; itself where it is no minimum.
static SmallVector<Value> leastOf(Value tile) {
  Value source = tile;
  while (Operation *def = source.getDefiningOp()) {
    if (!isa<tile::BroadcastOp, hw::ConvertLayoutOp>(def))
      break;
    source = def->getOperand(0);
  }
  auto least = source.getDefiningOp<arith::MinSIOp>();
  if (!least)
    return {tile};
  SmallVector<Value> all = leastOf(least.getLhs());
  all.append(leastOf(least.getRhs()));
  return all;
}

/// Where `less` lies below all that `more` is the least of.
static std::optional<SmallVector<TileOrder>> ordersOf(Value less, Value more, bool orEqual) {
  std::optional<TileInterval> below = intervalOf(less);
  SmallVector<TileOrder> orders;
  for (Value tile : leastOf(more)) {
    std::optional<TileInterval> above = intervalOf(tile);
    if (!below || !above)
      return std::nullopt;
    orders.push_back({*below, *above, orEqual});
  }
  return orders;
}

std::optional<SmallVector<TileOrder>> whereAllTrue(Value mask) {
  Operation *def = mask.getDefiningOp();
  if (!def)
    return std::nullopt;
  if (isa<tile::BroadcastOp, hw::ConvertLayoutOp>(def))
    return whereAllTrue(def->getOperand(0));
  if (auto both = dyn_cast<arith::AndIOp>(def)) {
    auto a = whereAllTrue(both.getLhs()), b = whereAllTrue(both.getRhs());
    if (!a || !b)
      return std::nullopt;
    a->append(*b);
    return a;
  }
  auto compare = dyn_cast<arith::CmpIOp>(def);
  if (!compare)
    return std::nullopt;
  Value a = compare.getLhs(), b = compare.getRhs();
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt: return ordersOf(a, b, false);
  case arith::CmpIPredicate::sle: return ordersOf(a, b, true);
  case arith::CmpIPredicate::sgt: return ordersOf(b, a, false);
  case arith::CmpIPredicate::sge: return ordersOf(b, a, true);
  default: return std::nullopt;
  }
}

bool isGuarded(arith::SelectOp select) {
  Value source = select.getTrueValue();
  Operation *def = source.getDefiningOp();
  auto tile = dyn_cast<RankedTensorType>(source.getType());
  return tile && isa<RankedTensorType>(select.getCondition().getType()) && tile.getElementType().isIntOrFloat() &&
         tile.getElementTypeBitWidth() >= 32 && def && def->getBlock() == select->getBlock() && source.hasOneUse() &&
         whereAllTrue(select.getCondition());
}

/// Whether only selects read `value` that run under a branch.
static bool guardsOnly(Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto select = dyn_cast<arith::SelectOp>(user))
      return isGuarded(select) && select.getCondition() == value;
    return user->getNumResults() == 1 && !user->hasTrait<OpTrait::IsTerminator>() && guardsOnly(user->getResult(0));
  });
}

bool isMasking(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return isGuarded(select);
  if (op->getNumResults() != 1 || op->use_empty() || !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (type.isInteger(32)) // numbers of columns and rows, computed again under the branch
    return guardsOnly(op->getResult(0));
  return type.isInteger(1) && whereAllTrue(op->getResult(0)) && guardsOnly(op->getResult(0));
}

} // namespace heddle
