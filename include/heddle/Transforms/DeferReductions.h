//===- DeferReductions.h - reductions over threads behind the loop ----------===//
#ifndef HEDDLE_TRANSFORMS_DEFERREDUCTIONS_H
#define HEDDLE_TRANSFORMS_DEFERREDUCTIONS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// A row statistic that a loop carries and only updates linearly (or by maxima) with reductions of rows is carried as
/// partial results, one for each column that another thread holds; they are reduced behind the loop. The program means
/// the same but for the order of the sums.
void deferReductions(tile::KernelOp kernel);
/// Whether there is such a statistic.
bool canDeferReductions(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_DEFERREDUCTIONS_H
