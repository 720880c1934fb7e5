//===- OperationCost.h - what an instruction costs and holds ---------------===//
#ifndef HEDDLE_LIB_ANALYSIS_OPERATIONCOST_H
#define HEDDLE_LIB_ANALYSIS_OPERATIONCOST_H

#include "heddle/Analysis/LoopProblem.h"

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

/// "file.mlir:12".
std::string locationText(mlir::Location loc);

} // namespace heddle

#endif // HEDDLE_LIB_ANALYSIS_OPERATIONCOST_H
