//===- UnpipelineLoops.h - what is computed an iteration ahead, in its own --===//
#ifndef HEDDLE_TRANSFORMS_UNPIPELINELOOPS_H
#define HEDDLE_TRANSFORMS_UNPIPELINELOOPS_H

#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

/// Values that a loop of `kernel` carries because each iteration computes or loads those of the next one are computed
/// in the iteration that reads them. The program means the same; what the last iteration computed for nobody is gone.
/// True where anything was changed.
bool unpipelineLoops(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_UNPIPELINELOOPS_H
