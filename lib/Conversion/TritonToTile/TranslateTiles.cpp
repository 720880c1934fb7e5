//===- TranslateTiles.cpp - computation on tiles and scalars ----------------===//
//
// What:   Triton's operations that compute (element by element, products, reductions, scans) -> operations of tile
//         programs that mean the same. See Translator.h; what has no translation is refused where it is needed.
//
//===----------------------------------------------------------------------===//
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
    return arith::IndexCastOp::create(builder, loc, type, value);
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
  if (scalar.getType().isIndex())
    scalar = arith::IndexCastOp::create(builder, loc, type.getElementType(), scalar);
  return tensor::SplatOp::create(builder, loc, scalar, type);
}

Value Translator::broadcast(Value value, ArrayRef<int64_t> from, ArrayRef<int64_t> to, Location loc) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  // Dimensions of extent one are not there: each that grows is a new one.
  auto target = cast<RankedTensorType>(typeOf(RankedTensorType::get(to, element)));
  if (value.getType() == target)
    return value;
  auto source = cast<RankedTensorType>(value.getType());
  if (llvm::all_of(from, [](int64_t extent) { return extent == 1; }) && !rows) {
    auto repeated = value.getDefiningOp<tile::BroadcastOp>();
    if (repeated && repeated.getSource().getType().getRank() == 0)
      return splat(repeated.getSource(), target, loc);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value scalar = tensor::ExtractOp::create(builder, loc, value, ValueRange{zero});
    return tensor::SplatOp::create(builder, loc, scalar, target);
  }
  if (rows && source.getRank() == 1)
    return splat(value, target, loc);
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
// Products, reductions
//===----------------------------------------------------------------------===//

LogicalResult Translator::translateDot(DotOp dot) {
  FailureOr<SmallVector<Value>> in = translated(dot, dot->getOperands());
  if (failed(in))
    return failure();
  auto a = dot.getA().getType(), c = dot.getC().getType();
  InputPrecision precision = dot.getInputPrecision().value_or(InputPrecision::IEEE);
  if (a.getElementType().isF32() && precision != InputPrecision::TF32)
    return dot.emitError("expected operands of 16 bits or fewer, or f32 with inputPrecision = tf32, got f32 with ")
           << stringifyInputPrecision(precision);
  if (a.getRank() != 2 || (*in)[0].getType() != typeOf(a) ||
      cast<RankedTensorType>((*in)[0].getType()).getRank() != 2 ||
      cast<RankedTensorType>((*in)[1].getType()).getRank() != 2)
    return dot.emitError("expected a product of tiles of rank 2 without dimensions of one element");
  map[dot] = tile::DotOp::create(builder, dot.getLoc(), typeOf(c), (*in)[0], (*in)[1], (*in)[2]);
  return success();
}

/// None: it combines elements in another way.
static std::optional<tile::FoldKind> kindOf(Region &combination) {
  Block &block = combination.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return std::nullopt;
  Operation *op = &block.front();
  bool plain = op->getNumOperands() == 2 && block.getTerminator()->getOperands() == op->getResults() &&
               ((op->getOperand(0) == block.getArgument(0) && op->getOperand(1) == block.getArgument(1)) ||
                (op->getOperand(1) == block.getArgument(0) && op->getOperand(0) == block.getArgument(1)));
  return plain ? tile::foldOf(op) : std::nullopt;
}

namespace {
/// Of values with a number each: the greatest or least value, and its number.
struct Extreme {
  tile::FoldKind value;
  tile::FoldKind number; ///< which one of those whose values are equal
};
} // namespace

/// 1: `op` compares whether `a` is greater than `b`; -1: less; 0: something else.
static int orderOf(Value op, Value a, Value b) {
  int sign = 0;
  Value left, right;
  if (auto cmp = op.getDefiningOp<arith::CmpFOp>()) {
    left = cmp.getLhs(), right = cmp.getRhs();
    sign = cmp.getPredicate() == arith::CmpFPredicate::OGT   ? 1
           : cmp.getPredicate() == arith::CmpFPredicate::OLT ? -1
                                                             : 0;
  } else if (auto cmp = op.getDefiningOp<arith::CmpIOp>()) {
    left = cmp.getLhs(), right = cmp.getRhs();
    sign = cmp.getPredicate() == arith::CmpIPredicate::sgt   ? 1
           : cmp.getPredicate() == arith::CmpIPredicate::slt ? -1
                                                             : 0;
  }
  return left == a && right == b ? sign : left == b && right == a ? -sign : 0;
}

static bool isEqual(Value op, Value a, Value b) {
  auto floats = op.getDefiningOp<arith::CmpFOp>();
  auto integers = op.getDefiningOp<arith::CmpIOp>();
  if (!(floats && floats.getPredicate() == arith::CmpFPredicate::OEQ) &&
      !(integers && integers.getPredicate() == arith::CmpIPredicate::eq))
    return false;
  Operation *cmp = op.getDefiningOp();
  return (cmp->getOperand(0) == a && cmp->getOperand(1) == b) || (cmp->getOperand(0) == b && cmp->getOperand(1) == a);
}

/// The forms of tl.argmax, tl.argmin, and tl.max and tl.min with indices: (v > w or (v == w and i < j)) ? (v, i) :
/// (w, j), or without the rule for equal values. Then any will do; in ascending order the last one is left.
static std::optional<Extreme> extremeOf(ReduceOp reduce) {
  Block &block = reduce.getCombineOp().front();
  Operation *results = block.getTerminator();
  if (block.getNumArguments() != 4 || results->getNumOperands() != 2)
    return std::nullopt;
  Value v = block.getArgument(0), i = block.getArgument(1), w = block.getArgument(2), j = block.getArgument(3);
  auto value = results->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto number = results->getOperand(1).getDefiningOp<arith::SelectOp>();
  if (!value || !number || value.getCondition() != number.getCondition() || value.getTrueValue() != v ||
      value.getFalseValue() != w || number.getTrueValue() != i || number.getFalseValue() != j)
    return std::nullopt;
  Value condition = value.getCondition();
  tile::FoldKind among = tile::FoldKind::Max;
  if (auto either = condition.getDefiningOp<arith::OrIOp>()) {
    for (auto [strict, tie] :
         {std::pair(either.getLhs(), either.getRhs()), std::pair(either.getRhs(), either.getLhs())})
      if (auto both = tie.getDefiningOp<arith::AndIOp>())
        if ((isEqual(both.getLhs(), v, w) && orderOf(both.getRhs(), i, j) == -1) ||
            (isEqual(both.getRhs(), v, w) && orderOf(both.getLhs(), i, j) == -1)) {
          condition = strict;
          among = tile::FoldKind::Min;
        }
  }
  int order = orderOf(condition, v, w);
  if (order == 0 || !j.getType().isInteger())
    return std::nullopt;
  return Extreme{order > 0 ? tile::FoldKind::Max : tile::FoldKind::Min, among};
}

/// The numbers of the values that are `extreme`, reduced. Where a value is NaN all are: any number will do, but it has
/// to be one.
Value Translator::numberOf(Value values, Value extreme, Value numbers, tile::FoldKind among, int64_t axis,
                           Location loc) {
  auto tile = cast<RankedTensorType>(values.getType()), integers = cast<RankedTensorType>(numbers.getType());
  Value all = tile::BroadcastOp::create(builder, loc, tile, extreme, static_cast<uint64_t>(axis));
  Value isExtreme = isa<FloatType>(tile.getElementType())
                        ? Value(arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UEQ, values, all))
                        : arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, values, all);
  Attribute none = tile::neutralOf(among, integers.getElementType());
  Value nowhere = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(integers, none));
  Value left = arith::SelectOp::create(builder, loc, isExtreme, numbers, nowhere);
  SmallVector<int64_t> shape(integers.getShape());
  shape.erase(shape.begin() + axis);
  return tile::ReduceOp::create(builder, loc, RankedTensorType::get(shape, integers.getElementType()),
                                tile::nameOf(among), left, static_cast<uint64_t>(axis));
}

/// Folds the dimensions of `source` one after the other, until the scalar is left.
LogicalResult Translator::reduceAll(ReduceOp reduce, tile::FoldKind kind, Value source) {
  for (auto tile = cast<RankedTensorType>(source.getType()); tile.getRank() > int64_t(rows);) {
    tile = RankedTensorType::get(tile.getShape().drop_back(), tile.getElementType());
    source = tile::ReduceOp::create(builder, reduce.getLoc(), tile, tile::nameOf(kind), source,
                                    static_cast<uint64_t>(tile.getRank()));
  }
  map[reduce->getResult(0)] = source;
  return success();
}

LogicalResult Translator::translateReduce(ReduceOp reduce) {
  std::optional<tile::FoldKind> kind = kindOf(reduce.getCombineOp());
  std::optional<Extreme> extreme = kind ? std::nullopt : extremeOf(reduce);
  if (extreme)
    kind = extreme->value;
  if (!kind)
    return reduce.emitError("expected a reduction of one tile by ")
           << tile::foldNames() << ", or the position of a greatest or least value";
  Type result = reduce->getResult(0).getType();
  bool toScalar = !isa<RankedTensorType>(result);
  // All elements of a tile of several dimensions, in whatever order.
  auto flat = reduce.getSrcs()[0].getDefiningOp<ReshapeOp>();
  if (Value whole = flat && toScalar && !extreme ? map.lookup(flat.getSrc()) : Value())
    return reduceAll(reduce, *kind, whole);
  FailureOr<SmallVector<Value>> in = translated(reduce, reduce.getSrcs());
  if (failed(in))
    return failure();
  Location loc = reduce.getLoc();
  Value source = (*in)[0];
  auto from = cast<RankedTensorType>(reduce.getSrcs()[0].getType());
  int64_t axis = reduce.getAxis();
  if (from.getShape()[axis] == 1 && (rows || !toScalar)) {
    for (auto [to, tile] : llvm::zip_equal(reduce->getResults(), *in))
      map[to] = tile;
    return success();
  }
  int64_t place = rows ? 1 : llvm::count_if(from.getShape().take_front(axis), [](int64_t e) { return e != 1; });
  SmallVector<int64_t> shape(cast<RankedTensorType>(source.getType()).getShape());
  shape.erase(shape.begin() + place);
  Value folded = tile::ReduceOp::create(builder, loc, RankedTensorType::get(shape, from.getElementType()),
                                        tile::nameOf(*kind), source, static_cast<uint64_t>(place));
  map[reduce->getResult(0)] = folded;
  if (extreme)
    map[reduce->getResult(1)] = numberOf(source, folded, (*in)[1], extreme->number, place, loc);
  return success();
}

LogicalResult Translator::translateScan(ScanOp scan) {
  std::optional<tile::FoldKind> kind = scan.getSrcs().size() == 1 ? kindOf(scan.getCombineOp()) : std::nullopt;
  if (!kind)
    return scan.emitError("expected a scan of one tile by ") << tile::foldNames();
  FailureOr<SmallVector<Value>> in = translated(scan, scan.getSrcs());
  if (failed(in))
    return failure();
  auto from = cast<RankedTensorType>(scan.getSrcs()[0].getType());
  int64_t axis = scan.getAxis();
  Value source = (*in)[0];
  if (from.getShape()[axis] == 1) {
    map[scan->getResult(0)] = source;
    return success();
  }
  int64_t place = llvm::count_if(from.getShape().take_front(axis), [](int64_t e) { return e != 1; });
  if (rows || cast<RankedTensorType>(source.getType()).getRank() >
                  llvm::count_if(from.getShape(), [](int64_t e) { return e != 1; }))
    place += 1; // behind the row that such kernels have
  map[scan->getResult(0)] =
      tile::ScanOp::create(builder, scan.getLoc(), source.getType(), builder.getStringAttr(tile::nameOf(*kind)), source,
                           builder.getI64IntegerAttr(place), scan.getReverse() ? builder.getUnitAttr() : UnitAttr());
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

/// What takes several operations of the tile program; null: `op` takes one.
Value Translator::composed(Operation *op, ArrayRef<Value> in, Type type) {
  Location loc = op->getLoc();
  if (auto clamp = dyn_cast<ClampFOp>(op)) {
    bool all = clamp.getPropagateNan() == PropagateNan::All;
    Value least = all ? Value(arith::MaximumFOp::create(builder, loc, in[0], in[1]))
                      : Value(arith::MaxNumFOp::create(builder, loc, in[0], in[1]));
    return all ? Value(arith::MinimumFOp::create(builder, loc, least, in[2]))
               : Value(arith::MinNumFOp::create(builder, loc, least, in[2]));
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
    result = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), result);
  return result;
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
  UpstreamOperation becomes = operationFor(op);
  if (becomes.name.empty())
    return success();
  bool tiles = llvm::any_of(in, [](Value value) { return isa<RankedTensorType>(value.getType()); });
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
    bool isLarge =
        llvm::any_of(in, [](Value value) { return isNumber(value.getType()) && !value.getType().isIndex(); });
    if (!isIndexOperation(op) || isLarge) {
      for (auto [value, operand] : llvm::zip_equal(in, op->getOperands()))
        if (value.getType().isIndex() && !operand.getType().isIndex())
          value = arith::IndexCastOp::create(builder, loc, operand.getType(), value);
      type = from;
    }
  } else if (!isa<RankedTensorType>(from)) {
    // A scalar of the source that is a tile of one element.
    type = scalarTile(from);
    for (auto [value, operand] : llvm::zip_equal(in, op->getOperands()))
      if (!isa<RankedTensorType>(value.getType())) {
        if (value.getType().isIndex())
          value = arith::IndexCastOp::create(builder, loc, operand.getType(), value);
        value = asTile(value, loc);
      }
  }
  if (Value value = composed(op, in, type)) {
    map[op->getResult(0)] = value;
    return success();
  }
  OperationState state(loc, becomes.name);
  state.addOperands(in);
  state.addTypes(becomes.typeFor(type));
  if (op->getDialect()->getNamespace() != "tt") {
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (!attribute.getName().getValue().starts_with("tt."))
        state.addAttributes(attribute);
  }
  Operation *made = builder.create(state);
  Value result = made->getResult(0);
  if (becomes.givesBits)
    result = arith::ExtUIOp::create(builder, loc, type, result);
  if (!tiles && isNumber(from) && !result.getType().isIndex())
    result = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), result);
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
  auto shapeOfTile = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
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
  bool known = isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
               isa<FpToFpOp, BitcastOp, ClampFOp, ExternElementwiseOp, PreciseSqrtOp, PreciseDivFOp, MulhiUIOp>(op);
  if (known && op->getNumResults() == 1)
    return translateElementwise(op);
  if (op->getNumResults() == 0 || !isMemoryEffectFree(op))
    return op->emitError("expected an operation that tile programs have, got ") << op->getName().getStringRef();
  return success(); // refused where its results are needed
}

} // namespace heddle::triton
