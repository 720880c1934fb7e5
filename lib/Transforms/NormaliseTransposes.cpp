//===- NormaliseTransposes.cpp - transposes that nothing needs ---------------===//
//
// What:      tile.transpose (tile.transpose %x)         ->  %x
//            tile.reduce (tile.transpose %x) axis a     ->  tile.reduce %x axis 1 - a
//            tile.transpose (tile.dot %a, %b, zero)     ->  tile.dot (transpose %b), (transpose %a), zero
// Where:     first, on the whole program; it stays sequential and executable.
// Why:       what is transposed in registers goes through shared memory, and groups that divide the rows of a product
//            cannot divide the rows of the transposed one. Both made of attention a program without a schedule.
// Which:     products of tiles that no other product makes (those are in registers, and would have to leave them as
//            right operands), that nothing else reads, and that are not only stored: who transposes what is stored has
//            chosen the rows that groups divide (the gradient of queries, of fewer rows than heads have numbers).
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/NormaliseTransposes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace heddle {
namespace {

RankedTensorType transposed(RankedTensorType type) {
  return RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
}

Value transposeOf(OpBuilder &b, Location loc, Value tile) {
  if (auto transpose = tile.getDefiningOp<tile::TransposeOp>())
    return transpose.getSource();
  return tile::TransposeOp::create(b, loc, transposed(cast<RankedTensorType>(tile.getType())), tile);
}

bool isElementwise(Operation *op) { return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1; }

/// Whether `tile`, and what element-wise operations make of it, is stored and read by nothing else.
bool isOnlyStored(Value tile) {
  SetVector<Value> made;
  made.insert(tile);
  for (size_t i = 0; i < made.size(); ++i)
    for (Operation *user : made[i].getUsers())
      if (isElementwise(user))
        made.insert(user->getResult(0));
      else if (!isa<tile::StoreOp>(user))
        return false;
  return true;
}

/// Whether a product makes `tile`, or what it is made of by operations on elements and transposes.
bool isOfProducts(Value tile) {
  SetVector<Value> made;
  made.insert(tile);
  for (size_t i = 0; i < made.size(); ++i) {
    Operation *op = made[i].getDefiningOp();
    if (isa_and_nonnull<tile::DotOp>(op))
      return true;
    if (op && (isa<tile::TransposeOp>(op) || isElementwise(op)))
      made.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// What `transpose` gives, by other operations before it; null: as it is.
Value normalised(tile::TransposeOp transpose) {
  Value source = transpose.getSource();
  if (auto inner = source.getDefiningOp<tile::TransposeOp>())
    return inner.getSource();
  auto dot = source.getDefiningOp<tile::DotOp>();
  DenseElementsAttr start;
  if (!dot || !dot->hasOneUse() || !matchPattern(dot.getAcc(), m_Constant(&start)) || !start.isSplat() ||
      isOfProducts(dot.getA()) || isOfProducts(dot.getB()) || isOnlyStored(transpose.getResult()))
    return {};
  OpBuilder b(dot);
  Location loc = dot.getLoc();
  Value a = transposeOf(b, loc, dot.getB()), c = transposeOf(b, loc, dot.getA());
  Value zero = arith::ConstantOp::create(b, loc, start.resizeSplat(transpose.getType()));
  return tile::DotOp::create(b, transpose.getLoc(), a, c, zero);
}

} // namespace

void normaliseTransposes(tile::KernelOp kernel) {
  SmallVector<tile::TransposeOp> transposes; // in the program's order
  kernel.walk<WalkOrder::PreOrder>([&](tile::TransposeOp transpose) { transposes.push_back(transpose); });
  for (tile::TransposeOp transpose : transposes) {
    Value source = transpose.getSource();
    if (Value value = normalised(transpose))
      transpose.getResult().replaceAllUsesWith(value);
    for (Operation *user : llvm::to_vector(transpose->getUsers()))
      if (auto reduce = dyn_cast<tile::ReduceOp>(user)) {
        reduce.getSourceMutable().assign(source);
        reduce.setAxis(1 - reduce.getAxis());
      }
  }
  for (tile::TransposeOp transpose : llvm::reverse(transposes)) {
    Operation *dot = transpose.getSource().getDefiningOp<tile::DotOp>();
    if (!transpose->use_empty())
      continue;
    transpose->erase();
    if (dot && dot->use_empty())
      dot->erase();
  }
}

} // namespace heddle
