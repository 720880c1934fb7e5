//===- Resources.cpp - The files that the tools need at run time -----------===//
#include "heddle/Support/Resources.h"

#include <cstdlib>
#include <filesystem>

namespace heddle {

std::string resourceRoot() {
  if (const char *root = std::getenv("HEDDLE_ROOT"); root && *root)
    return root;
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "share" / "heddle").string();
}

Result<std::string> findResource(const std::string &name) {
  std::string path = resourceRoot() + "/" + name;
  std::error_code error;
  if (std::filesystem::exists(path, error))
    return path;
  return userError("expected '" + name + "' in '" + resourceRoot() +
                   "', got none (the environment variable HEDDLE_ROOT names another directory)");
}

} // namespace heddle
