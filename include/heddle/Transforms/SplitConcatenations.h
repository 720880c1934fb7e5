//===- SplitConcatenations.h - products of concatenations --------------------===//
#ifndef HEDDLE_TRANSFORMS_SPLITCONCATENATIONS_H
#define HEDDLE_TRANSFORMS_SPLITCONCATENATIONS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Products of `kernel` that contract the dimension in which an operand is concatenated become sums of products of the
/// parts. The program means the same, but for the order in which products are summed.
void splitConcatenations(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_SPLITCONCATENATIONS_H
