//===- PieceNumbers.cpp - see PieceNumbers.h --------------------------------===//
#include "PieceNumbers.h"

#include "Tensors.h"

#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
namespace heddle {

PieceTerms sumOf(PieceTerms a, const PieceTerms &b, int64_t factor) {
  for (const PieceTerm &term : b) {
    auto *same = llvm::find_if(
        a, [&](const PieceTerm &other) { return other.range == term.range && other.variable == term.variable; });
    if (same == a.end())
      a.push_back({term.range, term.variable, factor * term.factor});
    else
      same->factor += factor * term.factor;
  }
  llvm::erase_if(a, [](const PieceTerm &term) { return term.factor == 0; });
  return a;
}

std::optional<PieceTerms> linearTerms(Operation *op, llvm::function_ref<PieceTerms(Value)> of,
                                      llvm::function_ref<std::optional<int64_t>(Value)> constantOf) {
  if (isa<arith::AddIOp>(op))
    return sumOf(of(op->getOperand(0)), of(op->getOperand(1)));
  if (isa<arith::SubIOp>(op))
    return sumOf(of(op->getOperand(0)), of(op->getOperand(1)), -1);
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0u, 1u})
      if (std::optional<int64_t> factor = constantOf(op->getOperand(i)); factor && of(op->getOperand(i)).empty())
        return sumOf({}, of(op->getOperand(1 - i)), *factor);
  return std::nullopt;
}

void LeafNumbers::set(Value number, PieceTerms own) {
  if (!own.empty())
    terms[number] = std::move(own);
}

/// What the result of `op` has where its operands keep what they have; nothing where they may not.
std::optional<PieceTerms> LeafNumbers::passedTerms(Operation *op) const {
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp, tensor::SplatOp>(op))
    return terms.lookup(op->getOperand(0));
  if (std::optional<Rearrangement> moved = Rearrangement::of(op))
    return terms.lookup(moved->source);
  return linearTerms(
      op, [&](Value value) { return terms.lookup(value); },
      [](Value value) -> std::optional<int64_t> {
        APInt number;
        if (matchPattern(value, m_ConstantInt(&number)))
          return number.getSExtValue();
        return std::nullopt;
      });
}

Divided LeafNumbers::dividedPositions(Value positions) const {
  Divided divided = by.lookup(classes.of(positions, 0));
  bool inBlocks = llvm::none_of(divided.by, [](const Division &division) { return division.fragment; });
  return inBlocks ? divided : Divided();
}

void LeafNumbers::setResults(Operation *op) {
  if (auto iota = dyn_cast<tile::IotaOp>(op)) {
    PieceTerms own;
    for (const Division &division : dividedPositions(iota.getResult()).by)
      own.push_back({division.range, division.variable, -division.size});
    set(iota.getResult(), std::move(own));
  } else if (std::optional<PieceTerms> passed = passedTerms(op)) {
    set(op->getResult(0), std::move(*passed));
  }
}

/// The number of the piece, along dimension `dim` of `tile`, that each position is in by `divided.by[which]`: i32.
static Value piecesAlong(OpBuilder &b, Location loc, int64_t positions, const Divided &divided, size_t which) {
  auto type = RankedTensorType::get({positions}, b.getI32Type());
  auto constant = [&](int64_t number) {
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, b.getI32IntegerAttr(number)));
  };
  Value number = tile::IotaOp::create(b, loc, type);
  if (which > 0)
    number = arith::RemUIOp::create(b, loc, number, constant(divided.by[which - 1].size));
  return arith::DivUIOp::create(b, loc, number, constant(divided.by[which].size));
}

LogicalResult LeafNumbers::spread(Value tile, OpBuilder &b, IRMapping &map, Tensors &tensors) {
  PieceTerms own = terms.lookup(tile);
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  for (const PieceTerm &term : own) {
    if (!type)
      return failure();
    auto find = [&](const Divided &divided) {
      return llvm::find_if(divided.by,
                           [&](const Division &division) {
                             return division.range == term.range && division.variable == term.variable &&
                                    !division.fragment;
                           }) -
             divided.by.begin();
    };
    Value made;
    Value common = map.lookupOrDefault(tile);
    DividedTile dividedTile = tensors.dividedOf(common);
    for (int64_t d = 0; d < type.getRank() && !made; ++d) {
      Divided divided = by.lookup(classes.of(tile, d));
      size_t which = find(divided);
      if (which == divided.by.size())
        continue;
      Location loc = tile.getLoc();
      made = piecesAlong(b, loc, type.getDimSize(d), divided, which);
      auto vector = cast<RankedTensorType>(made.getType());
      made = arith::MulIOp::create(
          b, loc, made,
          arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, b.getI32IntegerAttr(term.factor))));
      unsigned width = type.getElementTypeBitWidth();
      auto element = RankedTensorType::get(vector.getShape(), type.getElementType());
      if (width < 32)
        made = arith::TruncIOp::create(b, loc, element, made);
      else if (width > 32)
        made = arith::ExtSIOp::create(b, loc, element, made);
      SmallVector<int64_t> shape{type.getDimSize(d)};
      for (int64_t other = 0; other < type.getRank(); ++other) {
        if (other == d)
          continue;
        shape.insert(shape.begin() + other, type.getDimSize(other));
        made = tile::BroadcastOp::create(b, loc, RankedTensorType::get(shape, type.getElementType()), made, other);
      }
      made = arith::AddIOp::create(b, loc, common, made);
      dividedTile[d] = divided;
    }
    if (!made)
      return failure();
    tensors.setDivided(made, dividedTile);
    map.map(tile, made);
  }
  terms.erase(tile);
  return success();
}

LogicalResult LeafNumbers::spreadOperands(Operation *op, OpBuilder &b, IRMapping &map, Tensors &tensors) {
  if (passedTerms(op))
    return success();
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, used);
  for (Value value : used)
    if (failed(spread(value, b, map, tensors)))
      return failure();
  return success();
}

} // namespace heddle
