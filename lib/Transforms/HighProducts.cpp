//===- HighProducts.cpp - the upper half of a product of 32 bits ------------===//
//
// What:      trunci (shrui (muli (extui %a), (extui %b)), 32)  ->  tile.call "::hd::multiplyHigh" (%a, %b)
//            muli %a, %b, where the block has the upper half as well  ->  tile.call "::hd::multiplyLow" (%a, %b)
// Where:     before sub-tiling, on the whole program; it stays sequential and executable. Before costs are asked, since
//            that is one instruction where four operations stand, of which three are of 64 bits.
// Why:       an operation with two results has no place in a tile program, so that this is how a program writes it.
//            Generators of random numbers need both halves. As written, nvcc makes a product of 64 bits for the upper
//            half, and another of 32 bits for the lower one: 4.2 and 2.1 cycles of a scheduler for 32 threads; one
//            that gives both takes 4.7 (bench/results/2026-11-28-h200-triton-kernels.json). The device's functions
//            state it so that the compiler of the text recognises one product.
// Which:     products of tiles; numbers are computed once by the compiler of the text. A constant of 64 bits that fits
//            into 32 is an operand, too.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/HighProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle {
namespace {

constexpr unsigned half = 32;

/// What is extended to `wide`, or null: a tile of 32 bits.
Value narrowOf(Value wide, OpBuilder &b) {
  auto tile = cast<RankedTensorType>(wide.getType());
  RankedTensorType narrow = tile.clone(b.getIntegerType(half));
  if (auto extension = wide.getDefiningOp<arith::ExtUIOp>())
    return extension.getIn().getType() == narrow ? extension.getIn() : Value();
  DenseElementsAttr constant;
  if (!matchPattern(wide, m_Constant(&constant)) || !constant.isSplat() ||
      constant.getSplatValue<APInt>().getActiveBits() > half)
    return {};
  APInt number = constant.getSplatValue<APInt>().trunc(half);
  return arith::ConstantOp::create(b, wide.getLoc(), DenseElementsAttr::get(narrow, number));
}

/// Calls `function` of two tiles of 32 bits, which takes `cost` operations on integers and means `steps`: operations
/// on an element, as Dialect/Tile/Call.cpp keeps them.
Value call(OpBuilder &b, Operation *at, StringRef function, int64_t cost, ValueRange operands,
           function_ref<void(function_ref<void(StringRef, ArrayRef<int64_t>, Type, DictionaryAttr)>)> steps) {
  Attribute element = TypeAttr::get(b.getIntegerType(half));
  SmallVector<Attribute> meaning{b.getArrayAttr({element, element})};
  steps([&](StringRef name, ArrayRef<int64_t> of, Type type, DictionaryAttr attributes) {
    meaning.push_back(
        b.getArrayAttr({b.getStringAttr(name), b.getDenseI64ArrayAttr(of), attributes, TypeAttr::get(type)}));
  });
  NamedAttribute integers("alu_half", b.getI64IntegerAttr(cost));
  return tile::CallOp::create(b, at->getLoc(), at->getResult(0).getType(), b.getStringAttr(function),
                              b.getStringAttr("heddle_device/thread/math.h"), b.getDictionaryAttr(integers), operands,
                              b.getArrayAttr(meaning));
}

Value callHigh(OpBuilder &b, Operation *at, Value left, Value right, bool isPaired) {
  Type narrow = b.getIntegerType(half), wide = b.getIntegerType(2 * half);
  DictionaryAttr none = b.getDictionaryAttr({});
  NamedAttribute bits("value", b.getIntegerAttr(wide, half));
  return call(b, at, "::hd::multiplyHigh", isPaired ? 1 : 2, {left, right}, [&](auto step) {
    step("arith.extui", {0}, wide, none);
    step("arith.extui", {1}, wide, none);
    step("arith.muli", {2, 3}, wide, none);
    step("arith.constant", {}, wide, b.getDictionaryAttr(bits));
    step("arith.shrui", {4, 5}, wide, none);
    step("arith.trunci", {6}, narrow, none);
  });
}

Value callLow(OpBuilder &b, Operation *at, Value left, Value right) {
  return call(b, at, "::hd::multiplyLow", 1, {left, right},
              [&](auto step) { step("arith.muli", {0, 1}, b.getIntegerType(half), b.getDictionaryAttr({})); });
}

/// The values are one, or equal constants.
bool areEqual(Value a, Value b) {
  Attribute left, right;
  return a == b || (matchPattern(a, m_Constant(&left)) && matchPattern(b, m_Constant(&right)) && left == right);
}

/// Products of 32 bits of `left` and `right` in the block of `at`.
SmallVector<arith::MulIOp> lowProducts(Operation *at, Value left, Value right) {
  SmallVector<arith::MulIOp> found;
  for (Operation *user : left.getUsers())
    if (auto product = dyn_cast<arith::MulIOp>(user); product && product->getBlock() == at->getBlock())
      for (auto [one, other] : {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
        if (one == left && areEqual(other, right) && !llvm::is_contained(found, product))
          found.push_back(product);
  return found;
}

bool isShiftByHalf(Value by) {
  DenseElementsAttr constant;
  return matchPattern(by, m_Constant(&constant)) && constant.isSplat() && constant.getSplatValue<APInt>() == half;
}

} // namespace

void callHighProducts(tile::KernelOp kernel) {
  SmallVector<arith::TruncIOp> found;
  kernel.walk([&](arith::TruncIOp op) {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    auto shift = op.getIn().getDefiningOp<arith::ShRUIOp>();
    if (tile && tile.getElementType().isInteger(half) && shift && isShiftByHalf(shift.getRhs()) &&
        getElementTypeOrSelf(shift.getType()).isInteger(2 * half) && shift.getLhs().getDefiningOp<arith::MulIOp>())
      found.push_back(op);
  });
  for (arith::TruncIOp op : found) {
    OpBuilder b(op);
    auto product = op.getIn().getDefiningOp<arith::ShRUIOp>().getLhs().getDefiningOp<arith::MulIOp>();
    Value left = narrowOf(product.getLhs(), b), right = narrowOf(product.getRhs(), b);
    if (!left || !right)
      continue;
    if (matchPattern(left, m_Constant()))
      std::swap(left, right);
    SmallVector<arith::MulIOp> lower = lowProducts(op, left, right);
    for (arith::MulIOp product : lower) {
      OpBuilder at(product);
      product.replaceAllUsesWith(
          callLow(at, product, left, product.getLhs() == left ? product.getRhs() : product.getLhs()));
      product.erase();
    }
    op.replaceAllUsesWith(callHigh(b, op, left, right, !lower.empty()));
    // What the product was made of is dead with it, unless something else takes it.
    SmallVector<Operation *> dead{op};
    while (!dead.empty()) {
      Operation *next = dead.pop_back_val();
      if (!next->use_empty())
        continue;
      SmallVector<Value> operands(next->getOperands());
      next->erase();
      for (Value operand : operands)
        if (Operation *def = operand.getDefiningOp(); def && isPure(def) && !llvm::is_contained(dead, def))
          dead.push_back(def);
    }
  }
}

} // namespace heddle
