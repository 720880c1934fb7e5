//===- Evaluate.cpp - The meaning of one pure operation -------------------===//
#include "heddle/Simulator/Functional/Evaluate.h"
#include "heddle/Simulator/Functional/ErrorBound.h"

#include "heddle/Dialect/Tile/AlongAxis.h"
#include "heddle/Dialect/Tile/Call.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Dialect/Tile/ViewUses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace heddle::sim;
using namespace heddle;

//===----------------------------------------------------------------------===//
// Reductions and broadcasts
//===----------------------------------------------------------------------===//

/// What is folded along a dimension.
enum class Folded { Whole, Beginnings, Ends };

/// Extents before, along and after a dimension.
static void splitShape(ArrayRef<int64_t> shape, int64_t axis, int64_t &outer, int64_t &along, int64_t &inner) {
  outer = inner = 1;
  for (int64_t d = 0; d < axis; ++d)
    outer *= shape[d];
  along = shape[axis];
  for (size_t d = axis + 1; d < shape.size(); ++d)
    inner *= shape[d];
}

template <typename In, typename Out, typename Fn>
static void foldAxis(In in, Out out, int64_t outer, int64_t along, int64_t inner, Fn fn) {
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      auto sum = in[o * along * inner + i];
      for (int64_t k = 1; k < along; ++k)
        sum = fn(sum, in[(o * along + k) * inner + i]);
      out[o * inner + i] = sum;
    }
}

/// The same, but with every fold of a beginning (or, `backwards`, of an end).
template <typename In, typename Out, typename Fn>
static void scanAxis(In in, Out out, int64_t outer, int64_t along, int64_t inner, bool backwards, Fn fn) {
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      auto at = [&](int64_t k) { return (o * along + (backwards ? along - 1 - k : k)) * inner + i; };
      auto sum = out[at(0)] = in[at(0)];
      for (int64_t k = 1; k < along; ++k)
        out[at(k)] = sum = fn(sum, in[at(k)]);
    }
}

static TileValue foldAlong(const TileValue &value, tile::FoldKind fold, int64_t axis, Folded what) {
  SmallVector<int64_t, 2> shape(value.shape);
  if (what == Folded::Whole)
    shape.erase(shape.begin() + axis);
  TileValue result = TileValue::zeros(value.kind, shape);
  int64_t outer, along, inner;
  splitShape(value.shape, axis, outer, along, inner);
  if (along == 0)
    return result;
  ElementKind kind = value.kind;
  bool roundsOnce = what == Folded::Whole && (kind == ElementKind::F16 || kind == ElementKind::BF16); // as threads fold
  auto run = [&](auto out, auto in) {
    using T = std::decay_t<decltype(in[0])>;
    auto rounded = [&](auto value) -> T {
      if constexpr (std::is_same_v<T, int64_t>)
        return wrapTo(kind, static_cast<int64_t>(value));
      else
        return kind == ElementKind::F32 || kind == ElementKind::F64 || roundsOnce ? value : roundTo(kind, value);
    };
    using Wide = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>; // wraps, or rounds
    auto max = [](T x, T y) -> T { return x != x ? x : (y != y || y > x ? y : x); };
    auto min = [](T x, T y) -> T { return x != x ? x : (y != y || y < x ? y : x); };
    auto by = [&](auto step) {
      if (what == Folded::Whole)
        foldAxis(in, out, outer, along, inner, step);
      else
        scanAxis(in, out, outer, along, inner, what == Folded::Ends, step);
    };
    switch (fold) {
    case tile::FoldKind::Add: return by([&](T x, T y) { return rounded(Wide(x) + Wide(y)); });
    case tile::FoldKind::Mul: return by([&](T x, T y) { return rounded(Wide(x) * Wide(y)); });
    case tile::FoldKind::Max: return by(max);
    case tile::FoldKind::Min: return by(min);
    default: break;
    }
    if constexpr (std::is_same_v<T, int64_t>) {
      if (fold == tile::FoldKind::And)
        by(std::bit_and<T>());
      else if (fold == tile::FoldKind::Or)
        by(std::bit_or<T>());
      else
        by(std::bit_xor<T>());
    }
  };
  withStorage(result, value, run);
  if (roundsOnce)
    for (float &number : result.mutableFloats())
      number = roundTo(kind, number);
  return result;
}

TileValue heddle::sim::reduce(const TileValue &value, tile::FoldKind fold, int64_t axis) {
  return foldAlong(value, fold, axis, Folded::Whole);
}
TileValue heddle::sim::scan(const TileValue &value, tile::FoldKind fold, int64_t axis, bool reverse) {
  return foldAlong(value, fold, axis, reverse ? Folded::Ends : Folded::Beginnings);
}

TileValue heddle::sim::rearrange(const TileValue &value, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) {
  if (dims == ArrayRef<int64_t>{1, 0})
    return transpose(value);
  TileValue result = TileValue::zeros(value.kind, shape);
  SmallVector<int64_t> strides(shape.size(), 0), at(shape.size(), 0); // in the source, by dimension of the result
  for (auto [d, from] : llvm::enumerate(dims))
    if (from != Rearrangement::repeated)
      strides[d] = std::accumulate(value.shape.begin() + from + 1, value.shape.end(), int64_t(1), std::multiplies<>());
  auto run = [&](auto out, auto in) {
    int64_t place = 0;
    for (auto &element : out) {
      element = in[place];
      for (int64_t d = at.size() - 1; d >= 0; --d) {
        place += strides[d];
        if (++at[d] < shape[d])
          break;
        place -= strides[d] * shape[d];
        at[d] = 0;
      }
    }
  };
  withStorage(result, value, run);
  return result;
}

//===----------------------------------------------------------------------===//
// Constants and tensor operations
//===----------------------------------------------------------------------===//

static void fillWith(TileValue &out, const TileValue &scalar) {
  withStorage(out, scalar, [](auto o, auto s) {
    if (!o.empty())
      std::fill(o.begin(), o.end(), s[0]);
  });
}

static double toDouble(const APFloat &value) {
  APFloat copy = value;
  bool lost;
  copy.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return copy.convertToDouble();
}

/// An integer attribute's value as TileValue holds it.
static int64_t toInt(const APInt &value) {
  return value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue();
}

static bool evaluateConstant(Attribute attr, TileValue &out) {
  if (auto number = dyn_cast<FloatAttr>(attr)) {
    out.setFloat(0, toDouble(number.getValue()));
    return true;
  }
  if (auto number = dyn_cast<IntegerAttr>(attr)) {
    out.setInt(0, toInt(number.getValue()));
    return true;
  }
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return false;
  if (dense.isSplat()) {
    TileValue scalar = TileValue::zeros(out.kind, {});
    if (out.isFloat())
      scalar.setFloat(0, toDouble(dense.getSplatValue<APFloat>()));
    else
      scalar.setInt(0, toInt(dense.getSplatValue<APInt>()));
    fillWith(out, scalar);
    return true;
  }
  int64_t i = 0;
  if (out.isFloat())
    for (APFloat value : dense.getValues<APFloat>())
      out.setFloat(i++, toDouble(value));
  else
    for (const APInt &value : dense.getValues<APInt>())
      out.setInt(i++, toInt(value));
  return true;
}

bool heddle::sim::detail::moveElements(Operation *op, ArrayRef<TileValue> in, TileValue &out, bool &failed) {
  SmallVector<int64_t, 2> shape = out.shape;
  if (auto part = dyn_cast<OffsetSizeAndStrideOpInterface>(op)) {
    unsigned tiles = isa<tensor::InsertSliceOp>(op) ? 2 : 1;
    if (ShapedType::isDynamicShape(part.getStaticSizes()) ||
        !llvm::all_of(part.getStaticStrides(), [](int64_t stride) { return stride == 1; }))
      return false;
    SmallVector<int64_t> offsets, sizes(part.getStaticSizes());
    for (int64_t offset : part.getStaticOffsets())
      offsets.push_back(ShapedType::isDynamic(offset) ? in[tiles++].ints().front() : offset);
    const TileValue &whole = isa<tensor::InsertSliceOp>(op) ? in[1] : in[0];
    for (auto [offset, size, most] : llvm::zip(offsets, sizes, whole.shape))
      if (offset < 0 || offset + size > most) {
        op->emitOpError("expected a part inside of the tile, got ") << size << " from " << offset << " of " << most;
        return failed = true;
      }
    if (isa<tensor::InsertSliceOp>(op)) {
      out = whole;
      TileValue piece = in[0];
      piece.shape.assign(sizes.begin(), sizes.end());
      insertSlice(out, piece, offsets);
    } else {
      out = extractSlice(whole, offsets, sizes);
    }
  } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    SmallVector<int64_t> offsets(shape.size(), 0);
    for (const TileValue &piece : in) {
      insertSlice(out, piece, offsets);
      offsets[concat.getDim()] += piece.shape[concat.getDim()];
    }
  } else if (isa<tensor::ReshapeOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
             (isa<tensor::ExtractOp>(op) && in[0].size() == 1)) {
    out = in[0];
  } else {
    return isa<tensor::EmptyOp>(op); // zeros
  }
  out.shape = shape; // what changes a shape keeps its elements' order
  return true;
}

/// Everything except arith and math. False: not known.
static bool evaluateStructural(Operation *op, ArrayRef<TileValue> in, TileValue &out, bool &wrong) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return evaluateConstant(constant.getValue(), out);
  if (isa<tensor::SplatOp>(op)) {
    fillWith(out, in[0]);
    return true;
  }
  if (isa<tensor::TensorDialect>(op->getDialect()))
    return heddle::sim::detail::moveElements(op, in, out, wrong);
  if (isa<tile::DotOp>(op)) {
    out = dot(in[0], in[1], in[2]);
    return true;
  }
  if (std::optional<Rearrangement> moved = Rearrangement::of(op)) {
    out = rearrange(in[0], moved->dims, out.shape);
    return true;
  }
  if (auto fold = dyn_cast<tile::ReduceOp>(op)) {
    tile::FoldKind kind = tile::foldOf(fold);
    out = reduce(in[0], fold.getDirection() ? tile::towards(kind, in[1].floatAt(0)) : kind, fold.getAxis());
    return true;
  }
  if (auto fold = dyn_cast<tile::ScanOp>(op)) {
    out = scan(in[0], *tile::findFold(fold.getKind()), fold.getAxis(), fold.getReverse());
    return true;
  }
  if (auto iota = dyn_cast<tile::IotaOp>(op)) {
    for (int64_t i = 0, e = out.size(); i < e; ++i)
      out.setInt(i, static_cast<int64_t>(iota.getStart()) + i);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// As its body says.
static LogicalResult evaluateCall(tile::CallOp call, ArrayRef<TileValue> operands, SmallVectorImpl<TileValue> &results,
                                  const EvaluateOptions &options) {
  Block block;
  Value result = tile::bodyOnTiles(call, block);
  llvm::DenseMap<Value, TileValue> values;
  for (auto [argument, operand] : llvm::zip(block.getArguments(), operands))
    values[argument] = operand;
  for (Operation &op : block) {
    SmallVector<TileValue> in, out;
    for (Value operand : op.getOperands())
      in.push_back(values.at(operand));
    if (failed(evaluate(&op, in, out, options)) || (options.bounds && failed(boundError(&op, in, out[0]))))
      return failure();
    values[op.getResult(0)] = std::move(out[0]);
  }
  results.assign(1, values.at(result));
  return success();
}

LogicalResult heddle::sim::evaluate(Operation *op, ArrayRef<TileValue> operands, SmallVectorImpl<TileValue> &results,
                                    const EvaluateOptions &options) {
  if (auto call = dyn_cast<tile::CallOp>(op))
    return evaluateCall(call, operands, results, options);
  if (auto window = dyn_cast<tile::WindowOp>(op)) { // the operands behind the memory, one after the other
    TileValue numbers = TileValue::zeros(ElementKind::I64, {static_cast<int64_t>(operands.size()) - 1});
    int64_t rank = window.getSizes().size(), bytes = window.getType().getElementType().getIntOrFloatBitWidth() / 8;
    for (auto [i, operand] : llvm::enumerate(operands.drop_front())) {
      int64_t number = operand.intAt(0), unit = i == 0 ? 1 : static_cast<int64_t>(i) > rank ? bytes : 0;
      numbers.setInt(i, number);
      if (op->hasAttr(tile::alignedAttr) && number * unit % 16)
        return op->emitOpError("expected an address and strides that are multiples of 16 bytes, got ") << number * unit;
    }
    results.assign(1, std::move(numbers));
    return success();
  }
  if (op->getNumResults() != 1 || !op->getDialect())
    return op->emitOpError("is not an operation that the simulator can evaluate");
  std::optional<TileValue> out = TileValue::zerosOf(op->getResult(0).getType(), options.wide);
  if (!out)
    return op->emitOpError("has a result type that the simulator cannot hold: ") << op->getResult(0).getType();
  bool wrong = false;
  bool known = evaluateStructural(op, operands, *out, wrong) || detail::evaluateElementwise(op, operands, *out, wrong);
  if (wrong)
    return failure();
  if (!known)
    return op->emitOpError("is not an operation that the simulator can evaluate");
  results.assign(1, std::move(*out));
  return success();
}
