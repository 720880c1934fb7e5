//===- ErrorKinds.cpp - see ErrorKinds.h ------------------------------------===//
#include "heddle/Dialect/Tile/ErrorKinds.h"

using namespace mlir;
namespace heddle {

static InFlightDiagnostic ofKind(ErrorKind kind, InFlightDiagnostic diagnostic) {
  if (kind == ErrorKind::User)
    return diagnostic;
  // Metadata is not printed; of MLIR's own diagnostics none has a number there.
  diagnostic.getUnderlyingDiagnostic()->getMetadata().push_back(DiagnosticArgument(static_cast<int>(kind)));
  diagnostic << errorKindName(kind) << ": ";
  return diagnostic;
}

InFlightDiagnostic emitErrorOf(ErrorKind kind, Location loc) { return ofKind(kind, emitError(loc)); }
InFlightDiagnostic emitErrorOf(ErrorKind kind, Operation *op) { return ofKind(kind, op->emitError()); }

InFlightDiagnostic emitErrorOf(const Error &error, Operation *op) {
  InFlightDiagnostic diagnostic = emitErrorOf(error.kind(), op);
  if (!error.loc().file.empty())
    diagnostic << error.loc().str() << ": ";
  diagnostic << error.message();
  return diagnostic;
}

InFlightDiagnostic emitErrorOfFile(const Error &error, Operation *op) {
  const SourceLoc &place = error.loc();
  if (place.file.empty())
    return emitErrorOf(error, op);
  InFlightDiagnostic diagnostic =
      emitErrorOf(error.kind(), FileLineColLoc::get(op->getContext(), place.file, place.line, place.col));
  diagnostic << error.message();
  diagnostic.attachNote(op->getLoc()) << "asked for this";
  return diagnostic;
}

ErrorKind errorKindOf(Diagnostic &diagnostic) {
  for (const DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Integer)
      return static_cast<ErrorKind>(argument.getAsInteger());
  return ErrorKind::User;
}

LogicalResult checkOwn(Operation *made, llvm::function_ref<LogicalResult()> check) {
  SmallVector<std::pair<Location, std::string>> messages;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(made->getContext(), [&](Diagnostic &diag) {
      messages.push_back({diag.getLocation(), diag.str()});
      for (Diagnostic &note : diag.getNotes())
        messages.push_back({note.getLocation(), note.str()});
      return success();
    });
    result = check();
  }
  if (failed(result) && !messages.empty()) {
    InFlightDiagnostic diag = emitErrorOf(ErrorKind::Internal, messages[0].first) << messages[0].second;
    for (auto &[loc, text] : llvm::drop_begin(messages))
      diag.attachNote(loc) << text;
  }
  return result;
}

} // namespace heddle
