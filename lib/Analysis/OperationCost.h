//===- OperationCost.h - what an instruction costs and holds ---------------===//
#ifndef HEDDLE_LIB_ANALYSIS_OPERATIONCOST_H
#define HEDDLE_LIB_ANALYSIS_OPERATIONCOST_H

#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Machine/Occupancy.h"
#include "heddle/Target/TargetInterface.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle {

/// Bytes of a tile, in registers or shared memory.
int64_t tileBytes(mlir::Type type);

/// What tiles take in registers, as a target spreads them over threads.
struct RegisterLayout {
  const TargetInterface &target;
  int64_t groupWarps = warpsPerGroup; ///< of a compute group
  bool coalesced = false;             ///< no dot decides: lanes lie along the columns, warps along the rows
  /// Warps that hold `value`.
  int64_t warpsOf(mlir::Value value) const;
  /// Registers per thread of `value` held by warpsOf(value) warps; 0 when it is not a register tile.
  int64_t registersOf(mlir::Value value) const;
};

/// Whether `op` takes the special function unit.
bool isTranscendental(mlir::Operation *op);

/// What a node costs whose operations run an element at a time, one after the other.
struct NodeCost {
  llvm::SmallVector<std::pair<std::string, int64_t>> holds; ///< cycles of each unit
  int64_t latency = 0, issue = 0;
  bool async = false;
  int64_t hold() const { return holds.empty() ? 0 : holds.front().second; }
};
/// The cost of a chain, together with `again`, what it computes again. Each unit is held for the sum of what the
/// operations take of it. Elements are independent, so that while one is in one unit the next is in another: the
/// length is that of the unit, or of the issue slots (one instruction a cycle and scheduler), that the chain takes
/// longest, and the way of the last element, which passes every operation of the longest path behind it.
Result<NodeCost> costOfNode(llvm::ArrayRef<mlir::Operation *> chain, llvm::ArrayRef<mlir::Operation *> again,
                            const Machine &machine);

/// "file.mlir:12".
std::string locationText(mlir::Location loc);

} // namespace heddle

#endif // HEDDLE_LIB_ANALYSIS_OPERATIONCOST_H
