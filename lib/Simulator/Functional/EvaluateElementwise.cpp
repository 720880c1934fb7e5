//===- EvaluateElementwise.cpp - arith and math on tiles ------------------===//
//
// One table per family: each entry is an operation and its scalar function, applied to double or float storage and then
// rounded to the type (exact for + - * / sqrt, see Numeric.h; libm's rounding for the rest).
//
//===----------------------------------------------------------------------===//
#include "heddle/Simulator/Functional/Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle::sim;

//===----------------------------------------------------------------------===//
// Loops over storage
//===----------------------------------------------------------------------===//

static void roundAll(TileValue &out) {
  if (out.kind == ElementKind::F64 || out.kind == ElementKind::F32)
    return;
  for (float &x : out.mutableFloats())
    x = roundTo(out.kind, x);
}

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

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static bool compareFloat(arith::CmpFPredicate predicate, double x, double y) {
  using P = arith::CmpFPredicate;
  bool unordered = x != x || y != y;
  switch (predicate) {
  case P::AlwaysFalse: return false;
  case P::AlwaysTrue: return true;
  case P::ORD: return !unordered;
  case P::UNO: return unordered;
  case P::OEQ: return x == y;
  case P::OGT: return x > y;
  case P::OGE: return x >= y;
  case P::OLT: return x < y;
  case P::OLE: return x <= y;
  case P::ONE: return !unordered && x != y;
  case P::UEQ: return unordered || x == y;
  case P::UGT: return unordered || x > y;
  case P::UGE: return unordered || x >= y;
  case P::ULT: return unordered || x < y;
  case P::ULE: return unordered || x <= y;
  case P::UNE: return unordered || x != y;
  }
  return false;
}

static bool compareInt(arith::CmpIPredicate predicate, ElementKind kind, int64_t x, int64_t y) {
  using P = arith::CmpIPredicate;
  uint64_t ux = unsignedOf(kind, x), uy = unsignedOf(kind, y);
  if (kind == ElementKind::I1) { // held as 0 and 1, signed meaning 0 and -1
    x = -x;
    y = -y;
  }
  switch (predicate) {
  case P::eq: return x == y;
  case P::ne: return x != y;
  case P::slt: return x < y;
  case P::sle: return x <= y;
  case P::sgt: return x > y;
  case P::sge: return x >= y;
  case P::ult: return ux < uy;
  case P::ule: return ux <= uy;
  case P::ugt: return ux > uy;
  case P::uge: return ux >= uy;
  }
  return false;
}

static bool evaluateCompare(Operation *op, ArrayRef<TileValue> in, TileValue &out) {
  if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    auto o = out.mutableInts();
    for (size_t i = 0; i < o.size(); ++i)
      o[i] = compareFloat(cmp.getPredicate(), in[0].floatAt(i), in[1].floatAt(i));
    return true;
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    auto o = out.mutableInts();
    auto x = in[0].ints(), y = in[1].ints();
    for (size_t i = 0; i < o.size(); ++i)
      o[i] = compareInt(cmp.getPredicate(), in[0].kind, x[i], y[i]);
    return true;
  }
  if (isa<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(op)) {
    auto o = out.mutableInts();
    for (size_t i = 0; i < o.size(); ++i) {
      double x = in[0].floatAt(i);
      o[i] = isa<math::IsNaNOp>(op) ? std::isnan(x) : isa<math::IsInfOp>(op) ? std::isinf(x) : std::isfinite(x);
    }
    return true;
  }
  return false;
}

static bool evaluateSelect(ArrayRef<TileValue> in, TileValue &out) {
  auto condition = in[0].ints();
  if (condition.size() == 1) {
    out = condition[0] ? in[1] : in[2];
    return true;
  }
  auto choose = [&](auto o, auto x, auto y) {
    for (size_t i = 0; i < o.size(); ++i)
      o[i] = condition[i] ? x[i] : y[i];
  };
  choose(out.mutableFloats(), in[1].floats(), in[2].floats());
  choose(out.mutableDoubles(), in[1].doubles(), in[2].doubles());
  choose(out.mutableInts(), in[1].ints(), in[2].ints());
  return true;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static bool convertFloat(const TileValue &in, TileValue &out) {
  if (in.kind != ElementKind::F64 && out.kind != ElementKind::F64) {
    auto o = out.mutableFloats();
    auto x = in.floats();
    std::copy(x.begin(), x.end(), o.begin());
    roundAll(out);
    return true;
  }
  for (int64_t i = 0, e = out.size(); i < e; ++i)
    out.setFloat(i, in.floatAt(i));
  return true;
}

/// Numbers that are held as double, but converted to 8 bits, end at the largest of these, as conversions do.
static bool saturate(std::optional<ElementKind> kind, TileValue &out) {
  if (out.kind != ElementKind::F64 || (kind != ElementKind::F8E4M3 && kind != ElementKind::F8E5M2))
    return true;
  double largest = roundTo(*kind, std::numeric_limits<double>::max());
  for (double &value : out.mutableDoubles())
    value = value > largest ? largest : value < -largest ? -largest : value;
  return true;
}

/// Towards zero; out of range and NaN (undefined upstream) saturate, NaN to 0.
static int64_t truncateToInt(ElementKind kind, double x, bool isUnsigned) {
  if (x != x)
    return 0;
  int bits = integerBits(kind);
  double high = std::ldexp(1.0, isUnsigned ? bits : bits - 1);
  double low = isUnsigned ? 0.0 : -high;
  x = std::trunc(x);
  if (x >= high)
    return isUnsigned ? -1 : static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1);
  if (x < low)
    return isUnsigned ? 0 : std::numeric_limits<int64_t>::min() >> (64 - bits);
  return isUnsigned ? static_cast<int64_t>(static_cast<uint64_t>(x)) : static_cast<int64_t>(x);
}

/// The bits of a float of at most 32 bits.
static int64_t bitsOf(ElementKind kind, float value) {
  switch (kind) {
  case ElementKind::F16: return encodeF16(value);
  case ElementKind::BF16: return encodeBF16(value);
  case ElementKind::F8E4M3:
  case ElementKind::F8E5M2: return encodeF8(kind, value);
  default: return std::bit_cast<int32_t>(value);
  }
}

static float floatOf(ElementKind kind, int64_t bits) {
  switch (kind) {
  case ElementKind::F16: return decodeF16(static_cast<uint16_t>(bits));
  case ElementKind::BF16: return decodeBF16(static_cast<uint16_t>(bits));
  case ElementKind::F8E4M3:
  case ElementKind::F8E5M2: return decodeF8(kind, static_cast<uint8_t>(bits));
  default: return std::bit_cast<float>(static_cast<int32_t>(bits));
  }
}

/// Between floats of at most 32 bits and integers, also where the floats are held as double.
static bool evaluateBits(Operation *op, const TileValue &in, TileValue &out) {
  std::optional<ElementKind> floats =
      elementKindOf(getElementTypeOrSelf(in.isFloat() ? op->getOperand(0) : Value(op->getResult(0))));
  if (in.isFloat() == out.isFloat() || !floats || *floats == ElementKind::F64)
    return false;
  for (int64_t i = 0, count = out.size(); i < count; ++i)
    if (in.isFloat())
      out.mutableInts()[i] = wrapTo(out.kind, bitsOf(*floats, static_cast<float>(roundTo(*floats, in.floatAt(i)))));
    else
      out.setFloat(i, floatOf(*floats, in.ints()[i]));
  return true;
}

static bool evaluateCast(Operation *op, const TileValue &in, TileValue &out) {
  int64_t count = out.size();
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return convertFloat(in, out) && saturate(elementKindOf(getElementTypeOrSelf(op->getResult(0))), out);
  if (isa<arith::SIToFPOp>(op)) {
    for (int64_t i = 0; i < count; ++i)
      out.setFloat(i, static_cast<double>(in.kind == ElementKind::I1 ? -in.ints()[i] : in.ints()[i]));
    return true;
  }
  if (isa<arith::UIToFPOp>(op)) {
    for (int64_t i = 0; i < count; ++i)
      out.setFloat(i, static_cast<double>(unsignedOf(in.kind, in.ints()[i])));
    return true;
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    auto o = out.mutableInts();
    for (int64_t i = 0; i < count; ++i)
      o[i] = wrapTo(out.kind, truncateToInt(out.kind, in.floatAt(i), isa<arith::FPToUIOp>(op)));
    return true;
  }
  if (isa<arith::BitcastOp>(op))
    return evaluateBits(op, in, out);
  if (isa<math::AbsIOp>(op)) {
    for (int64_t i = 0; i < count; ++i)
      out.mutableInts()[i] = wrapTo(out.kind, in.ints()[i] < 0 ? -in.ints()[i] : in.ints()[i]);
    return true;
  }
  if (isa<math::CtPopOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp>(op)) {
    int width = static_cast<int>(getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth());
    for (int64_t i = 0; i < count; ++i) {
      uint64_t x = unsignedOf(in.kind, in.ints()[i]);
      out.mutableInts()[i] = isa<math::CtPopOp>(op)               ? std::popcount(x)
                             : isa<math::CountLeadingZerosOp>(op) ? std::countl_zero(x) - (64 - width)
                                                                  : std::min(std::countr_zero(x), width);
    }
    return true;
  }
  bool extendsZero = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
  if (!extendsZero && !isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(op))
    return false;
  auto o = out.mutableInts();
  for (int64_t i = 0; i < count; ++i) {
    int64_t x = in.ints()[i];
    if (extendsZero)
      x = static_cast<int64_t>(unsignedOf(in.kind, x));
    else if (in.kind == ElementKind::I1)
      x = -x;
    o[i] = wrapTo(out.kind, x);
  }
  return true;
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
