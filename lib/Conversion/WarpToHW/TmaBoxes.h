//===- TmaBoxes.h - a tile copy as tensor-map boxes -----------------------------===//
//
// A tile in swizzled storage lies as [chunk][row][swizzle bytes]; a TMA box row is at most the swizzle wide and no
// extent exceeds 256. So a tile is one box per chunk and per 256 rows, or, where the view's innermost size is a known
// multiple of the chunk and the tile starts at a multiple of it, one box on a map whose innermost dimension is split
// into (chunk, chunks).
//
//===----------------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_CONVERSION_WARPTOHW_TMABOXES_H
#define HEDDLE_LIB_CONVERSION_WARPTOHW_TMABOXES_H

#include "heddle/Dialect/HW/HW.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle {

struct TmaBox {
  int64_t rowOffset = 0, colOffset = 0; ///< of the box in the tile, elements
  int64_t byteOffset = 0;               ///< of the box in the storage
};

struct TmaCopy {
  llvm::SmallVector<int64_t, 5> box; ///< extents, innermost first
  int64_t split = 0;                 ///< see hw.tensor_map
  int64_t rowDim = -1, colDim = 0;   ///< view dimensions of the tile's rows (-1: rank 1) and columns
  llvm::SmallVector<TmaBox, 4> boxes;
};

/// Boxes of a copy between `tile` and the corner of `view` whose innermost coordinate is `innerCoord` if it is known.
/// Fails with an error at `op` if no tensor map can do it.
mlir::FailureOr<TmaCopy> planTmaCopy(mlir::Operation *op, hw::TileType tile, tile::ViewType view,
                                     std::optional<llvm::ArrayRef<int64_t>> dims, std::optional<int64_t> innerCoord);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_WARPTOHW_TMABOXES_H
