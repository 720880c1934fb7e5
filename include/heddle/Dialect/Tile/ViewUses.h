//===- ViewUses.h - what a tile program does with a view ------------------------===//
#ifndef HEDDLE_DIALECT_TILE_VIEWUSES_H
#define HEDDLE_DIALECT_TILE_VIEWUSES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

struct ViewUses {
  bool read = false;    ///< elements come into the program
  bool written = false; ///< elements are stored or added to
  bool added = false;   ///< by adding to what is there
};

namespace tile {

/// On a window: its address and strides are multiples of 16 bytes, so that the copy engine reaches it.
inline constexpr llvm::StringLiteral alignedAttr = "tile.aligned";

/// The argument that `view` is, or of which it is a window.
mlir::Value memoryOf(mlir::Value view);

/// The operations that access `view`, or any window of the same memory.
llvm::SmallVector<mlir::Operation *> accessesOf(mlir::Value view);

/// Whether the kernel stores to `view`, or to a window of the same memory.
bool isStored(mlir::Value view);

/// How a kernel uses `view`, one of its arguments; or a chain, one of its arguments or workspaces: read and added is
/// what it holds before the chain, not what an earlier launch has written.
ViewUses usesOf(mlir::Value view);

} // namespace tile
} // namespace heddle

#endif // HEDDLE_DIALECT_TILE_VIEWUSES_H
