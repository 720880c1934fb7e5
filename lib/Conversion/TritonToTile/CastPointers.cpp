//===- CastPointers.cpp - one element type for what an argument points to -----===//
//
// What:   tt.bitcast between pointers of equal size -> nothing. The argument, and what is computed from it, point to
//         one type; a load of another type is a load of this one and tt.bitcast of the tile, a store the reverse.
// Where:  before pointers are followed: a view has one element type.
// Why:    caches of keys and values in 8-bit floats are passed as bytes (`cache.to(tl.pointer_type(tl.float8e4nv))`, or
//         `tl.load(cache).to(tl.float8e4nv, bitcast=True)`).
// Which:  the type that all accesses ask for, so that no tile is cast and the copy engine brings operands of products;
//         where they differ, the argument's own.
// Sizes:  elements of another size than the argument's own (pairs of f16 as i32), where all accesses have that size and
//         pointers move behind the cast alone, so that distances count such elements.
// Left:   as they were, what pointers of several arguments are chosen from, truth values, and descriptors.
//
//===----------------------------------------------------------------------===//
#include "Steps.h"

#include "heddle/Dialect/Tile/ControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace heddle::triton {
namespace {

/// `type`, a pointer or a tile of pointers or of elements, with pointers to (or elements of) `element`.
Type withElement(Type type, Type element) {
  Type one = getElementTypeOrSelf(type);
  if (auto pointer = dyn_cast<PointerType>(one))
    one = PointerType::get(pointer.getContext(), element, pointer.getAddressSpace());
  else
    one = element;
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? Type(tile.clone(one)) : one;
}

/// All that an argument's pointer becomes.
class Pointers {
public:
  explicit Pointers(BlockArgument argument) { add(argument); }

  /// Fills `values`, `casts` and `accesses`. False: something here cannot be followed.
  bool follow() {
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses())
        if (!followUse(use))
          return false;
    // What is chosen among pointers, or carried, has to come from this argument alone.
    return llvm::all_of(values,
                        [&](Value value) {
                          Operation *def = value.getDefiningOp();
                          return !def || def->getNumRegions() || llvm::all_of(def->getOperands(), [&](Value operand) {
                            return !pointeeOf(operand.getType()) || known.contains(operand);
                          });
                        }) &&
           llvm::all_of(joins, [&](const auto &join) { return known.contains(join); });
  }

  /// Whether all accesses, and all pointers that are moved, have elements of one size.
  bool areOfOneSizeBehindCasts() const {
    auto bits = [](Value pointer) -> unsigned {
      Type pointee = pointeeOf(pointer.getType());
      return pointee.isIntOrFloat() && !pointee.isInteger(1) ? pointee.getIntOrFloatBitWidth() : 0;
    };
    unsigned size = bits(accesses.front()->getOperand(0));
    return size && llvm::all_of(accesses, [&](Operation *access) { return bits(access->getOperand(0)) == size; }) &&
           llvm::all_of(values, [&](Value value) { return !value.getDefiningOp<AddPtrOp>() || bits(value) == size; });
  }

  SmallVector<Value> values;
  SmallVector<BitcastOp> casts;
  SmallVector<Operation *> accesses;

private:
  void add(Value value) {
    if (known.insert(value).second)
      values.push_back(value);
  }

  bool followUse(OpOperand &use) {
    Operation *op = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (isa<LoadOp>(op) || (isa<StoreOp, AtomicRMWOp>(op) && number == 0)) {
      accesses.push_back(op);
      return true;
    }
    if (isa<PtrToIntOp>(op))
      return true;
    if (auto cast = dyn_cast<BitcastOp>(op)) {
      casts.push_back(cast);
      add(cast.getResult());
      return true;
    }
    if (isa<AddPtrOp, SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransOp, arith::SelectOp>(op)) {
      add(op->getResult(0));
      return true;
    }
    std::optional<VariableRef> variable = variableOf(use);
    if (!variable)
      return false;
    PassedVariable passed = passedVariables(variable->op)[variable->number];
    for (Value name : passed.names)
      add(name);
    for (OpOperand *given : passed.given)
      joins.push_back(given->get());
    return true;
  }

  llvm::DenseSet<Value> known;
  SmallVector<Value> joins; ///< what loops and branches make of them
};

/// The type that `access` has its elements in: of a load, that which all its users cast the tile to; of a store, that
/// which the tile was cast from.
Type typeOfUse(Operation *access) {
  Type type = pointeeOf(access->getOperand(0).getType());
  if (isa<StoreOp>(access))
    if (auto bits = access->getOperand(1).getDefiningOp<BitcastOp>())
      return getElementTypeOrSelf(bits.getSrc().getType());
  auto load = dyn_cast<LoadOp>(access);
  if (!load || load->use_empty())
    return type;
  Type cast;
  for (Operation *user : load->getUsers()) {
    auto bits = dyn_cast<BitcastOp>(user);
    Type made = bits ? getElementTypeOrSelf(bits.getType()) : Type();
    if (!made || made.isInteger(1) || (cast && made != cast))
      return type;
    cast = made;
  }
  return cast;
}

/// `access` of elements of `element` in place of another type of their size.
void retype(Operation *access, Type element) {
  OpBuilder builder(access);
  auto castOperand = [&](unsigned number) {
    Value value = access->getOperand(number);
    Type type = withElement(value.getType(), element);
    if (auto cast = value.getDefiningOp<BitcastOp>(); cast && cast.getSrc().getType() == type)
      return access->setOperand(number, cast.getSrc());
    bool zero = matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
    access->setOperand(
        number, zero ? arith::ConstantOp::create(builder, access->getLoc(), builder.getZeroAttr(type)).getResult()
                     : BitcastOp::create(builder, access->getLoc(), type, value).getResult());
  };
  auto load = dyn_cast<LoadOp>(access);
  if (!load) {
    if (getElementTypeOrSelf(access->getOperand(1).getType()) != element)
      castOperand(1);
    return;
  }
  Type before = load.getType();
  if (getElementTypeOrSelf(before) == element)
    return;
  if (load.getOther())
    castOperand(static_cast<unsigned>(load->getNumOperands() - 1));
  load.getResult().setType(withElement(before, element));
  builder.setInsertionPointAfter(load);
  auto back = BitcastOp::create(builder, load.getLoc(), before, load.getResult());
  load.getResult().replaceAllUsesExcept(back.getResult(), back);
  for (Operation *user : llvm::make_early_inc_range(back->getUsers()))
    if (isa<BitcastOp>(user) && user->getResult(0).getType() == load.getType()) {
      user->replaceAllUsesWith(load);
      user->erase();
    }
  if (back->use_empty())
    back.erase();
}

void castPointer(FuncOp function, BlockArgument argument) {
  Type own = pointeeOf(argument.getType());
  if (!own || !own.isIntOrFloat() || own.isInteger(1))
    return;
  Pointers pointers(argument);
  if (!pointers.follow() || pointers.accesses.empty())
    return;
  bool isOneSize = llvm::all_of(pointers.values, [&](Value value) {
    Type pointee = pointeeOf(value.getType());
    return pointee.isIntOrFloat() && pointee.getIntOrFloatBitWidth() == own.getIntOrFloatBitWidth();
  });
  if (!isOneSize && !pointers.areOfOneSizeBehindCasts())
    return;
  if (!isOneSize)
    own = pointeeOf(pointers.accesses.front()->getOperand(0).getType());
  Type element = typeOfUse(pointers.accesses.front());
  if (llvm::any_of(pointers.accesses, [&](Operation *access) { return typeOfUse(access) != element; }))
    element = own;
  bool addsOthers = llvm::any_of(pointers.accesses, [&](Operation *access) {
    return isa<AtomicRMWOp>(access) && pointeeOf(access->getOperand(0).getType()) != element;
  });
  if (addsOthers || (element == own && pointers.casts.empty()))
    return;
  for (Value value : pointers.values)
    value.setType(withElement(value.getType(), element));
  for (BitcastOp cast : pointers.casts) {
    cast.replaceAllUsesWith(cast.getSrc());
    cast.erase();
  }
  for (Operation *access : pointers.accesses)
    retype(access, element);
  function.setFunctionType(FunctionType::get(function.getContext(), function.getBody().front().getArgumentTypes(),
                                             function.getFunctionType().getResults()));
}

} // namespace

void castPointers(FuncOp function) {
  for (BlockArgument argument : function.getBody().front().getArguments())
    castPointer(function, argument);
}

} // namespace heddle::triton
