//===- EvaluateElementwise.cpp - arith and math on tiles ------------------===//
//
// One table per family: each entry is an operation and its scalar function, applied to double or float storage and then
// rounded to the type (exact for + - * / sqrt, see Numeric.h; libm's rounding for the rest). Comparisons and
// conversions are in EvaluateCasts.cpp.
//
//===----------------------------------------------------------------------===//
#include "EvaluateCasts.h"
#include "heddle/Simulator/Functional/Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle::sim;
using heddle::sim::detail::roundAll;

//===----------------------------------------------------------------------===//
// Loops over storage
//===----------------------------------------------------------------------===//

template <typename Fn> static bool mapFloat(TileValue &out, const TileValue &a, Fn fn) {
  if (out.kind == ElementKind::F64) {
    auto o = out.mutableDoubles();
    auto x = a.doubles();
    for (size_t i = 0; i < o.size(); ++i)
      o[i] = fn(x[i]);
    return true;
  }
  auto o = out.mutableFloats();
  auto x = a.floats();
  for (size_t i = 0; i < o.size(); ++i)
    o[i] = fn(x[i]);
  roundAll(out);
  return true;
}

template <typename Fn> static bool mapFloat(TileValue &out, const TileValue &a, const TileValue &b, Fn fn) {
  if (out.kind == ElementKind::F64) {
    auto o = out.mutableDoubles();
    auto x = a.doubles(), y = b.doubles();
    for (size_t i = 0; i < o.size(); ++i)
      o[i] = fn(x[i], y[i]);
    return true;
  }
  auto o = out.mutableFloats();
  auto x = a.floats(), y = b.floats();
  for (size_t i = 0; i < o.size(); ++i)
    o[i] = fn(x[i], y[i]);
  roundAll(out);
  return true;
}

template <typename Fn> static bool mapInt(TileValue &out, const TileValue &a, const TileValue &b, Fn fn) {
  auto o = out.mutableInts();
  auto x = a.ints(), y = b.ints();
  for (size_t i = 0; i < o.size(); ++i)
    o[i] = wrapTo(out.kind, fn(x[i], y[i]));
  return true;
}

template <typename Fn> static bool mapUnsigned(TileValue &out, const TileValue &a, const TileValue &b, Fn fn) {
  ElementKind kind = a.kind;
  return mapInt(out, a, b, [&](int64_t x, int64_t y) {
    return static_cast<int64_t>(fn(unsignedOf(kind, x), unsignedOf(kind, y)));
  });
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

// IEEE maximum and minimum: NaN wins, and -0 < 0 (std::fmax does neither).
template <typename T> static T maximum(T x, T y) {
  if (x != x || y != y)
    return std::numeric_limits<T>::quiet_NaN();
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y ? x : y;
}
template <typename T> static T minimum(T x, T y) { return -maximum(-x, -y); }

static bool evaluateFloatUnary(Operation *op, const TileValue &a, TileValue &out) {
  if (isa<arith::NegFOp>(op))
    return mapFloat(out, a, [](auto x) { return -x; });
  if (isa<math::ExpOp>(op))
    return mapFloat(out, a, [](auto x) { return std::exp(x); });
  if (isa<math::Exp2Op>(op))
    return mapFloat(out, a, [](auto x) { return std::exp2(x); });
  if (isa<math::ExpM1Op>(op))
    return mapFloat(out, a, [](auto x) { return std::expm1(x); });
  if (isa<math::LogOp>(op))
    return mapFloat(out, a, [](auto x) { return std::log(x); });
  if (isa<math::Log2Op>(op))
    return mapFloat(out, a, [](auto x) { return std::log2(x); });
  if (isa<math::Log1pOp>(op))
    return mapFloat(out, a, [](auto x) { return std::log1p(x); });
  if (isa<math::SqrtOp>(op))
    return mapFloat(out, a, [](auto x) { return std::sqrt(x); });
  if (isa<math::RsqrtOp>(op))
    return mapFloat(out, a, [](auto x) { return decltype(x)(1) / std::sqrt(x); });
  if (isa<math::TanhOp>(op))
    return mapFloat(out, a, [](auto x) { return std::tanh(x); });
  if (isa<math::ErfOp>(op))
    return mapFloat(out, a, [](auto x) { return std::erf(x); });
  if (isa<math::SinOp>(op))
    return mapFloat(out, a, [](auto x) { return std::sin(x); });
  if (isa<math::CosOp>(op))
    return mapFloat(out, a, [](auto x) { return std::cos(x); });
  if (isa<math::AbsFOp>(op))
    return mapFloat(out, a, [](auto x) { return std::fabs(x); });
  if (isa<math::FloorOp>(op))
    return mapFloat(out, a, [](auto x) { return std::floor(x); });
  if (isa<math::CeilOp>(op))
    return mapFloat(out, a, [](auto x) { return std::ceil(x); });
  if (isa<math::TruncOp>(op))
    return mapFloat(out, a, [](auto x) { return std::trunc(x); });
  if (isa<math::RoundOp>(op))
    return mapFloat(out, a, [](auto x) { return std::round(x); });
  if (isa<math::RoundEvenOp>(op))
    return mapFloat(out, a, [](auto x) { return std::nearbyint(x); });
  if (isa<math::Log10Op>(op))
    return mapFloat(out, a, [](auto x) { return std::log10(x); });
  if (isa<math::CbrtOp>(op))
    return mapFloat(out, a, [](auto x) { return std::cbrt(x); });
  if (isa<math::AtanOp>(op))
    return mapFloat(out, a, [](auto x) { return std::atan(x); });
  if (isa<math::ErfcOp>(op))
    return mapFloat(out, a, [](auto x) { return std::erfc(x); });
  if (isa<math::SinhOp>(op))
    return mapFloat(out, a, [](auto x) { return std::sinh(x); });
  if (isa<math::CoshOp>(op))
    return mapFloat(out, a, [](auto x) { return std::cosh(x); });
  if (isa<math::TanOp>(op))
    return mapFloat(out, a, [](auto x) { return std::tan(x); });
  if (isa<math::AsinOp>(op))
    return mapFloat(out, a, [](auto x) { return std::asin(x); });
  if (isa<math::AcosOp>(op))
    return mapFloat(out, a, [](auto x) { return std::acos(x); });
  if (isa<math::AsinhOp>(op))
    return mapFloat(out, a, [](auto x) { return std::asinh(x); });
  if (isa<math::AcoshOp>(op))
    return mapFloat(out, a, [](auto x) { return std::acosh(x); });
  if (isa<math::AtanhOp>(op))
    return mapFloat(out, a, [](auto x) { return std::atanh(x); });
  return false;
}

static bool evaluateFloatBinary(Operation *op, const TileValue &a, const TileValue &b, TileValue &out) {
  if (isa<arith::AddFOp>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return x + y; });
  if (isa<arith::SubFOp>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return x - y; });
  if (isa<arith::MulFOp>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return x * y; });
  if (isa<arith::DivFOp>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return x / y; });
  if (isa<arith::RemFOp>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return std::fmod(x, y); });
  if (isa<arith::MaximumFOp>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return maximum(x, y); });
  if (isa<arith::MinimumFOp>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return minimum(x, y); });
  if (isa<arith::MaxNumFOp>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return std::fmax(x, y); });
  if (isa<arith::MinNumFOp>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return std::fmin(x, y); });
  if (isa<math::PowFOp>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return std::pow(x, y); });
  if (isa<math::CopySignOp>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return std::copysign(x, y); });
  if (isa<math::Atan2Op>(op))
    return mapFloat(out, a, b, [](auto x, auto y) { return std::atan2(x, y); });
  return false;
}

/// True for the divisions; `signedForm` says whether the smallest value divided by -1 overflows.
static bool isDivision(Operation *op, bool &signedForm) {
  signedForm = isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op);
  return signedForm || isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
}

static bool checkDivision(Operation *op, const TileValue &a, const TileValue &b) {
  bool signedForm;
  if (!isDivision(op, signedForm))
    return true;
  int64_t smallest = std::numeric_limits<int64_t>::min() >> (64 - integerBits(a.kind));
  for (int64_t i = 0, e = a.size(); i < e; ++i) {
    if (b.ints()[i] == 0) {
      InFlightDiagnostic error = op->emitOpError("division by zero");
      if (isa<RankedTensorType>(op->getOperand(1).getType()))
        error << " at element " << i << " of the tile (outside of a view a load reads zeros: a select can give another "
              << "divisor there)";
      return false;
    }
    if (signedForm && b.ints()[i] == -1 && a.ints()[i] == smallest) {
      op->emitOpError("signed division overflows");
      return false;
    }
  }
  return true;
}

static bool evaluateIntBinary(Operation *op, const TileValue &a, const TileValue &b, TileValue &out) {
  using I = int64_t;
  using U = uint64_t;
  if (isa<arith::AddIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return I(U(x) + U(y)); });
  if (isa<arith::SubIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return I(U(x) - U(y)); });
  if (isa<arith::MulIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return I(U(x) * U(y)); });
  if (isa<arith::DivSIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return x / y; });
  if (isa<arith::RemSIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return x % y; });
  if (isa<arith::FloorDivSIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); });
  if (isa<arith::CeilDivSIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return x / y + (x % y != 0 && (x < 0) == (y < 0)); });
  if (isa<arith::DivUIOp>(op))
    return mapUnsigned(out, a, b, [](U x, U y) { return x / y; });
  if (isa<arith::RemUIOp>(op))
    return mapUnsigned(out, a, b, [](U x, U y) { return x % y; });
  if (isa<arith::CeilDivUIOp>(op))
    return mapUnsigned(out, a, b, [](U x, U y) { return x / y + (x % y != 0); });
  if (isa<arith::AndIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return x & y; });
  if (isa<arith::OrIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return x | y; });
  if (isa<arith::XOrIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return x ^ y; });
  if (isa<arith::MaxSIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return std::max(x, y); });
  if (isa<arith::MinSIOp>(op))
    return mapInt(out, a, b, [](I x, I y) { return std::min(x, y); });
  if (isa<arith::MaxUIOp>(op))
    return mapUnsigned(out, a, b, [](U x, U y) { return std::max(x, y); });
  if (isa<arith::MinUIOp>(op))
    return mapUnsigned(out, a, b, [](U x, U y) { return std::min(x, y); });
  // Shifts by the width or more have no defined result upstream; here they shift everything out.
  U bits = integerBits(out.kind);
  if (isa<arith::ShLIOp>(op))
    return mapUnsigned(out, a, b, [=](U x, U y) { return y >= bits ? U(0) : x << y; });
  if (isa<arith::ShRUIOp>(op))
    return mapUnsigned(out, a, b, [=](U x, U y) { return y >= bits ? U(0) : x >> y; });
  if (isa<arith::ShRSIOp>(op))
    return mapInt(out, a, b, [=](I x, I y) { return x >> (U(y) >= bits ? 63 : y); });
  return false;
}

bool heddle::sim::detail::evaluateElementwise(Operation *op, ArrayRef<TileValue> in, TileValue &out, bool &failed) {
  failed = false;
  if (evaluateCompare(op, in, out))
    return true;
  if (isa<arith::SelectOp>(op))
    return evaluateSelect(in, out);
  if (in.size() == 1)
    return evaluateCast(op, in[0], out) || (in[0].isFloat() && out.isFloat() && evaluateFloatUnary(op, in[0], out));
  if (isa<math::FPowIOp>(op)) {
    for (int64_t i = 0, e = out.size(); i < e; ++i)
      out.setFloat(i, std::pow(in[0].floatAt(i), static_cast<double>(in[1].intAt(i))));
    return true;
  }
  if (in.size() == 2 && in[0].isFloat())
    return evaluateFloatBinary(op, in[0], in[1], out);
  if (in.size() == 2 && !out.isFloat()) {
    failed = !checkDivision(op, in[0], in[1]);
    return failed || evaluateIntBinary(op, in[0], in[1], out);
  }
  if (isa<math::ClampFOp>(op)) { // element by element: NaN wins
    TileValue low = out;
    return mapFloat(low, in[0], in[1], [](auto x, auto y) { return maximum(x, y); }) &&
           mapFloat(out, low, in[2], [](auto x, auto y) { return minimum(x, y); });
  }
  if (auto fma = dyn_cast<math::FmaOp>(op)) {
    for (int64_t i = 0, e = out.size(); i < e; ++i)
      if (out.kind == ElementKind::F32)
        out.mutableFloats()[i] = std::fma(in[0].floats()[i], in[1].floats()[i], in[2].floats()[i]);
      else // narrower products are exact in double; the sum rounds twice only beyond 53 bits
        out.setFloat(i, std::fma(in[0].floatAt(i), in[1].floatAt(i), in[2].floatAt(i)));
    return true;
  }
  return false;
}
