//===- SplitEpilogues.h - what stands behind products, in parts -------------===//
#ifndef HEDDLE_TRANSFORMS_SPLITEPILOGUES_H
#define HEDDLE_TRANSFORMS_SPLITEPILOGUES_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Computes and stores tiles in parts of their columns, where a thread of `groups` warp groups that share the rows has
/// not `registers` for the whole of a tile and of what is loaded for it. The program means the same. True where any
/// tile is split.
bool splitEpilogues(tile::KernelOp kernel, int64_t groups, int64_t registers);

/// Loads, computes and stores tiles in parts of `columns`, where rows or tiles are loaded for what is stored: copied
/// ahead, parts of one tile by `slots` that they share (partRingAttr). The program means the same. True where any is
/// split.
bool splitLoadedEpilogues(tile::KernelOp kernel, int64_t columns, int64_t slots);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_SPLITEPILOGUES_H
