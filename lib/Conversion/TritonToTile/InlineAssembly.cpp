//===- InlineAssembly.cpp - PTX of floats, element by element ------------------===//
//
// What:  tt.elementwise_inline_asm whose text computes with f32 registers -> the operations that its instructions are:
//        mov, add, sub, mul, fma, div, min, max, neg, abs, setp, selp, and the approximations of ex2, lg2, rcp, rsqrt,
//        sqrt, sin, cos and tanh. A predicated instruction (`@p`) is a choice.
// Where: first of all, so that everything behind it (interpreters too) knows operations alone.
// Left:  other types, several elements at a time, labels, and every instruction that is not named above: refused where
//        the operation is translated.
// Exact: as MLIR's operations are; `.approx` and `.ftz` allow less (PTX ISA, "Floating-Point Instructions"), and how a
//        kernel computes sine and tanh says docs/Emission.md.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace heddle::triton {
namespace {

class Assembly {
public:
  Assembly(ElementwiseInlineAsmOp op) : op(op), builder(op), type(op->getResult(0).getType()) {}

  /// What the only output is at last; null: something is not known.
  Value run() {
    if (op->getNumResults() != 1 || op.getPackedElement() != 1 || !op.getPure() ||
        !llvm::all_of(op->getOperandTypes(), [&](Type t) { return t == type; }) || !getElementTypeOrSelf(type).isF32())
      return {};
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      registers["$" + std::to_string(i + 1)] = operand;
    SmallVector<StringRef> statements;
    op.getAsmString().split(statements, ';');
    for (StringRef statement : statements) {
      statement = statement.trim(" \t\r\n{}");
      if (!statement.empty() && !statement.starts_with(".reg") && !runStatement(statement))
        return {};
    }
    return registers.lookup("$0");
  }

private:
  /// `[@[!]p] instruction destination, operands`.
  bool runStatement(StringRef statement) {
    Value predicate;
    bool negated = false;
    if (statement.consume_front("@")) {
      negated = statement.consume_front("!");
      auto [name, rest] = statement.split(' ');
      predicate = registers.lookup(name);
      if (!predicate)
        return false;
      statement = rest.trim();
    }
    auto [instruction, rest] = statement.split(' ');
    SmallVector<StringRef> names;
    rest.split(names, ',');
    for (StringRef &name : names)
      name = name.trim();
    SmallVector<Value> in;
    for (StringRef name : ArrayRef(names).drop_front())
      if (in.push_back(valueOf(name)); !in.back())
        return false;
    Value result = compute(instruction.trim(), in);
    if (!result)
      return false;
    Value &destination = registers[names.front()];
    if (predicate && destination)
      result = negated ? arith::SelectOp::create(builder, op.getLoc(), predicate, destination, result)
                       : arith::SelectOp::create(builder, op.getLoc(), predicate, result, destination);
    destination = result; // what is not set elsewhere may be anything
    return true;
  }

  Value valueOf(StringRef name) {
    if (Value known = registers.lookup(name))
      return known;
    double number = 0;
    if (name.starts_with("0f") || name.starts_with("0F")) {
      uint32_t bits = 0;
      if (name.drop_front(2).getAsInteger(16, bits))
        return {};
      number = llvm::bit_cast<float>(bits);
    } else if (name.getAsDouble(number)) {
      return {};
    }
    FloatAttr one = builder.getF32FloatAttr(static_cast<float>(number));
    auto tile = dyn_cast<RankedTensorType>(type);
    return arith::ConstantOp::create(builder, op.getLoc(),
                                     tile ? TypedAttr(DenseElementsAttr::get(tile, Attribute(one))) : TypedAttr(one));
  }

  /// `instruction` of the values `in`; null: it is not known.
  Value compute(StringRef instruction, SmallVector<Value> in) {
    SmallVector<StringRef> parts;
    instruction.split(parts, '.');
    StringRef name = parts.front();
    bool isFloat = parts.back() == "f32" || (name == "mov" && parts.back() == "b32");
    for (StringRef part : ArrayRef(parts).drop_front().drop_back())
      isFloat &= llvm::is_contained({"approx", "ftz", "rn", "full", "lt", "le", "gt", "ge", "eq", "ne"}, part);
    if (!isFloat || in.empty())
      return {};
    if (name == "mov" && in.size() == 1)
      return in[0];
    if (name == "setp" && in.size() == 2)
      return compare(parts[1], in);
    if (name == "selp" && in.size() == 3)
      return arith::SelectOp::create(builder, op.getLoc(), in[2], in[0], in[1]);
    if (name == "rcp" && in.size() == 1) {
      name = "div";
      in.insert(in.begin(), valueOf("1.0"));
    }
    StringRef function = functionOf(name, in.size());
    if (function.empty())
      return {};
    OperationState state(op.getLoc(), function, in, {type});
    if (name == "tanh") // no other instruction
      state.addAttribute("fastmath", arith::FastMathFlagsAttr::get(builder.getContext(), arith::FastMathFlags::afn));
    return builder.create(state)->getResult(0);
  }

  static StringRef functionOf(StringRef name, size_t operands) {
    if (operands == 1)
      return llvm::StringSwitch<StringRef>(name)
          .Case("neg", "arith.negf")
          .Case("abs", "math.absf")
          .Case("ex2", "math.exp2")
          .Case("lg2", "math.log2")
          .Case("rsqrt", "math.rsqrt")
          .Case("sqrt", "math.sqrt")
          .Case("sin", "math.sin")
          .Case("cos", "math.cos")
          .Case("tanh", "math.tanh")
          .Default("");
    if (operands == 2)
      return llvm::StringSwitch<StringRef>(name)
          .Case("add", "arith.addf")
          .Case("sub", "arith.subf")
          .Case("mul", "arith.mulf")
          .Case("div", "arith.divf")
          .Case("min", "arith.minnumf")
          .Case("max", "arith.maxnumf")
          .Default("");
    return operands == 3 && name == "fma" ? "math.fma" : "";
  }

  Value compare(StringRef how, ArrayRef<Value> in) {
    using Predicate = arith::CmpFPredicate;
    auto predicate = llvm::StringSwitch<std::optional<Predicate>>(how)
                         .Case("lt", Predicate::OLT)
                         .Case("le", Predicate::OLE)
                         .Case("gt", Predicate::OGT)
                         .Case("ge", Predicate::OGE)
                         .Case("eq", Predicate::OEQ)
                         .Case("ne", Predicate::ONE)
                         .Default(std::nullopt);
    return predicate ? arith::CmpFOp::create(builder, op.getLoc(), *predicate, in[0], in[1]).getResult() : Value();
  }

  ElementwiseInlineAsmOp op;
  OpBuilder builder;
  Type type; ///< of all registers but predicates
  llvm::StringMap<Value> registers;
};

} // namespace

void readAssembly(FuncOp function) {
  function.getContext()->loadDialect<arith::ArithDialect, math::MathDialect>(); // the text may have none of them
  function.walk([](ElementwiseInlineAsmOp op) {
    if (Value result = Assembly(op).run(); result && result.getType() == op->getResult(0).getType()) {
      op->getResult(0).replaceAllUsesWith(result);
      op.erase();
    }
  });
}

} // namespace heddle::triton
