//===- Partitions.cpp - tensors and their pieces --------------------------===//
#include "Converter.h"

#include "heddle/Dialect/Tile/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
namespace heddle {

Scalar Converter::sizeOf(const PartDim &dim) {
  Scalar scalar;
  if (ShapedType::isDynamic(dim.size))
    scalar.value = dim.extent;
  else
    scalar.constant = dim.size;
  return scalar;
}

/// At the end of a view the copy engine fills and drops; what reaches beyond a part of one would touch the neighbour,
/// and a tensor of a block has nothing there.
static bool mayReachBeyond(const TensorPart &part, const PartDim &dim) { return part.store->view && dim.whole; }

/// The sizes of a list of numbers and values; nothing for a value that is not known here.
static std::optional<int64_t> next(Frame &frame, int64_t size, OperandRange::iterator &values) {
  return ShapedType::isDynamic(size) ? frame.scalars[*values++].constant : size;
}

LogicalResult Converter::makeTensor(Frame &frame, task::MakeTensorOp make) {
  if (!inBlock && !inGrid)
    return refuse(make, frame.instance.placeOf("proc"),
                  "expected a temporary inside a block, got one outside the range over blocks, which no memory of a "
                  "block holds");
  SmallVector<int64_t> shape;
  auto values = make.getSizes().begin();
  for (int64_t size : make.getStaticSizes()) {
    std::optional<int64_t> known = next(frame, size, values);
    if (!known)
      return refuse(make, frame.instance.placeOf("tunables"),
                    "expected a temporary whose sizes are known here, got one that depends on a size of the "
                    "program's tensors");
    shape.push_back(*known);
  }
  int64_t elements = 1;
  for (int64_t size : shape)
    if (size < 1 || (elements *= size) > 1048576) {
      std::string sizes;
      for (int64_t each : shape)
        sizes += (sizes.empty() ? "" : " x ") + std::to_string(each);
      return refuse(make, frame.instance.loc, "expected a temporary of 1 to 1048576 elements, got " + sizes);
    }
  auto type = RankedTensorType::get(shape, make.getElementType());
  StringRef name = tile::sourceName(make.getResult());
  frame.tensors[make] = tensors.all(tensors.makeTemporary(type, name.empty() ? "temporary" : name, make.getLoc()));
  return success();
}

LogicalResult Converter::partition(Frame &frame, Operation *op) {
  PartitionOf result;
  result.op = op;
  auto blocks = dyn_cast<task::BlocksOp>(op);
  auto mma = dyn_cast<task::MmaOp>(op);
  result.part = frame.tensors[blocks ? blocks.getTensor() : mma.getTensor()];
  if (mma) {
    auto pieces = mma.getPieces().empty() ? std::optional<int64_t>(mma.getStaticPieces()[0])
                                          : frame.scalars[mma.getPieces()[0]].constant;
    if (pieces != 4 && pieces != 32)
      return refuse(op, frame.instance.placeOf("tunables"),
                    "expected 4 pieces, for the warps of a warp group, or 32, for the threads of a warp, got " +
                        (pieces ? std::to_string(*pieces) : "a number that is not known here"));
    result.pieces = *pieces;
    for (Attribute role : mma.getRoles())
      result.roles += cast<StringAttr>(role).getValue();
    frame.partitions[op->getResult(0)] = result;
    return success();
  }
  auto values = blocks.getSizes().begin();
  for (auto [d, size] : llvm::enumerate(blocks.getStaticSizes())) {
    const PartDim &dim = *result.part.visible()[d];
    std::optional<int64_t> known = size == task::BlocksOp::full ? dim.size : next(frame, size, values);
    if (!known)
      return refuse(op, frame.instance.placeOf("tunables"),
                    "expected blocks whose size is known here, got one that depends on a size of the program's "
                    "tensors");
    int64_t chosen = *known;
    if (chosen < 1 && !ShapedType::isDynamic(chosen))
      return refuse(op, frame.instance.placeOf("tunables"),
                    "expected blocks of at least one element, got " + std::to_string(chosen));
    if (!ShapedType::isDynamic(dim.size) && !mayReachBeyond(result.part, dim) && dim.size % chosen != 0)
      return refuse(op, frame.instance.placeOf("tunables"),
                    "expected blocks that divide the " + std::to_string(dim.size) + " elements of '" +
                        result.part.store->name + "' along dimension " + std::to_string(d) + ", got " +
                        std::to_string(chosen));
    result.sizes.push_back(chosen);
    result.dropped.push_back(size == 1);
  }
  frame.partitions[op->getResult(0)] = result;
  return success();
}

LogicalResult Converter::countPieces(Frame &frame, task::CountOp count) {
  PartitionOf &partition = frame.partitions[count.getPartition()];
  Scalar &scalar = frame.scalars[count];
  if (partition.pieces) {
    scalar.constant = partition.pieces;
    return success();
  }
  const PartDim &dim = *partition.part.visible()[count.getDim()];
  int64_t size = partition.sizes[count.getDim()];
  scalar.block = size;
  if (!ShapedType::isDynamic(dim.size)) {
    scalar.constant = llvm::divideCeil(dim.size, size);
    scalar.totalConstant = dim.size;
  } else if (ShapedType::isDynamic(size)) {
    scalar.constant = 1;
  } else {
    scalar.value = arith::CeilDivUIOp::create(b, count.getLoc(), dim.extent, tensors.index(size, count.getLoc()));
    scalar.total = dim.extent;
  }
  return success();
}

LogicalResult Converter::takePiece(Frame &frame, task::PieceOp op) {
  PartitionOf &partition = frame.partitions[op.getPartition()];
  TensorPart piece = partition.part;
  SmallVector<Scalar, 4> indices;
  auto values = op.getIndices().begin();
  for (int64_t index : op.getStaticIndices()) {
    if (ShapedType::isDynamic(index))
      indices.push_back(frame.scalars[*values++]);
    else
      indices.emplace_back().constant = index;
  }
  SmallVector<PartDim *, 4> dims = piece.visible();
  if (partition.pieces) {
    if (!indices[0].range)
      return refuse(op, frame.instance.loc,
                    "expected the variable of a range over warps or threads as the index of task.mma, got another");
    auto [range, variable] = *indices[0].range;
    if (collapsed[range].extents[variable] != partition.pieces)
      return refuse(op, frame.instance.loc,
                    "expected a range over all " + std::to_string(partition.pieces) + " pieces, got " +
                        std::to_string(collapsed[range].extents[variable]));
    for (auto [dim, role] : llvm::zip(dims, partition.roles))
      if (role == 'm' || (role == 'n' && partition.pieces == 32))
        dim->divided.by.push_back({range, variable, true, 0, partition.pieces, role});
    frame.tensors[op] = piece;
    return success();
  }
  for (auto [d, all] : llvm::enumerate(llvm::zip(dims, partition.sizes, indices, partition.dropped))) {
    auto [dim, size, index, dropped] = all;
    dim->hidden = dropped;
    if (index.range) {
      auto [range, variable] = *index.range;
      int64_t extent = collapsed[range].extents[variable];
      if (ShapedType::isDynamic(dim->size) || dim->size != extent * size)
        return refuse(op, frame.instance.loc,
                      "expected a range over processors of a block over all pieces of '" + piece.store->name +
                          "', got " + std::to_string(extent) + " of " + std::to_string(size));
      if (extent > 1)
        dim->divided.by.push_back({range, variable, false, size, 0, ' '});
      continue;
    }
    bool isOne = size == dim->size, isSized = !ShapedType::isDynamic(size);
    int64_t count = isOne ? 1 : ShapedType::isDynamic(dim->size) ? 0 : dim->size / size;
    bool isInside = index.isBelow(count);
    if (!isInside && !(isSized && mayReachBeyond(piece, *dim)))
      return refuse(op, frame.instance.loc,
                    "expected an index below " + std::to_string(count) + " along dimension " + std::to_string(d) +
                        ", since nothing of '" + piece.store->name + "' is behind its last piece, got " +
                        (index.constant ? std::to_string(*index.constant) : "one that may be another"));
    if (isOne && isInside)
      continue;
    dim->whole = false;
    dim->size = size;
    if (index.constant) {
      dim->constantOffset += *index.constant * size;
      continue;
    }
    Value at = index.strided && index.stride == size ? index.strided : Value();
    if (!at) {
      Value number = tensors.materialise(index, op.getLoc());
      if (!number)
        return failure();
      at = arith::MulIOp::create(b, op.getLoc(), number, tensors.index(size, op.getLoc()));
    }
    dim->offset = dim->offset ? Value(arith::AddIOp::create(b, op.getLoc(), dim->offset, at)) : at;
  }
  frame.tensors[op] = piece;
  return success();
}

} // namespace heddle
