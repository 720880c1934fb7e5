//===- CompileForm.h - see CompileForm.cpp --------------------------------------===//
#ifndef HEDDLE_LIB_PIPELINES_COMPILEFORM_H
#define HEDDLE_LIB_PIPELINES_COMPILEFORM_H

#include "FormOptions.h"

namespace heddle {

/// Whether loads of kernels without dots run ahead of their iteration. They need not where the blocks that share a
/// multiprocessor load enough, which is known when there is one.
enum class Ahead { AsChosen, Never };

/// Compiles `kernel` in the form that `options` say, and chooses what they leave open of it. `ahead`: Never fails, and
/// says nothing, where it is no question.
mlir::LogicalResult compileForm(tile::KernelOp kernel, const Machine &machine, const FormOptions &options, Level upTo,
                                Compilation &out, Ahead ahead = Ahead::AsChosen);

/// That kernels are made for `machine`, and its registers are those that they can have.
mlir::LogicalResult verifyEmitsKernels(tile::KernelOp kernel, const Machine &machine);

} // namespace heddle

#endif // HEDDLE_LIB_PIPELINES_COMPILEFORM_H
