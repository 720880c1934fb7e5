//===- HandOver.h - values that go from one warp group to another ----------===//
#ifndef HEDDLE_LIB_CONVERSION_TILETOWARP_HANDOVER_H
#define HEDDLE_LIB_CONVERSION_TILETOWARP_HANDOVER_H

#include "heddle/Conversion/TileToWarp/TileToWarp.h"
#include "heddle/Dialect/Tile/Tile.h"

namespace heddle {

using LoopSchedules = llvm::DenseMap<mlir::Operation *, LoopSchedule>;

/// True when some instruction runs on another group than its sub-tile's.
bool needsHandOver(const LoopSchedules &schedules);

/// Gives every operation of `kernel` the group that `schedules` say (outside scheduled loops: the group that computes
/// most of the sub-tile) and makes each register tile that another group needs cross through shared memory: warp.stage
/// behind its definition, one warp.read per group. Both become instructions of the schedules, whose times become finer.
/// Loops may be replaced; `schedules` follow.
void insertHandOvers(tile::KernelOp kernel, LoopSchedules &schedules);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TILETOWARP_HANDOVER_H
