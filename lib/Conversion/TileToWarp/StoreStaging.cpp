//===- StoreStaging.cpp - stores through shared memory and the copy engine -===//
//
// Protocol of a batch of chunks: [copy_out_wait so that the buffers are free; barrier] writes; fence; barrier; copies
// out. The fence is each writer's own, the barrier orders all writers before the one thread that starts the copies (PTX
// ISA, "Async proxy" and "fence.proxy"). copy_out_wait is executed by that thread, so a barrier follows before others
// rewrite the buffers. In a loop of several groups a tile whose chunks have a buffer each is one batch.
//
//===----------------------------------------------------------------------===//
#include "StoreStaging.h"

#include "heddle/Analysis/Instructions.h"
#include "heddle/Analysis/SharedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace heddle {

void StoreStaging::create(OpBuilder &b, Location loc, warp::SmemType type, int64_t lastCopy) {
  OpBuilder::InsertionGuard guard(b);
  b.restoreInsertionPoint(context.declarations);
  std::string name = "store" + std::to_string(group) + "_" + std::to_string(taken / tileAlignment);
  Value scratch = warp::ScratchOp::create(b, loc, type, b.getStringAttr(name));
  context.declarations = b.saveInsertionPoint();
  int64_t size = type.getElementType().getIntOrFloatBitWidth() / 8;
  for (int64_t d : type.getShape())
    size *= d;
  taken += alignedBytes(size);
  buffers[type].push_back({scratch, lastCopy});
}

/// `count` scratch buffers free to be written at `b`, those whose last copies are oldest; each is read by one of the
/// next copies.
SmallVector<Value> StoreStaging::take(OpBuilder &b, Location loc, warp::SmemType type, Place place, size_t count) {
  SmallVector<Buffer> &pool = buffers[type];
  bool once = place == Place::StraightLine; // elsewhere an iteration before may have used them
  for (size_t most = once ? std::min(pool.size() + count, alternating) : alternating; pool.size() < most;)
    create(b, loc, type, once ? never : copies - 1);
  SmallVector<Buffer *> oldest(llvm::make_pointer_range(pool));
  llvm::stable_sort(oldest, [](Buffer *x, Buffer *y) { return x->lastCopy < y->lastCopy; });
  oldest.resize(count);
  if (int64_t last = oldest.back()->lastCopy; last != never) {
    warp::CopyOutWaitOp::create(b, loc, copies - last - 1);
    warp::BarrierOp::create(b, loc);
  }
  SmallVector<Value> scratches;
  for (auto [i, buffer] : llvm::enumerate(oldest)) {
    buffer->lastCopy = copies + i;
    scratches.push_back(buffer->scratch);
  }
  return scratches;
}

static bool asksFor(ArrayAttr waits, StringRef name) {
  return waits && llvm::is_contained(waits.getAsValueRange<StringAttr>(), name);
}

void emitMeeting(OpBuilder &b, Operation *op) {
  auto waits = op->getAttrOfType<ArrayAttr>(meetGroupsAttr);
  if (!waits)
    return;
  if (asksFor(waits, waitForCopies))
    warp::CopyOutWaitOp::create(b, op->getLoc(), 0, /*complete=*/true);
  if (asksFor(waits, waitForFence))
    warp::FenceOp::create(b, op->getLoc(), /*global=*/true);
  warp::BarrierOp::create(b, op->getLoc(), /*global=*/true, /*groups=*/true);
}

SmallVector<Operation *> emitMemoryWait(OpBuilder &b, Operation *op) {
  auto waits = op->getAttrOfType<ArrayAttr>(waitMemoryAttr);
  auto asked = [&](StringRef name) { return asksFor(waits, name); };
  SmallVector<Operation *> made;
  if (asked(waitForCopies))
    made.push_back(warp::CopyOutWaitOp::create(b, op->getLoc(), 0, /*complete=*/true));
  if (asked(waitForFence))
    made.push_back(warp::FenceOp::create(b, op->getLoc(), /*global=*/true));
  if (asked(waitForThreads))
    made.push_back(warp::BarrierOp::create(b, op->getLoc(), /*global=*/true));
  return made;
}

void StoreStaging::store(OpBuilder &b, tile::StoreOp op, Value value, Value view, ArrayRef<Value> indices,
                         Place place) {
  bool inLoop = place == Place::ScheduledLoop;
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  StoreChunks cut = chunksOf(op);
  alternating = cut.buffers;
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1), height = cut.rows, width = cut.columns;
  SmallVector<std::pair<int64_t, int64_t>> corners; // of chunks
  for (int64_t r = 0; r < rows; r += height)
    for (int64_t c = 0; c < columns; c += width)
      corners.push_back({r, c});
  // All at once where none waits for another one's copy, so that writers meet once; where a group is alone, or nothing
  // follows, the first copy begins the sooner the less it waits for (a product of 64 x 128 ran at 0.96 to 0.97 of its
  // speed with one meeting).
  auto groups = context.source->getAttrOfType<IntegerAttr>("groups");
  bool several = groups && groups.getInt() > 1;
  bool together = inLoop || (several && place == Place::Loop && corners.size() <= alternating);
  size_t batch = together ? std::min(alternating, corners.size()) : 1;
  auto smem = warp::SmemType::get(b.getContext(), {height, width}, type.getElementType());
  auto chunkType = RankedTensorType::get(smem.getShape(), type.getElementType());
  emitMemoryWait(b, op);
  for (size_t first = 0; first < corners.size(); first += batch) {
    auto chunks = ArrayRef(corners).slice(first, std::min(batch, corners.size() - first));
    if (inLoop)
      forgetCounts();
    SmallVector<Value> scratches = take(b, loc, smem, place, chunks.size());
    for (auto [corner, scratch] : llvm::zip(chunks, scratches)) {
      Value chunk = value;
      if (corners.size() > 1) {
        SmallVector<OpFoldResult> offsets{b.getIndexAttr(corner.first), b.getIndexAttr(corner.second)},
            sizes{b.getIndexAttr(height), b.getIndexAttr(width)}, strides(2, b.getIndexAttr(1));
        chunk = tensor::ExtractSliceOp::create(b, loc, chunkType, value, offsets, sizes, strides);
      }
      warp::WriteOp::create(b, loc, chunk, scratch);
    }
    warp::FenceOp::create(b, loc);
    warp::BarrierOp::create(b, loc);
    for (auto [scratch, corner] : llvm::zip(scratches, chunks)) {
      SmallVector<Value> at(indices);
      for (auto [dim, offset] : {std::pair{op.getTileDims()[0], corner.first}, {op.getTileDims()[1], corner.second}})
        if (offset)
          at[dim] = arith::AddIOp::create(b, loc, at[dim], arith::ConstantIndexOp::create(b, loc, offset));
      warp::CopyOutOp::create(b, loc, scratch, view, at, b.getDenseI64ArrayAttr(op.getTileDims()), op.getKindAttr());
      ++copies;
    }
  }
  if (inLoop)
    forgetCounts();
}

void StoreStaging::forgetCounts() {
  for (auto &[type, pool] : buffers)
    for (Buffer &buffer : pool)
      buffer.lastCopy = copies - 1;
}

void StoreStaging::finish(OpBuilder &b, Location loc) {
  if (copies)
    warp::CopyOutWaitOp::create(b, loc, 0);
}

} // namespace heddle
