//===- BlockSizes.h - which blocks of loops a kernel is compiled with ---------===//
//
// What:   of a kernel whose loops over blocks of positions may take others (Transforms/RetileLoops.h): the sizes that
//         are tried, and whether a schedule for one of them is better than that for another.
// Where:  compileKernel, behind the first compilation; makeCubin, where registers are too few.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_PIPELINES_BLOCKSIZES_H
#define HEDDLE_LIB_PIPELINES_BLOCKSIZES_H

#include "heddle/Pipelines/Compiler.h"

namespace heddle {

/// Other numbers of positions that `made` may run faster with than with its own: fewer ones, and the blocks as written.
/// Programs of one warp group begin with few; where several of them share a multiprocessor and have registers for more,
/// these may be better (heads of 128, 64 rows: 0.85 of FlashAttention-3 with 128 positions, 0.71 with 64;
/// bench/results/2026-11-27-h100-blocks-of-products.json).
llvm::SmallVector<int64_t> otherBlocks(const Compilation &made);

/// What users are told where loops take other blocks than the program's; empty: they do not.
std::string describeBlocks(const Compilation &compilation);

/// Thread blocks that share a multiprocessor; the interval of a schedule is that of each of them.
int64_t blocksOf(const Compilation &compilation);

/// Whether `loop` takes, in smaller steps, what another one has left.
bool takesRest(const Compilation &compilation, const ScheduledLoop &loop);

/// Whether a loop of `one` goes over other blocks than that of `other`.
bool haveOtherBlocks(const Compilation &one, const Compilation &other);

/// Cycles of a multiprocessor for a position of the blocks, of all loops together.
double cyclesForPosition(const Compilation &compilation);
/// The same, of what resources ask for in any case.
double leastForPosition(const Compilation &problems);

/// Whether so many cycles for a position are less than those of `over` by what other blocks, or groups, have to gain.
bool gainsEnough(double cycles, const Compilation &over);
/// Whether schedules for other blocks cannot gain that: all loops take about what their resources need in any case.
bool reachesBounds(const Compilation &compilation);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_BLOCKSIZES_H
