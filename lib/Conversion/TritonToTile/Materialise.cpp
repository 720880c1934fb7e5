//===- Materialise.cpp - polynomials as values ------------------------------===//
#include "Translator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle::address;

namespace heddle::triton {

Value Translator::index(int64_t value, Location loc) { return arith::ConstantIndexOp::create(builder, loc, value); }

Value Translator::function(SymbolKind kind, ArrayRef<Value> in, Location loc) {
  switch (kind) {
  case SymbolKind::Quotient: return arith::DivSIOp::create(builder, loc, in[0], in[1]);
  case SymbolKind::Remainder: return arith::RemSIOp::create(builder, loc, in[0], in[1]);
  case SymbolKind::Minimum: return arith::MinSIOp::create(builder, loc, in[0], in[1]);
  case SymbolKind::Maximum: return arith::MaxSIOp::create(builder, loc, in[0], in[1]);
  default: {
    Value less = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, in[0], in[1]);
    return arith::SelectOp::create(builder, loc, less, in[2], in[3]);
  }
  }
}

static bool isOneElement(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile && tile.getNumElements() == 1;
}

/// `ofTiles`: also what tiles of one element give, where one warp group does everything (`decided`).
Value Translator::symbolValue(Symbol symbol, Location loc, bool ofTiles) {
  SymbolInfo info = values.algebra.info(symbol);
  switch (info.kind) {
  case SymbolKind::Argument: return arguments.lookup(info.id);
  case SymbolKind::Program: return programs.lookup(info.id);
  case SymbolKind::Programs: return counts.lookup(info.id);
  case SymbolKind::Counter:
  case SymbolKind::Opaque: {
    bool isCounter = info.kind == SymbolKind::Counter;
    Value source = isCounter ? values.counterOf(info.id) : values.opaqueOf(info.id), value = map.lookup(source);
    if (value && isOneElement(value) && ofTiles && isNumber(source.getType()))
      value = decided(value, source.getType());
    return value && value.getType().isIndex() ? value : Value();
  }
  case SymbolKind::Lane: return {};
  case SymbolKind::Table: { // the only element of a tile
    Value tile = map.lookup(values.opaqueOf(info.id));
    if (!tile || !isOneElement(tile))
      return {};
    SmallVector<Value> first(cast<RankedTensorType>(tile.getType()).getRank(), index(0, loc));
    Value element = tensor::ExtractOp::create(builder, loc, tile, first);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), element);
  }
  default: break;
  }
  SmallVector<Value> in;
  for (const Poly &operand : info.operands) {
    in.push_back(scalarOf(operand, loc, ofTiles));
    if (!in.back())
      return {};
  }
  return function(info.kind, in, loc);
}

/// Sum of the terms of `poly`, where `ofSymbol` gives each symbol and `ofConstant` each number.
template <typename OfSymbol, typename OfConstant>
static Value sumOf(const Poly &poly, OpBuilder &builder, Location loc, OfSymbol ofSymbol, OfConstant ofConstant) {
  Value plus, minus;
  auto add = [&](Value &sum, Value term) { sum = sum ? Value(arith::AddIOp::create(builder, loc, sum, term)) : term; };
  for (const auto &[monomial, coefficient] : poly.terms()) {
    Value product;
    for (Symbol symbol : monomial) {
      Value factor = ofSymbol(symbol);
      if (!factor)
        return {};
      product = product ? Value(arith::MulIOp::create(builder, loc, product, factor)) : factor;
    }
    int64_t size = coefficient < 0 ? -coefficient : coefficient;
    if (!product)
      product = ofConstant(size);
    else if (size != 1)
      product = arith::MulIOp::create(builder, loc, product, ofConstant(size));
    add(coefficient < 0 ? minus : plus, product);
  }
  if (!plus)
    plus = ofConstant(0);
  return minus ? Value(arith::SubIOp::create(builder, loc, plus, minus)) : plus;
}

Value Translator::scalarOf(const Poly &poly, Location loc, bool ofTiles) {
  return sumOf(
      poly, builder, loc, [&](Symbol symbol) { return symbolValue(symbol, loc, ofTiles); },
      [&](int64_t value) { return index(value, loc); });
}

Value Translator::wideOf(const Poly &poly, Location loc) {
  Type wide = builder.getI64Type();
  auto ofSymbol = [&](Symbol symbol) {
    Value value = symbolValue(symbol, loc, /*ofTiles=*/false);
    return value ? Value(arith::IndexCastOp::create(builder, loc, wide, value)) : Value();
  };
  return sumOf(poly, builder, loc, ofSymbol, [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  });
}

Value Translator::conditionOf(const Atom &atom, Location loc) {
  if (atom.opaque) {
    Value value = map.lookup(values.opaqueOf(atom.id));
    if (value && isOneElement(value))
      value = decided(value, values.opaqueOf(atom.id).getType());
    if (value && !value.getType().isInteger(1))
      return {};
    if (!value || !atom.negated)
      return value;
    Value one = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    return arith::XOrIOp::create(builder, loc, value, one);
  }
  Value a = scalarOf(atom.a, loc), b = scalarOf(atom.b, loc);
  return a && b ? Value(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b)) : Value();
}

Value Translator::tileOf(const Poly &poly, ArrayRef<int64_t> shape, Location loc) {
  Type i32 = builder.getI32Type();
  auto type = RankedTensorType::get(shapeOf(RankedTensorType::get(shape, i32)), i32);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, builder.getI32IntegerAttr(value).getValue()));
  };
  auto ofSymbol = [&](Symbol symbol) -> Value {
    SymbolInfo info = values.algebra.info(symbol);
    if (values.algebra.lanes(symbol).empty()) {
      if (Value scalar = symbolValue(symbol, loc, /*ofTiles=*/false))
        return splat(scalar, type, loc);
      Value tile = info.kind == SymbolKind::Opaque ? map.lookup(values.opaqueOf(info.id)) : Value();
      if (tile && isa<RankedTensorType>(tile.getType())) // a scalar that a tile gives
        return splat(asInteger(tile, i32, loc), type, loc);
      if (info.kind < SymbolKind::Quotient)
        return {};
    }
    SmallVector<int64_t> along(shape.size(), 1);
    if (info.kind == SymbolKind::Lane) {
      along[info.id] = shape[info.id];
      Value lanes = tile::IotaOp::create(builder, loc, RankedTensorType::get({shape[info.id]}, i32), uint64_t(0));
      if (rows)
        lanes = tile::BroadcastOp::create(builder, loc, RankedTensorType::get({1, shape[info.id]}, i32), lanes,
                                          uint64_t(0));
      return broadcast(lanes, along, shape, loc);
    }
    if (info.kind == SymbolKind::Table) {
      // A tile of the source, at positions that are lanes in ascending order.
      Value source = values.opaqueOf(info.id), tile = map.lookup(source);
      int64_t last = -1;
      ArrayRef<int64_t> extents = cast<RankedTensorType>(source.getType()).getShape();
      for (auto [d, position] : llvm::enumerate(info.operands)) {
        if (extents[d] == 1)
          continue;
        const auto &terms = position.terms();
        bool isLane = terms.size() == 1 && terms.begin()->second == 1 && terms.begin()->first.size() == 1 &&
                      values.algebra.info(terms.begin()->first[0]).kind == SymbolKind::Lane;
        int64_t dim = isLane ? values.algebra.info(terms.begin()->first[0]).id : -1;
        if (!isLane || dim <= last)
          return {};
        last = dim;
        along[dim] = extents[d];
      }
      if (!tile)
        return {};
      Value made = broadcast(asInteger(tile, i32, loc), along, shape, loc);
      return type.getNumElements() == 1 ? reshaped(made, type.getShape(), loc) : made; // as a row or not
    }
    SmallVector<Value> in;
    for (const Poly &operand : info.operands) {
      in.push_back(tileOf(operand, shape, loc));
      if (!in.back())
        return {};
    }
    return function(info.kind, in, loc);
  };
  return sumOf(poly, builder, loc, ofSymbol, constant);
}

Value Translator::tileCondition(const Atom &atom, ArrayRef<int64_t> shape, Location loc) {
  if (atom.opaque)
    return {};
  Value a = tileOf(atom.a, shape, loc), b = tileOf(atom.b, shape, loc);
  return a && b ? Value(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b)) : Value();
}

} // namespace heddle::triton
