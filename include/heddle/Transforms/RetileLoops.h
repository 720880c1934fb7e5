//===- RetileLoops.h - iterations over blocks of another size ------------------===//
#ifndef HEDDLE_TRANSFORMS_RETILELOOPS_H
#define HEDDLE_TRANSFORMS_RETILELOOPS_H

#include "heddle/Dialect/Tile/Tile.h"

#include <array>

namespace heddle {

/// Positions of a block of online softmax, the best first: over FlashAttention-3, heads of 128 and 64, 4096 and 16384
/// rows, blocks of 64 positions run at 0.82 and 0.87, 96 at 0.94 and 0.94, 128 at 1.04 and 1.02, 160 at 0.94 and 0.90
/// (bench/results/2026-11-27-h100-retiled.json). Heads of 256 have registers for 64.
inline constexpr std::array<int64_t, 2> bestBlocks{128, 64};
/// The first of them for `kernel`: programs whose rows one warp group computes take the second, since several then
/// share a multiprocessor (heads of 64, 64 rows: 443 TFLOPS with 64 positions, 313 with 128;
/// bench/results/2026-11-27-h100-retiled-rows-64.json).
int64_t bestBlock(tile::KernelOp kernel);

struct BlockSizes {
  int64_t positions;    ///< of a block of online softmax, at least
  int64_t sharedMemory; ///< bytes for all slots
  bool narrow = false;  ///< longer blocks, also of contractions, are cut to it: as written they may have no room
};

/// Gives innermost loops with products that go over blocks of positions other blocks, where their variables are running
/// extremes and sums that these rescale (online softmax), or sums (a contraction): the kernel means the same but for
/// the order of its sums and for roundings, which are not defined (docs/TileDialect.md). Whether any loop has changed.
bool retileLoops(tile::KernelOp kernel, const BlockSizes &sizes);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_RETILELOOPS_H
