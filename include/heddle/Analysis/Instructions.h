//===- Instructions.h - what the passes between tile and warp agree on -----===//
#ifndef HEDDLE_ANALYSIS_INSTRUCTIONS_H
#define HEDDLE_ANALYSIS_INSTRUCTIONS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Discardable attributes that carry decisions between passes.
inline constexpr llvm::StringLiteral groupAttr = "heddle.group"; ///< i64: compute group that runs the op

inline constexpr llvm::StringLiteral argGroupsAttr = "heddle.arg_groups"; ///< on loops: owner of each iter_arg, -1: every group

/// True when the copy engine can deliver this load into shared memory: rank 2, the view's innermost dimension is the tile's,
/// rows are a multiple of 16 bytes (PTX ISA, cp.async.bulk.tensor).
bool isTmaLoad(tile::LoadOp load);
bool isTmaStore(tile::StoreOp store);

/// Operations that run nothing of their own (views, broadcasts, constants): each user recomputes them.
bool isFree(mlir::Operation *op);
/// True when an operand or result is a tile, in registers or shared memory.
bool touchesTiles(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_INSTRUCTIONS_H
