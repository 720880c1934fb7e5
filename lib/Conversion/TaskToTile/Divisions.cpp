//===- Divisions.cpp - how parallel ranges divide tiles ----------------------===//
#include "Divisions.h"

#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
namespace heddle {

int64_t Division::ownerOf(int64_t i) const {
  if (!fragment)
    return i / size;
  if (role == 'm')
    return pieces == 4 ? i % 64 / 16 : i % 8;
  return i % 8 / 2;
}

std::optional<Divided> meet(const Divided &a, const Divided &b) {
  if (a.uniform)
    return b;
  if (b.uniform || a.by == b.by)
    return a;
  return std::nullopt;
}

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }
static DividedTile whole(Value value) { return DividedTile(cast<RankedTensorType>(value.getType()).getRank()); }
static DividedTile uniform(Value value) {
  return DividedTile(cast<RankedTensorType>(value.getType()).getRank(), Divided{{}, true});
}

bool divideResults(Operation *op, llvm::function_ref<DividedTile(Value)> of, std::vector<DividedTile> &results) {
  results.assign(op->getNumResults(), {});
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    DividedTile a = of(dot.getA()), b = of(dot.getB()), sum = of(dot.getAcc());
    std::optional<Divided> rows = meet(a[0], sum[0]), columns = meet(b[1], sum[1]), terms = meet(a[1], b[0]);
    if (!rows || !columns || !terms || !terms->isWhole())
      return false;
    results[0] = {*rows, *columns};
    return true;
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    DividedTile source = of(reduce.getSource());
    if (!source[reduce.getAxis()].isWhole())
      return false;
    source.erase(source.begin() + reduce.getAxis());
    results[0] = source;
    return true;
  }
  if (std::optional<Rearrangement> moved = Rearrangement::of(op)) {
    DividedTile source = of(moved->source);
    for (int64_t dim : moved->dims)
      results[0].push_back(dim == Rearrangement::repeated ? Divided{{}, true} : source[dim]);
    return true;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (isTile(constant))
      results[0] = isa<SplatElementsAttr>(constant.getValue()) ? uniform(constant) : whole(constant);
    return true;
  }
  if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    results[0] = uniform(splat);
    return true;
  }
  if (OpTrait::hasElementwiseMappableTraits(op)) {
    for (Value result : op->getResults())
      if (!isTile(result))
        return true;
    std::optional<DividedTile> common;
    for (Value operand : op->getOperands()) {
      if (!isTile(operand))
        continue;
      DividedTile own = of(operand);
      if (!common)
        common = own;
      for (auto [dim, other] : llvm::zip(*common, own)) {
        std::optional<Divided> met = meet(dim, other);
        if (!met)
          return false;
        dim = *met;
      }
    }
    llvm::fill(results, *common);
    return true;
  }
  // Anything else is right on whole tiles only.
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, used);
  for (Value value : used)
    if (isTile(value) && llvm::any_of(of(value), [](const Divided &dim) { return !dim.by.empty(); }))
      return false;
  for (auto [result, divided] : llvm::zip(op->getResults(), results))
    if (isTile(result))
      divided = whole(result);
  return true;
}

} // namespace heddle
