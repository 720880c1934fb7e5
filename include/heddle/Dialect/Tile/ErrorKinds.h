//===- ErrorKinds.h - Diagnostics that know whose fault they are ------------===//
//
// What:   the kinds of Support/Error.h on MLIR's diagnostics: the text begins with the kind's word, and the diagnostic
//         carries the kind itself to whoever turns it into an exit code.
// Where:  wherever an operation is refused for another reason than its author's; MLIR's own emitError is a user error.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECT_TILE_ERRORKINDS_H
#define HEDDLE_DIALECT_TILE_ERRORKINDS_H

#include "heddle/Support/Error.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace heddle {

/// "infeasible: ", "limit reached: " or "internal error: ", and what is streamed to the result.
mlir::InFlightDiagnostic emitErrorOf(ErrorKind kind, mlir::Location loc);
mlir::InFlightDiagnostic emitErrorOf(ErrorKind kind, mlir::Operation *op);
/// An error from below the IR at `op`; its own place, if it has one, is part of the text.
mlir::InFlightDiagnostic emitErrorOf(const Error &error, mlir::Operation *op);
/// An error of a file that `op` only asks something of, such as a machine file: at its own place, with a note at `op`;
/// where it has none, at `op`.
mlir::InFlightDiagnostic emitErrorOfFile(const Error &error, mlir::Operation *op);

/// Lets `diagnostic` say what it is about to those who act on it. (That of an Error does by itself.)
mlir::InFlightDiagnostic about(ErrorCause cause, mlir::InFlightDiagnostic diagnostic);

/// The kind that a diagnostic was made with, and what it is about.
ErrorKind errorKindOf(mlir::Diagnostic &diagnostic);
ErrorCause errorCauseOf(mlir::Diagnostic &diagnostic);

/// Something that takes memory, in words, and the place of the program that it is for.
struct TakenBytes {
  mlir::Location place;
  int64_t bytes;
  std::string what;
};
/// Names the largest of `all` in notes of `diagnostic`, at their places.
void noteLargest(mlir::InFlightDiagnostic &diagnostic, llvm::SmallVector<TakenBytes> all);

/// Runs `check` of what the compiler made: its errors are ours, not the program's.
mlir::LogicalResult checkOwn(mlir::Operation *made, llvm::function_ref<mlir::LogicalResult()> check);

} // namespace heddle

#endif // HEDDLE_DIALECT_TILE_ERRORKINDS_H
