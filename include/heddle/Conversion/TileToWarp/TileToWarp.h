//===- TileToWarp.h - from a scheduled tile program to warp groups ---------===//
#ifndef HEDDLE_CONVERSION_TILETOWARP_TILETOWARP_H
#define HEDDLE_CONVERSION_TILETOWARP_TILETOWARP_H

#include "heddle/Dialect/Warp/Warp.h"
#include "heddle/Machine/Machine.h"
#include "heddle/Machine/Occupancy.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// When each instruction of one loop runs, in machine cycles (any unit does: only order and quotient by `ii` matter).
struct LoopSchedule {
  int64_t ii = 1;
  int64_t ticks = 1; ///< time units of a machine cycle
  llvm::DenseMap<mlir::Operation *, int64_t> start;
  llvm::DenseMap<mlir::Operation *, int64_t> end; ///< when each instruction's value is complete
  llvm::DenseMap<int64_t, int64_t> regs; ///< register budget per thread of compute groups; absent: what is left
  llvm::DenseMap<mlir::Operation *, int64_t> group;     ///< compute group of each instruction; absent: its sub-tile's
  llvm::DenseMap<mlir::Operation *, std::string> names; ///< node names, for comments and timelines
  llvm::DenseMap<mlir::Operation *, int64_t> rings;     ///< slots of the rings of loads and stages; absent: what fits
  llvm::DenseMap<mlir::Operation *, mlir::LocationAttr> ringPlaces; ///< where a plan gives them
  llvm::DenseMap<mlir::Operation *, int64_t> inflight; ///< most instances of a dot in flight; absent: two dots
  /// Dots that are done when another instruction begins, so many iterations later: their operands' registers are taken.
  llvm::DenseMap<mlir::Operation *, std::pair<mlir::Operation *, int64_t>> done;
  llvm::SmallVector<int64_t> cut;   ///< by compute group: where its back edge lies; absent: see LoopStream.cpp
  llvm::SmallVector<int64_t> order; ///< compute groups, as they issue the dots of an iteration; absent: as they come
};

/// What the lowering decides.
struct WarpDecisions {
  struct Loop {
    std::map<std::string, std::string> rings; ///< by the names that the schedule gives loads and stages
    std::map<int64_t, int64_t> cut;           ///< by compute group, in machine cycles; below 0: between two of them
    bool ordered = false;                     ///< groups issue their dots one after the other
  };
  std::vector<Loop> loops;              ///< scheduled loops in program order
  std::map<std::string, int64_t> slots; ///< of each ring
  int64_t fewestSlots = 0;              ///< of the rings that scheduled loops fill; 0: there are none
  std::vector<int64_t> registers;       ///< budgets of the compute groups that run anything
  bool handsStores = false;             ///< groups of their own copy what loops store (TileToWarpOptions::storeWarp)
  int64_t bytesOver = 0;                ///< by which shared memory is exceeded, with what warps exchange
  bool lacksSlots = false;              ///< there is no program: the order of the schedules needs more slots than fit
};

struct TileToWarpOptions {
  int64_t maxDepth = 8; ///< most slots of a ring
  bool specialize =
      true; ///< copies are issued by a group of their own; false: each ring's by the first group that reads it
  bool storeWarp = false; ///< what loops store by the copy engine is copied by groups of their own (StoreGroups.cpp)
  llvm::SmallVector<int64_t> registers; ///< budgets of the compute groups that run anything; empty: shared out
  bool cutAtStart =
      false; ///< the back edge lies at time 0 of the schedule instead of where the fewest results are in flight
};

/// Builds the warp program of a selected kernel (after selectInstructions) from one schedule per scheduled loop, in
/// front of the tile kernel, which stays. One group "load" issues every copy; group "compute<g>" runs the operations
/// that the schedule puts on g, else those tagged g. Without `specialize` there is no group "load": the first group
/// that reads a ring refills each slot as soon as it is free. With `storeWarp` group "store<g>" copies what group
/// "compute<g>" stores in loops. Rings have the fewest slots that cannot deadlock; growRings makes them deeper.
/// Errors: shared memory, rings or registers (infeasible: by how many), control flow other than scf.for around tiles.
mlir::FailureOr<warp::KernelOp> convertTileToWarp(tile::KernelOp kernel,
                                                  const llvm::DenseMap<mlir::Operation *, LoopSchedule> &schedules,
                                                  const Machine &machine, const TileToWarpOptions &options = {},
                                                  WarpDecisions *decisions = nullptr);

/// Gives the rings of `kernel` that may be deeper more slots, `maxDepth` at most, while they fit in `bytes` of shared
/// memory that nothing else takes. Returns how many rings of loops are left with one slot, into which nothing can be
/// loaded ahead.
int64_t growRings(warp::KernelOp kernel, int64_t bytes, int64_t maxDepth, WarpDecisions &decisions);

} // namespace heddle

#endif // HEDDLE_CONVERSION_TILETOWARP_TILETOWARP_H
