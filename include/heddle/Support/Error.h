//===- Error.h - Located errors and results without exceptions ------------===//
//
// What:   Error (kind, place, text), Result<T> (a value or an Error) and Status (success or an Error).
// Where:  everywhere below the IR; the MLIR side turns an Error into a diagnostic.
// Kinds:  user (bad input), infeasible (a limit binds), limit (time or memory ran out), internal (our bug).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SUPPORT_ERROR_H
#define HEDDLE_SUPPORT_ERROR_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace heddle {

enum class ErrorKind { User, Infeasible, Limit, Internal };

/// What an error is about, where somebody acts on it; never read from its text.
enum class ErrorCause {
  Other,
  Registers, ///< warp groups have too few registers
  Memory,    ///< tiles have too little room in a memory of the multiprocessor
  Division,  ///< a program cannot be divided over warp groups
};

/// The lower-case word used in messages: "error", "infeasible", "limit reached", "internal error".
const char *errorKindName(ErrorKind kind);

/// A place in a file; `line` and `col` count from 1, 0 means unknown.
struct SourceLoc {
  std::string file;
  int line = 0;
  int col = 0;
  std::string str() const;
};

/// An error with its place. Messages are lower-case and, where it applies, "expected X, got Y".
class Error {
public:
  Error(ErrorKind kind, std::string message, SourceLoc loc = {}, ErrorCause cause = ErrorCause::Other)
      : errorKind(kind), errorCause(cause), text(std::move(message)), place(std::move(loc)) {}

  ErrorKind kind() const { return errorKind; }
  ErrorCause cause() const { return errorCause; }
  const std::string &message() const { return text; }
  const SourceLoc &loc() const { return place; }
  /// "file:line:col: error: text".
  std::string str() const;

private:
  ErrorKind errorKind;
  ErrorCause errorCause;
  std::string text;
  SourceLoc place;
};

inline Error userError(std::string message, SourceLoc loc = {}) {
  return Error(ErrorKind::User, std::move(message), std::move(loc));
}

/// A value or an Error. Test with `if (!result)`, then `*result` or `result.error()`.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return *std::get_if<0>(&state); }
  const T &operator*() const { return *std::get_if<0>(&state); }
  T *operator->() { return std::get_if<0>(&state); }
  const T *operator->() const { return std::get_if<0>(&state); }
  const Error &error() const { return *std::get_if<1>(&state); }

private:
  std::variant<T, Error> state;
};

/// Success, or an Error.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failure(std::move(error)) {}
  static Status success() { return {}; }

  explicit operator bool() const { return !failure; }
  const Error &error() const { return *failure; }

private:
  std::optional<Error> failure;
};

/// The file as text, at most its first `most` bytes (a device may have no end), or a user error naming the path and the
/// reason.
Result<std::string> readFile(const std::string &path, size_t most = SIZE_MAX);
/// A regular file is written atomically (temporary file in its directory, then rename): never half-written, and its
/// permissions stay. Through a symbolic link its target is written; a device or a pipe is written to.
Status writeFile(const std::string &path, const std::string &text);
/// Writes out what <cstdio> holds for standard output; user error: it took not all of it (a full disk).
Status flushOutput();

} // namespace heddle

#endif // HEDDLE_SUPPORT_ERROR_H
