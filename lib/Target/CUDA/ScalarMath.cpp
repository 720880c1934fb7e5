//===- ScalarMath.cpp - element-wise ops as C++ expressions ---------------------===//
//
// One table from op to expression. Values of 16- and 8-bit float types are computed in
// float and rounded when stored (printFill, or `rounded` here for scalars): one operation
// in float, then one rounding, gives the correctly rounded narrow result for + - * / sqrt.
// Division, sqrt, exp, log and tanh use the approximate instructions (2 ulp, no calls).
// maximumf/minimumf ignore a NaN operand.
//
//===----------------------------------------------------------------------------===//
#include "RegisterTilesImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

std::string cuda::computeTypeOf(Type type) {
  if (type.isF32() || !packedTag(type).empty())
    return "float";
  if (type.isInteger(1))
    return "bool";
  if (type.isIndex() || type.isInteger(32))
    return "int";
  if (type.isInteger(64))
    return "int64_t";
  return "";
}

std::string cuda::scalarTypeOf(Type type) { return computeTypeOf(type); }

std::string cuda::atom(StringRef expression) {
  int depth = 0;
  for (auto [i, c] : llvm::enumerate(expression)) {
    bool opensArguments = c == '<' && i > 0 && llvm::isAlnum(expression[i - 1]);
    if (c == '(' || c == '[' || opensArguments)
      ++depth;
    else if (depth > 0 && (c == ')' || c == ']' || c == '>'))
      --depth;
    else if (depth == 0 && !llvm::isAlnum(c) && !StringRef("_:.").contains(c))
      return ("(" + expression + ")").str();
  }
  return expression.str();
}

std::string cuda::literal(Attribute value) {
  if (auto f = dyn_cast<FloatAttr>(value)) {
    const APFloat &v = f.getValue();
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
      .Case("arith.remf", "fmodf($0, $1)")
      .Case("arith.negf", "-$0")
      .Cases({"arith.maximumf", "arith.maxnumf"}, "hd::fmax($0, $1)")
      .Cases({"arith.minimumf", "arith.minnumf"}, "hd::fmin($0, $1)")
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
      .Case("arith.shli", "$0 << $1")
      .Case("arith.shrsi", "$0 >> $1")
      .Case("arith.maxsi", "$0 > $1 ? $0 : $1")
      .Case("arith.minsi", "$0 < $1 ? $0 : $1")
      .Case("arith.select", "$0 ? $1 : $2")
      .Cases({"arith.extf", "arith.truncf"}, "$0")
      .Case("arith.fptosi", "static_cast<int>($0)")
      .Case("arith.fptoui", "static_cast<int>(static_cast<uint32_t>($0))")
      .Case("math.exp2", "hd::ex2($0)")
      .Case("math.exp", "hd::ex2(1.44269504f * $0)")
      .Case("math.expm1", "expm1f($0)")
      .Case("math.log2", "hd::lg2($0)")
      .Case("math.log", "0.693147181f * hd::lg2($0)")
      .Case("math.log10", "0.301029996f * hd::lg2($0)")
      .Case("math.log1p", "log1pf($0)")
      .Case("math.sqrt", "hd::sqrtApprox($0)")
      .Case("math.rsqrt", "hd::rsqrt($0)")
      .Case("math.tanh", "1.0f - 2.0f * hd::rcp(1.0f + hd::ex2(2.88539008f * $0))")
      .Case("math.absf", "hd::fabs($0)")
      .Case("math.absi", "$0 < 0 ? -$0 : $0")
      .Case("math.fma", "hd::fma($0, $1, $2)")
      .Case("math.powf", "hd::ex2($1 * hd::lg2($0))")
      .Case("math.floor", "floorf($0)")
      .Case("math.ceil", "ceilf($0)")
      .Case("math.trunc", "truncf($0)")
      .Case("math.roundeven", "rintf($0)")
      .Case("math.round", "roundf($0)")
      .Case("math.sin", "__sinf($0)")
      .Case("math.cos", "__cosf($0)")
      .Case("math.erf", "erff($0)")
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
    return from.isInteger(1) || wideFrom ? "static_cast<" + type + ">($0)"
                                         : "static_cast<" + type + ">(static_cast<uint32_t>($0))";
  if (isa<arith::TruncIOp>(op))
    return to.isInteger(1) ? "($0 & 1) != 0" : "static_cast<" + type + ">($0)";
  if (isa<arith::IndexCastOp>(op))
    return type == computeTypeOf(from) ? "$0" : "static_cast<" + type + ">($0)";
  if (isa<arith::SIToFPOp>(op))
    return from.isInteger(1) ? "$0 ? -1.0f : 0.0f" : "static_cast<float>($0)";
  if (isa<arith::UIToFPOp>(op))
    return from.isInteger(1) ? "$0 ? 1.0f : 0.0f" : "static_cast<float>($u0)";
  if (isa<arith::BitcastOp>(op)) {
    if (from.isF32() && to.isInteger(32))
      return "__float_as_int($0)";
    if (from.isInteger(32) && to.isF32())
      return "__int_as_float($0)";
  }
  return "";
}

static std::string templateOf(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return "";
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return intComparison(cmp.getPredicate()).str();
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return floatComparison(cmp.getPredicate()).str();
  // Unsigned forms that differ from the signed ones.
  StringRef type = computeTypeOf(getElementTypeOrSelf(op->getResult(0))) == "int64_t" ? "int64_t" : "int";
  std::string cast = ("static_cast<" + type + ">").str();
  if (isa<arith::DivUIOp>(op))
    return cast + "($u0 / $u1)";
  if (isa<arith::RemUIOp>(op))
    return cast + "($u0 % $u1)";
  if (isa<arith::ShRUIOp>(op))
    return cast + "($u0 >> $1)";
  if (isa<arith::MaxUIOp>(op))
    return cast + "($u0 > $u1 ? $u0 : $u1)";
  if (isa<arith::MinUIOp>(op))
    return cast + "($u0 < $u1 ? $u0 : $u1)";
  if (std::string text = castTemplate(op); !text.empty())
    return text;
  return plainTemplate(op->getName().getStringRef()).str();
}

bool cuda::hasScalarExpression(Operation *op) { return !templateOf(op).empty(); }

std::string cuda::scalarExpression(Operation *op, ArrayRef<std::string> operands) {
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
    bool wide = getElementTypeOrSelf(op->getOperand(operand)).isInteger(64);
    if (isUnsigned)
      text += (wide ? "static_cast<uint64_t>(" : "static_cast<uint32_t>(") + operands[operand] + ")";
    else
      text += form == "$0" ? operands[operand] : atom(operands[operand]);
  }
  return text;
}
