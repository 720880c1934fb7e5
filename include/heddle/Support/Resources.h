//===- Resources.h - The files that the tools need at run time -------------===//
//
// What:   finds machine files ("machines/h100.json"), device headers ("device/include") and examples.
// Where:  under $HEDDLE_ROOT when it is set, and only there; else under `../share/heddle` of the directory of the
//         running executable. `cmake --install` puts them there; in a build directory they are links into the source
//         tree.
// Why so: an installation can be moved, and no object depends on where it was compiled.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SUPPORT_RESOURCES_H
#define HEDDLE_SUPPORT_RESOURCES_H

#include "heddle/Support/Error.h"

namespace heddle {

/// The directory under which the resources stand; it need not exist.
std::string resourceRoot();

/// The path of the file or directory `name`, relative to resourceRoot(). User error: there is none.
Result<std::string> findResource(const std::string &name);

} // namespace heddle

#endif // HEDDLE_SUPPORT_RESOURCES_H
