//===- ModuloExpand.h - prologue, steady state and epilogue of a loop ------===//
#ifndef HEDDLE_LIB_CONVERSION_TILETOWARP_MODULOEXPAND_H
#define HEDDLE_LIB_CONVERSION_TILETOWARP_MODULOEXPAND_H

#include "heddle/Dialect/Warp/Warp.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace heddle {

/// Operations of a loop body that stay together, at one place of the schedule.
struct StreamItem {
  llvm::SmallVector<mlir::Operation *> ops; ///< in program order; the last one is the scheduled operation
  int64_t stage = 0;                        ///< iteration j runs it in kernel iteration j + stage
};

/// Replaces `loop` (scf.for %it = 0 to %trip step 1, the sequential program order) by its software pipeline: `items` in
/// kernel order. With one stage the body is reordered; with S > 1 stages the pipeline is taken when trip >= S - 1, else
/// the sequential loop. Groups that hand tiles to each other must choose alike: with `mostStages` above S the choice is
/// by trip >= mostStages - 1, with one stage as well. Returns the values that stand for the loop's results. Errors
/// (internal): an item uses a value that the order has not produced.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> expandModulo(mlir::scf::ForOp loop, llvm::ArrayRef<StreamItem> items,
                                                             int64_t mostStages = 1);

} // namespace heddle

#endif // HEDDLE_LIB_CONVERSION_TILETOWARP_MODULOEXPAND_H
