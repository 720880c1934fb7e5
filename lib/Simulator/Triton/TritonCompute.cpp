//===- TritonCompute.cpp - operations of Triton that compute ----------------===//
#include "TritonProgram.h"

#include "heddle/Dialect/Triton/Libdevice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;
namespace tt = heddle::triton;

namespace heddle::sim {

LogicalResult TritonProgram::runReduce(Operation *op, Block &combine, int64_t axis, bool keeps, bool reverse) {
  SmallVector<TileValue> in = valuesOf(op->getOperands()), out;
  ArrayRef<int64_t> shape = in[0].shape;
  int64_t inner = 1, along = shape[axis], total = in[0].size() / along;
  for (int64_t extent : shape.drop_front(axis + 1))
    inner *= extent;
  for (Value result : op->getResults()) {
    std::optional<TileValue> value = zerosOf(result.getType());
    if (!value)
      return op->emitOpError("expected elements that the simulator can hold, got ") << result.getType();
    out.push_back(*value);
  }
  size_t count = in.size();
  for (int64_t o = 0; o < total; ++o) {
    int64_t first = (o / inner) * along * inner + o % inner;
    SmallVector<TileValue> sum;
    for (int64_t step = 0; step < along; ++step) {
      int64_t k = reverse ? along - 1 - step : step;
      SmallVector<TileValue> next;
      for (size_t s = 0; s < count; ++s) {
        TileValue scalar = TileValue::zeros(in[s].kind, {});
        copyElement(scalar, 0, in[s], first + k * inner);
        next.push_back(std::move(scalar));
      }
      if (step == 0) {
        sum = std::move(next);
      } else {
        for (size_t s = 0; s < count; ++s) {
          values[combine.getArgument(s)] = sum[s];
          values[combine.getArgument(count + s)] = next[s];
        }
        FailureOr<SmallVector<TileValue>> combined = runBlock(combine);
        if (failed(combined))
          return failure();
        sum = std::move(*combined);
      }
      for (size_t s = 0; keeps && s < count; ++s)
        copyElement(out[s], first + k * inner, sum[s], 0);
    }
    for (size_t s = 0; !keeps && s < count; ++s)
      copyElement(out[s], o, sum[s], 0);
  }
  define(op->getResults(), out);
  return success();
}

/// Coordinates of element `i` of a tile of `shape`.
static SmallVector<int64_t> coordinatesOf(int64_t i, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> at(shape.size());
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    at[d] = i % shape[d];
    i /= shape[d];
  }
  return at;
}

static int64_t elementAt(ArrayRef<int64_t> at, ArrayRef<int64_t> shape) {
  int64_t i = 0;
  for (auto [a, extent] : llvm::zip_equal(at, shape))
    i = i * extent + a;
  return i;
}

bool TritonProgram::runShape(Operation *op) {
  std::function<int64_t(int64_t)> sourceOf;
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  Type type = op->getResult(0).getType();
  ArrayRef<int64_t> to = shapeOf(type), from = shapeOf(op->getOperand(0).getType());
  if (isa<tt::SplatOp, tt::UnsplatOp>(op))
    sourceOf = [](int64_t) { return 0; };
  else if (isa<tt::ExpandDimsOp, tt::ReshapeOp, tt::FpToFpOp, tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp>(op))
    sourceOf = [](int64_t i) { return i; };
  else if (isa<tt::BroadcastOp>(op))
    sourceOf = [&](int64_t i) {
      SmallVector<int64_t> at = coordinatesOf(i, to);
      for (auto [a, extent] : llvm::zip_equal(at, from))
        a = extent == 1 ? 0 : a;
      return elementAt(at, from);
    };
  else if (auto trans = dyn_cast<tt::TransOp>(op))
    sourceOf = [&, trans](int64_t i) mutable {
      SmallVector<int64_t> at = coordinatesOf(i, to), source(at.size());
      for (auto [d, s] : llvm::enumerate(trans.getOrder()))
        source[s] = at[d];
      return elementAt(source, from);
    };
  if (!sourceOf)
    return false;
  const TileValue source = values[op->getOperand(0)];
  std::optional<TileValue> result = zerosOf(type);
  bool bits = isa<tt::BitcastOp>(op) && result && source.isFloat() != result->isFloat();
  if (!result || bits)
    return false;
  for (int64_t i = 0, n = result->size(); i < n; ++i)
    copyElement(*result, i, source, sourceOf(i));
  values[op->getResult(0)] = std::move(*result);
  return true;
}

/// One product, or one for each of the first dimension.
bool TritonProgram::runProduct(tt::DotOp op) {
  if (run.addressesOnly || op.getType().getRank() > 3) {
    values[op] = *zerosOf(op.getType());
    return op.getType().getRank() <= 3;
  }
  if (op.getType().getRank() == 2) {
    values[op] = dot(values[op.getA()], values[op.getB()], values[op.getC()]);
    return true;
  }
  int64_t count = op.getType().getDimSize(0);
  auto part = [&](Value whole, int64_t number) {
    const TileValue &from = values[whole];
    TileValue one = TileValue::zeros(from.kind, ArrayRef(from.shape).drop_front());
    for (int64_t i = 0, n = one.size(); i < n; ++i)
      copyElement(one, i, from, number * n + i);
    return one;
  };
  TileValue result = *zerosOf(op.getType());
  for (int64_t number = 0; number < count; ++number) {
    TileValue one = dot(part(op.getA(), number), part(op.getB(), number), part(op.getC(), number));
    for (int64_t i = 0, n = one.size(); i < n; ++i)
      copyElement(result, number * n + i, one, i);
  }
  values[op] = std::move(result);
  return true;
}

/// Operations of tt that compute. False: not known.
bool TritonProgram::runSimple(Operation *op) {
  if (auto program = dyn_cast<tt::GetProgramIdOp>(op)) {
    values[program] = TileValue::scalar(ElementKind::I32, id[static_cast<size_t>(program.getAxis())]);
    return true;
  }
  if (auto count = dyn_cast<tt::GetNumProgramsOp>(op)) {
    values[count] = TileValue::scalar(ElementKind::I32, run.grid[static_cast<size_t>(count.getAxis())]);
    return true;
  }
  if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    TileValue result = TileValue::zeros(ElementKind::I32, shapeOf(range.getType()));
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      result.setInt(i, int64_t(range.getStart()) + i);
    values[range] = std::move(result);
    return true;
  }
  if (auto add = dyn_cast<tt::AddPtrOp>(op)) {
    const TileValue base = values[add.getPtr()], offset = values[add.getOffset()];
    TileValue result = base;
    int64_t size = bytesOf(pointeeOf(add.getType()));
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      result.setInt(i, base.intAt(i) + offset.intAt(i) * size);
    values[add] = std::move(result);
    return true;
  }
  if (auto make = dyn_cast<tt::MakeTensorDescOp>(op)) {
    TritonDescriptor descriptor;
    descriptor.address = values[make.getBase()].intAt(0);
    for (Value size : make.getShape())
      descriptor.sizes.push_back(values[size].toIndex());
    for (Value stride : make.getStrides())
      descriptor.strides.push_back(values[stride].toIndex());
    descriptors[make] = descriptor;
    return true;
  }
  if (auto product = dyn_cast<tt::DotOp>(op))
    return runProduct(product);
  if (auto gather = dyn_cast<tt::GatherOp>(op)) {
    const TileValue source = values[gather.getSrc()], numbers = values[gather.getIndices()];
    ArrayRef<int64_t> from = shapeOf(gather.getSrc().getType()), to = shapeOf(gather.getType());
    TileValue result = *zerosOf(gather.getType());
    for (int64_t i = 0, n = result.size(); i < n; ++i) {
      SmallVector<int64_t> at = coordinatesOf(i, to);
      at[gather.getAxis()] = numbers.intAt(i);
      if (numbers.intAt(i) >= 0 && numbers.intAt(i) < from[gather.getAxis()])
        copyElement(result, i, source, elementAt(at, from));
    }
    values[gather] = std::move(result);
    return true;
  }
  if (auto histogram = dyn_cast<tt::HistogramOp>(op)) {
    const TileValue source = values[histogram.getSrc()];
    TileValue result = *zerosOf(histogram.getType());
    for (int64_t i = 0, n = source.size(); i < n; ++i)
      if (int64_t bin = source.intAt(i); bin >= 0 && bin < result.size())
        if (!histogram.getMask() || values[histogram.getMask()].intAt(i))
          result.setInt(bin, result.intAt(bin) + 1);
    values[histogram] = std::move(result);
    return true;
  }
  if (auto split = dyn_cast<tt::SplitOp>(op)) {
    const TileValue source = values[split.getSrc()];
    for (int64_t half : {0, 1}) {
      TileValue result = *zerosOf(split->getResult(half).getType());
      for (int64_t i = 0, n = result.size(); i < n; ++i)
        copyElement(result, i, source, 2 * i + half);
      values[split->getResult(half)] = std::move(result);
    }
    return true;
  }
  if (auto join = dyn_cast<tt::JoinOp>(op)) {
    TileValue result = *zerosOf(join.getType());
    const TileValue lhs = values[join.getLhs()], rhs = values[join.getRhs()];
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      copyElement(result, i, i % 2 ? rhs : lhs, i / 2);
    values[join] = std::move(result);
    return true;
  }
  if (auto cat = dyn_cast<tt::CatOp>(op)) {
    TileValue result = *zerosOf(cat.getResult().getType());
    const TileValue lhs = values[cat.getLhs()], rhs = values[cat.getRhs()];
    for (int64_t i = 0, n = lhs.size(); i < n; ++i) {
      copyElement(result, i, lhs, i);
      copyElement(result, n + i, rhs, i);
    }
    values[cat] = std::move(result);
    return true;
  }
  if (auto external = dyn_cast<tt::ExternElementwiseOp>(op))
    return runLibrary(external);
  SmallVector<TileValue> in = valuesOf(op->getOperands());
  if (isa<tt::MulhiUIOp>(op) && in[0].kind == ElementKind::I32) {
    TileValue result = in[0];
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      result.setInt(
          i, static_cast<int64_t>((uint64_t(uint32_t(in[0].intAt(i))) * uint64_t(uint32_t(in[1].intAt(i)))) >> 32));
    values[op->getResult(0)] = std::move(result);
    return true;
  }
  std::function<double(int64_t)> number;
  auto at = [&](unsigned operand, int64_t i) { return in[operand].floatAt(i); };
  if (isa<tt::PreciseSqrtOp>(op))
    number = [&](int64_t i) { return std::sqrt(at(0, i)); };
  else if (isa<tt::PreciseDivFOp>(op))
    number = [&](int64_t i) { return at(0, i) / at(1, i); };
  else if (isa<tt::ClampFOp>(op))
    number = [&](int64_t i) { return std::fmin(std::fmax(at(0, i), at(1, i)), at(2, i)); };
  if (!number)
    return false;
  TileValue result = *zerosOf(op->getResult(0).getType());
  for (int64_t i = 0, n = result.size(); i < n; ++i)
    result.setFloat(i, number(i));
  values[op->getResult(0)] = std::move(result);
  return true;
}

/// By halving: the error function rises.
static double inverseOfErf(double y) {
  double size = std::fabs(y), low = 0, high = 6;
  if (!(size < 1))
    return size == 1 ? std::copysign(std::numeric_limits<double>::infinity(), y)
                     : std::numeric_limits<double>::quiet_NaN();
  if (size < 1e-8)
    return y * 0.88622692545275801365; // sqrt(pi) / 2
  for (int step = 0; step < 100; ++step) {
    double middle = (low + high) / 2;
    bool below = size < 0.5 ? std::erf(middle) < size : std::erfc(middle) > 1 - size;
    (below ? low : high) = middle;
  }
  return std::copysign(low, y);
}

/// The mean of exp(x cos t) over half a turn, whose sum at equal distances converges faster than any power of them.
static double besselI0(double x) {
  x = std::fabs(x);
  if (!std::isfinite(x))
    return x;
  int64_t points = 64 + static_cast<int64_t>(std::min(x, 1e4));
  double sum = 0;
  for (int64_t i = 0; i < points; ++i)
    sum += std::exp(x * (std::cos(M_PI * (static_cast<double>(i) + 0.5) / static_cast<double>(points)) - 1));
  return sum / static_cast<double>(points) * std::exp(x / 2) * std::exp(x / 2);
}

/// Functions that no upstream operation gives. False: `op` is none of them.
bool TritonProgram::runOtherLibrary(tt::ExternElementwiseOp op) {
  tt::BitFunction bits = tt::bitFunction(op);
  tt::LibraryFunction function = tt::libraryFunction(op);
  if (bits == tt::BitFunction::None && function == tt::LibraryFunction::None && !tt::isSignBit(op))
    return false;
  SmallVector<TileValue> in = valuesOf(op.getSrcs());
  TileValue result = *zerosOf(op.getType());
  int width = static_cast<int>(getElementTypeOrSelf(op.getSrcs().front().getType()).getIntOrFloatBitWidth());
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    if (tt::isSignBit(op)) {
      result.setInt(i, std::signbit(in[0].floatAt(i)));
      continue;
    }
    if (bits != tt::BitFunction::None) {
      auto x = static_cast<uint64_t>(in[0].intAt(i)) & (~uint64_t(0) >> (64 - width));
      result.setInt(i, bits == tt::BitFunction::Count          ? std::popcount(x)
                       : bits == tt::BitFunction::LeadingZeros ? std::countl_zero(x) - (64 - width)
                       : x                                     ? std::countr_zero(x) + 1
                                                               : 0);
      continue;
    }
    double x = in[0].floatAt(i);
    switch (function) {
    case tt::LibraryFunction::Hypot: result.setFloat(i, std::hypot(x, in[1].floatAt(i))); break;
    case tt::LibraryFunction::Lgamma: result.setFloat(i, std::lgamma(x)); break;
    case tt::LibraryFunction::Erfinv: result.setFloat(i, inverseOfErf(x)); break;
    case tt::LibraryFunction::BesselI0: result.setFloat(i, besselI0(x)); break;
    default: // the neighbour among floats
      result.setFloat(i, std::nextafter(static_cast<float>(x), static_cast<float>(in[1].floatAt(i))));
    }
  }
  values[op] = std::move(result);
  return true;
}

/// A function of libdevice is evaluated as the upstream operation that it means, where there is one.
bool TritonProgram::runLibrary(tt::ExternElementwiseOp op) {
  if (runOtherLibrary(op))
    return true;
  StringRef rounding = tt::roundingToInteger(op);
  tt::UpstreamOperation upstream =
      rounding.empty() ? tt::upstreamOperation(op) : tt::UpstreamOperation{rounding, /*givesBits=*/false};
  if (upstream.name.empty())
    return false;
  op.getContext()->getOrLoadDialect(upstream.name.split('.').first);
  OperationState state(op.getLoc(), upstream.name);
  state.addOperands(op.getSrcs());
  state.addTypes(rounding.empty() ? upstream.typeFor(op.getType()) : op.getSrcs().front().getType());
  Operation *made = Operation::create(state);
  LogicalResult done = runUpstream(made);
  if (succeeded(done)) {
    TileValue given = values[made->getResult(0)], result = *zerosOf(op.getType());
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      if (rounding.empty())
        copyElement(result, i, given, i);
      else
        result.setInt(i, static_cast<int64_t>(given.floatAt(i)));
    values[op] = std::move(result);
    values.erase(made->getResult(0));
  }
  made->destroy();
  return succeeded(done);
}

/// The bits of floats as integers, and back: on one of upstream's.
LogicalResult TritonProgram::runBits(tt::BitcastOp op) {
  OperationState state(op.getLoc(), "arith.bitcast", op->getOperands(), op->getResultTypes());
  OwningOpRef<Operation *> upstream = Operation::create(state);
  LogicalResult done = runUpstream(*upstream);
  TileValue result = values[upstream->getResult(0)];
  values.erase(upstream->getResult(0));
  values[op] = std::move(result);
  return done;
}

LogicalResult TritonProgram::runUpstream(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && isa<tt::PointerType>(getElementTypeOrSelf(select.getType()))) {
    const TileValue condition = values[select.getCondition()], yes = values[select.getTrueValue()],
                    no = values[select.getFalseValue()];
    TileValue result = yes;
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      copyElement(result, i, condition.intAt(condition.shape.empty() ? 0 : i) ? yes : no, i);
    values[select] = std::move(result);
    return success();
  }
  EvaluateOptions wide;
  wide.wide = true;
  SmallVector<TileValue> results, in = valuesOf(op->getOperands());
  // What masked lanes load may be zero, and Triton leaves open what a division by it gives: here, one divides.
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) && !in[1].shape.empty())
    for (int64_t i = 0, n = in[1].size(); i < n; ++i)
      if (in[1].intAt(i) == 0)
        in[1].setInt(i, 1);
  if (failed(evaluate(op, in, results, wide)))
    return failure();
  define(op->getResults(), results);
  return success();
}

} // namespace heddle::sim
