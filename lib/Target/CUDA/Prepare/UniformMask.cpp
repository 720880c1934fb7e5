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

static std::string text(const TileInterval &interval, int64_t constant, EmitContext &ctx) {
  const auto &scalars = interval.scalars;
  if (scalars.size() == 1 && scalars[0].second > 0 && constant == 0)
    return atom(ctx.nameOf(scalars[0].first));
  std::string sum = std::to_string(constant) + "LL";
  for (auto [value, sign] : scalars)
    sum += (sign > 0 ? " + " : " - ") + atom(ctx.nameOf(value));
  return sum;
}

static std::string text(const TileOrder &order, EmitContext &ctx) {
  auto &[less, more, orEqual] = order;
  std::string all = text(less, less.high, ctx) + (orEqual ? " <= " : " < ") + text(more, more.low, ctx);
  if (less.mayOverflow(less.low, /*above=*/false))
    all += " && " + text(less, less.low, ctx) + " >= " + std::to_string(std::numeric_limits<int32_t>::min()) + "LL";
  if (more.mayOverflow(more.high, /*above=*/true))
    all += " && " + text(more, more.high, ctx) + " <= " + std::to_string(std::numeric_limits<int32_t>::max()) + "LL";
  return all;
}

std::string cuda::allTrueCondition(Value mask, EmitContext &ctx) {
  std::string all;
  if (std::optional<SmallVector<TileOrder>> orders = whereAllTrue(mask))
    for (const TileOrder &order : *orders)
      all += (all.empty() ? "" : " && ") + text(order, ctx);
  return all;
}
