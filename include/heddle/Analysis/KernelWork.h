//===- KernelWork.h - the work of a scheduled kernel with given sizes ------===//
//
// What:   reads off a tile program, split over groups and in instructions, what the tuner's model needs: programs,
//         trips of scheduled loops, bytes and operations (see Tuning/Model.h).
// How:    scalars are evaluated for some programs of the grid, spread over it, by the folders of their operations; what
//         memory decides is not known and taken as one trip. Bytes of device memory: programs run side by side in
//         waves, one a multiprocessor; a tile's box is fetched once a wave, and not at all where it was fetched in a
//         wave so recent that L2 holds all boxes since.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_KERNELWORK_H
#define HEDDLE_ANALYSIS_KERNELWORK_H

#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Tuning/Model.h"
#include "heddle/Tuning/PlanCache.h"

namespace heddle {

/// What is known of one scheduled loop: from its schedule, or from bounds.
struct LoopTiming {
  static constexpr double unbounded = 1e9; ///< a depth that delays nothing
  mlir::scf::ForOp loop;
  double interval = 0; ///< cycles, in the timing simulator or as scheduled
  double depth = 1;    ///< slots of its shallowest ring
};

/// The size of every named dimension of `kernel`: as in `given`, else as its types or its tile.default_dims say.
/// Errors, at the kernel: a name that no view has, a size that nobody gives.
mlir::FailureOr<Sizes> sizesOf(tile::KernelOp kernel, const Sizes &given);

/// The work of `selected` (after selectInstructions), made of `written` (a value for each parameter), with `sizes`
/// (every named dimension). `loops`: one entry for each scheduled loop. `cluster`: programs in a cluster along each
/// dimension of the grid, empty without clusters.
KernelWork workOf(tile::KernelOp written, tile::KernelOp selected, llvm::ArrayRef<LoopTiming> loops, const Sizes &sizes,
                  llvm::ArrayRef<int64_t> cluster, const Machine &machine);

} // namespace heddle

#endif // HEDDLE_ANALYSIS_KERNELWORK_H
