//===- TileToWarp.h - from a scheduled tile program to warp groups ---------===//
#ifndef HEDDLE_CONVERSION_TILETOWARP_TILETOWARP_H
#define HEDDLE_CONVERSION_TILETOWARP_TILETOWARP_H

#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Machine/Machine.h"
#include "heddle/Machine/Occupancy.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// Of one slot of a ring that holds `tile`.
int64_t slotBytes(mlir::Type tile);

/// When each instruction of one loop runs, in machine cycles (any unit does: only order and quotient by `ii` matter).
struct LoopSchedule {
  int64_t ii = 1;
  int64_t ticks = 1; ///< time units of a machine cycle
  llvm::DenseMap<mlir::Operation *, int64_t> start;
  llvm::DenseMap<mlir::Operation *, int64_t> end; ///< when each instruction's value is complete
  llvm::DenseMap<int64_t, int64_t> regs; ///< register budget per thread of compute groups; absent: what is left
  llvm::DenseMap<mlir::Operation *, int64_t> group;     ///< compute group of each instruction; absent: its sub-tile's
  llvm::DenseMap<mlir::Operation *, std::string> names; ///< node names, for comments and timelines
};

struct TileToWarpOptions {
  int64_t maxDepth = 8;    ///< most slots of a ring
  int64_t depthMargin = 1; ///< slots beyond the least that cannot deadlock
  int64_t forceDepth = 0;  ///< 0: take the shared memory that is left
  bool cutAtStart =
      false; ///< the back edge lies at time 0 of the schedule instead of where the fewest results are in flight
};

/// Builds the warp program of a selected kernel (after selectInstructions) from one schedule per scheduled loop, in
/// front of the tile kernel, which stays. One group "load" issues every copy; group "compute<g>" runs the operations
/// that the schedule puts on g, else those tagged g.
/// Errors: shared memory (infeasible: by how many bytes), control flow other than scf.for around tiles.
mlir::FailureOr<warp::KernelOp> convertTileToWarp(tile::KernelOp kernel,
                                                  const llvm::DenseMap<mlir::Operation *, LoopSchedule> &schedules,
                                                  const Machine &machine, const TileToWarpOptions &options = {});

} // namespace heddle

#endif // HEDDLE_CONVERSION_TILETOWARP_TILETOWARP_H
