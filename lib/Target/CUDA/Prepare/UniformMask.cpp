//===- UniformMask.cpp - see UniformMask.h --------------------------------------===//
//
// What:      a mask such as `column < length` -> one scalar comparison that holds where the whole tile is inside.
// Where:     asked by the printer of arith.select: most blocks of a loop need no mask, and a branch that all threads
//            take alike costs one comparison instead of a select per element (measured: docs/Emission.md, "Masks").
// Algorithm: interval arithmetic on 32-bit integer tiles. A bound is a constant plus scalars with signs; lower and
//            upper bound share the scalars.
//
//===----------------------------------------------------------------------------===//
#include "UniformMask.h"

#include "RegisterTilesImpl.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include <limits>
#include <optional>

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

namespace {

/// All elements lie in [low + sum, high + sum], sum over 32-bit scalars with sign.
struct Interval {
  int64_t low = 0, high = 0;
  SmallVector<std::pair<Value, int>, 2> scalars;

  std::string text(int64_t constant, EmitContext &ctx) const {
    if (scalars.size() == 1 && scalars[0].second > 0 && constant == 0)
      return atom(ctx.nameOf(scalars[0].first));
    std::string sum = std::to_string(constant) + "LL";
    for (auto [value, sign] : scalars)
      sum += (sign > 0 ? " + " : " - ") + atom(ctx.nameOf(value));
    return sum;
  }
  /// Whether the sum with `constant` might leave 32 bits above (or below): false only where it cannot.
  bool mayOverflow(int64_t constant, bool above) const {
    bool single = scalars.size() == 1 && scalars[0].second > 0;
    return !(scalars.empty() || (single && (above ? constant <= 0 : constant >= 0)));
  }
};

bool isI32Tile(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile && tile.getElementType().isInteger(32);
}

std::optional<Interval> intervalOf(Value value, int depth = 0) {
  Operation *def = value.getDefiningOp();
  if (!def || depth > 16 || !isI32Tile(value))
    return std::nullopt;
  if (auto iota = dyn_cast<tile::IotaOp>(def)) {
    int64_t start = iota.getStart();
    return Interval{start, start + iota.getType().getNumElements() - 1, {}};
  }
  APInt number;
  if (auto splat = dyn_cast<tensor::SplatOp>(def); splat && matchPattern(splat.getInput(), m_ConstantInt(&number)))
    return Interval{number.getSExtValue(), number.getSExtValue(), {}};
  if (auto splat = dyn_cast<tensor::SplatOp>(def))
    return Interval{0, 0, {{splat.getInput(), 1}}};
  if (auto constant = dyn_cast<arith::ConstantOp>(def)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense || !dense.isSplat())
      return std::nullopt;
    int64_t c = dense.getSplatValue<APInt>().getSExtValue();
    return Interval{c, c, {}};
  }
  if (isa<tile::BroadcastOp, hw::ConvertLayoutOp>(def))
    return intervalOf(def->getOperand(0), depth + 1);
  if (isa<arith::AddIOp, arith::SubIOp>(def)) {
    auto a = intervalOf(def->getOperand(0), depth + 1), b = intervalOf(def->getOperand(1), depth + 1);
    if (!a || !b)
      return std::nullopt;
    int sign = isa<arith::AddIOp>(def) ? 1 : -1;
    Interval sum{a->low + (sign > 0 ? b->low : -b->high), a->high + (sign > 0 ? b->high : -b->low), a->scalars};
    for (auto [scalar, s] : b->scalars)
      sum.scalars.push_back({scalar, s * sign});
    return sum;
  }
  return std::nullopt;
}

/// `less` lies below `more` everywhere (or beside it, where equality is enough).
std::string below(const Interval &less, const Interval &more, bool orEqual, EmitContext &ctx) {
  std::string text = less.text(less.high, ctx) + (orEqual ? " <= " : " < ") + more.text(more.low, ctx);
  if (less.mayOverflow(less.low, /*above=*/false))
    text += " && " + less.text(less.low, ctx) + " >= " + std::to_string(std::numeric_limits<int32_t>::min()) + "LL";
  if (more.mayOverflow(more.high, /*above=*/true))
    text += " && " + more.text(more.high, ctx) + " <= " + std::to_string(std::numeric_limits<int32_t>::max()) + "LL";
  return text;
}

} // namespace

std::string cuda::allTrueCondition(Value mask, EmitContext &ctx) {
  Operation *def = mask.getDefiningOp();
  if (!def)
    return "";
  if (isa<tile::BroadcastOp, hw::ConvertLayoutOp>(def))
    return allTrueCondition(def->getOperand(0), ctx);
  if (auto both = dyn_cast<arith::AndIOp>(def)) {
    std::string a = allTrueCondition(both.getLhs(), ctx), b = allTrueCondition(both.getRhs(), ctx);
    return a.empty() || b.empty() ? "" : a + " && " + b;
  }
  auto compare = dyn_cast<arith::CmpIOp>(def);
  if (!compare)
    return "";
  auto a = intervalOf(compare.getLhs()), b = intervalOf(compare.getRhs());
  if (!a || !b)
    return "";
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt: return below(*a, *b, false, ctx);
  case arith::CmpIPredicate::sle: return below(*a, *b, true, ctx);
  case arith::CmpIPredicate::sgt: return below(*b, *a, false, ctx);
  case arith::CmpIPredicate::sge: return below(*b, *a, true, ctx);
  default: return "";
  }
}
