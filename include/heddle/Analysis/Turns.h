//===- Turns.h - several programs of a persistent kernel in flight ---------===//
#ifndef HEDDLE_ANALYSIS_TURNS_H
#define HEDDLE_ANALYSIS_TURNS_H

#include "heddle/Dialect/Tile/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// On a loop over programs (programLoopAttr): i64, how many of them are in flight at a time. Each has compute groups of
/// its own, which run the body of every so many-th iteration; the load group serves all in turn, and one after the
/// other runs its loops (see Transforms/TakeTurns.h). Absent: 1, all groups share every program.
inline constexpr llvm::StringLiteral turnsAttr = "heddle.turns";

/// The loop over the programs of a persistent kernel; null: there is none.
mlir::scf::ForOp programLoop(tile::KernelOp kernel);
/// Programs of `kernel` in flight at a time.
int64_t turnsOf(tile::KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_TURNS_H
