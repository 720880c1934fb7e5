//===- KeepOnTiles.cpp - numbers of tiles that only tiles take ---------------===//
//
// What:      %s = tensor.extract %t[]; %u = math.exp %s; tensor.splat %u  ->  math.exp %t; tile.broadcast of it
// Where:     before scalars of tiles become scalars of memory, on the sequential program.
// Why:       a scalar is what every warp group computes for itself, from memory: the sum of a loaded vector (the decay
//            of a chunk) becomes a loop, and the loop around it has no schedule. What only tiles take stays in
//            registers of the groups that compute.
// Which:     floats of tiles without dimensions, in programs with products, that go through element-wise operations to
//            tensor.splat alone.
//
//===----------------------------------------------------------------------===//
#include "heddle/Transforms/KeepOnTiles.h"

#include "heddle/Analysis/Instructions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace heddle {
namespace {

class Keeper {
public:
  explicit Keeper(tensor::ExtractOp extract) : extract(extract) {}

  /// Whether what is made of the number ends in tiles alone.
  bool mayKeep() {
    if (extract.getTensor().getType().getRank() || !isa<FloatType>(extract.getType()))
      return false;
    llvm::SetVector<Value> open;
    open.insert(extract.getResult());
    for (size_t i = 0; i < open.size(); ++i)
      for (Operation *user : open[i].getUsers()) {
        if (isa<tensor::SplatOp>(user)) {
          splats.insert(user);
          continue;
        }
        bool elementwise = OpTrait::hasElementwiseMappableTraits(user) && user->getNumResults() == 1 &&
                           isa<FloatType>(user->getResult(0).getType()) &&
                           llvm::all_of(user->getOperandTypes(), llvm::IsaPred<FloatType>);
        if (!elementwise)
          return false;
        open.insert(user->getResult(0));
      }
    made = std::move(open);
    return true;
  }

  void keep() {
    for (Operation *op : splats) {
      OpBuilder b(op);
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      Value tile = tileOf(op->getOperand(0));
      for (int64_t d = type.getRank() - 1; d >= 0; --d)
        tile = tile::BroadcastOp::create(b, op->getLoc(), type.clone(type.getShape().drop_front(d)), tile, 0);
      op->replaceAllUsesWith(ValueRange{tile});
      op->erase();
    }
    SmallVector<Value> left(made.begin(), made.end());
    while (true) {
      auto *dead = llvm::find_if(left, [](Value value) { return value.use_empty(); });
      if (dead == left.end())
        return;
      dead->getDefiningOp()->erase();
      left.erase(dead);
    }
  }

private:
  Value tileOf(Value number) {
    if (number == extract.getResult())
      return extract.getTensor();
    if (Value known = tiles.lookup(number))
      return known;
    Operation *def = number.getDefiningOp();
    auto type = RankedTensorType::get({}, number.getType());
    OpBuilder b(number.getContext());
    b.setInsertionPointAfterValue(number);
    if (!made.contains(number))
      return tiles[number] = tensor::SplatOp::create(b, number.getLoc(), type, number);
    SmallVector<Value> operands;
    for (Value operand : def->getOperands())
      operands.push_back(tileOf(operand));
    OperationState state(def->getLoc(), def->getName().getStringRef(), operands, {type}, def->getAttrs());
    return tiles[number] = b.create(state)->getResult(0);
  }

  tensor::ExtractOp extract;
  llvm::SetVector<Value> made; ///< of the number, itself first
  llvm::SetVector<Operation *> splats;
  DenseMap<Value, Value> tiles;
};

} // namespace

void keepOnTiles(tile::KernelOp kernel) {
  if (!hasDots(kernel))
    return;
  SmallVector<tensor::ExtractOp> extracts;
  kernel.walk([&](tensor::ExtractOp op) { extracts.push_back(op); });
  for (tensor::ExtractOp extract : extracts)
    if (Keeper keeper(extract); !extract.use_empty() && keeper.mayKeep())
      keeper.keep();
}

} // namespace heddle
