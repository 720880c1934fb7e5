//===- SharedMemory.cpp - see SharedMemory.h --------------------------------------===//
#include "heddle/Analysis/SharedMemory.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/SlotLives.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/Tile/ControlFlow.h"
#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Target/TargetInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;
namespace heddle {

/// A chunk of whole rows has at most this many bytes.
constexpr int64_t mostOfWholeRows = 16 * 1024;

int64_t slotBytes(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile) // a number
    return smemAlignment;
  return alignedBytes(tile.getNumElements() * tile.getElementTypeBitWidth() / 8);
}

/// `value` is an accumulator, or what element-wise operations make of one, transposed. Each value is asked once as it
/// stands and once as a transpose crosses it: operands may stand for many.
static bool isTransposedProduct(Value value) {
  SmallVector<std::pair<Value, bool>> work{{value, false}}; // crossed: transposed from here on back
  llvm::DenseSet<std::pair<Value, int>> seen;
  while (!work.empty()) {
    auto [at, crossed] = work.pop_back_val();
    if (!isa<RankedTensorType>(at.getType()) || !seen.insert({at, int(crossed)}).second)
      continue;
    if (std::optional<VariableRef> variable = variableOf(at)) {
      SmallVector<OpOperand *, 2> given = passedVariables(variable->op)[variable->number].given;
      if (!given.empty() && !isa<BlockArgument>(at))
        work.push_back({given.back()->get(), crossed});
      continue;
    }
    Operation *def = at.getDefiningOp();
    if (isa_and_nonnull<tile::DotOp, warp::DotOp>(def)) {
      if (crossed)
        return true;
    } else if (isa_and_nonnull<tile::TransposeOp>(def)) {
      if (!crossed)
        work.push_back({def->getOperand(0), true});
    } else if (def && def->getNumRegions() == 0 && def->hasTrait<OpTrait::Elementwise>()) {
      for (Value operand : def->getOperands())
        work.push_back({operand, crossed});
    }
  }
  return false;
}

StoreChunks chunksOf(tile::StoreOp store) {
  RankedTensorType tile = store.getValue().getType();
  int64_t elementBytes = tile.getElementTypeBitWidth() / 8, rows = tile.getDimSize(0), columns = tile.getDimSize(1);
  auto kernel = store->getParentOfType<tile::KernelOp>();
  bool inTurn = turnsOf(kernel) > 1,
       one = (inTurn && !store->hasAttr(partStoreAttr)) || kernel->hasAttr(oneStoreBufferAttr);
  StoreChunks chunks{rows, chunkRowBytes / elementBytes, 0, one ? 1 : 2};
  if (columns % chunks.columns) {
    bool whole = rows * columns * elementBytes <= mostOfWholeRows;
    for (chunks.columns /= 2; !whole && columns % chunks.columns && chunks.columns * elementBytes > 32;)
      chunks.columns /= 2;
    if (whole || columns % chunks.columns)
      chunks.columns = columns;
  }
  // Threads hold parts of as many rows as a power of two.
  int64_t height = rows & -rows;
  int64_t most = std::min(rows, targetOf(store).dotRows()); // of chunks of a row's width
  while (height > 8 && height * (columns / chunks.columns) > most)
    height /= 2;
  if (height >= 8 && (columns > chunks.columns || rows > most) && isTransposedProduct(store.getValue())) {
    chunks.rows = height;
    chunks.columns = columns;
  }
  if (int64_t ofInstruction = targetOf(store).dotRows(); inTurn && chunks.rows % ofInstruction == 0)
    chunks.rows = ofInstruction;
  chunks.number = (rows / chunks.rows) * (columns / chunks.columns);
  return chunks;
}

/// True where the slot of `op`, a load or a stage of `kernel`, is none of `loop`, and taken while it runs.
static bool isBeside(tile::KernelOp kernel, Operation *op, scf::ForOp loop) {
  return !loop->isAncestor(op) && (!mayShareSlot(kernel, op) || lifeOfSlot(op).meets(lifeOf(loop)));
}

int64_t bytesLoadedElsewhere(scf::ForOp loop) {
  int64_t bytes = 0;
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  llvm::SmallDenseMap<Attribute, int64_t> parts; // by ring: slots counted so far
  kernel.walk([&](tile::LoadOp load) {
    if (!isTmaLoad(load))
      return;
    int64_t own = slotBytes(load.getResult().getType());
    if (auto ring = load->getAttrOfType<DenseI64ArrayAttr>(partRingAttr))
      bytes += ++parts[ring] <= ring[1] ? turnsOf(kernel) * own : 0;
    else if (isBeside(kernel, load, loop))
      bytes += own;
  });
  return bytes;
}

/// Of the register tiles that `loop` takes from before it.
static int64_t bytesEntering(scf::ForOp loop) {
  llvm::SetVector<Operation *> entering;
  loop.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *def = isa<RankedTensorType>(operand.getType()) ? producerThroughFree(operand) : nullptr;
          def && !loop->isAncestor(def))
        entering.insert(def);
  });
  int64_t bytes = 0;
  for (Operation *def : entering)
    if (auto load = dyn_cast<tile::LoadOp>(def); !load || !isTmaLoad(load))
      for (Value tile : def->getResults())
        if (isa<RankedTensorType>(tile.getType()))
          bytes += slotBytes(tile.getType());
  return bytes;
}

/// Of the buffers that stores of `kernel` go through, each at most `most` times.
static int64_t bytesOfStores(tile::KernelOp kernel, int64_t most) {
  struct Buffers {
    int64_t bytes = 0, number = 0;
  };
  std::map<std::tuple<int64_t, int64_t, int64_t, const void *>, Buffers> stores; // by group, shape, type
  kernel.walk([&](Operation *op) {
    auto store = dyn_cast<tile::StoreOp>(op);
    if (!store || !isTmaStore(store))
      return;
    StoreChunks chunks = chunksOf(store);
    Type element = store.getValue().getType().getElementType();
    Buffers &taken = stores[{groupOf(op), chunks.rows, chunks.columns, element.getAsOpaquePointer()}];
    taken.bytes = alignedBytes(chunks.rows * chunks.columns * element.getIntOrFloatBitWidth() / 8);
    bool again = isBranchOrLoop(op->getParentOp()); // where an iteration before may have used them
    taken.number = std::min(chunks.buffers, again ? chunks.buffers : taken.number + chunks.number);
  });
  int64_t bytes = 0;
  for (auto &[key, taken] : stores)
    bytes += std::min(taken.number, most) * taken.bytes;
  return turnsOf(kernel) * bytes;
}

int64_t bytesBesideRings(scf::ForOp loop) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  int64_t bytes = barriersAndAlignment + bytesOfStores(kernel, 1);
  kernel.walk([&](warp::StageOp stage) {
    if (isBeside(kernel, stage, loop))
      bytes += turnsOf(kernel) * slotBytes(stage.getValue().getType());
  });
  return bytes;
}

int64_t bytesOfFreeGroups(scf::ForOp loop) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  return bytesEntering(loop) + bytesOfStores(kernel, INT64_MAX) - bytesOfStores(kernel, 1);
}

} // namespace heddle
