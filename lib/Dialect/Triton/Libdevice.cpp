//===- Libdevice.cpp - see Libdevice.h ---------------------------------------------===//
#include "heddle/Dialect/Triton/Libdevice.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
namespace heddle::triton {

/// Functions of one, two and three numbers, by their names without prefix and suffix.
static StringRef functionOf(StringRef name, size_t operands) {
  if (operands == 1)
    return llvm::StringSwitch<StringRef>(name)
        .Case("exp", "math.exp")
        .Case("exp2", "math.exp2")
        .Case("expm1", "math.expm1")
        .Case("log", "math.log")
        .Case("log2", "math.log2")
        .Case("log10", "math.log10")
        .Case("log1p", "math.log1p")
        .Case("sqrt", "math.sqrt")
        .Case("rsqrt", "math.rsqrt")
        .Case("cbrt", "math.cbrt")
        .Case("erf", "math.erf")
        .Case("erfc", "math.erfc")
        .Case("sin", "math.sin")
        .Case("cos", "math.cos")
        .Case("tan", "math.tan")
        .Case("asin", "math.asin")
        .Case("acos", "math.acos")
        .Case("atan", "math.atan")
        .Case("sinh", "math.sinh")
        .Case("cosh", "math.cosh")
        .Case("tanh", "math.tanh")
        .Case("asinh", "math.asinh")
        .Case("acosh", "math.acosh")
        .Case("atanh", "math.atanh")
        .Case("fabs", "math.absf")
        .Case("floor", "math.floor")
        .Case("ceil", "math.ceil")
        .Case("trunc", "math.trunc")
        .Case("round", "math.round")
        .Cases({"rint", "nearbyint"}, "math.roundeven")
        .Default("");
  if (operands == 2)
    return llvm::StringSwitch<StringRef>(name)
        .Case("pow", "math.powf")
        .Case("powi", "math.fpowi")
        .Case("atan2", "math.atan2")
        .Case("copysign", "math.copysign")
        .Case("fmod", "arith.remf")
        .Case("fmax", "arith.maxnumf")
        .Case("fmin", "arith.minnumf")
        .Case("fdivide", "arith.divf")
        .Default("");
  return operands == 3 && name == "fma" ? "math.fma" : "";
}

/// Functions that name the rounding that operations have anyway.
static StringRef roundedOf(StringRef symbol, bool single, size_t operands) {
  StringRef function = single ? llvm::StringSwitch<StringRef>(symbol)
                                    .Case("fdiv_rn", "arith.divf")
                                    .Case("fsqrt_rn", "math.sqrt")
                                    .Case("fmaf_rn", "math.fma")
                                    .Default("")
                              : llvm::StringSwitch<StringRef>(symbol)
                                    .Case("ddiv_rn", "arith.divf")
                                    .Case("dsqrt_rn", "math.sqrt")
                                    .Case("fma_rn", "math.fma")
                                    .Default("");
  size_t expected = function == "math.sqrt" ? 1 : function == "arith.divf" ? 2 : 3;
  return operands == expected ? function : "";
}

/// Tests of one number, whose names end by its type.
static StringRef testOf(StringRef symbol, bool single) {
  if (single)
    return llvm::StringSwitch<StringRef>(symbol)
        .Case("isnanf", "math.isnan")
        .Case("isinff", "math.isinf")
        .Case("finitef", "math.isfinite")
        .Default("");
  return llvm::StringSwitch<StringRef>(symbol)
      .Case("isnand", "math.isnan")
      .Case("isinfd", "math.isinf")
      .Case("isfinited", "math.isfinite")
      .Default("");
}

Type UpstreamOperation::typeFor(Type result) const {
  Type bit = IntegerType::get(result.getContext(), 1);
  auto tile = dyn_cast<RankedTensorType>(result);
  return !givesBits ? result : tile ? Type(tile.clone(bit)) : bit;
}

UpstreamOperation upstreamOperation(ExternElementwiseOp op) {
  constexpr UpstreamOperation none = {"", false};
  StringRef symbol = op.getSymbol();
  if (op.getSrcs().empty() || !symbol.consume_front("__nv_"))
    return none;
  auto elementOf = [](Value value) { return getElementTypeOrSelf(value.getType()); };
  Type element = elementOf(op.getSrcs().front()), result = elementOf(op.getResult());
  bool single = element.isF32();
  if (!single && !element.isF64())
    return none;
  if (StringRef test = testOf(symbol, single); !test.empty())
    return op.getSrcs().size() == 1 && result.isInteger(32) ? UpstreamOperation{test, true} : none;
  StringRef function = roundedOf(symbol, single, op.getSrcs().size());
  if (function.empty()) {
    if (single && !symbol.consume_back("f"))
      return none;
    if (single)
      symbol.consume_front("fast_");
    function = functionOf(symbol, op.getSrcs().size());
  }
  bool fits = result == element && llvm::all_of(op.getSrcs().drop_front(), [&](Value operand) {
                return function == "math.fpowi" ? elementOf(operand).isInteger(32) : elementOf(operand) == element;
              });
  return fits ? UpstreamOperation{function, false} : none;
}

StringRef roundingToInteger(ExternElementwiseOp op) {
  StringRef symbol = op.getSymbol();
  if (op.getSrcs().size() != 1 || !symbol.consume_front("__nv_"))
    return "";
  Type element = getElementTypeOrSelf(op.getSrcs().front().getType()), result = getElementTypeOrSelf(op.getType());
  bool single = element.isF32();
  if ((!single && !element.isF64()) || !(result.isInteger(32) || result.isInteger(64)))
    return "";
  StringRef name = symbol;
  if (single ? name.consume_back("f") : true)
    if (StringRef found = llvm::StringSwitch<StringRef>(result.isInteger(64) ? name : "")
                              .Case("llrint", "math.roundeven")
                              .Case("llround", "math.round")
                              .Default("");
        !found.empty())
      return found;
  if (!symbol.consume_front(single ? "float2" : "double2") ||
      !symbol.consume_front(result.isInteger(64) ? "ll" : "int"))
    return "";
  return llvm::StringSwitch<StringRef>(symbol)
      .Case("_rn", "math.roundeven")
      .Case("_rz", "math.trunc")
      .Case("_ru", "math.ceil")
      .Case("_rd", "math.floor")
      .Default("");
}

LibraryFunction libraryFunction(ExternElementwiseOp op) {
  StringRef symbol = op.getSymbol();
  if (op.getSrcs().empty() || !symbol.consume_front("__nv_"))
    return LibraryFunction::None;
  Type element = getElementTypeOrSelf(op.getType());
  bool single = element.isF32();
  if ((!single && !element.isF64()) || (single && !symbol.consume_back("f")) ||
      llvm::any_of(op.getSrcs(), [&](Value value) { return getElementTypeOrSelf(value.getType()) != element; }))
    return LibraryFunction::None;
  LibraryFunction found = llvm::StringSwitch<LibraryFunction>(symbol)
                              .Case("hypot", LibraryFunction::Hypot)
                              .Case("lgamma", LibraryFunction::Lgamma)
                              .Case("erfinv", LibraryFunction::Erfinv)
                              .Case("nextafter", LibraryFunction::NextAfter)
                              .Case("cyl_bessel_i0", LibraryFunction::BesselI0)
                              .Default(LibraryFunction::None);
  bool isNext = found == LibraryFunction::NextAfter, isPair = isNext || found == LibraryFunction::Hypot;
  // The neighbours of doubles are their bits', which the simulator holds for floats alone.
  return op.getSrcs().size() == (isPair ? 2 : 1) && (single || !isNext) ? found : LibraryFunction::None;
}

StringRef nameOf(LibraryFunction function) {
  switch (function) {
  case LibraryFunction::Hypot: return "hypot";
  case LibraryFunction::Lgamma: return "lgamma";
  case LibraryFunction::Erfinv: return "erfinv";
  case LibraryFunction::NextAfter: return "nextafter";
  case LibraryFunction::BesselI0: return "cyl_bessel_i0";
  case LibraryFunction::None: break;
  }
  return "";
}

BitFunction bitFunction(ExternElementwiseOp op) {
  StringRef symbol = op.getSymbol();
  if (op.getSrcs().size() != 1 || !symbol.consume_front("__nv_") || !getElementTypeOrSelf(op.getType()).isInteger(32))
    return BitFunction::None;
  Type element = getElementTypeOrSelf(op.getSrcs().front().getType());
  if (!element.isInteger(32) && !(element.isInteger(64) && symbol.consume_back("ll")))
    return BitFunction::None;
  return llvm::StringSwitch<BitFunction>(symbol)
      .Case("popc", BitFunction::Count)
      .Case("clz", BitFunction::LeadingZeros)
      .Case("ffs", BitFunction::LastSet)
      .Default(BitFunction::None);
}

bool isSignBit(ExternElementwiseOp op) {
  if (op.getSrcs().size() != 1 || !getElementTypeOrSelf(op.getType()).isInteger(32))
    return false;
  Type element = getElementTypeOrSelf(op.getSrcs().front().getType());
  return element.isF32() ? op.getSymbol() == "__nv_signbitf" : element.isF64() && op.getSymbol() == "__nv_signbitd";
}

} // namespace heddle::triton
