//===- ScalarMath.cpp - element-wise ops as C++ expressions ---------------------===//
//
// One table from op to expression. Values of 16- and 8-bit float types are computed in
// float and rounded when stored (printFill, or `rounded` here for scalars): one operation
// in float, then one rounding, gives the correctly rounded narrow result for + - * / sqrt.
// In float, division, sqrt, exp and log use the approximate instructions (a few ulp, subnormals flushed, no calls);
// sin, cos and tanh are the device library's (no range errors); in double everything is CUDA's own.
// maximumf and minimumf return NaN where an operand is NaN, maxnumf and minnumf the other operand.
// Integers of 8 and 16 bits are computed in int and wrapped after each operation. Shifts by the width or more shift
// everything out; conversions to integers saturate, NaN gives 0.
//
//===----------------------------------------------------------------------------===//
#include "RegisterTilesImpl.h"

#include "heddle/Dialect/Tile/Approximation.h"
#include "heddle/Dialect/Tile/Factors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

std::string cuda::packedTag(Type type) {
  if (type.isF16())
    return "hd::f16";
  if (type.isBF16())
    return "hd::bf16";
  if (isa<Float8E4M3FNType>(type))
    return "hd::e4m3";
  if (isa<Float8E5M2Type>(type))
    return "hd::e5m2";
  return "";
}

bool cuda::isNarrowInteger(Type type) { return type.isInteger(8) || type.isInteger(16); }

std::string cuda::computeTypeOf(Type type) {
  if (type.isF32() || !packedTag(type).empty())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isInteger(1))
    return "bool";
  if (type.isIndex() || type.isInteger(32) || type.isInteger(16) || type.isInteger(8))
    return "int";
  if (type.isInteger(64))
    return "int64_t";
  return "";
}

std::string cuda::scalarTypeOf(Type type) { return computeTypeOf(type); }

std::string cuda::atom(StringRef expression) {
  std::string open; // brackets; a '>' closes only what a '<' after a name has opened
  for (auto [i, c] : llvm::enumerate(expression)) {
    bool opensArguments = c == '<' && i > 0 && llvm::isAlnum(expression[i - 1]);
    if (c == '(' || c == '[' || opensArguments)
      open += c;
    else if (!open.empty() && (c == ')' || c == ']' || (c == '>' && open.back() == '<')))
      open.pop_back();
    else if (open.empty() && !llvm::isAlnum(c) && !StringRef("_:.").contains(c))
      return ("(" + expression + ")").str();
  }
  return expression.str();
}

std::string cuda::literal(Attribute value) {
  if (auto f = dyn_cast<FloatAttr>(value)) {
    const APFloat &v = f.getValue();
    if (f.getType().isF64()) {
      if (!v.isFinite())
        return v.isNaN()        ? "__longlong_as_double(0x7ff8000000000000ll)"
               : v.isNegative() ? "__longlong_as_double(-0x0010000000000000ll)"
                                : "__longlong_as_double(0x7ff0000000000000ll)";
      std::string text;
      llvm::raw_string_ostream(text) << llvm::format("%.17g", v.convertToDouble());
      return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    if (v.isNaN())
      return "__int_as_float(0x7fc00000)";
    if (v.isInfinity())
      return v.isNegative() ? "-hd::infinity()" : "hd::infinity()";
    std::string text;
    llvm::raw_string_ostream os(text);
    os << llvm::format("%.9g", f.getValueAsDouble());
    if (text.find_first_of(".e") == std::string::npos)
      text += ".0";
    return text + "f";
  }
  if (auto i = dyn_cast<IntegerAttr>(value)) {
    if (i.getType().isInteger(1))
      return i.getValue().isZero() ? "false" : "true";
    int64_t v = i.getValue().getSExtValue();
    if (i.getType().isInteger(64))
      return std::to_string(v) + "ll";
    return v == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(v);
  }
  return "";
}

/// Template of the op's expression: $0, $1, $2 are operands (atoms).
static StringRef plainTemplate(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("arith.addf", "$0 + $1")
      .Case("arith.subf", "$0 - $1")
      .Case("arith.mulf", "$0 * $1")
      .Case("arith.divf", "$0 * hd::rcp($1)")
      .Case("arith.remf", "::fmodf($0, $1)")
      .Case("arith.negf", "-$0")
      .Case("arith.maximumf", "hd::maximum($0, $1)")
      .Case("arith.minimumf", "hd::minimum($0, $1)")
      .Case("arith.maxnumf", "hd::fmax($0, $1)")
      .Case("arith.minnumf", "hd::fmin($0, $1)")
      .Case("arith.addi", "$0 + $1")
      .Case("arith.subi", "$0 - $1")
      .Case("arith.muli", "$0 * $1")
      .Case("arith.divsi", "$0 / $1")
      .Case("arith.remsi", "$0 % $1")
      .Case("arith.ceildivui", "($0 + $1 - 1) / $1")
      .Case("arith.ceildivsi", "$0 / $1 + ($0 % $1 != 0 && ($0 < 0) == ($1 < 0))")
      .Case("arith.floordivsi", "$0 / $1 - ($0 % $1 != 0 && ($0 < 0) != ($1 < 0))")
      .Case("arith.andi", "$0 & $1")
      .Case("arith.ori", "$0 | $1")
      .Case("arith.xori", "$0 ^ $1")
      .Case("arith.maxsi", "$0 > $1 ? $0 : $1")
      .Case("arith.minsi", "$0 < $1 ? $0 : $1")
      .Case("arith.select", "$0 ? $1 : $2")
      .Cases({"arith.extf", "arith.truncf"}, "$0")
      .Case("math.exp2", "hd::ex2($0)")
      .Case("math.exp", "hd::ex2(1.44269504f * $0)")
      .Case("math.expm1", "::expm1f($0)")
      .Case("math.log2", "hd::lg2($0)")
      .Case("math.log", "0.693147181f * hd::lg2($0)")
      .Case("math.log10", "0.301029996f * hd::lg2($0)")
      .Case("math.log1p", "::log1pf($0)")
      .Case("math.sqrt", "hd::sqrtApprox($0)")
      .Case("math.rsqrt", "hd::rsqrt($0)")
      .Case("math.tanh", "hd::tanh($0)")
      .Case("math.absf", "hd::fabs($0)")
      .Case("math.absi", "$0 < 0 ? -$0 : $0")
      .Case("math.fma", "hd::fma($0, $1, $2)")
      .Case("math.powf", "::powf($0, $1)")
      .Case("math.fpowi", "hd::powi($0, $1)")
      .Case("math.copysign", "::copysignf($0, $1)")
      .Case("math.cbrt", "::cbrtf($0)")
      .Case("math.atan", "::atanf($0)")
      .Case("math.atan2", "::atan2f($0, $1)")
      .Case("math.erfc", "::erfcf($0)")
      .Case("math.sinh", "::sinhf($0)")
      .Case("math.cosh", "::coshf($0)")
      .Case("math.floor", "::floorf($0)")
      .Case("math.ceil", "::ceilf($0)")
      .Case("math.trunc", "::truncf($0)")
      .Case("math.roundeven", "::rintf($0)")
      .Case("math.round", "::roundf($0)")
      .Case("math.sin", "hd::sin($0)")
      .Case("math.cos", "hd::cos($0)")
      .Case("math.erf", "::erff($0)")
      .Case("math.tan", "hd::sin($0) * hd::rcp(hd::cos($0))")
      .Case("math.asin", "::asinf($0)")
      .Case("math.acos", "::acosf($0)")
      .Case("math.asinh", "::asinhf($0)")
      .Case("math.acosh", "::acoshf($0)")
      .Case("math.atanh", "::atanhf($0)")
      .Case("math.clampf", "hd::minimum(hd::maximum($0, $1), $2)")
      .Case("math.isnan", "$0 != $0")
      .Case("math.isinf", "hd::fabs($0) == hd::infinity()")
      .Case("math.isfinite", "hd::fabs($0) < hd::infinity()")
      .Default("");
}

/// What differs in double: CUDA's functions have their C names, which values of a program may have as well.
static StringRef doubleTemplate(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("arith.divf", "$0 / $1")
      .Case("arith.remf", "::fmod($0, $1)")
      .Case("arith.maxnumf", "::fmax($0, $1)")
      .Case("arith.minnumf", "::fmin($0, $1)")
      .Case("math.exp2", "::exp2($0)")
      .Case("math.exp", "::exp($0)")
      .Case("math.expm1", "::expm1($0)")
      .Case("math.log2", "::log2($0)")
      .Case("math.log", "::log($0)")
      .Case("math.log10", "::log10($0)")
      .Case("math.log1p", "::log1p($0)")
      .Case("math.sqrt", "::sqrt($0)")
      .Case("math.rsqrt", "1.0 / ::sqrt($0)")
      .Case("math.tanh", "::tanh($0)")
      .Case("math.absf", "::fabs($0)")
      .Case("math.fma", "::fma($0, $1, $2)")
      .Case("math.powf", "::pow($0, $1)")
      .Case("math.copysign", "::copysign($0, $1)")
      .Case("math.cbrt", "::cbrt($0)")
      .Case("math.atan", "::atan($0)")
      .Case("math.atan2", "::atan2($0, $1)")
      .Case("math.erfc", "::erfc($0)")
      .Case("math.sinh", "::sinh($0)")
      .Case("math.cosh", "::cosh($0)")
      .Case("math.floor", "::floor($0)")
      .Case("math.ceil", "::ceil($0)")
      .Case("math.trunc", "::trunc($0)")
      .Case("math.roundeven", "::rint($0)")
      .Case("math.round", "::round($0)")
      .Case("math.sin", "::sin($0)")
      .Case("math.cos", "::cos($0)")
      .Case("math.erf", "::erf($0)")
      .Case("math.tan", "::tan($0)")
      .Case("math.asin", "::asin($0)")
      .Case("math.acos", "::acos($0)")
      .Case("math.asinh", "::asinh($0)")
      .Case("math.acosh", "::acosh($0)")
      .Case("math.atanh", "::atanh($0)")
      .Case("math.isinf", "::fabs($0) == hd::infinity()")
      .Case("math.isfinite", "::fabs($0) < hd::infinity()")
      .Default("");
}

static StringRef intComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq: return "$0 == $1";
  case arith::CmpIPredicate::ne: return "$0 != $1";
  case arith::CmpIPredicate::slt: return "$0 < $1";
  case arith::CmpIPredicate::sle: return "$0 <= $1";
  case arith::CmpIPredicate::sgt: return "$0 > $1";
  case arith::CmpIPredicate::sge: return "$0 >= $1";
  case arith::CmpIPredicate::ult: return "$u0 < $u1";
  case arith::CmpIPredicate::ule: return "$u0 <= $u1";
  case arith::CmpIPredicate::ugt: return "$u0 > $u1";
  case arith::CmpIPredicate::uge: return "$u0 >= $u1";
  }
  return "";
}

/// C++ comparisons are ordered (false for NaN) except !=.
static StringRef floatComparison(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse: return "false";
  case arith::CmpFPredicate::AlwaysTrue: return "true";
  case arith::CmpFPredicate::OEQ: return "$0 == $1";
  case arith::CmpFPredicate::OGT: return "$0 > $1";
  case arith::CmpFPredicate::OGE: return "$0 >= $1";
  case arith::CmpFPredicate::OLT: return "$0 < $1";
  case arith::CmpFPredicate::OLE: return "$0 <= $1";
  case arith::CmpFPredicate::ONE: return "($0 < $1 || $0 > $1)";
  case arith::CmpFPredicate::ORD: return "($0 == $0 && $1 == $1)";
  case arith::CmpFPredicate::UNO: return "($0 != $0 || $1 != $1)";
  case arith::CmpFPredicate::UEQ: return "!($0 < $1 || $0 > $1)";
  case arith::CmpFPredicate::UGT: return "!($0 <= $1)";
  case arith::CmpFPredicate::UGE: return "!($0 < $1)";
  case arith::CmpFPredicate::ULT: return "!($0 >= $1)";
  case arith::CmpFPredicate::ULE: return "!($0 > $1)";
  case arith::CmpFPredicate::UNE: return "$0 != $1";
  }
  return "";
}

/// Casts between integers and to float, by the operand's type.
static std::string castTemplate(Operation *op) {
  Type from = getElementTypeOrSelf(op->getOperand(0)), to = getElementTypeOrSelf(op->getResult(0));
  std::string type = computeTypeOf(to);
  bool wideFrom = from.isInteger(64);
  if (isa<arith::ExtSIOp>(op))
    return from.isInteger(1) ? "$0 ? -1 : 0" : "static_cast<" + type + ">($0)";
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return from.isInteger(1) || wideFrom ? "static_cast<" + type + ">($0)" : "static_cast<" + type + ">($u0)";
  if (isa<arith::TruncIOp>(op))
    return to.isInteger(1) ? "($0 & 1) != 0" : "static_cast<" + type + ">($0)";
  if (isa<arith::IndexCastOp>(op))
    return type == computeTypeOf(from) ? "$0" : "static_cast<" + type + ">($0)";
  if (isa<arith::SIToFPOp>(op))
    return from.isInteger(1) ? "$0 ? -1.0f : 0.0f" : "static_cast<" + type + ">($0)";
  if (isa<arith::UIToFPOp>(op))
    return from.isInteger(1) ? "$0 ? 1.0f : 0.0f" : "static_cast<" + type + ">($u0)";
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return to.isInteger(1) ? "$0 != 0.0f"
                           : "hd::toInteger<" + std::string(isa<arith::FPToUIOp>(op) ? "u" : "") + "int" +
                                 std::to_string(to.getIntOrFloatBitWidth()) + "_t>($0)";
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) && (from.isF64() || to.isF64()))
    return "static_cast<" + type + ">($0)";
  if (isa<arith::BitcastOp>(op)) {
    if (from.isF32() && to.isInteger(32))
      return "__float_as_int($0)";
    if (from.isInteger(32) && to.isF32())
      return "__int_as_float($0)";
    // Narrow floats are computed in f32, and each is one there.
    if (std::string narrow = packedTag(from); !narrow.empty() && isa<FloatType>(from) && to.isInteger())
      return "hd::convert<" + narrow + ">($0).bits";
    if (std::string narrow = packedTag(to); !narrow.empty() && isa<FloatType>(to) && from.isInteger())
      return "hd::toFloat(" + narrow + "{$u0})";
  }
  return "";
}

/// The operand of a product that is often one, where each thread has few of its values: each of them is tested.
static std::optional<unsigned> factorOftenOne(Operation *op) {
  constexpr int64_t mostTests = 4;
  auto marked = op->getAttrOfType<IntegerAttr>(tile::oftenOneAttr);
  if (!marked || !isa<arith::MulFOp>(op))
    return std::nullopt;
  auto factor = op->getOperand(marked.getInt()).getDefiningOp<tile::BroadcastOp>();
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!factor || !type || !type.getElementType().isF32() || !type.getEncoding() ||
      registersOf(factor.getSource().getType()) > mostTests ||
      registersOf(type) < 4 * registersOf(factor.getSource().getType()))
    return std::nullopt;
  return marked.getInt();
}

static std::string templateOf(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return "";
  if (auto call = dyn_cast<tile::CallOp>(op)) {
    std::string text = call.getFunction().str() + "(";
    for (unsigned i = 0; i < call.getNumOperands(); ++i)
      text += (i ? ", $" : "$") + std::to_string(i);
    return text + ")";
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return intComparison(cmp.getPredicate()).str();
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return floatComparison(cmp.getPredicate()).str();
  // Unsigned forms that differ from the signed ones.
  if (tile::isApproximate(op))
    return "hd::tanhApprox($0)";
  Type element = getElementTypeOrSelf(op->getResult(0));
  StringRef type = computeTypeOf(element) == "int64_t" ? "int64_t" : "int";
  if (element.isInteger(1)) { // sums of bits
    if (isa<arith::AddIOp, arith::SubIOp>(op))
      return "$0 != $1";
    if (isa<arith::MulIOp>(op))
      return "$0 && $1";
  }
  std::string cast = ("static_cast<" + type + ">").str();
  if (isa<arith::DivUIOp>(op))
    return cast + "($u0 / $u1)";
  if (isa<arith::RemUIOp>(op))
    return cast + "($u0 % $u1)";
  if (isa<arith::CeilDivUIOp>(op) && !element.isIndex())
    return cast + "($u0 / $u1 + ($u0 % $u1 != 0))";
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op)) {
    unsigned width = element.isIndex() ? 32 : element.getIntOrFloatBitWidth();
    std::string bits = std::to_string(width);
    if (APInt amount; matchPattern(op->getOperand(1), m_ConstantInt(&amount)) && amount.ult(width))
      return isa<arith::ShRSIOp>(op)   ? "$0 >> $1"
             : isa<arith::ShRUIOp>(op) ? cast + "($u0 >> $1)"
                                       : cast + "($u0 << $1)";
    if (isa<arith::ShRSIOp>(op))
      return "$0 >> ($u1 < " + bits + "u ? $1 : " + bits + " - 1)";
    return "$u1 < " + bits + "u ? " + cast + (isa<arith::ShLIOp>(op) ? "($u0 << $1)" : "($u0 >> $1)") + " : 0";
  }
  if (isa<math::CtPopOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp>(op) && !element.isIndex()) {
    unsigned width = element.getIntOrFloatBitWidth();
    std::string wide = width == 64 ? "ll" : "", bits = std::to_string(width);
    if (isa<math::CtPopOp>(op))
      return "__popc" + wide + "($u0)";
    if (isa<math::CountTrailingZerosOp>(op))
      return "$0 == 0 ? " + bits + " : __ffs" + wide + "($0) - 1";
    return "__clz" + wide + "($u0)" + (width < 32 ? " - " + std::to_string(32 - width) : "");
  }
  if (isa<arith::MaxUIOp>(op))
    return cast + "($u0 > $u1 ? $u0 : $u1)";
  if (isa<arith::MinUIOp>(op))
    return cast + "($u0 < $u1 ? $u0 : $u1)";
  APInt divisor; // signed division rounds to zero: with a divisor above 0 only the remainder's sign counts
  if (op->getNumOperands() == 2 && matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
      divisor.isStrictlyPositive()) {
    if (isa<arith::CeilDivSIOp>(op))
      return "$0 / $1 + ($0 % $1 > 0)";
    if (isa<arith::FloorDivSIOp>(op))
      return "$0 / $1 - ($0 % $1 < 0)";
  }
  if (std::string text = castTemplate(op); !text.empty())
    return text;
  if (std::optional<unsigned> factor = factorOftenOne(op))
    return "hd::timesUnlessOne($" + std::to_string(1 - *factor) + ", $" + std::to_string(*factor) + ")";
  StringRef name = op->getName().getStringRef();
  if (getElementTypeOrSelf(op->getOperand(0)).isF64())
    if (StringRef text = doubleTemplate(name); !text.empty())
      return text.str();
  if (isa<arith::DivFOp>(op) && matchPattern(op->getOperand(0), m_OneFloat()))
    return "hd::rcp($1)";
  return plainTemplate(name).str();
}

bool cuda::hasScalarExpression(Operation *op) { return !templateOf(op).empty(); }

bool cuda::isLongFunction(Operation *op) {
  constexpr int64_t longCall = 16; // operations of a function from outside, as it states them
  if (auto call = dyn_cast<tile::CallOp>(op)) {
    int64_t operations = 0;
    for (NamedAttribute cost : call.getCost())
      operations += cast<IntegerAttr>(cost.getValue()).getInt();
    return operations >= longCall;
  }
  return isa<math::MathDialect>(op->getDialect()) &&
         !isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::SqrtOp, math::RsqrtOp, math::TanhOp,
              math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp>(
             op);
}

std::string cuda::scalarExpression(Operation *op, ArrayRef<std::string> operands) {
  if (isa<arith::AddIOp>(op) && (operands[0] == "0" || operands[1] == "0"))
    return operands[operands[0] == "0" ? 1 : 0];
  if (isa<arith::MulIOp>(op) && (operands[0] == "1" || operands[1] == "1"))
    return operands[operands[0] == "1" ? 1 : 0];
  std::string text;
  std::string form = templateOf(op);
  for (size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '$') {
      text += form[i];
      continue;
    }
    bool isUnsigned = form[i + 1] == 'u';
    i += isUnsigned ? 2 : 1;
    size_t operand = form[i] - '0';
    Type from = getElementTypeOrSelf(op->getOperand(operand));
    if (isUnsigned)
      text += "static_cast<uint" + std::to_string(from.isIndex() ? 32 : std::max(8u, from.getIntOrFloatBitWidth())) +
              "_t>(" + operands[operand] + ")";
    else
      text += form == "$0" ? operands[operand] : atom(operands[operand]);
  }
  // Integers that are narrower than what they are computed in wrap around.
  Type result = getElementTypeOrSelf(op->getResult(0));
  bool keeps =
      isa<arith::SelectOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ExtSIOp, arith::MaxSIOp, arith::MinSIOp>(
          op);
  if (isNarrowInteger(result) && !keeps)
    return "static_cast<int" + std::to_string(result.getIntOrFloatBitWidth()) + "_t>(" + text + ")";
  return text;
}
