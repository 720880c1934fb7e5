//===- OperationCost.h - what an instruction costs and holds ---------------===//
#ifndef HEDDLE_LIB_ANALYSIS_OPERATIONCOST_H
#define HEDDLE_LIB_ANALYSIS_OPERATIONCOST_H

#include "heddle/Analysis/LoopProblem.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle {

/// True when the tensor core of `machine` keeps accumulators in a memory of its own (`tmem`) instead of registers.
bool hasTensorMemory(const Machine &machine);

/// Bytes of a tile, in registers or shared memory.
int64_t tileBytes(mlir::Type type);

/// Where a tile's rows lie decides how many warps hold it and what it takes in registers.
struct RegisterLayout {
  int64_t groupWarps = 4;    ///< of a compute group
  bool coalesced = false;    ///< no dot decides: lanes lie along the columns, warps along the rows
  bool rowPerThread = false; ///< accumulators come from tensor memory: one row a thread; else wgmma fragments
  /// Warps that hold `value`: its group's; with a row per thread 4 for every 128 rows.
  int64_t warpsOf(mlir::Value value) const;
  /// Registers per thread of `value` held by warpsOf(value) warps; 0 when it is not a register tile.
  int64_t registersOf(mlir::Value value) const;
};

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
