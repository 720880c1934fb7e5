//===- LibraryCalls.cpp - see LibraryCalls.h -------------------------------===//
#include "LibraryCalls.h"

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace heddle::triton {
namespace {

/// What a function means for one element, as Dialect/Tile/Call.cpp keeps it: operations that name earlier ones by their
/// numbers, those of the operands first. Numbers are doubles here.
class LibraryMeaning {
public:
  LibraryMeaning(OpBuilder &b, Type element, size_t operands) : b(b), element(element), next(operands) {
    steps.push_back(b.getArrayAttr(SmallVector<Attribute>(operands, TypeAttr::get(element))));
  }

  int64_t step(StringRef name, ArrayRef<int64_t> of, Type type, ArrayRef<NamedAttribute> attributes = {}) {
    steps.push_back(b.getArrayAttr(
        {b.getStringAttr(name), b.getDenseI64ArrayAttr(of), b.getDictionaryAttr(attributes), TypeAttr::get(type)}));
    return next++;
  }
  int64_t op(StringRef name, ArrayRef<int64_t> of) { return step(name, of, b.getF64Type()); }
  int64_t number(double value) {
    return step("arith.constant", {}, b.getF64Type(), {b.getNamedAttr("value", b.getF64FloatAttr(value))});
  }
  int64_t integer(int32_t value) {
    return step("arith.constant", {}, b.getI32Type(), {b.getNamedAttr("value", b.getI32IntegerAttr(value))});
  }
  int64_t plus(int64_t x, int64_t y) { return op("arith.addf", {x, y}); }
  int64_t minus(int64_t x, int64_t y) { return op("arith.subf", {x, y}); }
  int64_t times(int64_t x, int64_t y) { return op("arith.mulf", {x, y}); }
  int64_t over(int64_t x, int64_t y) { return op("arith.divf", {x, y}); }
  int64_t compare(arith::CmpFPredicate how, int64_t x, int64_t y) {
    NamedAttribute predicate("predicate", b.getI64IntegerAttr(static_cast<int64_t>(how)));
    return step("arith.cmpf", {x, y}, b.getI1Type(), {predicate});
  }
  int64_t choose(int64_t condition, int64_t yes, int64_t no, Type type) {
    return step("arith.select", {condition, yes, no}, type);
  }
  int64_t choose(int64_t condition, int64_t yes, int64_t no) { return choose(condition, yes, no, b.getF64Type()); }
  /// A polynomial in `x`, the coefficient of its highest power first.
  int64_t polynomial(int64_t x, ArrayRef<double> coefficients) {
    int64_t sum = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = plus(times(sum, x), number(coefficient));
    return sum;
  }

  /// An operand as a double, and a double as an element.
  int64_t wide(int64_t operand) { return element.isF64() ? operand : op("arith.extf", {operand}); }
  int64_t narrow(int64_t x) { return element.isF64() ? x : step("arith.truncf", {x}, element); }
  /// An operation on elements, which rounds as they do.
  int64_t rounded(StringRef name, ArrayRef<int64_t> of) { return step(name, of, element); }
  void give(int64_t result) {
    if (result + 1 != next)
      step("tile.yield", {result}, element);
  }

  ArrayAttr list() const { return b.getArrayAttr(steps); }

  OpBuilder &b;
  Type element;

private:
  SmallVector<Attribute> steps;
  int64_t next;
};

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// By the larger one, so that nothing overflows; infinite beside anything where one is.
void meanHypot(LibraryMeaning &m) {
  int64_t x = m.op("math.absf", {m.wide(0)}), y = m.op("math.absf", {m.wide(1)});
  int64_t large = m.op("arith.maxnumf", {x, y}), small = m.op("arith.minnumf", {x, y});
  int64_t ratio = m.over(small, large), sum = m.plus(x, y);
  int64_t length = m.times(large, m.op("math.sqrt", {m.plus(m.number(1), m.times(ratio, ratio))}));
  int64_t isNumber = m.compare(arith::CmpFPredicate::OGT, sum, m.number(0)); // else NaN, or both are zero
  int64_t isInfinite = m.compare(arith::CmpFPredicate::OEQ, large, m.number(unlimited));
  m.give(m.narrow(m.choose(isInfinite, large, m.choose(isNumber, length, sum))));
}

/// (z - 1/2) log z, and z - log(2 pi) / 2 - 1 / (12 z) + 1 / (360 z^3) - ..., which is subtracted from it.
std::pair<int64_t, int64_t> stirling(LibraryMeaning &m, int64_t z) {
  int64_t inverse = m.over(m.number(1), z);
  int64_t series = m.polynomial(m.times(inverse, inverse), {-3617.0 / 122400, 1.0 / 156, -691.0 / 360360, 1.0 / 1188,
                                                            -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12});
  constexpr double halfLogOfTwoPi = 0.91893853320467274178;
  int64_t rest = m.plus(m.number(halfLogOfTwoPi), m.times(series, inverse));
  return {m.times(m.minus(z, m.number(0.5)), m.op("math.log", {z})), m.minus(z, rest)};
}

/// Differences of numbers that are rounded, as in CUDA's functions, which are as exact as their parts.
void meanLgamma(LibraryMeaning &m) {
  constexpr int steps = 8;
  auto difference = [&](int64_t x, int64_t y) { return m.rounded("arith.subf", {m.narrow(x), m.narrow(y)}); };
  int64_t x = m.wide(0), half = m.number(0.5);
  int64_t isLow = m.compare(arith::CmpFPredicate::OLT, x, half);
  int64_t y = m.choose(isLow, m.minus(m.number(1), x), x), product = y;
  for (int i = 1; i < steps; ++i)
    product = m.times(product, m.plus(y, m.number(i)));
  auto [behind, less] = stirling(m, m.plus(y, m.number(steps)));
  int64_t shifted = difference(m.minus(behind, less), m.op("math.log", {product}));
  auto [first, second] = stirling(m, y);
  int64_t large = difference(first, second);
  int64_t isSmall = m.compare(arith::CmpFPredicate::OLT, y, m.number(steps));
  int64_t above = m.choose(isSmall, shifted, large, m.element);
  // log(pi / |sin(pi x)|) - log gamma(1 - x), with the sine of what is left of the nearest integer.
  int64_t rest = m.minus(x, m.op("math.roundeven", {x})), pi = m.number(std::numbers::pi);
  int64_t sine = m.op("math.absf", {m.op("math.sin", {m.times(pi, rest)})});
  int64_t below = m.rounded("arith.subf", {m.narrow(m.op("math.log", {m.over(pi, sine)})), above});
  int64_t isInfinite = m.compare(arith::CmpFPredicate::OEQ, m.op("math.absf", {x}), m.number(unlimited));
  int64_t size = m.rounded("math.absf", {0});
  m.give(m.choose(isInfinite, size, m.choose(isLow, below, above, m.element), m.element));
}

void meanErfinv(LibraryMeaning &m) {
  int64_t y = m.wide(0), size = m.op("math.absf", {y}), one = m.number(1);
  int64_t rest = m.minus(one, size);
  int64_t w = m.op("arith.negf", {m.op("math.log", {m.times(rest, m.plus(one, size))})});
  int64_t isCentral = m.compare(arith::CmpFPredicate::OLT, w, m.number(5));
  int64_t central =
      m.polynomial(m.minus(w, m.number(2.5)), {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
                                               0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  int64_t tail = m.polynomial(m.minus(m.op("math.sqrt", {w}), m.number(3)),
                              {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                               -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  int64_t x = m.times(m.choose(isCentral, central, tail), size);
  int64_t isSmall = m.compare(arith::CmpFPredicate::OLT, size, m.number(0.5));
  for (int step = 0; step < 2; ++step) {
    int64_t off = m.choose(isSmall, m.minus(m.op("math.erf", {x}), size), m.minus(rest, m.op("math.erfc", {x})));
    int64_t slope =
        m.times(m.number(2 * std::numbers::inv_sqrtpi), m.op("math.exp", {m.op("arith.negf", {m.times(x, x)})}));
    x = m.minus(x, m.over(off, slope));
  }
  int64_t isEnd = m.compare(arith::CmpFPredicate::OEQ, size, one);
  m.give(m.narrow(m.op("math.copysign", {m.choose(isEnd, m.number(unlimited), x), y})));
}

void meanBesselI0(LibraryMeaning &m) {
  constexpr int terms = 36, asymptotic = 28;
  int64_t x = m.op("math.absf", {m.wide(0)}), one = m.number(1);
  // 1 + q / 1^2 (1 + q / 2^2 (1 + ...)), q = (x / 2)^2
  int64_t half = m.times(x, m.number(0.5)), q = m.times(half, half), near = one;
  for (int k = terms; k > 0; --k)
    near = m.plus(one, m.times(m.times(near, q), m.number(1.0 / (k * k))));
  // exp(x) / sqrt(2 pi x) (1 + 1^2 / (8 x) (1 + 3^2 / (2 * 8 x) (1 + ...))); exp(x) overflows before the quotient.
  int64_t u = m.over(m.number(0.125), x), series = one;
  for (int k = asymptotic; k > 0; --k)
    series = m.plus(one, m.times(m.times(series, u), m.number((2.0 * k - 1) * (2.0 * k - 1) / k)));
  int64_t root = m.op("math.sqrt", {m.times(m.number(2 * std::numbers::pi), x)});
  int64_t power = m.narrow(m.op("math.exp", {half})), quotient = m.narrow(m.over(series, root));
  int64_t far = m.rounded("arith.mulf", {m.rounded("arith.mulf", {power, quotient}), power});
  int64_t isNear = m.compare(arith::CmpFPredicate::OLE, x, m.number(20));
  int64_t isInfinite = m.compare(arith::CmpFPredicate::OEQ, x, m.number(unlimited));
  int64_t finite = m.choose(isNear, m.narrow(near), far, m.element), size = m.rounded("math.absf", {0});
  m.give(m.choose(isInfinite, size, finite, m.element));
}

/// The bits of a float, one more or less.
void meanNextAfter(LibraryMeaning &m) {
  Type f32 = m.b.getF32Type(), i32 = m.b.getI32Type();
  int64_t zero = m.step("arith.constant", {}, f32, {m.b.getNamedAttr("value", m.b.getF32FloatAttr(0))});
  int64_t bits = m.step("arith.bitcast", {0}, i32), one = m.integer(1);
  int64_t isUp = m.compare(arith::CmpFPredicate::OLT, 0, 1);
  int64_t isPositive = m.compare(arith::CmpFPredicate::OGT, 0, zero);
  int64_t isAway = m.step("arith.cmpi", {isUp, isPositive}, m.b.getI1Type(),
                          {m.b.getNamedAttr("predicate", m.b.getI64IntegerAttr(0))}); // equal
  int64_t moved = m.step("arith.addi", {bits, m.choose(isAway, one, m.integer(-1), i32)}, i32);
  int64_t next = m.step("arith.bitcast", {moved}, f32);
  int64_t least = m.step("math.copysign", {m.step("arith.bitcast", {one}, f32), 1}, f32);
  int64_t isZero = m.compare(arith::CmpFPredicate::OEQ, 0, zero);
  int64_t result = m.choose(isZero, least, next, f32);
  result = m.choose(m.compare(arith::CmpFPredicate::OEQ, 0, 1), 1, result, f32);
  int64_t sum = m.step("arith.addf", {0, 1}, f32);
  m.choose(m.compare(arith::CmpFPredicate::UNO, 0, 1), sum, result, f32);
}

} // namespace

Value callLibrary(OpBuilder &builder, LibraryFunction function, Location loc, Type type, ValueRange operands) {
  builder.getContext()->getOrLoadDialect<math::MathDialect>();
  Type element = getElementTypeOrSelf(type);
  LibraryMeaning meaning(builder, element, operands.size());
  int64_t arithmetic = 0, special = 1; // what CUDA's functions take, about, for an element
  switch (function) {
  case LibraryFunction::Hypot: meanHypot(meaning), arithmetic = 8, special = 2; break;
  case LibraryFunction::Lgamma: meanLgamma(meaning), arithmetic = 40, special = 3; break;
  case LibraryFunction::Erfinv: meanErfinv(meaning), arithmetic = 16, special = 2; break;
  case LibraryFunction::BesselI0: meanBesselI0(meaning), arithmetic = 24, special = 3; break;
  case LibraryFunction::NextAfter: meanNextAfter(meaning), arithmetic = 10; break;
  case LibraryFunction::None: return {};
  }
  std::string name = "::" + nameOf(function).str() + (element.isF32() ? "f" : "");
  NamedAttribute cost[] = {builder.getNamedAttr("alu", builder.getI64IntegerAttr(arithmetic)),
                           builder.getNamedAttr("sfu", builder.getI64IntegerAttr(special))};
  return tile::CallOp::create(builder, loc, cast<RankedTensorType>(type), builder.getStringAttr(name),
                              builder.getStringAttr("heddle_device/thread/math.h"), builder.getDictionaryAttr(cost),
                              operands, meaning.list());
}

} // namespace heddle::triton
