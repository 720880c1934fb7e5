//===- Error.cpp - Located errors, and file access that reports them ------===//
#include "heddle/Support/Error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {

const char *errorKindName(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::User:
    return "error";
  case ErrorKind::Infeasible:
    return "infeasible";
  case ErrorKind::Limit:
    return "limit reached";
  case ErrorKind::Internal:
    return "internal error";
  }
  return "error";
}

std::string SourceLoc::str() const {
  std::string out = file.empty() ? "<unknown>" : file;
  if (line > 0)
    out += ":" + std::to_string(line) + ":" + std::to_string(col > 0 ? col : 1);
  return out;
}

std::string Error::str() const {
  std::string out;
  if (!place.file.empty() || place.line > 0)
    out = place.str() + ": ";
  return out + errorKindName(errorKind) + ": " + text;
}

Result<std::string> readFile(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return userError("cannot open '" + path + "': " + std::strerror(errno));
  if (S_ISDIR(info.st_mode))
    return userError("expected a file, got the directory '" + path + "'");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return userError("cannot open '" + path + "': " + std::strerror(errno));
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// All of `text` to an open descriptor, or errno.
static int writeAll(int descriptor, const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    ssize_t count = ::write(descriptor, text.data() + at, text.size() - at);
    if (count < 0 && errno != EINTR)
      return errno;
    at += count > 0 ? static_cast<size_t>(count) : 0;
  }
  return 0;
}

/// Writes `text` and closes; 0 or errno.
static int writeAndClose(int descriptor, const std::string &text) {
  int error = writeAll(descriptor, text);
  if (::close(descriptor) != 0 && !error)
    error = errno;
  return error;
}

/// Where a write to `path` goes: the end of its chain of symbolic links, which need not exist yet.
static std::string linkTarget(const std::string &path) {
  std::error_code error;
  std::filesystem::path at = path;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(at, error); ++links) {
    std::filesystem::path next = std::filesystem::read_symlink(at, error);
    if (error)
      break;
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return at.string();
}

Status writeFile(const std::string &path, const std::string &text) {
  auto failed = [&path](int error) { return userError("cannot write '" + path + "': " + std::strerror(error)); };
  struct stat info, open;
  bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT)
    return failed(errno);
  if (exists && S_ISDIR(info.st_mode))
    return failed(EISDIR);
  // /dev/stdout and its like, also where they stand for a file: what is open already goes on.
  for (int descriptor : {STDOUT_FILENO, STDERR_FILENO})
    if (exists && ::fstat(descriptor, &open) == 0 && open.st_dev == info.st_dev && open.st_ino == info.st_ino) {
      std::fflush(descriptor == STDOUT_FILENO ? stdout : stderr);
      int error = writeAll(descriptor, text);
      return error ? failed(error) : Status::success();
    }
  if (exists && !S_ISREG(info.st_mode)) { // a device, a pipe: no other file may take its place
    int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    int error = descriptor < 0 ? errno : writeAndClose(descriptor, text);
    return error ? failed(error) : Status::success();
  }
  std::string target = linkTarget(path);
  // A file that the user may not write is not replaced either.
  if (exists && ::access(target.c_str(), W_OK) != 0)
    return failed(errno);
  std::string temporary = target + ".XXXXXX";
  int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0)
    return failed(errno);
  mode_t mask = ::umask(0);
  ::umask(mask);
  int error = ::fchmod(descriptor, exists ? info.st_mode & 07777 : 0666 & ~mask) == 0 ? 0 : errno;
  if (int unwritten = writeAndClose(descriptor, text); !error)
    error = unwritten;
  if (!error && ::rename(temporary.c_str(), target.c_str()) != 0)
    error = errno;
  if (!error)
    return Status::success();
  ::unlink(temporary.c_str());
  return failed(error);
}

Status flushOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return userError(std::string("cannot write to standard output: ") + std::strerror(errno));
  return Status::success();
}

} // namespace heddle
