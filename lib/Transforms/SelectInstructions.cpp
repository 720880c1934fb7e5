//===- SelectInstructions.cpp - tile operations to what a warp group issues ===//
//
// What:      see the header. The loop nest, loads and stores stay as they are; only operations on tiles change.
// Where:     after Subtile (values belong to groups), before extraction (the nodes of the problem are these
//            operations).
// Staging:   a tile computed in registers that is needed transposed, or as a right operand, goes through shared memory
//            of its group (warp.stage); the dot then reads it there, transposed if need be. So does a right operand of
//            32 or 8 bits that does not lie along the contraction: it is read transposed and staged in that order, by
//            each of several groups a part along the contraction for all of them. A left one of 32 bits is read
//            transposed to the registers from which products take it.
//            A left operand that is computed outside the dot's loop is staged as well where that is asked for: its
//            registers would be taken throughout the loop.
//            What threads load in a scheduled loop and only a stage reads they copy there, where they can (cp.async).
// Sums:      a dot adds into its accumulator's registers where nothing else needs them; else it starts from zero and an
//            addition follows.
// Verifies:  every dot has a form on its target (Target/TargetInterface.h); right operands come from shared memory.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/SelectInstructions.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/Partition.h"
#include "heddle/Analysis/VerifyInstructions.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Tile/ViewUses.h"
#include "heddle/Dialect/Warp/Accumulators.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Target/TargetInterface.h"
#include "heddle/Transforms/Subtile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
namespace heddle {
namespace {

warp::SmemType smemLike(RankedTensorType tile) {
  return warp::SmemType::get(tile.getContext(), tile.getShape(), tile.getElementType());
}

class Selector {
public:
  explicit Selector(tile::KernelOp kernel, bool stageOuter, bool threadCopies)
      : kernel(kernel), stageOuter(stageOuter), threadCopies(threadCopies) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(visit(op)))
        return failure();
    for (Operation *op : llvm::reverse(dead))
      if (op->use_empty())
        op->erase();
    for (auto &[key, staged] : stages)
      if (auto stage = staged.getDefiningOp<warp::StageOp>(); mayBeCopied(stage)) {
        choices.threadCopies = true;
        if (threadCopies)
          stage.getValue().getDefiningOp()->setAttr(copiedByThreadsAttr, UnitAttr::get(kernel.getContext()));
      }
    warp::dropZeroAccumulators(kernel);
    return success();
  }

  SelectionChoices choices;

private:
  static void copyGroup(Operation *from, Operation *to) {
    if (Attribute g = from->getAttr(groupAttr))
      to->setAttr(groupAttr, g);
  }
  /// `to` is what `from` becomes: what is decided about it stays.
  void copyDecisions(Operation *from, Operation *to) {
    copyGroup(from, to);
    if (Attribute plan = from->getAttr(planAttr))
      to->setAttr(planAttr, plan);
  }

  LogicalResult visit(Operation *op) {
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      if (isTmaLoad(load)) {
        auto storage = warp::LoadedOp::create(b, op->getLoc(), smemLike(load.getResult().getType()), load.getResult());
        smem[load.getResult()] = storage.getResult();
      }
      return success();
    }
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      if (Value source = sharedSource(slice)) {
        auto view = warp::SliceOp::create(b, op->getLoc(), smemLike(slice.getType()), source, slice.getStaticOffsets());
        return replace(op, slice.getResult(), view);
      }
    if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
      Value source = smem.lookup(transpose.getSource());
      RankedTensorType tile = transpose.getSource().getType();
      bool byDot = isReadByDot(transpose.getResult());
      bool readsBytes = tile.getElementTypeBitWidth() < 16 && !makesLeftOperands(transpose);
      if (!byDot && (!source || readsBytes)) { // an exchange between threads
        if (source)
          op->setOperand(0, readToRegisters(op, transpose.getSource(), op->getAttr(groupAttr)));
        return success();
      }
      if (!source)
        source = stage(op, transpose.getSource());
      auto view = warp::TransposeOp::create(b, op->getLoc(), smemLike(transpose.getResult().getType()), source);
      return replace(op, transpose.getResult(), view);
    }
    if (auto dot = dyn_cast<tile::DotOp>(op))
      return visitDot(b, dot);
    if (isControlFlow(op) || !op->getNumRegions())
      for (OpOperand &use : op->getOpOperands())
        if (smem.count(use.get()))
          use.set(readToRegisters(op, use.get(), groupOf(use)));
    return success();
  }

  /// The group that needs `use` in registers: the user's, or that of the variable it gives a value to.
  static Attribute groupOf(OpOperand &use) {
    Operation *user = use.getOwner();
    std::optional<VariableRef> variable = variableOf(use);
    auto owners = variable ? variable->op->getAttrOfType<DenseI64ArrayAttr>(argGroupsAttr) : DenseI64ArrayAttr();
    if (!owners)
      return user->getAttr(groupAttr);
    return Builder(user->getContext()).getI64IntegerAttr(owners[variable->number]);
  }

  /// Whether element-wise operations and repetitions alone read `op`, and make left operands: each thread reads its
  /// elements of these where they are, by bytes as well (weights of 8 bits stored K x N, products of 4096 cubed: 1.05
  /// to 1.39 times as fast as with what threads exchange, but 0.96 with 256 x 128;
  /// bench/results/2026-11-29-h200-transposed-products.json).
  static bool makesLeftOperands(Operation *op) {
    return op->getNumResults() == 1 && !op->use_empty() && llvm::all_of(op->getUses(), [](OpOperand &use) {
             Operation *user = use.getOwner();
             if (auto dot = dyn_cast<tile::DotOp>(user))
               return use.get() == dot.getA();
             bool keepsThreads =
                 OpTrait::hasElementwiseMappableTraits(user) || isa<tile::BroadcastOp, tensor::CollapseShapeOp>(user);
             return keepsThreads && makesLeftOperands(user);
           });
  }

  LogicalResult replace(Operation *op, Value tile, Operation *view) {
    copyDecisions(op, view);
    smem[tile] = view->getResult(0);
    dead.push_back(op);
    return success();
  }

  /// The register copy of shared-memory tile `tile` for `user`; one read per tile, group and block.
  Value readToRegisters(Operation *user, Value tile, Attribute group) {
    Value source = smem.lookup(tile);
    Value &read = reads[{source, {group, user->getBlock()}}];
    if (read)
      return read;
    OpBuilder b(user);
    auto op = warp::ReadOp::create(b, user->getLoc(), cast<RankedTensorType>(tile.getType()), source);
    if (group)
      op->setAttr(groupAttr, group);
    return read = op.getResult();
  }

  /// The compute group that has register tile `tile`: its operation's, or the owner of the variable that it is.
  static Attribute ownerOf(Value tile) {
    if (Operation *def = tile.getDefiningOp(); def && !isBranchOrLoop(def))
      return def->getAttr(groupAttr);
    std::optional<VariableRef> variable = variableOf(tile);
    auto owners = variable ? variable->op->getAttrOfType<DenseI64ArrayAttr>(argGroupsAttr) : DenseI64ArrayAttr();
    return owners ? Builder(tile.getContext()).getI64IntegerAttr(owners[variable->number]) : Attribute();
  }
  static bool isOfAnotherGroup(Operation *user, Value tile) {
    Attribute owner = ownerOf(tile), group = user->getAttr(groupAttr);
    return owner && group && owner != group;
  }

  static bool isComputedOutsideItsLoop(Value tile, tile::DotOp dot) {
    Operation *def = tile.getDefiningOp();
    auto loop = dot->getParentOfType<scf::ForOp>();
    return def && loop && !loop->isProperAncestor(def);
  }

  /// Whether threads load `tile` for a product of the same loop: as an operand in registers each would load words of 4
  /// bytes, to shared memory they copy 16 bytes each.
  static bool isLoadedInItsLoop(Value tile, tile::DotOp dot) {
    Operation *def = tile.getDefiningOp();
    return isa_and_nonnull<tile::GatherOp, tile::LoadOp>(def) && isa<scf::ForOp>(dot->getParentOp()) &&
           def->getBlock() == dot->getBlock();
  }

  /// Whether threads can copy what `stage` puts to shared memory, without registers and without waiting for it: rows in
  /// pieces of 16 bytes, in a scheduled loop, of memory that the kernel does not write.
  static bool mayBeCopied(warp::StageOp stage) {
    Operation *def = stage.getValue().getDefiningOp();
    if (!isa_and_nonnull<tile::GatherOp, tile::LoadOp>(def) || !stage.getValue().hasOneUse() ||
        def->hasAttr(inOrderAttr) || def->getBlock() != stage->getBlock())
      return false;
    auto loop = dyn_cast<scf::ForOp>(def->getParentOp());
    auto view = cast<TypedValue<tile::ViewType>>(def->getOperand(0));
    auto tile = cast<RankedTensorType>(stage.getValue().getType());
    auto gather = dyn_cast<tile::GatherOp>(def);
    SmallVector<int64_t> dims = gather ? gather.getTileDims() : cast<tile::LoadOp>(def).getTileDims();
    int64_t columns = view.getType().getShape().back(), bytes = tile.getElementTypeBitWidth() / 8;
    const TargetInterface &target = targetOf(stage);
    return loop && isScheduledLoop(loop) && target.hasBox(tile) && dims.back() == view.getType().getRank() - 1 &&
           (ShapedType::isDynamic(columns) || columns * bytes % target.boxAlignment() == 0) &&
           llvm::none_of(tile::accessesOf(view), llvm::IsaPred<tile::StoreOp>);
  }

  /// Shared memory that `slice` is a part of; a register tile of another group goes there.
  Value sharedSource(tensor::ExtractSliceOp slice) {
    Value source = smem.lookup(slice.getSource());
    return !source && isOfAnotherGroup(slice, slice.getSource()) ? stage(slice, slice.getSource()) : source;
  }

  /// Register tile `tile` in shared memory, written by the group that has it; one write per tile and block.
  Value stage(Operation *user, Value tile) {
    Attribute group = ownerOf(tile) ? ownerOf(tile) : user->getAttr(groupAttr);
    Value &staged = stages[{tile, {group, user->getBlock()}}];
    if (staged)
      return staged;
    OpBuilder b(user);
    if (Operation *def = tile.getDefiningOp())
      b.setInsertionPointAfter(def);
    auto op = warp::StageOp::create(b, user->getLoc(), smemLike(cast<RankedTensorType>(tile.getType())), tile);
    if (group)
      op->setAttr(groupAttr, group);
    return staged = op.getResult();
  }

  /// The tensor core reads shared memory in rows of a certain size, as they were loaded or staged.
  static LogicalResult checkRows(tile::DotOp dot, Value operand, int64_t rowBytes) {
    while (isa_and_nonnull<warp::SliceOp, warp::TransposeOp>(operand.getDefiningOp()))
      operand = operand.getDefiningOp()->getOperand(0);
    auto storage = cast<warp::SmemType>(operand.getType());
    int64_t bytes = storage.getShape().back() * storage.getElementType().getIntOrFloatBitWidth() / 8;
    if (bytes % rowBytes)
      return dot.emitOpError("expected an operand whose rows in memory are a multiple of ")
             << rowBytes << " bytes, got " << bytes;
    return success();
  }

  /// `operand` is the transpose of how it lies in shared memory.
  static bool isTransposed(Value operand) {
    bool transposed = false;
    for (; isa_and_nonnull<warp::SliceOp, warp::TransposeOp>(operand.getDefiningOp());
         operand = operand.getDefiningOp()->getOperand(0))
      transposed ^= isa<warp::TransposeOp>(operand.getDefiningOp());
    return transposed;
  }

  /// Whether threads read a left operand, which lies across the contraction, to where products take it from. (Of 8 bits
  /// they would read the elements one by one.)
  static bool readsLeftTurned(tile::DotOp dot, const DotForm &form) {
    return form.leftInRegisters && dot.getA().getType().getElementTypeBitWidth() == 32;
  }
  /// `operand` of shared memory in registers.
  Value readToRegisters(tile::DotOp dot, Value operand) {
    OpBuilder b(dot);
    auto type = cast<warp::SmemType>(operand.getType());
    auto tile = RankedTensorType::get(type.getShape(), type.getElementType());
    auto read = warp::ReadOp::create(b, dot.getLoc(), tile, operand);
    copyGroup(dot, read);
    return read;
  }

  /// `storage` with its dimensions exchanged, for the group of `dot`.
  static Value transposedView(tile::DotOp dot, Value storage) {
    OpBuilder b(dot);
    auto type = cast<warp::SmemType>(storage.getType());
    auto turn = RankedTensorType::get({type.getShape()[1], type.getShape()[0]}, type.getElementType());
    auto view = warp::TransposeOp::create(b, dot.getLoc(), smemLike(turn), storage);
    copyGroup(dot, view);
    return view;
  }

  /// `operand` as memory that is contiguous along the contraction: rows of the left operand, columns of the right one.
  Value turned(tile::DotOp dot, Value operand, bool isRight) {
    OpBuilder b(dot);
    Value source = isRight ? transposedView(dot, operand) : operand;
    Value read = readToRegisters(dot, source);
    auto staged = warp::StageOp::create(b, dot.getLoc(), smemLike(cast<RankedTensorType>(read.getType())), read);
    copyGroup(dot, staged);
    return isRight ? transposedView(dot, staged) : staged.getResult();
  }

  /// The groups whose products of `dot`'s block have its right operand; none where several of one group have it.
  static SmallVector<Attribute> groupsOfRight(tile::DotOp dot) {
    SmallVector<Attribute> groups;
    for (OpOperand &use : dot.getB().getUses()) {
      if (isa<warp::LoadedOp>(use.getOwner()))
        continue;
      auto other = dyn_cast<tile::DotOp>(use.getOwner());
      Attribute group = other ? other->getAttr(groupAttr) : Attribute();
      if (!group || other.getB() != dot.getB() || other->getBlock() != dot->getBlock() ||
          llvm::is_contained(groups, group))
        return {};
      groups.push_back(group);
    }
    llvm::sort(groups,
               [](Attribute a, Attribute b) { return cast<IntegerAttr>(a).getInt() < cast<IntegerAttr>(b).getInt(); });
    return groups;
  }

  /// The right operand `operand` of `dot` in parts along the contraction, each turned and staged by one of the groups
  /// that multiply by it, for all of them. Empty: each group turns it all for itself.
  ArrayRef<Value> turnedByGroups(tile::DotOp dot, Value operand, const DotForm &form) {
    auto [it, isNew] = partsOfRight.try_emplace({operand, dot->getBlock()});
    if (!isNew)
      return it->second;
    SmallVector<Attribute> groups = groupsOfRight(dot);
    auto type = cast<warp::SmemType>(operand.getType());
    auto parts = static_cast<int64_t>(groups.size());
    int64_t depth = type.getShape()[0], columns = type.getShape()[1], count = depth / std::max<int64_t>(parts, 1);
    int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
    // Of a left operand in registers a thread holds parts of powers of two; with several products for a part, 8-bit
    // attention with 192 keys ran at 0.87 to 0.92 (bench/results/2026-11-29-h200-operands-turned-once.json).
    if (parts < 2 || count * parts != depth || !llvm::isPowerOf2_64(count) || count % form.contraction ||
        count * bytes % form.rowBytes)
      return {};
    OpBuilder b(dot);
    for (auto [number, group] : llvm::enumerate(groups)) {
      auto tagged = [&, group = group](Operation *op) {
        op->setAttr(groupAttr, group);
        return op->getResult(0);
      };
      auto across = RankedTensorType::get({count, columns}, type.getElementType());
      auto turn = RankedTensorType::get({columns, count}, type.getElementType());
      SmallVector<int64_t> corner{static_cast<int64_t>(number) * count, 0};
      Value slice = tagged(warp::SliceOp::create(b, dot.getLoc(), smemLike(across), operand, corner));
      Value view = tagged(warp::TransposeOp::create(b, dot.getLoc(), smemLike(turn), slice));
      Value read = tagged(warp::ReadOp::create(b, dot.getLoc(), turn, view));
      it->second.push_back(tagged(warp::StageOp::create(b, dot.getLoc(), smemLike(turn), read)));
    }
    return it->second;
  }

  /// Columns of the left operand from `first` on, of shared memory or registers.
  static Value columnsOf(tile::DotOp dot, Value left, int64_t first, int64_t count) {
    OpBuilder b(dot);
    Operation *part = nullptr;
    if (auto storage = dyn_cast<warp::SmemType>(left.getType())) {
      auto type = RankedTensorType::get({storage.getShape()[0], count}, storage.getElementType());
      part = warp::SliceOp::create(b, dot.getLoc(), smemLike(type), left, ArrayRef<int64_t>{0, first});
    } else {
      auto tile = cast<RankedTensorType>(left.getType());
      auto type = RankedTensorType::get({tile.getDimSize(0), count}, tile.getElementType());
      SmallVector<OpFoldResult> offsets{b.getIndexAttr(0), b.getIndexAttr(first)}, steps(2, b.getIndexAttr(1)),
          sizes{b.getIndexAttr(tile.getDimSize(0)), b.getIndexAttr(count)};
      part = tensor::ExtractSliceOp::create(b, dot.getLoc(), type, left, offsets, sizes, steps);
    }
    copyGroup(dot, part);
    return part->getResult(0);
  }

  /// The tensor core adds into its accumulator's registers. A value that something else needs as well is added behind
  /// the dot instead; so is one of an outer block, which the next iteration needs again.
  static bool canWriteInto(Value acc, tile::DotOp dot) {
    Operation *def = acc.getDefiningOp();
    return (def && isFree(def)) || (acc.hasOneUse() && acc.getParentBlock() == dot->getBlock());
  }

  /// Two of these leave a thread of a warp group no register for anything else.
  static bool fillsHalfOfRegisters(RankedTensorType acc) {
    constexpr int64_t half = (WarpLimits().maxRegsPerThread + 1) / 2;
    return acc.getElementType().isF32() && acc.getNumElements() >= threadsPerGroup * half;
  }

  /// `acc` again, which the dot may add into: its other readers come first then, and share its registers with it.
  Value copied(OpBuilder &b, tile::DotOp dot, Value acc) {
    auto type = cast<RankedTensorType>(acc.getType());
    Attribute one = b.getFloatAttr(type.getElementType(), 1.0);
    Value ones = arith::ConstantOp::create(b, dot.getLoc(), DenseElementsAttr::get(type, one));
    Value copy = arith::MulFOp::create(b, dot.getLoc(), acc, ones);
    copyGroup(dot, copy.getDefiningOp());
    return copy;
  }

  LogicalResult visitDot(OpBuilder &b, tile::DotOp dot) {
    Type element = dot.getA().getType().getElementType();
    RankedTensorType result = dot.getResult().getType();
    if (failed(verifyDotForm(dot, element, result, dot.getA().getType().getDimSize(1))))
      return failure();
    DotForm form = *targetOf(dot).dotForm(element);
    Value right = smem.lookup(dot.getB());
    if (!right)
      right = stage(dot, dot.getB());
    Value left = smem.lookup(dot.getA());
    // A computed tile of 32 bits lies otherwise than an operand of them: lanes would exchange its elements.
    bool fits = form.leftInRegisters && element.getIntOrFloatBitWidth() < 32;
    if (!left && (!fits || isOfAnotherGroup(dot, dot.getA()) || isLoadedInItsLoop(dot.getA(), dot)))
      left = stage(dot, dot.getA());
    if (!left && isComputedOutsideItsLoop(dot.getA(), dot)) {
      choices.outerOperands = true;
      if (stageOuter)
        left = stage(dot, dot.getA());
    }
    SmallVector<Value> rights; // along the contraction
    if (!form.across && !isTransposed(right)) {
      for (Value part : turnedByGroups(dot, right, form))
        rights.push_back(transposedView(dot, part));
      if (rights.empty())
        right = turned(dot, right, /*isRight=*/true);
    }
    if (rights.empty())
      rights.push_back(right);
    bool readsLeft = false; // into registers
    if (!form.across && left && isTransposed(left)) {
      readsLeft = readsLeftTurned(dot, form);
      if (!readsLeft)
        left = turned(dot, left, /*isRight=*/false);
    }
    if (failed(checkRows(dot, rights.front(), form.rowBytes)) ||
        (left && !readsLeft && failed(checkRows(dot, left, form.rowBytes))))
      return failure();
    Value acc = dot.getAcc();
    if (smem.count(acc))
      acc = readToRegisters(dot, acc, dot->getAttr(groupAttr));
    bool inPlace = canWriteInto(acc, dot);
    if (!inPlace && acc.getParentBlock() == dot->getBlock() && fillsHalfOfRegisters(result)) {
      acc = copied(b, dot, acc);
      inPlace = true;
    }
    Value a = left ? left : Value(dot.getA()), sum = inPlace ? acc : Value();
    int64_t depth = dot.getA().getType().getDimSize(1) / static_cast<int64_t>(rights.size());
    for (auto [number, part] : llvm::enumerate(rights)) {
      Value columns = rights.size() == 1 ? a : columnsOf(dot, a, static_cast<int64_t>(number) * depth, depth);
      if (readsLeft)
        columns = readToRegisters(dot, columns);
      auto op = warp::DotOp::create(b, dot.getLoc(), result, Type(), columns, part, sum);
      copyDecisions(dot, op);
      sum = op.getResult();
    }
    if (!inPlace) {
      sum = result.getElementType().isInteger() ? arith::AddIOp::create(b, dot.getLoc(), acc, sum).getResult()
                                                : arith::AddFOp::create(b, dot.getLoc(), acc, sum).getResult();
      copyGroup(dot, sum.getDefiningOp());
    }
    dot.getResult().replaceAllUsesWith(sum);
    dead.push_back(dot);
    return success();
  }

  tile::KernelOp kernel;
  bool stageOuter, threadCopies;
  DenseMap<Value, Value> smem; ///< tile value -> its shared-memory handle
  DenseMap<std::pair<Value, std::pair<Attribute, Block *>>, Value> reads;
  DenseMap<std::pair<Value, std::pair<Attribute, Block *>>, Value> stages;
  DenseMap<std::pair<Value, Block *>, SmallVector<Value>> partsOfRight; ///< turned and staged, by groups
  SmallVector<Operation *> dead;
};
} // namespace

FailureOr<SelectionChoices> selectInstructions(tile::KernelOp kernel, bool stageOuter, bool threadCopies) {
  Selector selector(kernel, stageOuter, threadCopies);
  if (failed(selector.run()))
    return failure();
  return selector.choices;
}

} // namespace heddle
