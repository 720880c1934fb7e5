//===- Version.cpp - what --version prints --------------------------------===//
#include "heddle/Support/Version.h"

namespace heddle {

std::string versionText(const std::string &tool) { return tool + " " HEDDLE_VERSION "\n"; }

} // namespace heddle
