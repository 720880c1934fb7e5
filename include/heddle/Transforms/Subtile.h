//===- Subtile.h - split a tile program over compute warp groups -----------===//
#ifndef HEDDLE_TRANSFORMS_SUBTILE_H
#define HEDDLE_TRANSFORMS_SUBTILE_H

#include "heddle/Analysis/Instructions.h"
#include "heddle/Dialect/Tile/KernelRules.h"

namespace heddle {

/// Rewrites `kernel` so that each compute operation exists once per group, on that group's part of the tile, tagged
/// with `heddle.group`. Loads by the copy engine stay whole and are sliced per group. The result is still a sequential
/// tile program with the same meaning. `groups` 0: the kernel's `groups` attribute, else the most, up to `most`, that
/// gives 64-row dots.
/// Errors: `groups` does not divide the dots' rows into multiples of 64, or the program cannot be divided (see
///         Partition).
mlir::LogicalResult subtile(tile::KernelOp kernel, int64_t groups = 0, int64_t most = tile::mostGroups);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_SUBTILE_H
