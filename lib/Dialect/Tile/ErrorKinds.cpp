//===- ErrorKinds.cpp - see ErrorKinds.h ------------------------------------===//
#include "heddle/Dialect/Tile/ErrorKinds.h"

using namespace mlir;
namespace heddle {

/// Metadata is not printed; of MLIR's own diagnostics none has a number there. The first one is the kind, where that is
/// not User; causes are above all kinds.
static constexpr int firstCause = 16;

static void mark(InFlightDiagnostic &diagnostic, int number) {
  diagnostic.getUnderlyingDiagnostic()->getMetadata().push_back(DiagnosticArgument(number));
}

static InFlightDiagnostic ofKind(ErrorKind kind, InFlightDiagnostic diagnostic) {
  if (kind == ErrorKind::User)
    return diagnostic;
  mark(diagnostic, static_cast<int>(kind));
  diagnostic << errorKindName(kind) << ": ";
  return diagnostic;
}

InFlightDiagnostic emitErrorOf(ErrorKind kind, Location loc) { return ofKind(kind, emitError(loc)); }
InFlightDiagnostic emitErrorOf(ErrorKind kind, Operation *op) { return ofKind(kind, op->emitError()); }

InFlightDiagnostic about(ErrorCause cause, InFlightDiagnostic diagnostic) {
  if (cause != ErrorCause::Other)
    mark(diagnostic, firstCause + static_cast<int>(cause));
  return diagnostic;
}

InFlightDiagnostic emitErrorOf(const Error &error, Operation *op) {
  InFlightDiagnostic diagnostic = about(error.cause(), emitErrorOf(error.kind(), op));
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
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Integer &&
        argument.getAsInteger() < firstCause)
      return static_cast<ErrorKind>(argument.getAsInteger());
  return ErrorKind::User;
}

ErrorCause errorCauseOf(Diagnostic &diagnostic) {
  for (const DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Integer &&
        argument.getAsInteger() >= firstCause)
      return static_cast<ErrorCause>(argument.getAsInteger() - firstCause);
  return ErrorCause::Other;
}

void noteLargest(InFlightDiagnostic &diagnostic, SmallVector<TakenBytes> all) {
  constexpr size_t most = 8;
  llvm::stable_sort(all, [](const TakenBytes &a, const TakenBytes &b) { return a.bytes > b.bytes; });
  for (const TakenBytes &one : ArrayRef(all).take_front(most))
    diagnostic.attachNote(one.place) << one.what;
  if (all.size() > most)
    diagnostic.attachNote(all[most].place)
        << "and " << all.size() - most << " more of at most " << all[most].bytes << " bytes, the first of them here";
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
