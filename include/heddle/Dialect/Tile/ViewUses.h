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

/// On a window, or a view that is an argument: its address and strides are multiples of 16 bytes. The copy engine
/// reaches such a window, and accesses need no test; of an argument the launcher checks it.
inline constexpr llvm::StringLiteral alignedAttr = "tile.aligned";
/// On a view that is an argument: numbers of which its sizes are multiples, as the launcher checks.
inline constexpr llvm::StringLiteral multiplesAttr = "tile.multiples";

/// Whether `view` is marked as aligned.
bool isMarkedAligned(mlir::Value view);

/// A number of which the size of `view` along `dim` is surely a multiple.
int64_t sizeDivisor(mlir::Value view, int64_t dim);

/// Whether `value` is the size of `view`, an argument, along `dim`: tile.dim of a size of that name, or a constant that
/// is no less.
bool isSizeOf(mlir::Value value, mlir::BlockArgument view, int64_t dim);

/// The argument that `view` is, or of which it is a window.
mlir::Value memoryOf(mlir::Value view);

/// The operations that access `view`, or any window of the same memory.
llvm::SmallVector<mlir::Operation *> accessesOf(mlir::Value view);

/// Whether the kernel stores to `view`, or to a window of the same memory.
bool isStored(mlir::Value view);

/// How a kernel uses `view`, one of its arguments; or a chain, one of its arguments or workspaces: of a workspace that
/// an earlier launch has written nothing is read or added to that it held before the chain; of an argument something
/// may be read, unless that launch surely writes all of it (not a row of a cache).
ViewUses usesOf(mlir::Value view);

} // namespace tile
} // namespace heddle

#endif // HEDDLE_DIALECT_TILE_VIEWUSES_H
