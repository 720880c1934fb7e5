//===- ChoosePointers.cpp - a choice of pointers as one of numbers or tiles ----===//
//
// What:  a pointer that a branch or a choice gives (`p = a + i if c else b + j`, tl.where(c, a, b))
//          - of one argument -> this argument, moved by a chosen number;
//          - else each load of it -> a load of either, under its mask and the condition, and a choice; a store -> two.
// Where: behind branches that are alike, before pointers are followed: an address is one argument and a number.
// Which: branches whose sides compute their pointer without effects, and pointers that are moved and repeated, but not
//        carried by loops. What is left is refused where it is accessed.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace heddle::triton {
namespace {

/// `value`, of a side of `branch`, with what computes it in front of `branch`. False: something has effects, or is
/// given by another branch or loop of the side.
bool hoist(Value value, scf::IfOp branch) {
  Operation *def = value.getDefiningOp();
  if (!branch->isProperAncestor(value.getParentBlock()->getParentOp()) &&
      value.getParentBlock()->getParentOp() != branch.getOperation())
    return true;
  if (!def || def->getNumRegions() || !isPure(def) ||
      !llvm::all_of(def->getOperands(), [&](Value operand) { return hoist(operand, branch); }))
    return false;
  def->moveBefore(branch);
  return true;
}

/// Pointers that branches give become choices.
void chooseFromBranches(FuncOp function) {
  SmallVector<scf::IfOp> branches; // inner ones first
  function.walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches)
    for (OpResult result : branch.getResults()) {
      if (!isPointer(result.getType()) || result.use_empty())
        continue;
      Value taken = branch.thenYield().getOperand(result.getResultNumber());
      Value other = branch.elseYield().getOperand(result.getResultNumber());
      if (!hoist(taken, branch) || !hoist(other, branch))
        continue;
      OpBuilder builder(branch);
      result.replaceAllUsesWith(
          arith::SelectOp::create(builder, branch.getLoc(), branch.getCondition(), taken, other).getResult());
    }
}

/// A pointer, or tile of pointers, as an argument of the kernel and numbers of elements that are added to it.
struct Moved {
  BlockArgument base;                                              ///< null: not known
  SmallVector<std::pair<Value, SmallVector<Operation *>>> amounts; ///< each with the shape operations behind it
};

Moved movedOf(Value pointer) {
  Moved moved;
  SmallVector<Operation *> shapes; // the last one first
  while (Operation *def = pointer.getDefiningOp()) {
    if (isa<AddPtrOp>(def))
      moved.amounts.push_back({def->getOperand(1), shapes});
    else if (isa<SplatOp, BroadcastOp, ExpandDimsOp>(def))
      shapes.push_back(def);
    else
      return {};
    pointer = def->getOperand(0);
  }
  auto argument = cast<BlockArgument>(pointer);
  if (isa<FuncOp>(argument.getOwner()->getParentOp()))
    moved.base = argument;
  return moved;
}

/// `value` under the operations that repeat a pointer.
Value shaped(OpBuilder &builder, Value value, ArrayRef<Operation *> shapes) {
  for (Operation *shape : llvm::reverse(shapes)) {
    auto tile = cast<RankedTensorType>(shape->getResult(0).getType());
    IRMapping map;
    map.map(shape->getOperand(0), value);
    Operation *made = builder.clone(*shape, map);
    made->getResult(0).setType(tile.clone(getElementTypeOrSelf(value.getType())));
    value = made->getResult(0);
  }
  return value;
}

/// The sum of all that is added, in `bits`, of the shape of `like`.
Value amountOf(OpBuilder &builder, const Moved &moved, Type like, unsigned bits, Location loc) {
  Type number = builder.getIntegerType(bits);
  auto tile = dyn_cast<RankedTensorType>(like);
  Type type = tile ? Type(tile.clone(number)) : number;
  Value sum;
  for (const auto &[amount, shapes] : moved.amounts) {
    Value value = shaped(builder, amount, shapes);
    if (getElementTypeOrSelf(value.getType()) != number)
      value = arith::ExtSIOp::create(builder, loc, type, value);
    sum = sum ? arith::AddIOp::create(builder, loc, sum, value).getResult() : value;
  }
  return sum ? sum : arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(type))).getResult();
}

/// A choice between two addresses of one argument.
bool chooseNumber(arith::SelectOp select) {
  Moved taken = movedOf(select.getTrueValue()), other = movedOf(select.getFalseValue());
  if (!taken.base || taken.base != other.base)
    return false;
  unsigned bits = 32;
  for (const Moved &moved : {taken, other})
    for (const auto &[amount, shapes] : moved.amounts)
      bits = std::max(bits, getElementTypeOrSelf(amount.getType()).getIntOrFloatBitWidth());
  OpBuilder builder(select);
  Location loc = select.getLoc();
  Type type = select.getType();
  Value chosen = arith::SelectOp::create(builder, loc, select.getCondition(), amountOf(builder, taken, type, bits, loc),
                                         amountOf(builder, other, type, bits, loc));
  Value base = taken.base;
  if (auto tile = dyn_cast<RankedTensorType>(type))
    base = SplatOp::create(builder, loc, tile.clone(base.getType()), base);
  select.replaceAllUsesWith(AddPtrOp::create(builder, loc, type, base, chosen).getResult());
  select.erase();
  return true;
}

/// The accesses of a chosen pointer, once for each pointer that may be chosen.
class Accesses {
public:
  explicit Accesses(arith::SelectOp select) : select(select) {}

  bool run() {
    if (!follow(select.getResult()))
      return false;
    for (Operation *access : accesses)
      divide(access);
    for (Operation *op : llvm::reverse(moves))
      op->erase();
    select.erase();
    return true;
  }

private:
  /// Notes what moves and repeats `pointer`, and what accesses it.
  bool follow(Value pointer) {
    for (OpOperand &use : pointer.getUses()) {
      Operation *user = use.getOwner();
      if (isa<LoadOp>(user) || (isa<StoreOp>(user) && use.getOperandNumber() == 0)) {
        accesses.push_back(user);
      } else if (isa<AddPtrOp, SplatOp, BroadcastOp, ExpandDimsOp>(user)) {
        moves.push_back(user);
        if (!follow(user->getResult(0)))
          return false;
      } else {
        return false;
      }
    }
    return true;
  }

  /// `pointer` where `chosen` is taken, and the condition of its shape.
  std::pair<Value, Value> versionOf(OpBuilder &builder, Value pointer, Value chosen) {
    if (pointer == select.getResult())
      return {chosen, select.getCondition()};
    Operation *def = pointer.getDefiningOp();
    auto [from, condition] = versionOf(builder, def->getOperand(0), chosen);
    IRMapping map;
    map.map(def->getOperand(0), from);
    Value made = builder.clone(*def, map)->getResult(0);
    if (!isa<AddPtrOp>(def) && (isa<SplatOp>(def) || isa<RankedTensorType>(condition.getType())))
      condition = shaped(builder, condition, {def});
    return {made, condition};
  }

  void divide(Operation *access) {
    OpBuilder builder(access);
    Location loc = access->getLoc();
    bool isLoad = isa<LoadOp>(access);
    Value pointer = access->getOperand(0),
          mask = isLoad ? cast<LoadOp>(access).getMask() : cast<StoreOp>(access).getMask();
    SmallVector<Value> results;
    Value condition;
    for (bool isTaken : {true, false}) {
      auto [version, holds] = versionOf(builder, pointer, isTaken ? select.getTrueValue() : select.getFalseValue());
      auto tile = dyn_cast<RankedTensorType>(pointer.getType());
      Type truths = tile ? Type(tile.clone(builder.getI1Type())) : builder.getI1Type();
      if (holds.getType() != truths)
        holds = SplatOp::create(builder, loc, truths, holds);
      condition = condition ? condition : holds;
      if (!isTaken) {
        Value all = arith::ConstantOp::create(builder, loc,
                                              tile ? TypedAttr(DenseElementsAttr::get(cast<ShapedType>(truths), true))
                                                   : TypedAttr(builder.getBoolAttr(true)));
        holds = arith::XOrIOp::create(builder, loc, holds, all);
      }
      if (mask)
        holds = arith::AndIOp::create(builder, loc, mask, holds);
      Operation *made = builder.clone(*access);
      made->setOperand(0, version);
      if (isLoad)
        cast<LoadOp>(made).getMaskMutable().assign(holds);
      else
        cast<StoreOp>(made).getMaskMutable().assign(holds);
      llvm::append_range(results, made->getResults());
    }
    if (isLoad)
      access->getResult(0).replaceAllUsesWith(
          arith::SelectOp::create(builder, loc, condition, results[0], results[1]).getResult());
    access->erase();
  }

  arith::SelectOp select;
  SmallVector<Operation *> accesses, moves;
};

} // namespace

void choosePointers(FuncOp function) {
  chooseFromBranches(function);
  SmallVector<arith::SelectOp> choices;
  function.walk([&](arith::SelectOp select) {
    if (isPointer(select.getType()))
      choices.push_back(select);
  });
  SmallVector<arith::SelectOp> left;
  for (arith::SelectOp choice : choices) // those that others choose from first
    if (!chooseNumber(choice))
      left.push_back(choice);
  for (arith::SelectOp choice : llvm::reverse(left))
    Accesses(choice).run();
}

} // namespace heddle::triton
