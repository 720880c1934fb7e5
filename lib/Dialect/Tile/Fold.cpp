//===- Fold.cpp - see Fold.h ---------------------------------------------------===//
#include "heddle/Dialect/Tile/Fold.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle::tile;

/// In the order of the enumeration.
static constexpr llvm::StringLiteral names[] = {"add", "mul", "max", "min", "and", "or", "xor"};

std::optional<FoldKind> heddle::tile::findFold(StringRef name) {
  auto found = llvm::find(names, name);
  return found == std::end(names) ? std::nullopt : std::optional(static_cast<FoldKind>(found - std::begin(names)));
}

StringRef heddle::tile::nameOf(FoldKind fold) { return names[static_cast<size_t>(fold)]; }

std::string heddle::tile::foldNames() {
  std::string text;
  for (auto [i, name] : llvm::enumerate(names))
    text += (i == 0 ? "\"" : i + 1 < std::size(names) ? ", \"" : " or \"") + name.str() + "\"";
  return text;
}

FoldKind heddle::tile::foldOf(ReduceOp reduce) { return *findFold(reduce.getKind()); }

std::optional<FoldKind> heddle::tile::foldOf(Operation *op) {
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return FoldKind::Add;
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return FoldKind::Mul;
  if (isa<arith::MaxNumFOp, arith::MaximumFOp, arith::MaxSIOp>(op))
    return FoldKind::Max;
  if (isa<arith::MinNumFOp, arith::MinimumFOp, arith::MinSIOp>(op))
    return FoldKind::Min;
  if (isa<arith::AndIOp>(op))
    return FoldKind::And;
  if (isa<arith::OrIOp>(op))
    return FoldKind::Or;
  return isa<arith::XOrIOp>(op) ? std::optional(FoldKind::Xor) : std::nullopt;
}

bool heddle::tile::folds(FoldKind fold, Type element) { return fold < FoldKind::And || !isa<FloatType>(element); }

TypedAttr heddle::tile::neutralOf(FoldKind fold, Type element) {
  Builder b(element.getContext());
  if (auto type = dyn_cast<FloatType>(element)) {
    if (!isExtreme(fold))
      return b.getFloatAttr(element, fold == FoldKind::Mul);
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    bool negative = fold == FoldKind::Max;
    return b.getFloatAttr(element, llvm::APFloat::semanticsHasInf(semantics)
                                       ? llvm::APFloat::getInf(semantics, negative)
                                       : llvm::APFloat::getLargest(semantics, negative));
  }
  unsigned bits = element.isIndex() ? IndexType::kInternalStorageBitWidth : element.getIntOrFloatBitWidth();
  switch (fold) {
  case FoldKind::Mul: return b.getIntegerAttr(element, 1);
  case FoldKind::Max: return b.getIntegerAttr(element, APInt::getSignedMinValue(bits));
  case FoldKind::Min: return b.getIntegerAttr(element, APInt::getSignedMaxValue(bits));
  case FoldKind::And: return b.getIntegerAttr(element, APInt::getAllOnes(bits));
  default: return b.getIntegerAttr(element, 0);
  }
}

Value heddle::tile::combine(OpBuilder &b, Location loc, FoldKind fold, Value x, Value y) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(x.getType()));
  switch (fold) {
  case FoldKind::Add:
    return isFloat ? arith::AddFOp::create(b, loc, x, y).getResult() : arith::AddIOp::create(b, loc, x, y);
  case FoldKind::Mul:
    return isFloat ? arith::MulFOp::create(b, loc, x, y).getResult() : arith::MulIOp::create(b, loc, x, y);
  case FoldKind::Max:
    return isFloat ? arith::MaximumFOp::create(b, loc, x, y).getResult() : arith::MaxSIOp::create(b, loc, x, y);
  case FoldKind::Min:
    return isFloat ? arith::MinimumFOp::create(b, loc, x, y).getResult() : arith::MinSIOp::create(b, loc, x, y);
  case FoldKind::And: return arith::AndIOp::create(b, loc, x, y);
  case FoldKind::Or: return arith::OrIOp::create(b, loc, x, y);
  case FoldKind::Xor: return arith::XOrIOp::create(b, loc, x, y);
  }
  return {};
}
