//===- OrderPrograms.h - which program of a grid comes first ---------------===//
#ifndef HEDDLE_TRANSFORMS_ORDERPROGRAMS_H
#define HEDDLE_TRANSFORMS_ORDERPROGRAMS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// In which order programs begin: `section` along dimension 1 side by side, dimension 0 upward or downward, then the
/// next section. In a grid of one size: upward or downward.
struct ProgramOrder {
  int64_t section = 0; ///< 0: as written
  bool upward = false;
  int64_t least =
      0; ///< fewer than `section`, at least so many, where what their loops read is more than `bytes`; 0: no
  int64_t bytes = 0;
};

/// Gives the programs of `kernel` other coordinates, so that they begin in `order`. The kernel means the same. Error,
/// located: the grid's size depends on the device.
mlir::LogicalResult orderPrograms(tile::KernelOp kernel, ProgramOrder order);

/// True where the work of programs is known to grow with their coordinate along dimension 0: of their scheduled loops
/// no bound but the upper one depends on it, and that one never falls.
bool growsWithFirstCoordinate(tile::KernelOp kernel);

/// The order where nobody says otherwise, for a cache of `cacheBytes` (0: unknown) between memory and multiprocessors.
/// Where work does not grow: as written. Where it grows: the more programs of dimension 1 side by side the better, as
/// each section ends with its shortest programs, the last one also the launch, while what their loops read stays in the
/// cache. Measured on an H100, causal attention with heads of 128: 32 heads side by side are best up to 4096 rows (64
/// MiB of keys and values); eight are as fast beyond, and at the card's power limit 1.05 (8192 rows), 1.04 (16384) and
/// 1.06 times as fast (32768), where four and two lose (bench/results/2026-11-26-h100-sections.json; shorter rows and
/// heads of 64: 2026-11-23-h100-forward-orders.json, 2026-11-26-h100-heads-side-by-side.json).
ProgramOrder orderWhereWorkGrows(tile::KernelOp kernel, int64_t cacheBytes);

/// What programs side by side may read with a cache of `cacheBytes`: more than it, as not all is read at a time.
int64_t bytesSideBySide(int64_t cacheBytes);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ORDERPROGRAMS_H
