//===- ErrorBound.cpp - How far roundings may move a result ---------------===//
#include "heddle/Simulator/Functional/ErrorBound.h"

#include "heddle/Dialect/Tile/Approximation.h"
#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Simulator/Functional/Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::sim;

static constexpr double infinite = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

namespace {
struct Format {
  double unit;     ///< unit roundoff: half the distance from 1 to the next number
  double smallest; ///< least magnitude that has this precision; f32 hardware functions flush what is below to zero
  double largest;
  bool saturates = false; ///< what exceeds `largest` becomes it
};
} // namespace

static Format formatOf(ElementKind kind) {
  switch (kind) {
  case ElementKind::F32: return {0x1p-24, 0x1p-126, 0x1.fffffep127};
  case ElementKind::F16: return {0x1p-11, 0x1p-14, 65504};
  case ElementKind::BF16: return {0x1p-8, 0x1p-126, 0x1.fep127};
  case ElementKind::F8E4M3: return {0x1p-4, 0x1p-6, 448, true};
  case ElementKind::F8E5M2: return {0x1p-3, 0x1p-14, 57344, true};
  default: // the float64 run rounds as well
    return {0x1p-52, 0x1p-1022, std::numeric_limits<double>::max()};
  }
}

/// What `units` roundings of a number at most `reach` away from `value` add; infinite where it may overflow.
static double rounding(const Format &format, double value, double reach, double units) {
  double size = std::fabs(value) + reach;
  if (size == 0 || !std::isfinite(value))
    return 0; // exact, and an infinity stays one
  if (format.saturates)
    size = std::min(size, format.largest);
  double error = units * format.unit * std::max(size, format.smallest);
  return !format.saturates && size + error > format.largest ? infinite : error;
}

/// How far `moved` is from `value`: 0 where both are the same infinity or `value` is NaN (compared as NaN), infinite
/// where only one is finite.
static double distance(double value, double moved) {
  if (value == moved || value != value)
    return 0;
  double apart = std::fabs(moved - value);
  return std::isfinite(apart) ? apart : infinite;
}

//===----------------------------------------------------------------------===//
// Tiles of errors
//===----------------------------------------------------------------------===//

TileValue heddle::sim::errorOf(const TileValue &value) {
  return value.error ? *value.error : TileValue::zeros(ElementKind::F64, value.shape);
}

std::shared_ptr<const TileValue> heddle::sim::errorRead(TileValue errors) {
  bool any = false;
  for (double &e : errors.mutableDoubles()) {
    e = e != e ? infinite : std::max(e, 0.0); // a product with an infinite one may be no number: not known either
    any |= e > 0;
  }
  return any ? std::make_shared<const TileValue>(std::move(errors)) : nullptr;
}

static double errorAt(const TileValue &value, int64_t i) {
  return value.error ? value.error->doubles()[value.shape.empty() ? 0 : i] : 0;
}

static TileValue magnitudes(const TileValue &value, double scaleOfError) {
  TileValue result = TileValue::zeros(ElementKind::F64, value.shape);
  auto out = result.mutableDoubles();
  for (int64_t i = 0, n = value.size(); i < n; ++i)
    out[i] = std::fabs(value.floatAt(i)) + scaleOfError * errorAt(value, i);
  return result;
}

/// 2 sqrt(n) + 4 (see the header).
static double unitsOfSum(int64_t terms) { return 2 * std::sqrt(static_cast<double>(terms)) + 4; }

/// Of `count` additions to memory, each of which rounds once.
static double unitsOfAdditions(double count) { return std::min(count, unitsOfSum(static_cast<int64_t>(count))); }

TileValue heddle::sim::errorOfSum(const TileValue &old, const TileValue &value, ElementKind kind, TileValue &size,
                                  TileValue &count) {
  TileValue result = TileValue::zeros(ElementKind::F64, value.shape);
  Format format = formatOf(kind);
  auto out = result.mutableDoubles(), sizes = size.mutableDoubles(), counts = count.mutableDoubles();
  for (int64_t i = 0, n = value.size(); i < n; ++i) {
    double before = errorAt(old, i), e = before + errorAt(value, i);
    out[i] = e;
    if (!isFloatKind(kind))
      continue;
    if (counts[i] == 0)
      sizes[i] = std::fabs(old.floatAt(i));
    double known = rounding(format, sizes[i], before, unitsOfAdditions(counts[i]));
    sizes[i] += std::fabs(value.floatAt(i));
    double now = rounding(format, sizes[i], e, unitsOfAdditions(++counts[i]));
    out[i] += std::isfinite(now) ? std::max(0.0, now - known) : now; // the new ones
  }
  return result;
}

/// `value` with every element moved by `sign` times its error.
static TileValue moved(const TileValue &value, int sign) {
  TileValue result = value;
  result.error = nullptr;
  if (value.kind == ElementKind::F64) {
    auto out = result.mutableDoubles();
    for (int64_t i = 0, n = value.size(); i < n; ++i)
      out[i] += sign * errorAt(value, i);
    return result;
  }
  bool bit = value.kind == ElementKind::I1;
  auto out = result.mutableInts();
  for (int64_t i = 0, n = value.size(); i < n; ++i) {
    auto by = sign * static_cast<int64_t>(std::min(std::ceil(errorAt(value, i)), 0x1p62));
    out[i] = bit ? std::clamp<int64_t>(out[i] + by, 0, 1)
                 : wrapTo(value.kind, static_cast<int64_t>(uint64_t(out[i]) + uint64_t(by)));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// What tensor cores lose in products of 8-bit floats: they align 32 products and the sum so far to the largest of
/// these, keep 13 bits of it and cut the rest of each, towards zero (docs/Calibration.md, "Sums of 8-bit products").
/// What is cut of products of one sign adds up, of others it cancels; the largest is the sum's own size, or that of a
/// random walk.
static double cutOfEightBits(double sum, double magnitudes, double squares, int64_t terms) {
  if (magnitudes == 0)
    return 0;
  double last = 0x1p-13 * (std::fabs(sum) + 2 * std::sqrt(squares)), n = static_cast<double>(terms);
  // of each half on average, with a deviation of 0.29
  return last * (n / 2 * std::min(1.0, std::fabs(sum) / magnitudes) + 1.2 * std::sqrt(n));
}

/// `cut`: what an operand may lose before, relative to itself (tf32).
static void boundDot(ArrayRef<TileValue> in, const Format &format, const TileValue &result, double cut, bool eightBits,
                     MutableArrayRef<double> error) {
  TileValue zeros = TileValue::zeros(ElementKind::F64, result.shape);
  TileValue size = dot(magnitudes(in[0], 1), magnitudes(in[1], 1), zeros); // of the terms, their errors included
  bool exact = !in[0].error && !in[1].error;
  TileValue own = exact ? size : dot(magnitudes(in[0], 0), magnitudes(in[1], 0), zeros);
  double units = unitsOfSum(in[0].shape[1]);
  auto squared = [](const TileValue &value) {
    TileValue squares = magnitudes(value, 1);
    for (double &x : squares.mutableDoubles())
      x *= x;
    return squares;
  };
  TileValue squares = eightBits ? dot(squared(in[0]), squared(in[1]), zeros) : zeros;
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    double given =
        errorAt(in[2], i) + std::max(0.0, size.doubles()[i] - own.doubles()[i]) + 2 * cut * size.doubles()[i];
    double reach = std::fabs(in[2].floatAt(i)) + size.doubles()[i];
    error[i] = given + rounding(format, reach, given, units);
    if (eightBits)
      error[i] += cutOfEightBits(result.doubles()[i], reach, squares.doubles()[i], in[0].shape[1]);
    if (!std::isfinite(result.doubles()[i]))
      error[i] = 0;
  }
}

/// |log2| of every element's magnitude, its error included: no product of some of them is further from 1 than their
/// sum says.
static TileValue logarithms(const TileValue &value) {
  TileValue result = magnitudes(value, 1);
  for (double &size : result.mutableDoubles())
    size = size == 0 ? 0 : std::fabs(std::log2(size));
  return result;
}

/// `reduce`: how a tile.reduce or a tile.scan folds; `terms`: of how many elements at most.
static void boundReduce(tile::FoldKind fold, int64_t terms,
                        llvm::function_ref<TileValue(const TileValue &, tile::FoldKind)> reduce, const TileValue &in,
                        const Format &format, const TileValue &result, MutableArrayRef<double> error) {
  auto sum = [&](const TileValue &value) { return reduce(value, tile::FoldKind::Add); };
  auto product = [&](const TileValue &value) { return reduce(value, tile::FoldKind::Mul); };
  switch (fold) {
  case tile::FoldKind::Max:
  case tile::FoldKind::Min: {
    TileValue low = reduce(moved(in, -1), fold), high = reduce(moved(in, 1), fold);
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      error[i] = std::max(distance(result.floatAt(i), low.floatAt(i)), distance(result.floatAt(i), high.floatAt(i)));
    return;
  }
  case tile::FoldKind::Add: {
    TileValue given = sum(errorOf(in)), size = sum(magnitudes(in, 1));
    double units = in.isFloat() ? unitsOfSum(terms) : 0;
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      error[i] =
          std::isfinite(result.floatAt(i)) ? given.doubles()[i] + rounding(format, size.doubles()[i], 0, units) : 0;
    return;
  }
  case tile::FoldKind::Mul: {
    // Each factor at most as far from zero as it may be; each of the roundings is relative to the product so far. In
    // another order the products so far may overflow, or fall below what has full precision, where the result does not.
    TileValue size = product(magnitudes(in, 0)), reach = product(magnitudes(in, 1));
    TileValue outside = sum(logarithms(in));
    double units = in.isFloat() ? static_cast<double>(terms) : 0;
    for (int64_t i = 0, n = result.size(); i < n; ++i) {
      if (!std::isfinite(result.floatAt(i)))
        continue;
      error[i] = reach.doubles()[i] - size.doubles()[i];
      error[i] += in.isFloat() ? rounding(format, size.doubles()[i], error[i], units) : 0;
      bool safe = !in.isFloat() || (outside.doubles()[i] < std::log2(format.largest) &&
                                    outside.doubles()[i] < -std::log2(format.smallest));
      if (!safe || !std::isfinite(error[i]))
        error[i] = infinite;
    }
    return;
  }
  default: { // bits: known where all are
    TileValue given = sum(errorOf(in));
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      error[i] = given.doubles()[i] > 0 ? infinite : 0;
  }
  }
}

/// Roundings of the operation itself, in unit roundoffs of its value and, for what approximations give as a number near
/// 1, absolutely.
static std::pair<double, double> ownUnits(Operation *op, ArrayRef<TileValue> in, double value, int64_t i) {
  if (isa<arith::ExtFOp, arith::NegFOp, math::AbsFOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp,
          math::RoundEvenOp, math::CopySignOp, arith::RemFOp, arith::SelectOp, arith::BitcastOp, arith::MaximumFOp,
          arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, math::ClampFOp>(op))
    return {0, 0};
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(
          op))
    return {1, 0};
  double x = std::fabs(in[0].floatAt(i));
  if (isa<math::ExpOp>(op)) // 2^(x log2 e): the product is rounded
    return {6 + 2 * x, 0};
  if (isa<math::PowFOp, math::FPowIOp>(op)) // 2^(y log2 x), with the logarithm near 0 as a number near 1
    return {6 + 2 * std::fabs(std::log2(std::max(std::fabs(value), 0x1p-126))) + 8 * std::fabs(in[1].floatAt(i)), 0};
  if (isa<math::SinOp, math::CosOp, math::ErfOp, math::LogOp, math::Log2Op, math::Log10Op, math::ErfcOp>(op))
    return {6, 16};
  if (isa<math::AsinOp, math::AcosOp, math::AsinhOp, math::AcoshOp, math::AtanhOp>(op))
    return {8, 0};
  if (tile::isApproximate(op) && getElementTypeOrSelf(op->getResult(0)).isF32())
    return {tile::approximationError / 0x1p-24, 0};
  if (isa<math::TanhOp>(op))
    return {16, 0};
  return {6, 0};
}

/// Whether `op` on tiles whose elements may move has its extremes where they are moved farthest.
static bool isMonotone(Operation *op, ArrayRef<TileValue> in) {
  if (llvm::all_of(in, [](const TileValue &v) { return v.isFloat() || v.kind == ElementKind::I1 || !v.error; }))
    return !isa<math::SinOp, math::CosOp, math::AbsFOp, arith::RemFOp, math::CoshOp, math::CopySignOp, math::Atan2Op,
                math::TanOp, arith::BitcastOp>(op);
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp, arith::MinSIOp, arith::ExtSIOp,
             arith::IndexCastOp, arith::TruncIOp, arith::SIToFPOp>(op);
}

/// The farthest that moving the operands moves the result: at the corners of their intervals.
static LogicalResult boundCorners(Operation *op, ArrayRef<TileValue> in, const TileValue &result,
                                  MutableArrayRef<double> error) {
  SmallVector<unsigned> moving;
  for (auto [k, value] : llvm::enumerate(in))
    if (value.error)
      moving.push_back(k);
  EvaluateOptions wide;
  wide.wide = true;
  for (unsigned corner = 0; corner < 1u << moving.size(); ++corner) {
    SmallVector<TileValue> operands(in), results;
    for (auto [bit, k] : llvm::enumerate(moving))
      operands[k] = moved(in[k], corner >> bit & 1 ? 1 : -1);
    if (failed(evaluate(op, operands, results, wide)))
      return failure();
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      error[i] = std::max(error[i], distance(result.floatAt(i), results[0].floatAt(i)));
  }
  bool raises = isa<math::PowFOp, math::FPowIOp>(op);
  if (raises || isa<arith::DivFOp>(op)) { // a divisor that may be zero
    const TileValue &divisor = in[raises ? 0 : 1];
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      if (errorAt(divisor, i) > 0 && std::fabs(divisor.floatAt(i)) <= errorAt(divisor, i) &&
          !(raises && in[1].floatAt(i) - errorAt(in[1], i) >= 0))
        error[i] = infinite;
  }
  return success();
}

/// The fold of which `value` repeats the results, if `source` is what it folds.
static tile::ReduceOp repeatedFold(Value value, Value source) {
  auto repeat = value.getDefiningOp<tile::BroadcastOp>();
  auto fold = repeat ? repeat.getSource().getDefiningOp<tile::ReduceOp>() : tile::ReduceOp();
  return fold && fold.getSource() == source && fold.getAxis() == repeat.getAxis() ? fold : tile::ReduceOp();
}

/// Elements compared with the largest (or smallest) of their own row, as the search for its place does: they move
/// together, so that an element equals it where no other element of the row may be as large, and does not where another
/// is larger for sure.
static bool boundCompareWithExtreme(Operation *op, ArrayRef<TileValue> in, MutableArrayRef<double> error) {
  auto compare = dyn_cast<arith::CmpFOp>(op);
  if (!compare)
    return false;
  bool right = static_cast<bool>(repeatedFold(compare.getRhs(), compare.getLhs()));
  tile::ReduceOp fold =
      right ? repeatedFold(compare.getRhs(), compare.getLhs()) : repeatedFold(compare.getLhs(), compare.getRhs());
  if (!fold || !tile::isExtreme(tile::foldOf(fold)))
    return false;
  const TileValue &elements = in[right ? 0 : 1];
  double sign = tile::foldOf(fold) == tile::FoldKind::Max ? 1 : -1;
  auto at = [&](int64_t i, double moved) { return sign * elements.floatAt(i) + moved * errorAt(elements, i); };
  int64_t axis = fold.getAxis(), length = elements.shape[axis], stride = 1;
  for (size_t d = axis + 1; d < elements.shape.size(); ++d)
    stride *= elements.shape[d];
  for (int64_t first = 0, n = error.size(); first < n; ++first) {
    if (first / stride % length)
      continue;
    double least = -infinite; // that the extreme is
    int64_t reaching = 0;     // elements that may be the extreme
    for (int64_t k = 0; k < length; ++k)
      least = std::max(least, at(first + k * stride, -1));
    for (int64_t k = 0; k < length; ++k)
      reaching += !(at(first + k * stride, 1) < least);
    for (int64_t k = 0; k < length; ++k)
      error[first + k * stride] = reaching > 1 && !(at(first + k * stride, 1) < least);
  }
  return true;
}

/// A comparison that may go either way is off by one.
static void boundCompare(Operation *op, ArrayRef<TileValue> in, MutableArrayRef<double> error) {
  if (boundCompareWithExtreme(op, in, error))
    return;
  for (int64_t i = 0, n = error.size(); i < n; ++i) {
    double reach = errorAt(in[0], i) + errorAt(in[1], i);
    error[i] = reach > 0 && distance(in[0].floatAt(i), in[1].floatAt(i)) <= reach;
  }
}

static void boundSelect(ArrayRef<TileValue> in, MutableArrayRef<double> error) {
  bool scalar = in[0].shape.empty();
  for (int64_t i = 0, n = error.size(); i < n; ++i) {
    double yes = errorAt(in[1], i), no = errorAt(in[2], i);
    error[i] = in[0].ints()[scalar ? 0 : i] ? yes : no;
    if (errorAt(in[0], scalar ? 0 : i) > 0)
      error[i] = std::max(yes, no) + distance(in[1].floatAt(i), in[2].floatAt(i));
  }
}

/// Operations with extremes inside an interval: by how fast they can change.
static void boundOther(Operation *op, ArrayRef<TileValue> in, MutableArrayRef<double> error) {
  for (int64_t i = 0, n = error.size(); i < n; ++i) {
    double e = errorAt(in[0], i);
    if (isa<math::AbsFOp>(op))
      error[i] = e;
    else if (isa<math::SinOp, math::CosOp>(op))
      error[i] = std::min(e, 2.0);
    else if (isa<math::CopySignOp>(op)) // the other sign only where a rounding may decide about it
      error[i] = e + (errorAt(in[1], i) >= std::fabs(in[1].floatAt(i)) ? 2 * std::fabs(in[0].floatAt(i)) : 0);
    else
      // remainders, bits, integer divisions
      error[i] = e > 0 || (in.size() > 1 && errorAt(in[1], i) > 0) ? infinite : 0;
  }
}

/// Warp groups may add parts of a sum to memory, each rounded before (docs/TileDialect.md): true for the conversion
/// that rounds them. Together they are as large as the sum's terms, whose size its error tells: at least 6 unit
/// roundoffs of them.
static bool roundsParts(Operation *op) {
  return isa<arith::TruncFOp>(op) && llvm::any_of(op->getUsers(), [&](Operation *user) {
           auto store = dyn_cast<tile::StoreOp>(user);
           return store && store.getKind() == "add";
         });
}

/// True for what only moves elements: its errors move with them.
static bool moveErrors(Operation *op, ArrayRef<TileValue> in, TileValue &error) {
  if (std::optional<Rearrangement> moved = Rearrangement::of(op)) {
    error = rearrange(errorOf(in[0]), moved->dims, cast<RankedTensorType>(moved->result.getType()).getShape());
  } else if (isa<tensor::SplatOp>(op)) {
    auto out = error.mutableDoubles();
    std::fill(out.begin(), out.end(), errorAt(in[0], 0));
  } else if (isa<tensor::TensorDialect>(op->getDialect())) {
    SmallVector<TileValue> errors;
    for (auto [value, operand] : llvm::zip(in, op->getOperands()))
      errors.push_back(operand.getType().isIndex() ? value : errorOf(value));
    bool failed = false; // evaluating the operation has said so
    return heddle::sim::detail::moveElements(op, errors, error, failed);
  } else {
    return false;
  }
  return true;
}

/// What the body of a call bounds, and that the function may round as functions of the hardware do.
static void boundCall(Operation *op, TileValue &result) {
  std::optional<ElementKind> kind = elementKindOf(getElementTypeOrSelf(op->getResult(0).getType()));
  Format format = formatOf(kind.value_or(ElementKind::F64));
  TileValue errors = errorOf(result);
  auto error = errors.mutableDoubles();
  if (result.isFloat())
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      error[i] += rounding(format, result.floatAt(i), error[i], 6);
  result.error = std::make_shared<const TileValue>(std::move(errors));
}

LogicalResult heddle::sim::boundError(Operation *op, ArrayRef<TileValue> in, TileValue &result) {
  if (isa<tile::CallOp>(op)) { // evaluated with bounds
    boundCall(op, result);
    return success();
  }
  result.error = nullptr;
  bool moving = llvm::any_of(in, [](const TileValue &value) { return value.error != nullptr; });
  if (in.empty() || (!moving && (!result.isFloat() || isa<tensor::SplatOp>(op))))
    return success();
  TileValue errors = TileValue::zeros(ElementKind::F64, result.shape);
  std::optional<ElementKind> kind = elementKindOf(getElementTypeOrSelf(op->getResult(0).getType()));
  Format format = formatOf(kind.value_or(ElementKind::F64));
  if (!moveErrors(op, in, errors)) {
    auto error = errors.mutableDoubles();
    if (isa<tile::DotOp>(op)) {
      Type operand = getElementTypeOrSelf(op->getOperand(0).getType());
      if (result.isFloat())
        boundDot(in, format, result, operand.isF32() ? 0x1p-10 : 0,
                 isa<FloatType>(operand) && operand.getIntOrFloatBitWidth() == 8, error);
    } else if (auto fold = dyn_cast<tile::ReduceOp>(op)) {
      auto reduced = [&](const TileValue &value, tile::FoldKind kind) { return reduce(value, kind, fold.getAxis()); };
      tile::FoldKind kind = tile::foldOf(fold);
      if (fold.getDirection())
        kind = tile::towards(kind, in[1].floatAt(0));
      boundReduce(kind, in[0].shape[fold.getAxis()], reduced, in[0], format, result, error);
    } else if (auto fold = dyn_cast<tile::ScanOp>(op)) {
      auto scanned = [&](const TileValue &value, tile::FoldKind kind) {
        return scan(value, kind, fold.getAxis(), fold.getReverse());
      };
      boundReduce(*tile::findFold(fold.getKind()), in[0].shape[fold.getAxis()], scanned, in[0], format, result, error);
    } else {
      if (isa<arith::CmpFOp, arith::CmpIOp>(op))
        boundCompare(op, in, error);
      else if (isa<arith::SelectOp>(op))
        boundSelect(in, error);
      else if (moving && !isMonotone(op, in))
        boundOther(op, in, error);
      else if (moving && failed(boundCorners(op, in, result, error)))
        return failure();
      bool parts = roundsParts(op);
      double unitIn =
          formatOf(elementKindOf(getElementTypeOrSelf(op->getOperand(0).getType())).value_or(ElementKind::F64)).unit;
      if (result.isFloat())
        for (int64_t i = 0, n = result.size(); i < n; ++i) {
          double value = result.doubles()[i];
          auto [units, absolute] = ownUnits(op, in, value, in[0].shape.empty() ? 0 : i);
          if (units > 0)
            error[i] +=
                rounding(format, parts ? std::max(std::fabs(value), error[i] / (6 * unitIn)) : value, error[i], units) +
                (value != 0 && std::isfinite(value) ? absolute * format.unit : 0);
        }
    }
  }
  result.error = errorRead(std::move(errors));
  return success();
}
