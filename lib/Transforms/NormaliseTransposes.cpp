//===- NormaliseTransposes.cpp - transposes that nothing needs ---------------===//
//
// What:      tile.transpose (tile.transpose %x)         ->  %x
//            tile.reduce (tile.transpose %x) axis a     ->  tile.reduce %x axis 1 - a
//            tile.transpose (tile.dot %a, %b, zero)     ->  tile.dot (transpose %b), (transpose %a), zero
//            and the same of all tiles that products and operations on elements make of each other (a TileCluster).
// Where:     first, on the whole program; it stays sequential and executable.
// Why:       what is transposed in registers goes through shared memory, and groups that divide the rows of a product
//            cannot divide the rows of the transposed one. Both made of attention a program without a schedule.
// Which:     products of tiles that no other product makes (those are in registers, and would have to leave them as
//            right operands), that nothing else reads, and that are not only stored: who transposes what is stored has
//            chosen the rows that groups divide (the gradient of queries, of fewer rows than heads have numbers).
// Clusters:  gradients of attention are written with scores of queries by keys, whose transposes are the left operands
//            of the gradients of keys and values. Computed as keys by queries they are left operands as they are, in
//            registers. A cluster is turned where more of its tiles are left operands then, or folded along their rows,
//            which a thread has; not where a fold along rows would become one along columns.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/NormaliseTransposes.h"

#include "heddle/Target/TargetInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
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

/// Tiles of one block that products and operations on elements make of each other.
class TileCluster {
public:
  /// The cluster that `tile` belongs to; none: it cannot be turned.
  static std::optional<TileCluster> of(Value tile) {
    TileCluster cluster;
    cluster.tiles.insert(tile);
    for (size_t i = 0; i < cluster.tiles.size(); ++i)
      if (!cluster.takesOperands(cluster.tiles[i]) || !cluster.takesUses(cluster.tiles[i]))
        return std::nullopt;
    return cluster;
  }

  /// By how many uses it is better to compute the tiles transposed.
  int64_t gain() const { return better; }

  /// Computes all of them transposed.
  void turn() {
    SmallVector<Operation *> ops;
    for (Value tile : tiles)
      ops.push_back(tile.getDefiningOp());
    llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : ops)
      turned[op->getResult(0)] = turnedResult(op);
    for (Operation *op : ops)
      turnUses(op->getResult(0));
    llvm::SetVector<Operation *> read; // by them alone, perhaps
    for (Operation *op : llvm::reverse(ops)) {
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && !tiles.contains(operand))
          read.insert(def);
      op->erase();
    }
    for (Operation *op : read)
      if (isOpTriviallyDead(op))
        op->erase();
  }

private:
  /// What is as easily made transposed: numbers, and vectors along rows or columns.
  static bool isRepeated(Value tile) {
    Operation *op = tile.getDefiningOp();
    DenseElementsAttr elements;
    if (auto broadcast = dyn_cast_or_null<tile::BroadcastOp>(op))
      return cast<RankedTensorType>(broadcast.getSource().getType()).getRank() == 1;
    return isa_and_nonnull<tensor::SplatOp>(op) || (matchPattern(tile, m_Constant(&elements)) && elements.isSplat());
  }
  static bool isMatrix(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() == 2;
  }
  /// Of whole instructions, for two warp groups where there were rows for two, or of as few rows as before.
  static bool mayTurn(tile::DotOp dot) {
    int64_t rows = targetOf(dot).dotRows(), now = dot.getType().getDimSize(0), then = dot.getType().getDimSize(1);
    return now % rows != 0 || (then % rows == 0 && then >= std::min(now, 2 * rows));
  }

  bool takesOperands(Value tile) {
    Operation *op = tile.getDefiningOp();
    Value first = tiles.front();
    if (!op || op->getBlock() != first.getParentBlock() || !isMatrix(tile))
      return false;
    DenseElementsAttr start;
    if (auto dot = dyn_cast<tile::DotOp>(op))
      return matchPattern(dot.getAcc(), m_Constant(&start)) && start.isSplat() && !isOfProducts(dot.getA()) &&
             !isOfProducts(dot.getB()) && mayTurn(dot);
    if (!isElementwise(op))
      return false;
    for (Value operand : op->getOperands())
      if (isMatrix(operand) && !isRepeated(operand))
        tiles.insert(operand);
    return true;
  }

  bool takesUses(Value tile) {
    for (OpOperand &use : tile.getUses()) {
      Operation *user = use.getOwner();
      if (user->getBlock() != tile.getParentBlock())
        return false;
      if (isElementwise(user)) {
        tiles.insert(user->getResult(0));
      } else if (auto transpose = dyn_cast<tile::TransposeOp>(user)) {
        better += llvm::any_of(transpose->getUses(), isLeftOperand);
      } else if (isLeftOperand(use)) {
        --better;
      } else if (auto reduce = dyn_cast<tile::ReduceOp>(user); reduce && reduce.getAxis() == 0) {
        ++better;
      } else {
        return false;
      }
    }
    return true;
  }
  static bool isLeftOperand(OpOperand &use) { return isa<tile::DotOp>(use.getOwner()) && use.getOperandNumber() == 0; }

  Value turnedOperand(Value operand) {
    if (!isMatrix(operand))
      return operand;
    Value &known = turned[operand];
    if (known)
      return known;
    OpBuilder b(operand.getContext()); // it is repeated
    b.setInsertionPointAfterValue(operand);
    Operation *copy = b.clone(*operand.getDefiningOp());
    auto type = transposed(cast<RankedTensorType>(operand.getType()));
    copy->getResult(0).setType(type);
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(copy))
      broadcast.setAxis(1 - broadcast.getAxis());
    if (auto constant = dyn_cast<arith::ConstantOp>(copy))
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type));
    return turned[operand] = copy->getResult(0);
  }

  Value turnedResult(Operation *op) {
    OpBuilder b(op);
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      Value a = transposeOf(b, dot.getLoc(), dot.getB()), c = transposeOf(b, dot.getLoc(), dot.getA());
      return tile::DotOp::create(b, dot.getLoc(), a, c, turnedOperand(dot.getAcc()));
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(turnedOperand(operand));
    Operation *copy = b.clone(*op);
    copy->setOperands(operands);
    copy->getResult(0).setType(transposed(cast<RankedTensorType>(op->getResult(0).getType())));
    return copy->getResult(0);
  }

  void turnUses(Value tile) {
    Value now = turned.lookup(tile);
    Value back; // as it was, for left operands
    for (OpOperand &use : llvm::make_early_inc_range(tile.getUses())) {
      Operation *user = use.getOwner();
      if (auto transpose = dyn_cast<tile::TransposeOp>(user)) {
        transpose.getResult().replaceAllUsesWith(now);
        transpose->erase();
      } else if (auto reduce = dyn_cast<tile::ReduceOp>(user)) {
        use.set(now);
        reduce.setAxis(1);
      } else if (isLeftOperand(use)) {
        if (!back) {
          OpBuilder b(user->getContext());
          b.setInsertionPointAfterValue(now);
          back = transposeOf(b, user->getLoc(), now);
        }
        use.set(back);
      }
    }
  }

  llvm::SetVector<Value> tiles;
  int64_t better = 0;
  DenseMap<Value, Value> turned;
};

/// Turns the first cluster that is better transposed; false: none is.
bool turnCluster(tile::KernelOp kernel) {
  return kernel
      .walk([](tile::TransposeOp transpose) {
        std::optional<TileCluster> cluster = TileCluster::of(transpose.getSource());
        if (!cluster || cluster->gain() <= 0)
          return WalkResult::advance();
        cluster->turn();
        return WalkResult::interrupt();
      })
      .wasInterrupted();
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
  while (turnCluster(kernel)) {
  }
}

} // namespace heddle
