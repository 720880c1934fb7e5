//===- BlockLoop.cpp - a loop over blocks of positions -------------------------===//
//
// What:      see the header.
// Algorithm: a load whose coordinate drifts by the extent of its tile brings a block; every dimension that must be
//            equal to this one (Dialect/Tile/Dimensions.h) has its positions. Drifts are then computed from operands:
//            sums add them, products with constants multiply them, and all else takes operands without drift only.
//
//===----------------------------------------------------------------------===//
#include "BlockLoop.h"

#include "heddle/Dialect/Tile/Rearrangement.h"
#include "heddle/Dialect/Tile/ViewUses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace heddle {

static RankedTensorType tileOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

BlockLoop::BlockLoop(scf::ForOp loop, const tile::DimensionClasses &classes) : loop(loop), classes(classes) {
  blocks = findBlocks() && keepsBlocks();
}

bool BlockLoop::isOfBlock(Value tile, int64_t dim) const { return ofBlock.contains(classes.of(tile, dim)); }

bool BlockLoop::folds(Operation *op) const {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return isOfBlock(reduce.getSource(), reduce.getAxis());
  auto dot = dyn_cast<tile::DotOp>(op);
  return dot && isOfBlock(dot.getA(), 1);
}

bool BlockLoop::findBlocks() {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || *step <= 0)
    return false;
  increment = *step;
  for (auto load : loop.getOps<tile::LoadOp>()) {
    SmallVector<int64_t> dims = load.getTileDims();
    for (auto [d, dim] : llvm::enumerate(dims)) {
      std::optional<int64_t> moves = drift(load.getIndices()[dim]);
      if (moves == 0)
        continue;
      int64_t size = load.getType().getDimSize(d);
      if (moves != size || (positions && positions != size) || load.getExtent())
        return false;
      positions = size;
      seeds.push_back({load, d});
      ofBlock.insert(classes.of(load.getResult(), d));
    }
  }
  known.clear(); // now that dimensions of blocks are known
  return positions > 1;
}

int64_t BlockLoop::blockDimensions(Value value) const {
  RankedTensorType tile = tileOf(value);
  int64_t count = 0;
  for (int64_t d = 0; tile && d < tile.getRank(); ++d)
    count += isOfBlock(value, d);
  return count;
}

/// Whether `store` writes, for each position of a block, a function of that position where it belongs.
bool BlockLoop::storesPositions(tile::StoreOp store) {
  if (store.getRows() || store.isBounded() || store.getExtent() || !blockDimensions(store.getValue()) ||
      drift(store.getValue()) != 0)
    return false;
  SmallVector<int64_t> dims = store.getTileDims();
  for (auto [v, index] : llvm::enumerate(store.getIndices())) {
    auto *d = llvm::find(dims, static_cast<int64_t>(v));
    bool counts = d != dims.end() && isOfBlock(store.getValue(), d - dims.begin());
    if (drift(index) != (counts ? positions : 0))
      return false;
  }
  return true;
}

/// Nothing outside of the loop has a block's dimension but what counts its positions, and nothing has it twice: pairs
/// of positions of one block are others with other blocks.
bool BlockLoop::keepsBlocks() {
  auto touches = [&](Value value) { return blockDimensions(value) > 0; };
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    if (op.getNumRegions() || (store && !storesPositions(store)))
      return false;
    if (!store && !isMemoryEffectFree(&op) && !isa<tile::LoadOp, tile::GatherOp, tile::ElementOp>(op))
      return false;
  }
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  WalkResult walk = kernel.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (llvm::any_of(block.getArguments(), touches))
          return WalkResult::interrupt();
    for (Value result : op->getResults())
      if (blockDimensions(result) > 1)
        return WalkResult::interrupt();
    for (Value result : op->getResults())
      if (touches(result) && op->getBlock() != loop.getBody() &&
          (!op->getBlock()->findAncestorOpInBlock(*loop) || isa<tile::LoadOp>(op) || !drift(result)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !walk.wasInterrupted();
}

std::optional<int64_t> BlockLoop::drift(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  std::optional<int64_t> found = findDrift(value);
  return known[value] = found;
}

std::optional<int64_t> BlockLoop::findDrift(Value value) {
  if (value == loop.getInductionVar())
    return increment;
  if (value.getParentBlock() != loop.getBody() && !blockDimensions(value))
    return 0;
  if (isa<BlockArgument>(value))
    return std::nullopt;
  return driftOf(value.getDefiningOp());
}

std::optional<int64_t> BlockLoop::driftOf(Operation *op) {
  auto without = [&](ValueRange values) { return llvm::all_of(values, [&](Value v) { return drift(v) == 0; }); };
  auto settled = [&](bool is) { return is ? std::optional<int64_t>(0) : std::nullopt; };
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    std::optional<int64_t> x = drift(op->getOperand(0)), y = drift(op->getOperand(1));
    if (!x || !y)
      return std::nullopt;
    return isa<arith::AddIOp>(op) ? *x + *y : *x - *y;
  }
  if (isa<arith::CmpIOp>(op)) { // of the difference
    std::optional<int64_t> x = drift(op->getOperand(0));
    return settled(x && x == drift(op->getOperand(1)));
  }
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0, 1}) {
      APInt factor;
      std::optional<int64_t> moves = drift(op->getOperand(i));
      if (moves && matchPattern(op->getOperand(1 - i), m_ConstantInt(&factor)) && factor.isSignedIntN(31) &&
          std::abs(*moves) < (int64_t(1) << 31))
        return *moves * factor.getSExtValue();
    }
  // Positions are taken to have 32 bits; fewer cut them.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::TruncIOp>(op)) {
    Type element = getElementTypeOrSelf(op->getResult(0));
    return element.isIndex() || element.getIntOrFloatBitWidth() >= 32 ? drift(op->getOperand(0))
                                                                      : settled(without(op->getOperands()));
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp, tensor::SplatOp>(op))
    return drift(op->getOperand(0));
  if (std::optional<Rearrangement> moved = Rearrangement::of(op))
    return drift(moved->source);
  if (isa<tile::IotaOp>(op))
    return isOfBlock(op->getResult(0), 0) ? -positions : 0;
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    SmallVector<int64_t> dims = load.getTileDims();
    for (auto [v, index] : llvm::enumerate(load.getIndices())) {
      auto *d = llvm::find(dims, static_cast<int64_t>(v));
      bool counts = d != dims.end() && isOfBlock(load.getResult(), d - dims.begin());
      if (drift(index) != (counts ? positions : 0))
        return std::nullopt;
    }
    return settled(!tile::isStored(load.getView()));
  }
  if (isa<tile::GatherOp, tile::ElementOp>(op))
    return settled(!tile::isStored(op->getOperand(0)) && without(op->getOperands().drop_front()));
  if (folds(op))
    return std::nullopt;
  bool knows =
      OpTrait::hasElementwiseMappableTraits(op) || isa<tile::DotOp, tile::ReduceOp, tile::DimOp, arith::ConstantOp>(op);
  return settled(knows && isMemoryEffectFree(op) && without(op->getOperands()));
}

} // namespace heddle
