//===- PlanCache.h - tuned plans on disk -----------------------------------===//
//
// What:   a directory with a plan for each program, class of sizes and machine. A file is a plan (docs/Plan.md) whose
//         first comment lines say what it is for and how good it is; it may be given to `--plan` as it is.
// Trusts: the first line, which holds the program's digest, the sizes and the machine, against what is asked for. The
//         plan itself is read by the compiler like every other.
// Sizes:  two lists of sizes are of one class where each size has the same three leading bits, and both or neither are
//         multiples of 16, which decides what the copy engine takes.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TUNING_PLANCACHE_H
#define HEDDLE_TUNING_PLANCACHE_H

#include "heddle/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle {

using Sizes = std::map<std::string, int64_t>;

/// "K=1024,M=8192,N=7168+": the leading bits of each; +: no multiple of 16.
std::string sizesClass(const Sizes &sizes);

struct PlanKey {
  std::string kernel;  ///< name
  std::string program; ///< its text
  std::string machine;
  Sizes sizes;

  /// The first line of a file.
  std::string line() const;
};

class PlanCache {
public:
  /// Without a directory nothing is found or stored.
  explicit PlanCache(std::string directory) : directory(std::move(directory)) {}

  /// The text of the plan for `key`, and where it stands; empty: none.
  std::string find(const PlanKey &key) const;
  std::string pathOf(const PlanKey &key) const;
  /// Keeps `plan`; `remark` is one line about it.
  Status store(const PlanKey &key, const std::string &plan, const std::string &remark) const;
  /// The head of every file: its key line and its remark.
  std::vector<std::pair<std::string, std::string>> list() const;

private:
  std::string directory;
};

} // namespace heddle

#endif // HEDDLE_TUNING_PLANCACHE_H
