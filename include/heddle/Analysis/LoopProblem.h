//===- LoopProblem.h - from a loop of instructions to a scheduling problem --===//
#ifndef HEDDLE_ANALYSIS_LOOPPROBLEM_H
#define HEDDLE_ANALYSIS_LOOPPROBLEM_H

#include "heddle/Dialect/Tile/Tile.h"
#include "heddle/Machine/Machine.h"
#include "heddle/Scheduling/Cost/FreeGroups.h"
#include "heddle/Scheduling/Problem/Pins.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// One loop as a scheduling problem: node i of `problem` runs the operations `ops[i]` (one, or those of a chain in the
/// program's order), none for a move that no operation stands for (tensor memory), and runs on group `homes[i]` where
/// each sub-tile has a group of its own. Times are in units of `problem.scale` machine cycles, rounded up.
struct LoopProblem {
  mlir::scf::ForOp loop;
  Problem problem;
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> ops;
  llvm::SmallVector<int> homes;
  std::vector<Pin> pins;                     ///< decisions that a plan fixes (see Plan.h)
  llvm::SmallVector<mlir::Location> pinLocs; ///< where each is stated
  int64_t interval = 0;                      ///< the interval that a plan fixes, in units; 0: none

  /// The costs of the problem are rounded as one of its decisions says or implies, and not otherwise.
  bool hasFixedScale = false;
};

/// Registers per thread for the elements of a chain that ptxas computes side by side. Without them attention with head
/// dimension 64 got a schedule of three stages that spilled 700 bytes.
inline constexpr int64_t registersOfChains = 8;

struct ExtractOptions {
  /// Costs are divided so that the resource bound on the initiation interval is about this many units; 0: real cycles.
  int64_t resolution = 0;
  int64_t scale = 0;       ///< above 0: this many cycles make a unit, whatever the resolution
  bool freeGroups = false; ///< the joint problem: every node may run on any group that fits (see FreeGroups.h)
  /// False: what a mask of positions compares takes no time, as in the loop that a mask which holds everywhere leaves.
  bool countMasks = true;
  bool operandsStay = true; ///< what makes a product's operand in registers runs on the product's group
  FreeGroupsOptions free;
  int64_t chainRegisters = registersOfChains; ///< taken from every budget where the loop has chains
  /// Taken from every budget, too: the plan's `spare`, which ptxas may have asked for. Below 0: given back.
  int64_t spareRegisters = 0;
  int64_t spareBytes = 0;       ///< taken from shared memory: what the lowering of an earlier schedule lacked
  bool heldTiles = true;        ///< tiles that were computed before the loop and are read later take registers, too
  int64_t addressPercent = 100; ///< of the registers for addresses that the target names, taken from every budget
  int64_t moreRegisters = 0;    ///< and these: what the hw form of an earlier schedule lacked
};

/// True for the unit of scheduling: a loop whose body has tile operations that are not free, and no loop or branch, and
/// whose iter_args do not only change places (which no stage of a pipeline computes).
bool isScheduledLoop(mlir::scf::ForOp loop);
/// What one instruction costs on the machine; with `asRun` as it runs, else as it is scheduled: vectors in the copies
/// that all threads hold, `exp2` without the factor that `exp` has, an instruction for each element that is widened.
/// Errors: the machine file lacks the class.
Result<OpCost> costOf(mlir::Operation *op, const Machine &machine, bool asRun = false);
/// Of a copy of `bytes` to shared memory by a group's threads, while all multiprocessors load.
Result<OpCost> costOfThreadCopy(int64_t bytes, const Machine &machine);

/// Extracts the problem of one scheduled loop of a selected kernel (after selectInstructions).
mlir::FailureOr<LoopProblem> extractProblem(mlir::scf::ForOp loop, const Machine &machine,
                                            const ExtractOptions &options = {});

} // namespace heddle

#endif // HEDDLE_ANALYSIS_LOOPPROBLEM_H
