//===- UniformMask.cpp - see UniformMask.h --------------------------------------===//
//
// What:      the comparisons of scalars that make a whole mask true, as text.
// Where:     asked by the printer of arith.select: most blocks of a loop need no mask, and a branch that all threads
//            take alike costs one comparison instead of a select per element (measured: docs/Emission.md, "Masks").
//
//===----------------------------------------------------------------------------===//
#include "UniformMask.h"

#include "RegisterTilesImpl.h"

#include "heddle/Dialect/HW/UniformMask.h"
#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

using Orders = SmallVector<TileOrder>; ///< one of each group that the text serves
using Part = TileInterval TileOrder::*;
using Bound = int64_t TileInterval::*;

/// The bound `end` of one side; the scalars have the same names in all groups.
static std::string text(const Orders &orders, Part side, Bound end, EmitContext &ctx) {
  SmallVector<int64_t> constants;
  for (const TileOrder &order : orders)
    constants.push_back(order.*side.*end);
  const auto &scalars = (orders[0].*side).scalars;
  bool none = llvm::all_of(constants, [](int64_t constant) { return constant == 0; });
  if (scalars.size() == 1 && scalars[0].second > 0 && none)
    return atom(ctx.nameOf(scalars[0].first));
  std::string sum = ctx.number(constants, "LL");
  for (auto [value, sign] : scalars)
    sum += (sign > 0 ? " + " : " - ") + atom(ctx.nameOf(value));
  return sum;
}

static std::string text(const Orders &orders, EmitContext &ctx) {
  auto bound = [&](Part side, Bound end) { return text(orders, side, end, ctx); };
  auto mayOverflow = [&](Part side, Bound end, bool above) {
    return llvm::any_of(orders,
                        [&](const TileOrder &order) { return (order.*side).mayOverflow(order.*side.*end, above); });
  };
  constexpr Part less = &TileOrder::less, more = &TileOrder::more;
  constexpr Bound low = &TileInterval::low, high = &TileInterval::high;
  std::string all = bound(less, high) + (orders[0].orEqual ? " <= " : " < ") + bound(more, low);
  if (mayOverflow(less, low, /*above=*/false))
    all += " && " + bound(less, low) + " >= " + std::to_string(std::numeric_limits<int32_t>::min()) + "LL";
  if (mayOverflow(more, high, /*above=*/true))
    all += " && " + bound(more, high) + " <= " + std::to_string(std::numeric_limits<int32_t>::max()) + "LL";
  return all;
}

std::string cuda::allTrueCondition(Value mask, EmitContext &ctx) {
  SmallVector<Orders> conditions;
  for (Value each : ctx.inEachGroup(mask)) {
    std::optional<SmallVector<TileOrder>> orders = whereAllTrue(each);
    if (!orders)
      return "";
    conditions.resize(orders->size());
    for (auto [condition, order] : llvm::zip_equal(conditions, *orders))
      condition.push_back(order);
  }
  std::string all;
  for (const Orders &orders : conditions)
    all += (all.empty() ? "" : " && ") + text(orders, ctx);
  return all;
}
