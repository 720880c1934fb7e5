//===- StoreGroups.cpp - groups that copy what loops store ------------------===//
//
// What:      stores by the copy engine in scheduled loops -> rings from the compute groups to single-thread groups,
//            "store<g>" for compute group g, each of which copies what its compute group hands it.
// Why:       a compute group that copies itself meets before it writes (until the last copy has read the buffer) and
//            behind it (until all have written), and one of its threads issues the copies while its warps wait for
//            each other. With a ring each warp arrives and goes on. One store group for each compute group, so that
//            none waits for what another one hands over.
// Where:     inside TileToWarp, where its options say so. LoopStream fills the rings; here they are made and emptied.
// Condition: loops of the kernel's body, without a loop over programs; coordinates that the loop does not carry; no
//            access of the kernel waits for another one in global memory (OrderMemory), since the waits would have to
//            be the store group's; not more groups than the warps beside the one that loads.
// Protocol:  acquire, puts, fence, publish here; get, copy_out, copy_out_wait, consumed there. A use is a batch of as
//            many chunks as the store has buffers (chunksOf), in one slot.
//
//===----------------------------------------------------------------------===//
#include "StoreGroups.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/SharedMemory.h"
#include "heddle/Analysis/Turns.h"
#include "heddle/Dialect/Tile/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace heddle {

/// Of the four warps of the group that the loads have one of.
constexpr size_t mostStoreGroups = 3;

HandedStore::HandedStore(tile::StoreOp store) {
  RankedTensorType type = store.getValue().getType();
  StoreChunks cut = chunksOf(store);
  SmallVector<Corner> corners;
  for (int64_t row = 0; row < type.getDimSize(0); row += cut.rows)
    for (int64_t column = 0; column < type.getDimSize(1); column += cut.columns)
      corners.push_back({row, column});
  size_t most = std::min<size_t>(cut.buffers, corners.size()); // every batch fills all fields of the ring
  while (corners.size() % most)
    --most;
  for (size_t first = 0; first < corners.size(); first += most)
    batches.emplace_back(ArrayRef(corners).slice(first, std::min(most, corners.size() - first)));
  chunk = RankedTensorType::get({cut.rows, cut.columns}, type.getElementType());
}

/// The use of the ring that batch `n` of iteration `it` fills.
static Value useOf(OpBuilder &b, Location loc, Value it, const HandedStore &handed, int64_t n) {
  int64_t batches = handed.batches.size();
  if (batches == 1)
    return it;
  Value first = arith::MulIOp::create(b, loc, it, arith::ConstantIndexOp::create(b, loc, batches));
  return arith::AddIOp::create(b, loc, first, arith::ConstantIndexOp::create(b, loc, n));
}

int64_t collectHandedStores(KernelContext &context) {
  bool ordered = context.source
                     ->walk([](Operation *op) {
                       bool waits = op->hasAttr(waitMemoryAttr) || op->hasAttr(meetGroupsAttr);
                       return waits ? WalkResult::interrupt() : WalkResult::advance();
                     })
                     .wasInterrupted();
  if (ordered || context.turns > 1 || programLoop(context.source))
    return 0;
  SmallVector<tile::StoreOp> stores;
  std::set<int64_t> groups;
  context.source.walk([&](tile::StoreOp store) {
    auto loop = dyn_cast<scf::ForOp>(store->getParentOp());
    auto carried = [&](Value index) { return dependsOnCarried(index, loop); };
    if (!isTmaStore(store) || !loop || loop->getParentOp() != context.source || !context.schedules.count(loop) ||
        llvm::any_of(store.getIndices(), carried))
      return;
    stores.push_back(store);
    groups.insert(groupOf(store));
  });
  if (groups.size() > mostStoreGroups)
    return 0;
  OpBuilder b(context.source.getContext());
  b.restoreInsertionPoint(context.declarations);
  int64_t bytes = 0;
  for (tile::StoreOp store : stores) {
    HandedStore handed(store);
    SmallVector<Type> fields(handed.batches.front().size(), handed.chunk);
    std::string name = "handed" + std::to_string(groupOf(store)) + "_" + std::to_string(context.handed.size());
    handed.aref = warp::ArefOp::create(b, store.getLoc(), warp::ArefType::get(b.getContext(), 1, fields),
                                       b.getStringAttr(name), 1, DenseI64ArrayAttr());
    bytes += fields.size() * slotBytes(handed.chunk);
    context.handed.insert({store, std::move(handed)});
  }
  context.declarations = b.saveInsertionPoint();
  return bytes;
}

void putHanded(OpBuilder &b, const HandedStore &handed, Location loc, Value value, Value it) {
  bool whole = value.getType() == handed.chunk;
  for (auto [n, batch] : llvm::enumerate(handed.batches)) {
    Value use = useOf(b, loc, it, handed, n);
    warp::AcquireOp::create(b, loc, handed.aref, use);
    for (auto [field, corner] : llvm::enumerate(batch)) {
      Value chunk = value;
      if (!whole) {
        SmallVector<OpFoldResult> offsets{b.getIndexAttr(corner.first), b.getIndexAttr(corner.second)}, sizes,
            strides(2, b.getIndexAttr(1));
        for (int64_t size : handed.chunk.getShape())
          sizes.push_back(b.getIndexAttr(size));
        chunk = tensor::ExtractSliceOp::create(b, loc, handed.chunk, value, offsets, sizes, strides);
      }
      warp::PutOp::create(b, loc, chunk, handed.aref, use, b.getI64IntegerAttr(field));
    }
    warp::FenceOp::create(b, loc);
    warp::PublishOp::create(b, loc, handed.aref, use);
  }
}

/// Copies what iteration `it` hands over of `store`; `map` has what coordinates are computed from.
static void copyHanded(OpBuilder &b, tile::StoreOp store, const HandedStore &handed, IRMapping &map, Value it) {
  Location loc = store.getLoc();
  auto type = warp::SmemType::get(b.getContext(), handed.chunk.getShape(), handed.chunk.getElementType());
  SmallVector<Value> indices;
  for (Value index : store.getIndices())
    indices.push_back(materialise(b, map, index));
  Value view = materialise(b, map, store.getView());
  for (auto [n, batch] : llvm::enumerate(handed.batches)) {
    Value use = useOf(b, loc, it, handed, n);
    SmallVector<Type> types(handed.batches.front().size(), type);
    auto get = warp::GetOp::create(b, loc, types, handed.aref, use);
    for (auto [corner, chunk] : llvm::zip_first(batch, get.getTiles())) {
      SmallVector<Value> at(indices);
      SmallVector<int64_t> dims(store.getTileDims());
      for (auto [dim, offset] : {std::pair{dims[0], corner.first}, {dims[1], corner.second}})
        if (offset)
          at[dim] = arith::AddIOp::create(b, loc, at[dim], arith::ConstantIndexOp::create(b, loc, offset));
      warp::CopyOutOp::create(b, loc, chunk, view, at, b.getDenseI64ArrayAttr(dims), store.getKindAttr());
    }
    warp::CopyOutWaitOp::create(b, loc, 0);
    warp::ConsumedOp::create(b, loc, handed.aref, use);
  }
}

std::set<int64_t> storingGroups(const KernelContext &context) {
  std::set<int64_t> groups;
  for (auto &[store, handed] : context.handed)
    groups.insert(groupOf(store));
  return groups;
}

void buildStoreGroup(KernelContext &context, warp::GroupOp op, int64_t g) {
  OpBuilder b = OpBuilder::atBlockEnd(&op.getBody().front());
  IRMapping map = context.arguments;
  llvm::MapVector<Operation *, SmallVector<tile::StoreOp>> byLoop;
  for (auto &[store, handed] : context.handed)
    if (groupOf(store) == g)
      byLoop[store->getParentOp()].push_back(cast<tile::StoreOp>(store));
  for (auto &[at, stores] : byLoop) {
    auto loop = cast<scf::ForOp>(at);
    const LoopSchedule &schedule = context.schedules.find(loop)->second;
    llvm::stable_sort(
        stores, [&](tile::StoreOp x, tile::StoreOp y) { return schedule.start.lookup(x) < schedule.start.lookup(y); });
    Location loc = loop.getLoc();
    Value trip = tripCount(b, map, loop), none = arith::ConstantIndexOp::create(b, loc, 0),
          one = arith::ConstantIndexOp::create(b, loc, 1);
    auto copy = scf::ForOp::create(b, loc, none, trip, one);
    OpBuilder inner = OpBuilder::atBlockBegin(copy.getBody());
    IRMapping local = map;
    local.map(loop.getInductionVar(), inductionValue(inner, local, loop, copy.getInductionVar()));
    for (tile::StoreOp store : stores)
      copyHanded(inner, store, context.handed.find(store)->second, local, copy.getInductionVar());
  }
}

} // namespace heddle
