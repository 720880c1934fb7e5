//===- EvaluateCasts.cpp - comparisons and conversions of tiles ------------===//
//
// See EvaluateCasts.h. Conversions round to the type (Numeric.h). To integers, numbers out of range saturate, and NaN
// is 0: upstream leaves both undefined.
//
//===----------------------------------------------------------------------===//
#include "EvaluateCasts.h"

#include "heddle/Simulator/Functional/Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle::sim;
using heddle::sim::detail::roundAll;

void heddle::sim::detail::roundAll(TileValue &out) {
  if (out.kind == ElementKind::F64 || out.kind == ElementKind::F32)
    return;
  for (float &x : out.mutableFloats())
    x = roundTo(out.kind, x);
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

bool heddle::sim::detail::evaluateCompare(Operation *op, ArrayRef<TileValue> in, TileValue &out) {
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

bool heddle::sim::detail::evaluateSelect(ArrayRef<TileValue> in, TileValue &out) {
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

bool heddle::sim::detail::evaluateCast(Operation *op, const TileValue &in, TileValue &out) {
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
