//===- EraseUnread.h - what nothing reads any more ----------------------------===//
#ifndef HEDDLE_LIB_TRANSFORMS_ERASEUNREAD_H
#define HEDDLE_LIB_TRANSFORMS_ERASEUNREAD_H

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace heddle {

/// Erases `op`, and what it alone reads, where nothing reads it.
inline void eraseUnread(mlir::Operation *op) {
  if (!mlir::isOpTriviallyDead(op))
    return;
  llvm::SmallVector<mlir::Value> operands(op->getOperands());
  op->erase();
  for (mlir::Value operand : operands)
    if (mlir::Operation *def = operand.getDefiningOp(); def && operand.use_empty())
      eraseUnread(def);
}

} // namespace heddle

#endif // HEDDLE_LIB_TRANSFORMS_ERASEUNREAD_H
