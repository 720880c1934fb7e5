//===- TransposeProducts.cpp - which operand of a product registers give -----===//
//
// What:      %r = tile.dot %a, %b, %acc  ->  %t = tile.dot (transpose %b), (transpose %a), (transpose %acc); %r is
//            the transpose of %t; what loops carry and compute of the sums is transposed as well, and tile.transpose
//            gives the sums to what stands behind the loops.
// Where:     on the whole program, once products have types that the tensor core has, before sub-tiling, which divides
//            the rows of the products that run. The program stays sequential and executable.
// Why:       the tensor core takes the right operand from shared memory alone, the left one from registers too. A right
//            operand that threads compute (weights of 8 bits, scaled tiles) or turn (32 bits across the contraction)
//            goes back to shared memory, behind a fence and a meeting of the group; as the left one it stays in
//            registers. Products of 4096 cubed with weights of 8 bits run at 1.24 to 1.54 of the speed before,
//            those of tf32 with a right operand stored K x N at 2.0 to 3.2
//            (bench/results/2026-11-29-h200-transposed-products.json).
//            Where the tile has fewer rows than the tensor core computes at a time, the others are computed in vain;
//            columns need no more than 8: 16 and 32 x 128 and 256 ran at 0.98 to 1.41 of their speed (f16).
// Which:     the left operand is a loaded tile that may be a right one as it lies; the right one is made in the
//            product's loop of loaded tiles by element-wise operations, or has 32 bits and lies across the contraction,
//            or there are few rows (16 and 32 x 64 ran at 0.97 to 1.00, and stay); no warp group is lost; and the sums
//            pass, in loops, through element-wise operations and products alone, so that nothing is transposed in a
//            loop. Transposes behind loops cost nothing but the order of stores to shared memory: layouts of registers
//            absorb them.
// Computed:  a right operand that stays one and is computed from tiles that lie along the contraction is computed as
//            they lie, and read turned: threads would exchange its elements otherwise. A product of 128 x 128 with
//            weights of 8-bit floats, of which 64 are contracted, exchanged each element through shared memory between
//            two meetings of its group.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/TransposeProducts.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Target/TargetInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
namespace heddle {
namespace {

RankedTensorType transposed(Type tile) {
  auto type = cast<RankedTensorType>(tile);
  return type.clone({type.getDimSize(1), type.getDimSize(0)});
}

bool isMatrix(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 2;
}

bool isPureElementwise(Operation *op) {
  return op && op->getNumResults() == 1 && isMatrix(op->getResult(0)) && OpTrait::hasElementwiseMappableTraits(op) &&
         isMemoryEffectFree(op);
}

/// Values that are the same for each element, row or column: made again the other way round at no cost.
bool isRepeated(Value value) {
  Operation *def = value.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<tile::BroadcastOp>(def))
    return broadcast.getSource().getType().getRank() == 1;
  DenseElementsAttr elements;
  return isa_and_nonnull<tensor::SplatOp>(def) || (matchPattern(value, m_Constant(&elements)) && elements.isSplat());
}

/// A matrix whose rows (axis 0) or columns (axis 1) are each repeated: packed weights, of which several share a number.
struct Repeated {
  TypedValue<RankedTensorType> source;
  int64_t axis = 0, times = 1;

  static std::optional<Repeated> of(Operation *op) {
    auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op);
    auto broadcast = collapse ? collapse.getSrc().getDefiningOp<tile::BroadcastOp>() : tile::BroadcastOp();
    if (!broadcast || broadcast.getType().getRank() != 3 || !isMatrix(collapse.getResult()))
      return std::nullopt;
    // What is repeated is joined with the dimension that the copies stand behind.
    int64_t axis = collapse.getReassociationIndices()[0].size() == 2 ? 0 : 1;
    if (static_cast<int64_t>(broadcast.getAxis()) != axis + 1)
      return std::nullopt;
    return Repeated{broadcast.getSource(), axis, broadcast.getType().getDimSize(axis + 1)};
  }

  /// `source` with its rows or columns repeated.
  static Value along(OpBuilder &b, Location loc, Value source, int64_t axis, int64_t times) {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + axis + 1, times);
    Value copies = tile::BroadcastOp::create(b, loc, type.clone(shape), source, axis + 1);
    SmallVector<ReassociationIndices> joined{{0}, {1, 2}};
    if (axis == 0)
      joined = {{0, 1}, {2}};
    return tensor::CollapseShapeOp::create(b, loc, copies, joined);
  }
};

/// What makes the tile that `operand` is a part or a transpose of; `crossed`: it is a transpose.
Operation *sourceOf(Value operand, bool &crossed) {
  crossed = false;
  for (; isa_and_nonnull<tile::TransposeOp, tensor::ExtractSliceOp>(operand.getDefiningOp());
       operand = operand.getDefiningOp()->getOperand(0))
    crossed ^= isa<tile::TransposeOp>(operand.getDefiningOp());
  return operand.getDefiningOp();
}
tile::LoadOp loadOf(Value operand, bool &crossed) { return dyn_cast_or_null<tile::LoadOp>(sourceOf(operand, crossed)); }

/// Of which tiles an operand is made, by transposes, element-wise operations and repetitions.
class Computed {
public:
  using Takes = llvm::function_ref<bool(tile::LoadOp, bool)>;

  /// Whether each tile fulfils `takes`, which gets its load and whether the operand is made of its transpose, and there
  /// is at least one. Not `through`: what is transposed but not loaded is taken as it is.
  static bool holds(Value operand, Takes takes, bool through = true) {
    Computed computed(takes, through);
    return computed.visit(operand, false) && computed.tiles;
  }

private:
  Computed(Takes takes, bool through) : takes(takes), through(through) {}
  bool visit(Value value, bool turned) {
    if (!isMatrix(value) || isRepeated(value) || !seen.insert({value, int(turned)}).second)
      return true;
    bool crossed = false;
    if (tile::LoadOp load = loadOf(value, crossed)) {
      ++tiles;
      return takes(load, crossed != turned);
    }
    Operation *def = value.getDefiningOp();
    if (auto transpose = dyn_cast_or_null<tile::TransposeOp>(def))
      return !through || visit(transpose.getSource(), !turned);
    if (std::optional<Repeated> repeated = Repeated::of(def))
      return visit(repeated->source, turned);
    return isPureElementwise(def) && llvm::all_of(def->getOperands(), [&](Value v) { return visit(v, turned); });
  }

  Takes takes;
  bool through;
  llvm::DenseSet<std::pair<Value, int>> seen;
  int64_t tiles = 0;
};

/// Transposes of tiles, each made once, behind what makes the tile.
class Transposes {
public:
  /// The transpose of `tile`, computed from the transposes of what it is computed from as far as that costs nothing.
  Value of(Value tile) {
    if (Value known = made.lookup(tile))
      return known;
    Value result = make(tile);
    made[tile] = result;
    return result;
  }

private:
  Value make(Value tile) {
    Operation *def = tile.getDefiningOp();
    Location loc = tile.getLoc();
    RankedTensorType type = transposed(tile.getType());
    OpBuilder b(tile.getContext());
    b.setInsertionPointAfterValue(tile);
    if (auto transpose = dyn_cast_or_null<tile::TransposeOp>(def))
      return transpose.getSource();
    if (auto splat = dyn_cast_or_null<tensor::SplatOp>(def))
      return tensor::SplatOp::create(b, loc, type, splat.getInput());
    if (auto constant = dyn_cast_or_null<arith::ConstantOp>(def); constant && isRepeated(tile))
      return arith::ConstantOp::create(b, loc, cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type));
    if (auto broadcast = dyn_cast_or_null<tile::BroadcastOp>(def); broadcast && isRepeated(tile))
      return tile::BroadcastOp::create(b, loc, type, broadcast.getSource(), 1 - broadcast.getAxis());
    if (std::optional<Repeated> repeated = Repeated::of(def)) {
      Value source = of(repeated->source);
      b.setInsertionPointAfterValue(tile);
      return Repeated::along(b, loc, source, 1 - repeated->axis, repeated->times);
    }
    if (!isPureElementwise(def))
      return tile::TransposeOp::create(b, loc, type, tile);
    SmallVector<Value> operands;
    for (Value operand : def->getOperands())
      operands.push_back(isMatrix(operand) ? of(operand) : operand);
    return b.create(loc, def->getName().getIdentifier(), operands, {type}, def->getAttrs())->getResult(0);
  }

  DenseMap<Value, Value> made;
};

/// The sums that have to be transposed together: what products add to, and what loops and element-wise operations of
/// their loops make of that.
class Sums {
public:
  explicit Sums(tile::DotOp first) {
    // Operations behind the loops that carry the sums are no part of it, so these loops have to be known.
    do {
      again = false;
      values.clear();
      dots.clear();
      legal = true;
      join(first.getResult());
      for (size_t i = 0; i < values.size() && legal && !again; ++i)
        visit(values[i]);
    } while (again);
    legal = legal && llvm::any_of(dots, needs);
  }

  bool mayTranspose() const { return legal; }
  ArrayRef<tile::DotOp> products() const { return dots.getArrayRef(); }

  void transpose(Transposes &transposes) {
    llvm::SetVector<OpOperand *> inputs; // a variable of a loop has two names
    for (Value value : values)
      for (OpOperand *operand : inputsOf(value))
        if (!values.contains(operand->get()))
          inputs.insert(operand);
    for (OpOperand *operand : inputs)
      operand->set(transposes.of(operand->get()));
    for (Value value : values)
      leave(value);
    for (Value value : values)
      value.setType(transposed(value.getType()));
    for (tile::DotOp dot : dots) {
      Value left = transposes.of(dot.getB()), right = transposes.of(dot.getA());
      dot->setOperand(0, left);
      dot->setOperand(1, right);
    }
  }

private:
  /// Whether `dot` may be computed transposed as far as its operands say.
  static bool suits(tile::DotOp dot) {
    RankedTensorType left = dot.getA().getType(), result = dot.getResult().getType();
    const TargetInterface &target = targetOf(dot);
    std::optional<DotForm> form = target.dotForm(left.getElementType());
    bool crossed = false;
    Operation *source = sourceOf(dot.getA(), crossed);
    auto load = dyn_cast_or_null<tile::LoadOp>(source);
    // Threads copy the rows that they gather to shared memory.
    bool isLoaded = load ? isTmaLoad(load)
                         : isa_and_nonnull<tile::GatherOp>(source) && !crossed && source->getBlock() == dot->getBlock();
    int64_t rows = result.getDimSize(1), columns = result.getDimSize(0);
    bool keepsGroups = rows >= columns || rows >= 2 * target.dotRows();
    if (!form || !form->leftInRegisters || !isLoaded || rows % target.dotRows() || columns % form->columns ||
        !keepsGroups || !target.accumulatesIn(result.getElementType()))
      return false;
    if (crossed && (!form->across || columns % form->columnsAcross))
      return false;
    return Computed::holds(dot.getB(), [&](tile::LoadOp source, bool) { return isTmaLoad(source); });
  }

  /// Whether `dot` gains: its right operand passes through registers, or its rows are fewer than the tensor core
  /// computes at a time, and its columns are several times as many.
  static bool needs(tile::DotOp dot) {
    bool crossed = false;
    RankedTensorType right = dot.getB().getType();
    int64_t least = targetOf(dot).dotRows();
    if (dot.getResult().getType().getDimSize(0) < least && right.getDimSize(1) >= 2 * least)
      return true;
    if (loadOf(dot.getB(), crossed))
      return right.getElementTypeBitWidth() == 32 && !crossed;
    bool inLoop = false;
    Computed::holds(dot.getB(), [&](tile::LoadOp source, bool) {
      inLoop |= source->getBlock() == dot->getBlock();
      return true;
    });
    return inLoop;
  }

  void join(Value value) {
    values.insert(value);
    if (std::optional<VariableRef> variable = variableOf(value))
      again |= scopes.insert(variable->op).second;
    else if (auto dot = value.getDefiningOp<tile::DotOp>(); dot && dots.insert(dot))
      legal = legal && suits(dot);
  }

  void joinNames(VariableRef variable) {
    PassedVariable passed = passedVariables(variable.op)[variable.number];
    for (Value name : passed.names)
      join(name);
  }

  bool isInScope(Operation *op) const {
    return llvm::any_of(scopes, [&](Operation *scope) { return scope->isProperAncestor(op); });
  }

  /// In a loop that runs products of these sums, so that a transpose there would cost in every iteration.
  bool isBesideProducts(Operation *op) const {
    return llvm::any_of(dots, [&](tile::DotOp dot) {
      auto loop = dot->getParentOfType<scf::ForOp>();
      return loop && loop->isAncestor(op);
    });
  }

  bool isMember(Value value) const {
    Operation *def = value.getDefiningOp();
    return variableOf(value) || isa_and_nonnull<tile::DotOp>(def) || (isPureElementwise(def) && isInScope(def));
  }

  /// What `value` is made of, as far as it has to lie like it.
  static SmallVector<OpOperand *> inputsOf(Value value) {
    if (std::optional<VariableRef> variable = variableOf(value))
      return llvm::to_vector<4>(passedVariables(variable->op)[variable->number].given);
    Operation *def = value.getDefiningOp();
    SmallVector<OpOperand *> inputs;
    if (auto dot = dyn_cast<tile::DotOp>(def))
      inputs.push_back(&dot.getAccMutable());
    else
      for (OpOperand &operand : def->getOpOperands())
        if (isMatrix(operand.get()))
          inputs.push_back(&operand);
    return inputs;
  }

  void visit(Value value) {
    if (std::optional<VariableRef> variable = variableOf(value))
      joinNames(*variable);
    for (OpOperand *input : inputsOf(value)) {
      Value given = input->get();
      if (isRepeated(given))
        continue;
      Operation *def = given.getDefiningOp();
      bool outside = def && !isBesideProducts(def);
      if (isMember(given) && !(outside && isa<tile::DotOp>(def) && !suits(cast<tile::DotOp>(def))))
        join(given);
      else
        legal &= outside;
    }
    for (OpOperand &use : value.getUses())
      visitUse(use);
  }

  void visitUse(OpOperand &use) {
    Operation *user = use.getOwner();
    if (std::optional<VariableRef> variable = variableOf(use)) {
      joinNames(*variable);
    } else if (auto dot = dyn_cast<tile::DotOp>(user); dot && &use == &dot.getAccMutable()) {
      join(dot.getResult());
    } else if (isPureElementwise(user) && isInScope(user)) {
      join(user->getResult(0));
    } else if (!isa<tile::TransposeOp>(user)) {
      legal &= !isBesideProducts(user);
    }
  }

  /// Gives what does not belong to the sums the transpose of `value`, which has its old type.
  void leave(Value value) {
    OpBuilder b(value.getContext());
    SmallVector<OpOperand *> uses;
    SmallVector<tile::TransposeOp> turned;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      auto dot = dyn_cast<tile::DotOp>(user);
      bool ofSums = variableOf(use) || (dot && &use == &dot.getAccMutable()) ||
                    (user->getNumResults() == 1 && values.contains(user->getResult(0)) && !dot);
      if (auto transpose = dyn_cast<tile::TransposeOp>(user))
        turned.push_back(transpose);
      else if (!ofSums)
        uses.push_back(&use);
    }
    if (!uses.empty()) {
      b.setInsertionPointAfterValue(value);
      auto back = tile::TransposeOp::create(b, value.getLoc(), cast<RankedTensorType>(value.getType()), value);
      for (OpOperand *use : uses)
        use->set(back);
    }
    for (tile::TransposeOp transpose : turned) {
      transpose.getResult().replaceAllUsesWith(value);
      transpose.erase();
    }
  }

  llvm::SetVector<Value> values;
  llvm::SetVector<tile::DotOp> dots;
  llvm::SmallPtrSet<Operation *, 4> scopes; ///< loops and branches whose variables are sums
  bool legal = true, again = false;
};

SmallVector<tile::DotOp> dotsOf(tile::KernelOp kernel) {
  SmallVector<tile::DotOp> dots;
  kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  return dots;
}

} // namespace

bool hasProductsToTranspose(tile::KernelOp kernel) {
  return llvm::any_of(dotsOf(kernel), [](tile::DotOp dot) { return Sums(dot).mayTranspose(); });
}

void transposeProducts(tile::KernelOp kernel) {
  llvm::DenseSet<Operation *> done;
  Transposes transposes;
  for (tile::DotOp dot : dotsOf(kernel)) {
    if (done.contains(dot))
      continue;
    Sums sums(dot);
    if (!sums.mayTranspose())
      continue;
    for (tile::DotOp product : sums.products())
      done.insert(product);
    sums.transpose(transposes);
  }
  SmallVector<Operation *> ops; // what was computed the other way round
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

void transposeComputedOperands(tile::KernelOp kernel) {
  Transposes transposes;
  for (tile::DotOp dot : dotsOf(kernel)) {
    auto right = cast<TypedValue<RankedTensorType>>(dot.getB());
    bool crossed = false;
    auto liesAlong = [](tile::LoadOp, bool turned) { return turned; };
    if (loadOf(right, crossed) || right.getDefiningOp<tile::TransposeOp>() ||
        !Computed::holds(right, liesAlong, /*through=*/false))
      continue;
    OpBuilder b(dot);
    dot.getBMutable().assign(tile::TransposeOp::create(b, dot.getLoc(), right.getType(), transposes.of(right)));
  }
}

} // namespace heddle
