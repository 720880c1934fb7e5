//===- SideBySide.h - programs whose loops read what L2 holds --------------===//
#ifndef HEDDLE_LIB_TRANSFORMS_SIDEBYSIDE_H
#define HEDDLE_LIB_TRANSFORMS_SIDEBYSIDE_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// What the loop of a program reads of a view, when the program beside it along dimension 1 reads something else of it,
/// and programs along dimension 0 the same: the keys of a head.
struct SharedRead {
  int64_t bytes = 0;                                             ///< of one element of `extents`
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 2> extents; ///< (view, dimension): all of it is read
  mlir::Value sharers; ///< so many programs along dimension 1 read the same of it; null: each its own
};

/// Those of all scheduled loops of `kernel`. Empty: none, or one of which nothing is known.
llvm::SmallVector<SharedRead> sharedReads(tile::KernelOp kernel);

/// At `b`: the greatest number of programs along dimension 1 of which `reads` are at most `bytes`; at most `bytes`.
mlir::Value mostSideBySide(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<SharedRead> reads, int64_t bytes);

} // namespace heddle

#endif // HEDDLE_LIB_TRANSFORMS_SIDEBYSIDE_H
