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
};

/// Gives the programs of `kernel` other coordinates, so that they begin in `order`. The kernel means the same. Error,
/// located: the grid's size depends on the device.
mlir::LogicalResult orderPrograms(tile::KernelOp kernel, ProgramOrder order);

/// True where the work of programs is known to grow with their coordinate along dimension 0: of their scheduled loops
/// no bound but the upper one depends on it, and that one never falls.
bool growsWithFirstCoordinate(tile::KernelOp kernel);

/// Programs of dimension 1 that begin side by side where nobody says otherwise; 0: in the order as written. Where work
/// grows, the more the better: each section ends with its shortest programs, the last one also the launch. With one
/// head after the other (1) causal attention ran at 0.94 to 0.98 (heads of 128) and 0.97 to 0.99 (of 64) of the speed
/// that it has with 32, and with 4 in between (1024 to 16384 rows,
/// bench/results/2026-11-23-h100-forward-orders.json).
int64_t sectionWhereWorkGrows(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ORDERPROGRAMS_H
