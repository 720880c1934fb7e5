//===- StoreStaging.cpp - stores through shared memory and the copy engine -===//
//
// Protocol of one chunk: [copy_out_wait so that the buffer is free; barrier] write; fence; barrier; copy_out. The fence is each writer's own,
// the barrier orders all writers before the one thread that starts the copy (hopper_guide B4, B5, D5). copy_out_wait is executed by that
// thread, so a barrier follows before others rewrite the buffer.
//
//===----------------------------------------------------------------------===//
#include "StoreStaging.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace heddle {

/// A scratch buffer free to be written at `b`: the one whose last copy is oldest.
Value StoreStaging::buffer(OpBuilder &b, Location loc, warp::SmemType type) {
  SmallVector<Buffer> &pool = buffers[type];
  constexpr size_t alternating = 2;
  if (pool.size() < alternating) {
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(context.declarations);
    std::string name = "store" + std::to_string(group) + "_" + std::to_string(taken / 1024);
    Value scratch = warp::ScratchOp::create(b, loc, type, b.getStringAttr(name));
    context.declarations = b.saveInsertionPoint();
    int64_t size = type.getElementType().getIntOrFloatBitWidth() / 8;
    for (int64_t d : type.getShape())
      size *= d;
    taken += (size + 1023) / 1024 * 1024;
    pool.push_back({scratch, copies});
    return scratch;
  }
  Buffer *oldest = &pool.front();
  for (Buffer &candidate : pool)
    if (candidate.lastCopy < oldest->lastCopy)
      oldest = &candidate;
  warp::CopyOutWaitOp::create(b, loc, b.getI64IntegerAttr(copies - oldest->lastCopy - 1));
  warp::BarrierOp::create(b, loc);
  oldest->lastCopy = copies;
  return oldest->scratch;
}

LogicalResult StoreStaging::store(OpBuilder &b, tile::StoreOp op, IRMapping &map) {
  Location loc = op.getLoc();
  Value value = map.lookup(op.getValue());
  auto type = cast<RankedTensorType>(value.getType());
  int64_t elementBytes = type.getElementTypeBitWidth() / 8, columns = type.getDimSize(1), width = 128 / elementBytes;
  if (columns % width)
    width = columns;
  SmallVector<Value> indices;
  for (Value i : op.getIndices())
    indices.push_back(materialise(b, map, i));
  int64_t columnDim = op.getTileDims()[1];
  for (int64_t c = 0; c < columns; c += width) {
    auto chunkType = RankedTensorType::get({type.getDimSize(0), width}, type.getElementType());
    auto smem = warp::SmemType::get(b.getContext(), chunkType.getShape(), type.getElementType());
    Value scratch = buffer(b, loc, smem);
    Value chunk = value;
    if (width != columns) {
      SmallVector<OpFoldResult> offsets{b.getIndexAttr(0), b.getIndexAttr(c)},
          sizes{b.getIndexAttr(type.getDimSize(0)), b.getIndexAttr(width)}, strides(2, b.getIndexAttr(1));
      chunk = tensor::ExtractSliceOp::create(b, loc, chunkType, value, offsets, sizes, strides);
    }
    warp::WriteOp::create(b, loc, chunk, scratch);
    warp::FenceOp::create(b, loc);
    warp::BarrierOp::create(b, loc);
    SmallVector<Value> at(indices);
    if (c)
      at[columnDim] = arith::AddIOp::create(b, loc, at[columnDim], arith::ConstantIndexOp::create(b, loc, c));
    warp::CopyOutOp::create(b, loc, scratch, map.lookup(op.getView()), at, b.getDenseI64ArrayAttr(op.getTileDims()), op.getKindAttr());
    ++copies;
  }
  return success();
}

void StoreStaging::finish(OpBuilder &b, Location loc) {
  if (copies)
    warp::CopyOutWaitOp::create(b, loc, b.getI64IntegerAttr(0));
}

} // namespace heddle
