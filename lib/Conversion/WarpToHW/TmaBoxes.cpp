//===- TmaBoxes.cpp - see TmaBoxes.h --------------------------------------------===//
#include "TmaBoxes.h"

#include "heddle/Dialect/HW/Limits.h"

using namespace mlir;
using namespace heddle;

/// Largest divisor of `extent` that a box allows; whole swizzle atoms if there are several boxes.
static int64_t boxRows(int64_t extent) {
  if (extent <= hw::mostBoxExtent)
    return extent;
  for (int64_t rows = hw::mostBoxExtent; rows >= hw::swizzleRows; rows -= hw::swizzleRows)
    if (extent % rows == 0)
      return rows;
  return 0;
}

FailureOr<TmaCopy> heddle::planTmaCopy(Operation *op, hw::TileType tile, tile::ViewType view,
                                       std::optional<ArrayRef<int64_t>> dims, std::optional<int64_t> innerCoord) {
  int64_t rank = view.getRank(), tileRank = tile.getShape().size();
  SmallVector<int64_t> tileDims = view.getTileDims(dims, tileRank);
  if (static_cast<int64_t>(tileDims.size()) != tileRank)
    return op->emitOpError("expected ") << tileRank << " dims (the tile's rank), got " << tileDims.size();
  if (tileDims.back() != rank - 1 || (tileRank == 2 && tileDims[0] >= tileDims[1]) || tileDims[0] < 0)
    return op->emitOpError("expected increasing dims that end with the view's innermost dimension ")
           << rank - 1 << " (the tensor map copies contiguous rows), got " << tileDims;
  if (tile.getTransposed())
    return op->emitOpError("expected a tile in its storage's order, got a transposed one");

  TmaCopy copy;
  copy.colDim = rank - 1;
  copy.rowDim = tileRank == 2 ? tileDims[0] : -1;
  int64_t rows = tileRank == 2 ? tile.getShape()[0] : 1, cols = tile.getShape().back();
  int64_t perBox = boxRows(rows), chunk = tile.getSwizzle() ? tile.getChunkCols() : boxRows(cols);
  if (!perBox || !chunk)
    return op->emitOpError("expected tile extents of at most ")
           << hw::mostBoxExtent << " or with a divisor up to it that is a multiple of " << hw::swizzleRows << ", got "
           << rows << "x" << cols;
  if (tile.getSwizzle() && (tile.getRowOffset() % hw::swizzleRows || tile.getColOffset() % chunk || cols % chunk))
    return op->emitOpError("expected a slice of whole 8-row groups and ") << chunk << "-column chunks, got " << tile;
  if (!tile.getSwizzle() && tileRank == 2 && (cols != tile.getCols() || chunk != cols))
    return op->emitOpError("expected whole rows of unswizzled storage, at most ")
           << hw::mostBoxExtent << " elements, got " << tile;
  if (chunk * tile.getElementBytes() % hw::copyBytes)
    return op->emitOpError("expected rows of a multiple of ")
           << hw::copyBytes << " bytes, got " << chunk * tile.getElementBytes();

  copy.box.assign(rank, 1);
  copy.box[0] = chunk;
  if (copy.rowDim >= 0)
    copy.box[rank - 1 - copy.rowDim] = perBox;
  int64_t chunks = cols / chunk;
  bool canSplit = chunks > 1 && chunks <= hw::mostBoxExtent && perBox == tile.getRows() && rank < hw::mostMapDims &&
                  innerCoord && *innerCoord % chunk == 0 && !ShapedType::isDynamic(view.getShape().back()) &&
                  view.getShape().back() % chunk == 0;
  if (canSplit) {
    copy.split = chunk;
    copy.box.push_back(chunks);
    copy.boxes.push_back({0, 0, tile.getByteOffset(tile.getRowOffset(), tile.getColOffset())});
    return copy;
  }
  for (int64_t c = 0; c < chunks; ++c)
    for (int64_t r = 0; r < rows; r += perBox)
      copy.boxes.push_back(
          {r, c * chunk, tile.getByteOffset(tile.getRowOffset() + r, tile.getColOffset() + c * chunk)});
  return copy;
}
