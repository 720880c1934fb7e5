//===- Version.h - what --version prints ----------------------------------===//
#ifndef HEDDLE_SUPPORT_VERSION_H
#define HEDDLE_SUPPORT_VERSION_H

#include <string>

namespace heddle {

/// "heddle-sched 0.1.0\n": one of Heddle's tools and the version of the project.
std::string versionText(const std::string &tool);

} // namespace heddle

#endif // HEDDLE_SUPPORT_VERSION_H
