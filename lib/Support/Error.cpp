//===- Error.cpp - Located errors, and file access that reports them ------===//
#include "heddle/Support/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <vector>

namespace heddle {

const char *errorKindName(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::User: return "error";
  case ErrorKind::Infeasible: return "infeasible";
  case ErrorKind::Limit: return "limit reached";
  case ErrorKind::Internal: return "internal error";
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

Result<std::string> readFile(const std::string &path, size_t most) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return userError("cannot open '" + path + "': " + std::strerror(errno));
  if (S_ISDIR(info.st_mode))
    return userError("expected a file, got the directory '" + path + "'");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return userError("cannot open '" + path + "': " + std::strerror(errno));
  std::string out;
  std::vector<char> block(size_t(1) << 16);
  while (in && out.size() < most) {
    in.read(block.data(), static_cast<std::streamsize>(std::min(block.size(), most - out.size())));
    out.append(block.data(), static_cast<size_t>(in.gcount()));
  }
  return out;
}

Status flushOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return userError(std::string("cannot write to standard output: ") + std::strerror(errno));
  return Status::success();
}

} // namespace heddle
