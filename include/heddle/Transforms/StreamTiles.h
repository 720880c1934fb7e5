//===- StreamTiles.h - programs that only move and map tiles ---------------===//
#ifndef HEDDLE_TRANSFORMS_STREAMTILES_H
#define HEDDLE_TRANSFORMS_STREAMTILES_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// For a kernel without dots, before Subtile: chooses the warps of its compute group (`heddle.group_warps` on the
/// kernel, where it gets one group) and the accesses that are not for the copy engine (`heddle.direct` on them, and
/// `heddle.once` on loads whose lines L2 gives up first).
/// `groups` is what the command line asks for, 0: nothing.
void streamTiles(tile::KernelOp kernel, int64_t groups);

/// Where threads load all that loops with products read, rows that numbers name above all, they load what stands in
/// front of these as well: a warp for the copy engine alone takes longer (attention over pages for one query ran at
/// 0.73 of its speed with its queries by the copy engine, bench/results/2026-11-28-h100-blocks-of-latency.json). Not
/// where registers would have to hold much of it: with 576 numbers in a query it ran at 0.62.
void loadWithLoops(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_STREAMTILES_H
