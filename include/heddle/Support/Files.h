//===- Files.h - Output files --------------------------------------------===//
//
// What:   writes one file, or the set of files that one run of a tool makes in a directory, so that an error or an
//         interrupted run leaves what was there.
// Verifies: before anything is replaced, that every file can be.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_SUPPORT_FILES_H
#define HEDDLE_SUPPORT_FILES_H

#include "heddle/Support/Error.h"

#include <functional>
#include <utility>
#include <vector>

namespace heddle {

/// Writes `files` (path and text), each as writeFile does. All or nothing: where one cannot be written, none is.
Status writeFiles(const std::vector<std::pair<std::string, std::string>> &files);

/// Writes `files` (name and text) into `directory`, which is made if it is absent, and removes what an earlier run left
/// there: the files whose name `isStale`. A name may begin with a folder ("a/b"), which is treated likewise. All or
/// nothing: where one file cannot be written, the directory stays as it was. Each file as writeFile does.
Status replaceFiles(const std::string &directory, const std::vector<std::pair<std::string, std::string>> &files,
                    const std::function<bool(const std::string &)> &isStale);

} // namespace heddle

#endif // HEDDLE_SUPPORT_FILES_H
