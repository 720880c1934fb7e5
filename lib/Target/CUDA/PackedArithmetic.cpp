//===- PackedArithmetic.cpp - two numbers of 16 bits in one instruction -------===//
//
// Sums, differences and products of f16, of both halves of a register at a time. They give what f32 gives that is
// rounded to f16 once, which is the meaning of such operations (docs/TileDialect.md): f32 has 24 bits of precision, and
// with 2 * 11 + 2 of them the second rounding changes nothing (Figueroa, "When is double rounding innocuous?", 1995).
// f16 counts its smallest numbers in both. Other operations, and operands whose halves are no pairs of registers of the
// source, are computed one by one.
//
// Numbers of 8 bits become pairs of 16 bits by one conversion (of floats) or by a permutation and a difference
// (integers to f16: the lowest byte of 1024 + b is b). Each is exact, as what f32 gives.
//
//===----------------------------------------------------------------------------===//
#include "RegisterTilesImpl.h"

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

static bool isAlike(Value value) {
  return value.getDefiningOp<arith::ConstantOp>() || value.getDefiningOp<tensor::SplatOp>();
}

/// Which elements of its source `value` has as e and e + 1, for each e of `elements`.
struct Moved {
  SmallVector<int64_t> first;
  bool pairs = true; ///< they are e' and e' + 1 of one register
  bool alike = true; ///< they are the same element
};
static std::optional<Moved> movedPairs(Value value, ArrayRef<int64_t> elements) {
  std::optional<std::vector<int64_t>> map = elementMap(value);
  if (!map)
    return std::nullopt;
  Moved moved;
  for (int64_t e : elements) {
    moved.pairs &= (*map)[e] % 2 == 0 && (*map)[e + 1] == (*map)[e] + 1;
    moved.alike &= (*map)[e + 1] == (*map)[e];
    moved.first.push_back((*map)[e]);
  }
  return moved;
}

/// Whether one register holds elements e and e + 1 of `value`, or they are one number, for each e of `elements`.
static bool hasPairs(EmitContext &ctx, Value value, ArrayRef<int64_t> elements) {
  if (!ctx.isRecomputed(value) || isAlike(value))
    return true;
  std::optional<Moved> moved = movedPairs(value, elements);
  return moved && (moved->alike || (moved->pairs && hasPairs(ctx, value.getDefiningOp()->getOperand(0), moved->first)));
}

/// Those two elements as one register.
static std::string pairOf(EmitContext &ctx, Value value, ArrayRef<int64_t> elements) {
  if (!ctx.isRecomputed(value)) {
    SmallVector<int64_t> words;
    for (int64_t e : elements)
      words.push_back(e / 2);
    return subscript(ctx.nameOf(value), indexExpr(ctx, words));
  }
  std::optional<Moved> moved = isAlike(value) ? std::nullopt : movedPairs(value, elements);
  if (moved && moved->pairs)
    return pairOf(ctx, value.getDefiningOp()->getOperand(0), moved->first);
  if (Value source = moved ? value.getDefiningOp()->getOperand(0) : Value(); source && !ctx.isRecomputed(source)) {
    SmallVector<int64_t> words, selectors; // both halves of the lower, or of the upper one
    for (int64_t e : moved->first) {
      words.push_back(e / 2);
      selectors.push_back(e % 2 ? 0x3232 : 0x1010);
    }
    std::string word = subscript(ctx.nameOf(source), indexExpr(ctx, words));
    return "hd::permuteBytes(" + word + ", " + word + ", " + indexExpr(ctx, selectors) + ")";
  }
  std::string one = elementOf(ctx, value, elements);
  return "hd::pack<hd::f16>(" + one + ", " + one + ")";
}

bool cuda::printPackedArithmetic(Operation *op, EmitContext &ctx) {
  const char *name = llvm::TypeSwitch<Operation *, const char *>(op)
                         .Case([](arith::AddFOp) { return "add2"; })
                         .Case([](arith::SubFOp) { return "sub2"; })
                         .Case([](arith::MulFOp) { return "mul2"; })
                         .Default([](Operation *) { return nullptr; });
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!name || !type || !type.getElementType().isF16() || registerArrayOf(type).elements % 2)
    return false;
  SmallVector<int64_t> elements;
  for (int64_t e = 0; e < registerArrayOf(type).elements; e += 2)
    elements.push_back(e);
  if (!llvm::all_of(op->getOperands(), [&](Value operand) { return hasPairs(ctx, operand, elements); }))
    return false;
  std::string a = pairOf(ctx, op->getOperand(0), elements), b = pairOf(ctx, op->getOperand(1), elements);
  SmallVector<int64_t> words;
  for (int64_t e : elements)
    words.push_back(e / 2);
  printLoop(
      ctx, static_cast<int64_t>(elements.size()),
      {subscript(ctx.nameOf(op->getResult(0)), indexExpr(ctx, words)) + " = hd::" + name + "(" + a + ", " + b + ");"});
  return true;
}

bool cuda::printWidening(Operation *op, EmitContext &ctx) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !isa<arith::ExtFOp, arith::SIToFPOp>(op) || ctx.isRecomputed(op->getOperand(0)))
    return false;
  constexpr int64_t inWord = 4;
  Value source = op->getOperand(0);
  Type from = cast<RankedTensorType>(source.getType()).getElementType(), to = type.getElementType();
  bool isInteger = from.isInteger(8) && to.isF16();
  bool isFloat = isa<Float8E4M3FNType, Float8E5M2Type>(from) && (to.isF16() || to.isBF16());
  int64_t elements = registerArrayOf(type).elements;
  if (!(isInteger || isFloat) || elements % inWord)
    return false;
  SmallVector<int64_t> words, low, high;
  for (int64_t word = 0; word < elements / inWord; ++word) {
    words.push_back(word);
    low.push_back(2 * word);
    high.push_back(2 * word + 1);
  }
  std::string array = ctx.nameOf(op->getResult(0)), word = subscript(ctx.nameOf(source), indexExpr(ctx, words));
  std::string function = " = hd::widen2<" + (isInteger ? "hd::s8" : packedTag(from)) + ", " + packedTag(to) + ">(";
  printLoop(ctx, elements / inWord,
            {subscript(array, indexExpr(ctx, low)) + function + word + ");",
             subscript(array, indexExpr(ctx, high)) + function + word + " >> 16);"});
  return true;
}
