//===- PlanOptions.h - see PlanOptions.cpp ----------------------------------===//
#ifndef HEDDLE_LIB_PIPELINES_PLANOPTIONS_H
#define HEDDLE_LIB_PIPELINES_PLANOPTIONS_H

#include "FormOptions.h"
#include "heddle/Analysis/Plan.h"

namespace heddle {

/// A decision that changes a kernel's text alone: a flag of plans, the option that it becomes, and the attribute by
/// which the hw kernel tells the printer.
struct TextDecision {
  llvm::StringLiteral key;
  bool FormOptions::*option;
  llvm::StringLiteral attribute;
  llvm::StringLiteral value = ""; ///< of the attribute; empty: a unit attribute
};

/// All of them, in the order in which plans and headers of kernels show them. Where two set one attribute the first
/// that holds does.
llvm::ArrayRef<TextDecision> textDecisions();

/// What the plan says of the whole kernel joins the options and the machine. Errors: options that say otherwise, more
/// shared memory than there is, parameters that the kernel lacks, registers that no group can have.
mlir::LogicalResult applyToKernel(const Plan &plan, tile::KernelOp kernel, FormOptions &options, Machine &machine);

/// Adds to an error that is not at a place of the plan's `file` what the plan says of the kernel as a whole and may
/// have led to it.
void notePlanned(const Plan &plan, llvm::StringRef file, mlir::Diagnostic &diagnostic);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_PLANOPTIONS_H
