//===- PlanOptions.h - see PlanOptions.cpp ----------------------------------===//
#ifndef HEDDLE_LIB_PIPELINES_PLANOPTIONS_H
#define HEDDLE_LIB_PIPELINES_PLANOPTIONS_H

#include "heddle/Analysis/Plan.h"
#include "heddle/Pipelines/Compiler.h"

namespace heddle {

/// What the plan says of the whole kernel joins the options and the machine. Errors: options that say otherwise, more
/// shared memory than there is.
mlir::LogicalResult applyToKernel(const Plan &plan, tile::KernelOp kernel, CompileOptions &options, Machine &machine);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_PLANOPTIONS_H
