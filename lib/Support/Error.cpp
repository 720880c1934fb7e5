//===- Error.cpp - Located errors, and file access that reports them ------===//
#include "heddle/Support/Error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
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

Status writeFile(const std::string &path, const std::string &text) {
  std::string temporary = path + ".tmp" + std::to_string(::getpid());
  {
    std::ofstream out(temporary, std::ios::binary);
    if (!out)
      return userError("cannot write '" + path + "': " + std::strerror(errno));
    out << text;
    out.flush();
    if (!out) {
      std::remove(temporary.c_str());
      return userError("cannot write '" + path + "': " + std::strerror(errno));
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::string reason = std::strerror(errno);
    std::remove(temporary.c_str());
    return userError("cannot write '" + path + "': " + reason);
  }
  return Status::success();
}

} // namespace heddle
