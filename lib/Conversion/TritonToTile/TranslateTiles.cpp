//===- TranslateTiles.cpp - computation on tiles and scalars ----------------===//
//
// What:   Triton's operations that compute (element by element, products) -> operations of tile programs that mean the
//         same. See Translator.h; what has no translation is refused where it is needed. Reductions and scans:
//         TranslateFolds.cpp.
//
//===----------------------------------------------------------------------===//
#include "LibraryCalls.h"
#include "Translator.h"

#include "heddle/Dialect/Triton/Libdevice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace heddle::triton {

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value Translator::asInteger(Value value, Type type, Location loc) {
  Type from = value.getType();
  if (from.isIndex())
    return asWritten(value, type, loc);
  if (auto tile = dyn_cast<RankedTensorType>(from)) {
    auto to = tile.clone(type);
    unsigned have = tile.getElementTypeBitWidth(), want = type.getIntOrFloatBitWidth();
    if (have < want)
      return arith::ExtSIOp::create(builder, loc, to, value);
    return have > want ? Value(arith::TruncIOp::create(builder, loc, to, value)) : value;
  }
  return value;
}

RankedTensorType Translator::scalarTile(Type element) {
  return rows ? RankedTensorType::get({1}, element) : RankedTensorType::get({}, element);
}

Value Translator::asTile(Value value, Location loc) {
  if (isa<RankedTensorType>(value.getType()))
    return value;
  return tensor::SplatOp::create(builder, loc, value, scalarTile(value.getType()));
}

Value Translator::splat(Value scalar, RankedTensorType type, Location loc) {
  if (auto one = dyn_cast<RankedTensorType>(scalar.getType())) {
    // A tile of one element stands for a scalar; rows repeat it.
    if (type.getShape() == one.getShape())
      return scalar;
    if (one.getRank() == 0) {
      for (int64_t axis = type.getRank(); axis-- > 0;)
        scalar = tile::BroadcastOp::create(
            builder, loc, RankedTensorType::get(type.getShape().drop_front(axis), type.getElementType()), scalar,
            uint64_t(0));
      return scalar;
    }
    return tile::BroadcastOp::create(
        builder, loc, RankedTensorType::get({1, type.getShape().back()}, type.getElementType()), scalar, uint64_t(1));
  }
  return tensor::SplatOp::create(builder, loc, asWritten(scalar, type.getElementType(), loc), type);
}

/// The same where the result has its elements in one dimension: one run of new dimensions after the other.
Value Translator::repeated(Value value, ArrayRef<int64_t> from, ArrayRef<int64_t> to, Location loc) {
  SmallVector<int64_t> now(from);
  for (size_t first = 0, end = 0; first < to.size(); first = end + 1) {
    int64_t times = 1;
    for (end = first; end < to.size() && now[end] != to[end]; ++end)
      times *= now[end] = to[end];
    int64_t before = ShapedType::getNumElements(to.take_front(first)),
            behind = ShapedType::getNumElements(ArrayRef(now).drop_front(end));
    if (times == 1)
      continue;
    value = reshaped(value, dense({before, behind}), loc);
    SmallVector<int64_t> shape(cast<RankedTensorType>(value.getType()).getShape());
    shape.insert(shape.begin() + (before > 1), times);
    auto type = RankedTensorType::get(shape, cast<RankedTensorType>(value.getType()).getElementType());
    value = tile::BroadcastOp::create(builder, loc, type, value, static_cast<uint64_t>(before > 1));
  }
  return reshaped(value, {ShapedType::getNumElements(to)}, loc);
}

/// Whether what a tile is folded to, or a loop or branch passes on, is part of `value`: no scalar of every warp group.
static bool followsFromFolds(Value value) {
  SmallVector<Value> open{value};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!isa<RankedTensorType>(next.getType()) || !seen.insert(next).second)
      continue;
    Operation *def = next.getDefiningOp();
    if (!def || def->getNumRegions() || isa<tile::ReduceOp>(def))
      return true;
    llvm::append_range(open, def->getOperands());
  }
  return false;
}

/// A tile of one element without its last dimension: its sum along it.
Value Translator::withoutDimension(Value value, Location loc) {
  auto type = cast<RankedTensorType>(value.getType());
  auto less = RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  return tile::ReduceOp::create(builder, loc, less, "add", value, uint64_t(type.getRank() - 1));
}

Value Translator::broadcast(Value value, ArrayRef<int64_t> from, ArrayRef<int64_t> to, Location loc) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  // Dimensions of extent one are not there: each that grows is a new one.
  auto target = cast<RankedTensorType>(typeOf(RankedTensorType::get(to, element)));
  if (value.getType() == target)
    return value;
  auto source = cast<RankedTensorType>(value.getType());
  bool isOne = llvm::all_of(from, [](int64_t extent) { return extent == 1; });
  if (isOne && rows && source.getRank() == 2)
    return splat(withoutDimension(value, loc), target, loc);
  if (isOne && !rows) {
    auto repeated = value.getDefiningOp<tile::BroadcastOp>();
    if (repeated && repeated.getSource().getType().getRank() == 0)
      return splat(repeated.getSource(), target, loc);
    if (source.getRank() == 1 && followsFromFolds(value))
      return splat(withoutDimension(value, loc), target, loc);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value scalar = tensor::ExtractOp::create(builder, loc, value, ValueRange{zero});
    return tensor::SplatOp::create(builder, loc, scalar, target);
  }
  if (rows && source.getRank() == 1)
    return splat(value, target, loc);
  if (dense(to).size() > mostDimensions)
    return repeated(value, from, to, loc);
  SmallVector<int64_t> shape;
  for (int64_t extent : from)
    if (extent != 1)
      shape.push_back(extent);
  unsigned axis = 0;
  for (auto [f, t] : llvm::zip_equal(from, to)) {
    if (t == 1)
      continue;
    if (f == 1) {
      shape.insert(shape.begin() + axis, t);
      value = tile::BroadcastOp::create(builder, loc, RankedTensorType::get(shape, element), value, uint64_t(axis));
    }
    ++axis;
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `value` where it is finite, else zero.
static Value finiteOrZero(OpBuilder &builder, Value value, Location loc) {
  auto type = cast<RankedTensorType>(value.getType());
  auto splat = [&](const APFloat &number) {
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, number));
  };
  const llvm::fltSemantics &kind = cast<FloatType>(type.getElementType()).getFloatSemantics();
  Value size = math::AbsFOp::create(builder, loc, value);
  Value isFinite = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, size, splat(APFloat::getInf(kind)));
  return arith::SelectOp::create(builder, loc, isFinite, value, splat(APFloat::getZero(kind)));
}

/// sum + a * b. `isExact`, of f32: each operand is the sum of three bf16, x1 + x2 + x3, without a rounding. Products of
/// parts are exact in f32; the one that is left out, x3 * y3, is below 2^-32 of the whole. What is not finite has no
/// further parts, but the parts of the other operand would make numbers that are none of its products: only the product
/// of the first parts decides then.
Value Translator::product(Value a, Value b, Value sum, bool isExact, Location loc) {
  auto dot = [&](Value x, Value y, Value to) -> Value {
    return tile::DotOp::create(builder, loc, to.getType(), x, y, to);
  };
  if (!isExact)
    return dot(a, b, sum);
  auto parts = [&](Value value) {
    std::array<Value, 3> result;
    auto type = cast<RankedTensorType>(value.getType());
    for (Value &part : result) {
      part = arith::TruncFOp::create(builder, loc, type.clone(builder.getBF16Type()), value);
      Value rest = arith::SubFOp::create(builder, loc, value, arith::ExtFOp::create(builder, loc, type, part));
      value = finiteOrZero(builder, rest, loc);
    }
    return result;
  };
  std::array<Value, 3> x = parts(a), y = parts(b);
  Value small = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(sum.getType())));
  constexpr std::pair<int, int> smallest[] = {{2, 1}, {1, 2}, {2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}};
  for (auto [i, j] : smallest)
    small = dot(x[i], y[j], small);
  return arith::AddFOp::create(builder, loc, dot(x[0], y[0], sum), finiteOrZero(builder, small, loc));
}

LogicalResult Translator::translateDot(DotOp dot) {
  FailureOr<SmallVector<Value>> in = translated(dot, dot->getOperands());
  if (failed(in))
    return failure();
  Location loc = dot.getLoc();
  RankedTensorType a = dot.getA().getType(), b = dot.getB().getType(), c = dot.getC().getType();
  if (a.getRank() > 3)
    return dot.emitError("expected a product of tiles of rank 2 or 3, got rank ") << a.getRank();
  InputPrecision precision = dot.getInputPrecision().value_or(InputPrecision::IEEE);
  bool isExact = a.getElementType().isF32() && precision != InputPrecision::TF32;
  if (isExact && !c.getElementType().isF32())
    return dot.emitError("expected an accumulator of f32, got ") << c.getElementType();
  // Tiles of one element less a dimension have it here.
  auto matrix = [&](Value value, RankedTensorType type) { return reshaped(value, type.getShape().take_back(2), loc); };
  int64_t count = a.getRank() == 3 ? a.getDimSize(0) : 1;
  if (count == 1) {
    Value result = product(matrix((*in)[0], a), matrix((*in)[1], b), matrix((*in)[2], c), isExact, loc);
    map[dot] = reshaped(result, shapeOf(c), loc);
    return success();
  }
  // One product after the other.
  SmallVector<Value> products;
  for (int64_t number = 0; number < count; ++number) {
    auto one = [&](Value value, RankedTensorType type) {
      SmallVector<int64_t> sizes(type.getShape());
      SmallVector<int64_t> corner{number, 0, 0};
      value = reshaped(value, sizes, loc);
      sizes[0] = 1;
      return matrix(part(value, corner, sizes, loc), type);
    };
    Value result = product(one((*in)[0], a), one((*in)[1], b), one((*in)[2], c), isExact, loc);
    products.push_back(reshaped(result, {1, c.getDimSize(1), c.getDimSize(2)}, loc));
  }
  map[dot] = reshaped(tensor::ConcatOp::create(builder, loc, c, int64_t(0), products), shapeOf(c), loc);
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise operations
//===----------------------------------------------------------------------===//

/// Operations on integers that mean the same on indices.
static bool isIndexOperation(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::RemSIOp, arith::MinSIOp,
             arith::MaxSIOp, arith::SelectOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op) ||
         (isa<arith::CmpIOp>(op) && cast<arith::CmpIOp>(op).getPredicate() < arith::CmpIPredicate::ult);
}

/// The operation of the tile program that means the same as an element-wise one of the kernel; none without a name.
static UpstreamOperation operationFor(Operation *op) {
  if (auto external = dyn_cast<ExternElementwiseOp>(op))
    return upstreamOperation(external);
  UpstreamOperation same = {op->getName().getStringRef(), /*givesBits=*/false};
  if (isa<PreciseSqrtOp>(op)) {
    same.name = "math.sqrt";
  } else if (isa<PreciseDivFOp>(op)) {
    same.name = "arith.divf";
  } else if (isa<BitcastOp>(op)) {
    same.name = "arith.bitcast";
  } else if (auto convert = dyn_cast<FpToFpOp>(op)) {
    auto bits = [](Value value) { return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth(); };
    same.name = convert.getRounding().value_or(Rounding::RTNE) != Rounding::RTNE ? ""
                : bits(convert.getSrc()) < bits(convert.getResult())             ? "arith.extf"
                                                                                 : "arith.truncf";
  } else if (isa<MulhiUIOp>(op) && getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth() != 32) {
    same.name = "";
  }
  return same;
}

bool Translator::isElementwise(Operation *op) {
  if (auto external = dyn_cast<ExternElementwiseOp>(op);
      external && (isSignBit(external) || !roundingToInteger(external).empty() ||
                   libraryFunction(external) != LibraryFunction::None || bitFunction(external) != BitFunction::None))
    return true;
  bool known = isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
               isa<FpToFpOp, BitcastOp, ClampFOp, ExternElementwiseOp, PreciseSqrtOp, PreciseDivFOp, MulhiUIOp>(op);
  return known && op->getNumResults() == 1 && !operationFor(op).name.empty();
}

/// Whether `divisor` is a tile that depends on memory, which gives zeros where a mask excludes it.
static bool mayBeZeroWhereMasked(Value divisor) {
  if (!isa<RankedTensorType>(divisor.getType()))
    return false;
  SmallVector<Value> work{divisor};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Operation *def = work.pop_back_val().getDefiningOp();
    if (auto load = dyn_cast_or_null<LoadOp>(def); load && isa<RankedTensorType>(load.getType()))
      return true;
    if (!def || def->getNumRegions() || !isMemoryEffectFree(def))
      continue;
    for (Value operand : def->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && seen.insert(operand).second)
        work.push_back(operand);
  }
  return false;
}

/// A function of the bits of `value`, as an integer of 32 bits.
Value Translator::bits(ExternElementwiseOp op, Value value, Type type) {
  Location loc = op.getLoc();
  Type from = value.getType();
  auto same = [&](int64_t number) -> Value {
    TypedAttr one = builder.getIntegerAttr(getElementTypeOrSelf(from), number);
    if (auto tile = dyn_cast<RankedTensorType>(from))
      one = DenseElementsAttr::get(tile, Attribute(one));
    return arith::ConstantOp::create(builder, loc, one);
  };
  BitFunction function = bitFunction(op);
  Value result;
  if (function == BitFunction::Count) {
    result = math::CtPopOp::create(builder, loc, value);
  } else if (function == BitFunction::LeadingZeros) {
    result = math::CountLeadingZerosOp::create(builder, loc, value);
  } else {
    Value behind = math::CountTrailingZerosOp::create(builder, loc, value);
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value, same(0));
    Value place = arith::AddIOp::create(builder, loc, behind, same(1));
    result = arith::SelectOp::create(builder, loc, isZero, same(0), place);
  }
  return getElementTypeOrSelf(from).isInteger(32) ? result : arith::TruncIOp::create(builder, loc, type, result);
}

/// What takes several operations of the tile program; null: `op` takes one.
Value Translator::composed(Operation *op, ValueRange in, Type type) {
  Location loc = op->getLoc();
  if (auto clamp = dyn_cast<ClampFOp>(op)) {
    bool all = clamp.getPropagateNan() == PropagateNan::All;
    Value least = all ? Value(arith::MaximumFOp::create(builder, loc, in[0], in[1]))
                      : Value(arith::MaxNumFOp::create(builder, loc, in[0], in[1]));
    return all ? Value(arith::MinimumFOp::create(builder, loc, least, in[2]))
               : Value(arith::MinNumFOp::create(builder, loc, least, in[2]));
  }
  if (auto external = dyn_cast<ExternElementwiseOp>(op); external && isSignBit(external)) {
    auto same = [&](double number) -> Value {
      auto tile = dyn_cast<RankedTensorType>(in[0].getType());
      TypedAttr one = builder.getFloatAttr(getElementTypeOrSelf(in[0].getType()), number);
      return arith::ConstantOp::create(builder, loc, tile ? DenseElementsAttr::get(tile, Attribute(one)) : one);
    };
    Value sign = math::CopySignOp::create(builder, loc, same(1), in[0]);
    Value less = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, sign, same(0));
    return arith::ExtUIOp::create(builder, loc, type, less);
  }
  if (auto external = dyn_cast<ExternElementwiseOp>(op); external && !roundingToInteger(external).empty()) {
    OperationState state(loc, roundingToInteger(external), in, {in[0].getType()});
    return arith::FPToSIOp::create(builder, loc, type, builder.create(state)->getResult(0));
  }
  if (auto external = dyn_cast<ExternElementwiseOp>(op)) {
    if (LibraryFunction function = libraryFunction(external); function != LibraryFunction::None)
      return callLibrary(builder, function, loc, type, in);
    if (bitFunction(external) != BitFunction::None)
      return bits(external, in[0], type);
  }
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
      mayBeZeroWhereMasked(op->getOperand(1))) {
    // Triton leaves open what a lane gets that divides by zero.
    auto tile = cast<RankedTensorType>(in[1].getType());
    auto same = [&](int64_t number) {
      TypedAttr one = builder.getIntegerAttr(tile.getElementType(), number);
      return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(tile, Attribute(one))).getResult();
    };
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, in[1], same(0));
    Value divisor = arith::SelectOp::create(builder, loc, isZero, same(1), in[1]);
    OperationState state(loc, op->getName().getStringRef(), {in[0], divisor}, {type});
    return builder.create(state)->getResult(0);
  }
  if (!isa<MulhiUIOp>(op))
    return {};
  // The upper half of a product of 64 bits.
  auto wide = [&](Value value) -> Value {
    Type i64 = builder.getI64Type();
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    return arith::ExtUIOp::create(builder, loc, tile ? Type(tile.clone(i64)) : i64, value);
  };
  Value product = arith::MulIOp::create(builder, loc, wide(in[0]), wide(in[1]));
  TypedAttr by = builder.getI64IntegerAttr(32);
  if (auto tile = dyn_cast<RankedTensorType>(product.getType()))
    by = DenseElementsAttr::get(tile, APInt(64, 32));
  Value upper = arith::ShRUIOp::create(builder, loc, product, arith::ConstantOp::create(builder, loc, by));
  Value result = arith::TruncIOp::create(builder, loc, type, upper);
  if (!isa<RankedTensorType>(result.getType()))
    result = asIndex(result, loc);
  return result;
}

Value Translator::elementwise(Operation *op, ValueRange in, Type type) {
  if (Value value = composed(op, in, type))
    return value;
  UpstreamOperation becomes = operationFor(op);
  OperationState state(op->getLoc(), becomes.name);
  state.addOperands(in);
  state.addTypes(becomes.typeFor(type));
  if (op->getDialect()->getNamespace() != "tt") {
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (!attribute.getName().getValue().starts_with("tt."))
        state.addAttributes(attribute);
  }
  Value result = builder.create(state)->getResult(0);
  return becomes.givesBits ? Value(arith::ExtUIOp::create(builder, op->getLoc(), type, result)) : result;
}

LogicalResult Translator::translateElementwise(Operation *op) {
  Location loc = op->getLoc();
  Type from = op->getResult(0).getType();
  // Operands that have no translation are refused only if something needs the result.
  SmallVector<Value> in;
  for (Value operand : op->getOperands()) {
    Value value = map.lookup(operand);
    if (!value)
      return success();
    in.push_back(value);
  }
  if (isa<BitcastOp>(op) && from == op->getOperand(0).getType()) { // of signs, which types do not have
    map[op->getResult(0)] = in[0];
    return success();
  }
  if (!isElementwise(op))
    return success();
  auto external = dyn_cast<ExternElementwiseOp>(op);
  bool isCall = external && libraryFunction(external) != LibraryFunction::None; // of tiles alone
  bool tiles = isCall || llvm::any_of(in, [](Value value) { return isa<RankedTensorType>(value.getType()); });
  Type type = typeOf(from);
  if (!tiles) {
    // Scalar integers are indices; what an index does not have is done in the type written.
    bool keeps = isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(op) ||
                 (isa<arith::ExtUIOp>(op) && isNumber(op->getOperand(0).getType()) &&
                  values.algebra.isNotNegative(values.number(op->getOperand(0))));
    bool casts = keeps && isNumber(op->getOperand(0).getType()) && isNumber(from);
    if (casts && !(isa<arith::TruncIOp>(op) && !from.isIndex() && from.getIntOrFloatBitWidth() < 32)) {
      map[op->getResult(0)] = in[0];
      return success();
    }
    bool isLarge = llvm::any_of(op->getOperandTypes(), [](Type type) { return type.isInteger(64); });
    if (!isIndexOperation(op) || isLarge || values.mayOverflow(op->getResult(0))) {
      for (auto [value, operand] : llvm::zip_equal(in, op->getOperands()))
        if (!operand.getType().isIndex())
          value = asWritten(value, operand.getType(), loc);
      type = from;
    }
  } else if (!isa<RankedTensorType>(from)) {
    // A scalar of the source that is a tile of one element.
    type = scalarTile(from);
    for (auto [value, operand] : llvm::zip_equal(in, op->getOperands()))
      if (!isa<RankedTensorType>(value.getType())) {
        value = asTile(operand.getType().isIndex() ? value : asWritten(value, operand.getType(), loc), loc);
      }
  }
  Value result = elementwise(op, in, type);
  if (!tiles && isNumber(from))
    result = asIndex(result, loc);
  map[op->getResult(0)] = result;
  return success();
}

LogicalResult Translator::translateComputation(Operation *op) {
  Location loc = op->getLoc();
  auto source = [&] { return map.lookup(op->getOperand(0)); };
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (isNumber(constant.getType()) && !isa<RankedTensorType>(constant.getType())) {
      // Indices have 32 bits: larger numbers stay what they are.
      if (const APInt &number = cast<IntegerAttr>(constant.getValue()).getValue(); number.isSignedIntN(32))
        map[constant] = index(number.getSExtValue(), loc);
      else
        map[constant] = arith::ConstantOp::create(builder, loc, constant.getValue());
      return success();
    }
    TypedAttr value = constant.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(value))
      value = dense.reshape(cast<ShapedType>(typeOf(dense.getType())));
    map[constant] = arith::ConstantOp::create(builder, loc, value);
    return success();
  }
  if (auto range = dyn_cast<MakeRangeOp>(op)) {
    auto flat = RankedTensorType::get(cast<RankedTensorType>(range.getType()).getShape(), builder.getI32Type());
    Value lanes = tile::IotaOp::create(builder, loc, flat, static_cast<uint64_t>(range.getStart()));
    if (rows)
      lanes = tile::BroadcastOp::create(builder, loc, typeOf(flat), lanes, uint64_t(0));
    map[range] = lanes;
    return success();
  }
  if (isa<SplatOp>(op)) {
    if (Value scalar = source())
      map[op->getResult(0)] = splat(scalar, cast<RankedTensorType>(typeOf(op->getResult(0).getType())), loc);
    return success();
  }
  if (isa<BroadcastOp>(op)) {
    if (Value value = source())
      map[op->getResult(0)] = broadcast(value, shapeOfTile(op->getOperand(0)), shapeOfTile(op->getResult(0)), loc);
    return success();
  }
  if (isa<ExpandDimsOp>(op)) {
    map[op->getResult(0)] = source();
    return success();
  }
  if (auto trans = dyn_cast<TransOp>(op))
    return translateTranspose(trans);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return translateReshape(reshape);
  if (auto dot = dyn_cast<DotOp>(op))
    return translateDot(dot);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return translateReduce(reduce);
  if (auto scan = dyn_cast<ScanOp>(op))
    return translateScan(scan);
  if (auto split = dyn_cast<SplitOp>(op))
    return translateSplit(split);
  if (auto join = dyn_cast<JoinOp>(op))
    return translateJoin(join);
  if (auto cat = dyn_cast<CatOp>(op))
    return translateCat(cat);
  if (auto gather = dyn_cast<GatherOp>(op))
    return translateGather(gather);
  if (auto histogram = dyn_cast<HistogramOp>(op))
    return translateHistogram(histogram);
  if (isElementwise(op))
    return translateElementwise(op);
  if (op->getNumResults() == 0 || !isMemoryEffectFree(op))
    return refuseOperation(op);
  return success(); // refused where its results are needed
}

} // namespace heddle::triton
