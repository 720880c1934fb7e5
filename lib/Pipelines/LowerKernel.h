//===- LowerKernel.h - see LowerKernel.cpp -------------------------------------===//
#ifndef HEDDLE_LIB_PIPELINES_LOWERKERNEL_H
#define HEDDLE_LIB_PIPELINES_LOWERKERNEL_H

#include "FormOptions.h"

namespace heddle {

/// A kernel as scheduled: what was asked for, and what holds for it.
struct Attempt {
  Plan plan;
  FormOptions options;
  const FormOptions &given;
  bool persistent;
};

/// The second half of the compiler: from the schedules in `out` down to `upTo`.
mlir::LogicalResult lowerKernel(tile::KernelOp kernel, const Machine &machine, const Attempt &attempt, Level upTo,
                                Compilation &out);

/// Shared memory, barriers, layouts, descriptors: the warp program of `out` as an hw program.
mlir::LogicalResult lowerToHW(const Machine &machine, const FormOptions &options, Compilation &out);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_LOWERKERNEL_H
